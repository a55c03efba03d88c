"""``verify --mutants``: faults planted on every syntax site of pages and implementations, and what became of each."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any, NamedTuple

from sparring.proofs.core.supplement import companion
from sparring.proofs.mutants import judging
from sparring.proofs.mutants.judging import Fate
from sparring.proofs.mutants.syntax import IN_PAGES
from sparring.spec.core.model import Page
from sparring.verification import Track, flaws, judged

WORDS = ("killed", "survived", "equivalent")
PARTS = ("page", "index functions", "implementation")
NUMBERS = {"int", "bool", "tuple[int, int]"}
NO_REASON = "nobody has looked into it"


class Told(NamedTuple):
    """The fate of a mutant.

    ``part``: one of ``PARTS``; ``line``: the text of the line that is changed, not its number, which moves;
    ``why``: what killed it or proves it equivalent, or why it may live; ``alone``: of a page, the theorem with which
    proof alone refuses it.
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


def told(page: Page, track: Track, every: int = 1) -> list[Told]:
    """The fate of every mutant of the page, and of its implementation if there is one; or of one in ``every``."""
    target, reasons = judged(page), getattr(companion(page), "survivors", {})
    fates = track(judging.of_page(page, target, every), f"{page.name}: page")
    found = [entry(page, "page", fate, reasons) for fate in fates]
    if target:
        module = importlib.import_module(target.partition(":")[0])
        fates = track(judging.of_implementation(page, target, flaws, every), f"{page.name}: implementation")
        found += [entry(page, part(module, fate.mutant.function), fate, reasons) for fate in fates]
    return found


def entry(page: Page, part: str, fate: Fate, reasons: dict[str, str]) -> Told:
    """What is told of it; why a survivor may live stands in the page's proof module, by the line that is changed."""
    mutant = fate.mutant
    why = fate.why or reasons.get(mutant.text, NO_REASON)
    return Told(page.name, part, mutant.operator, mutant.function, mutant.text, mutant.told, fate.word, why, fate.alone)


def part(module: ModuleType, function: str) -> str:
    """Whether the changed function of an implementation is one of numbers alone, a peer's or a chunk's."""
    types = getattr(getattr(module, function, None), "__annotations__", {})
    return "index functions" if types and {*types.values()} <= NUMBERS else "implementation"


def summary(found: Sequence[Told]) -> dict[str, Any]:
    """For the envelope: how many there are of each word, in all, by operator and by algorithm; and who survived."""
    names = dict.fromkeys(one.algorithm for one in found)
    return {
        **counted(found),
        "operators": by_operator(found),
        "survivors": [one._asdict() for one in found if one.word == "survived"],
        "algorithms": {name: of_algorithm([one for one in found if one.algorithm == name]) for name in names},
    }


def of_algorithm(found: Sequence[Told]) -> dict[str, Any]:
    """By part and operator; and what was not killed, with the reason or the certificate."""
    parts = {part: [one for one in found if one.part == part] for part in PARTS}
    return {
        "parts": {
            part: {**counted(ours), **by_proof(part, ours), "operators": by_operator(ours)}
            for part, ours in parts.items()
            if ours
        },
        "alive": [one._asdict() for one in found if one.word != "killed"],
    }


def by_proof(part: str, found: Sequence[Told]) -> dict[str, int]:
    """Of a page, how many proof alone refuses; of the other parts nothing is said."""
    return {"by proof alone": sum(bool(one.alone) for one in found)} if part == PARTS[0] else {}


def by_operator(found: Sequence[Told]) -> dict[str, dict[str, int]]:
    """The counts of each operator that made one."""
    counts = {name: counted(one for one in found if one.operator == name) for name in IN_PAGES}
    return {name: words for name, words in counts.items() if any(words.values())}


def counted(found: Iterable[Told]) -> dict[str, int]:
    """How many were killed, survived or are equivalent."""
    counts = Counter(one.word for one in found)
    return {word: counts[word] for word in WORDS}
