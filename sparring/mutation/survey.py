"""``verify --mutants``: faults planted on every syntax site of pages and implementations, and what became of each."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from types import ModuleType
from typing import Any, NamedTuple

from sparring.mutation import judging
from sparring.mutation.judging import Fate
from sparring.mutation.small_models import Trials
from sparring.proofs.logic.queries import Memory
from sparring.proofs.mutants.planting import afresh
from sparring.proofs.mutants.syntax import IN_PAGES, Mutant
from sparring.proofs.reading.annotations import companion
from sparring.refinement.comparison import Flaw
from sparring.spec.core.model import Page
from sparring.verification.algorithm import find_target
from sparring.verification.plans import FIRST_LOOK, WHOLE_LOOK, Plan, Track
from sparring.verification.simulated_runs import flaws

WORDS = ("killed", "survived", "equivalent")
PARTS = ("page", "index functions", "implementation")
NUMBERS = {"int", "bool", "tuple[int, int]"}
NO_REASON = "nobody has looked into it"


class Told(NamedTuple):
    """The fate of a mutant.

    ``part``: one of ``PARTS``; ``line``: the text of the line that is changed, not its number, which moves;
    ``why``: what killed it or proves it equivalent, or why it may live; ``alone``: for a page, the theorem with which
    proof alone refuses it; ``full``: for a survivor in an implementation, what ``--full`` finds; None where that
    was not asked.
    """

    algorithm: str
    part: str
    operator: str
    function: str
    line: str
    change: str
    word: str
    why: str
    alone: str = ""
    full: str | None = None


def judge_mutants(page: Page, track: Track, every: int = 1, *, full: bool = False) -> list[Told]:
    """Return the fate of every mutant, or of one in ``every``, of the page and of its implementation, if any.

    ``full``: survivors in the implementation also go through all runs, not only those of a first look.
    """
    target, reasons = find_target(page), getattr(companion(page), "survivors", {})
    fates = track(judging.of_page(page, target, every), f"{page.name}: page")
    found = [entry(page, "page", fate, reasons) for fate in fates]
    if target:
        module = importlib.import_module(target.partition(":")[0])
        fates = track(judging.of_implementation(page, target, wrong, every), f"{page.name}: implementation")
        for fate in fates:
            one = entry(page, part(module, fate.mutant.function), fate, reasons)
            asked = full and one.word == "survived"
            found.append(one._replace(full=by_all_runs(page, target, fate.mutant)) if asked else one)
    return found


def wrong(page: Page, target: str, plan: Plan = FIRST_LOOK) -> Iterator[Flaw]:
    """Yield the flaws that runs find in an implementation with a fault, endless loops included."""
    return flaws(page, target, plan, afresh)


def by_all_runs(page: Page, target: str, mutant: Mutant, module: ModuleType | None = None) -> str:
    """Return the first fault that ``--full`` finds in an implementation with this fault; empty where there is none."""
    looks = partial(wrong, plan=WHOLE_LOOK)
    return judging.first(judging.of_code(page, target, looks, mutant, Trials(Memory()), module).runs())


def entry(page: Page, part: str, fate: Fate, reasons: dict[str, str]) -> Told:
    """Return the report of a fate; the page's proof module has the reasons of survivors, by the changed line."""
    mutant = fate.mutant
    why = fate.why or reasons.get(mutant.text, NO_REASON)
    return Told(page.name, part, mutant.operator, mutant.function, mutant.text, mutant.told, fate.word, why, fate.alone)


def part(module: ModuleType, function: str) -> str:
    """Return the part of a changed function: "index functions" if it is of numbers alone, else "implementation"."""
    types = getattr(getattr(module, function, None), "__annotations__", {})
    return "index functions" if types and {*types.values()} <= NUMBERS else "implementation"


def summary(found: Sequence[Told]) -> dict[str, Any]:
    """Return the counts of each word for the envelope, in all, by operator and by algorithm; and the survivors."""
    names = dict.fromkeys(one.algorithm for one in found)
    return {
        **counted(found),
        "operators": by_operator(found),
        "survivors": [one._asdict() for one in found if one.word == "survived"],
        "algorithms": {name: of_algorithm([one for one in found if one.algorithm == name]) for name in names},
    }


def of_algorithm(found: Sequence[Told]) -> dict[str, Any]:
    """Return an algorithm's counts, by part and operator; and all that was not killed, with reason or certificate."""
    parts = {part: [one for one in found if one.part == part] for part in PARTS}
    return {
        "parts": {
            part: {**counted(ours), **by_proof(part, ours), **by_full(part, ours), "operators": by_operator(ours)}
            for part, ours in parts.items()
            if ours
        },
        "alive": [one._asdict() for one in found if one.word != "killed"],
    }


def by_proof(part: str, found: Sequence[Told]) -> dict[str, int]:
    """Return the number of mutants of a page that proof alone refuses; empty for other parts."""
    return {"by proof alone": sum(bool(one.alone) for one in found)} if part == PARTS[0] else {}


def by_full(part: str, found: Sequence[Told]) -> dict[str, int]:
    """Return the number of an implementation's mutants that all runs find, but no first look; empty if not asked."""
    alive = [one.full for one in found if one.word == "survived"]
    return {} if part == PARTS[0] or None in alive else {"by --full alone": sum(map(bool, alive))}


def by_operator(found: Sequence[Told]) -> dict[str, dict[str, int]]:
    """Return the counts of each operator that made a mutant."""
    counts = {name: counted(one for one in found if one.operator == name) for name in IN_PAGES}
    return {name: words for name, words in counts.items() if any(words.values())}


def counted(found: Iterable[Told]) -> dict[str, int]:
    """Return how many mutants were killed, survived or are equivalent."""
    counts = Counter(one.word for one in found)
    return {word: counts[word] for word in WORDS}
