"""``verify --mutants``: faults planted on every syntax site of pages and implementations, and what became of each."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Sequence
from typing import Any

from sparring.proofs.mutants import judging
from sparring.proofs.mutants.judging import Fate
from sparring.proofs.mutants.syntax import OPERATORS
from sparring.spec.core.model import Page
from sparring.verification import Track, judged

WORDS = ("killed", "survived", "equivalent")


def fates(page: Page, track: Track) -> dict[str, list[Fate]]:
    """The fate of every mutant of the page, and of its implementation if there is one."""
    target = judged(page)
    if target:
        importlib.import_module(target.partition(":")[0])
    found = {"page": list(track(judging.of_page(page, target), f"{page.name}: mutants of the page"))}
    if target:
        tried = judging.of_implementation(page, target)
        found["implementation"] = list(track(tried, f"{page.name}: mutants of the implementation"))
    return found


def summary(found: dict[str, dict[str, list[Fate]]]) -> dict[str, Any]:
    """For the envelope: how many there are of each word, in all, by operator and by what was changed; each survivor."""
    every = [fate for by_part in found.values() for fates in by_part.values() for fate in fates]
    return {
        **counted(every),
        "operators": {name: counted([f for f in every if f.mutant.operator == name]) for name in OPERATORS},
        "subjects": {
            f"{algorithm}, {part}": counted(fates)
            for algorithm, parts in found.items()
            for part, fates in parts.items()
        },
        "survivors": [
            {"algorithm": algorithm, "part": part, "operator": fate.mutant.operator, "where": str(fate.mutant)}
            for algorithm, parts in found.items()
            for part, fates in parts.items()
            for fate in fates
            if fate.word == "survived"
        ],
    }


def counted(fates: Sequence[Fate]) -> dict[str, int]:
    """How many were killed, survived or are equivalent."""
    counts = Counter(fate.word for fate in fates)
    return {word: counts[word] for word in WORDS}
