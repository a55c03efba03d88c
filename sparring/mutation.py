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
from sparring.proofs.mutants.syntax import OPERATORS, Mutant
from sparring.spec.core.model import Page
from sparring.verification import Track, judged

WORDS = ("killed", "survived", "equivalent")
PARTS = ("page", "index functions", "implementation")
NO_REASON = "nobody has looked into it"


class Told(NamedTuple):
    """The fate of a mutant, without its code.  ``part``: one of ``PARTS``; ``why``: as in its Fate, or why it lives."""

    algorithm: str
    part: str
    operator: str
    where: str
    word: str
    why: str


def told(page: Page, track: Track) -> list[Told]:
    """The fate of every mutant of the page, and of its implementation if there is one."""
    target, reasons = judged(page), getattr(companion(page), "survivors", {})
    found = [entry(page, "page", fate, reasons) for fate in track(judging.of_page(page, target), f"{page.name}: page")]
    if target:
        module = importlib.import_module(target.partition(":")[0])
        fates = track(judging.of_implementation(page, target), f"{page.name}: implementation")
        found += [entry(page, part(module, fate.mutant), fate, reasons) for fate in fates]
    return found


def entry(page: Page, part: str, fate: Fate, reasons: dict[str, str]) -> Told:
    """What is told of it; why a survivor may live stands in the page's proof module, under what it changes."""
    mutant = fate.mutant
    why = fate.why if fate.word != "survived" else reasons.get(f"{mutant.function}: {mutant.told}", NO_REASON)
    return Told(page.name, part, mutant.operator, str(mutant), fate.word, why)


def part(module: ModuleType, mutant: Mutant) -> str:
    """Whether the changed function is one of numbers alone, a peer's or a chunk's."""
    types = getattr(getattr(module, mutant.function, None), "__annotations__", {})
    return "index functions" if types and {*types.values()} <= {"int"} else "implementation"


def summary(found: Sequence[Told]) -> dict[str, Any]:
    """For the envelope: how many there are of each word, in all, by operator and by what was changed; and who lives."""
    subjects = dict.fromkeys((one.algorithm, one.part) for one in found)
    return {
        **counted(found),
        "operators": by_operator(found),
        "subjects": {
            f"{algorithm}, {part}": {**counted(ours), "operators": by_operator(ours)}
            for algorithm, part in subjects
            for ours in [[one for one in found if (one.algorithm, one.part) == (algorithm, part)]]
        },
        "survivors": [one._asdict() for one in found if one.word == "survived"],
        "equivalents": [one._asdict() for one in found if one.word == "equivalent"],
    }


def by_operator(found: Sequence[Told]) -> dict[str, dict[str, int]]:
    """The counts of each operator that made one."""
    counts = {name: counted(one for one in found if one.operator == name) for name in OPERATORS}
    return {name: words for name, words in counts.items() if any(words.values())}


def counted(found: Iterable[Told]) -> dict[str, int]:
    """How many were killed, survived or are equivalent."""
    counts = Counter(one.word for one in found)
    return {word: counts[word] for word in WORDS}
