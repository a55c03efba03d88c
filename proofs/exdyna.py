"""What is claimed of ExDyna beyond its text: which parts give blocks, and that none gives its last.

``a`` and ``e`` are numbers of entries or blocks, ``i`` a mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sparring.impl import exdyna
from sparring.proofs import micro
from sparring.proofs.logic.obligations import Obligation, iff, n
from sparring.proofs.logic.obligations import p as ranks
from sparring.proofs.micro import COUNTS, a, e, i, shown
from sparring.proofs.reading.annotations import Served, Stated
from sparring.spec import micro as spec_micro
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import both, negate
from sparring.spec.core.vectors import Vector
from sparring.spec.library import exclusive_parts as rule

__all__ = ["shown"]  # as of MiCRO

SHAPES = ((1024, 32), (8, 1), (5, 2))
"""Numbers of blocks, and of entries of which a block has a multiple."""

others: Sequence[Mapping[str, Any]] = (
    {"k": 3, "first": 3_000_000, "gain": 500, "blocks": 12, "unit": 1, "through": "two_shot"},
    {"k": 6, "first": 10**9, "gain": 900, "blocks": 32, "unit": 2},
    {"k": 2, "first": 500_000, "gain": 100, "blocks": 5, "unit": 1},
    {"k": 4, "first": 5_000_000, "gain": 0, "blocks": 5, "unit": 1},
    {"k": 1, "first": 500_000, "blocks": 1, "unit": 3},
    {"blocks": 2**32, "unit": 1},
)
refused: Sequence[Mapping[str, Any]] = (
    *micro.refused, {"blocks": 0}, {"blocks": 2**32 + 1}, {"unit": 0}, {"unit": 2**32 + 1},
)  # fmt: skip


def owed(p: int) -> Sequence[Mapping[str, Any]]:
    """Return parameters: those of MiCRO, with blocks of one entry."""
    return [{**one, "blocks": 4 * p, "unit": 1} for one in micro.owed(p)]


def kept(state: Any, xs: Sequence[Any], calls: int) -> Iterator[str]:
    """Yield what is wrong with the number of calls, residuals, thresholds and bounds of parts."""
    yield from micro.kept(state, xs, calls)
    for cuts in state.cuts:
        if len(cuts) != len(xs) + 1 or cuts[0] or [*cuts] != sorted(cuts) or cuts != state.cuts[0]:
            yield f"after {calls} calls parts begin with blocks {[*cuts]}, on rank 0 with {[*state.cuts[0]]}"


def theorems(page: Page) -> Iterator[Stated]:
    """State what holds of its functions, and of those that these call."""
    m: Any = page.module
    yield Stated(
        "balance",
        "Of two parts at most one gives: where more than 1.05 times the mean were selected, to one with fewer than "
        "0.95238 times; and it has at least one block left.",
        balance(m),
    )
    yield Stated(
        "blocks",
        "All blocks have one length and lie in the vector (1024 blocks of 32, 8 of 1 and 5 of 2 entries and their "
        "multiples); parts give and take blocks (three examples).",
        (*examples(m), *blocks()),
    )


def examples(m: Any) -> Iterator[Obligation]:
    """State it of the function itself, of two parts of two blocks of two entries."""
    for at, cuts in (("11110000", (0, 1, 4)), ("00000111", (0, 3, 4)), ("11101111", (0, 2, 4))):
        after = m.balanced((0, 2, 4), Vector([one == "1" for one in at], False), 4, 2)
        yield Obligation(f"parts after {at}", (ranks >= 1,), after == cuts)


def balance(m: Any) -> Iterator[Obligation]:
    """State it of ``a`` and ``e`` selected entries, and of ``a`` blocks of ``e``."""
    still = m.balanced((0, 2, 4), Vector([], False), 4, 2) == (0, 2, 4)
    yield Obligation("parts stay where nothing is selected", (ranks >= 1,), still)
    counts = (*COUNTS, i >= 0)
    apart = both(20 * a > 21 * i, 100_000 * e < 95_238 * i)
    yield Obligation("from more to fewer", counts, iff(rule.uneven(a, e, i), apart))
    yield Obligation("one way", counts, negate(both(rule.uneven(a, e, i), rule.uneven(e, a, i))))
    yield Obligation("from some that were selected", (*counts, rule.uneven(a, e, i)), a >= e + 1)
    least = (ranks >= 1, e >= 1, a >= 0, rule.gives(a, e, ranks))
    yield Obligation("one block left", least, a >= 2)
    yield Obligation("a fourth of an even share", least, 4 * ranks * (a - 1) >= e)


def blocks() -> Iterator[Obligation]:
    """State it for a few numbers of blocks and units."""
    for many, unit in SHAPES:
        size = rule.length(n, many, unit)
        yield Obligation(f"in the vector, {many} of {unit}", (n >= 0,), both(size >= 0, many * size <= n))
        yield Obligation(f"a multiple, {many} of {unit}", (n >= 0,), size % unit == 0)
        yield Obligation(f"the longest, {many} of {unit}", (n >= 0,), many * (size + unit) > n)


def peers(page: Page, served: Served) -> Iterator[Obligation]:
    """Compare with ``impl/exdyna.py``, which has means and lengths in functions of its own, and the rest of MiCRO's."""
    impl: Any = exdyna
    through = page.params["through"]
    yield from micro.alike(spec_micro)
    yield from micro.INNER[through].peers(served(through))
    yield Obligation("crowded", COUNTS, iff(impl.crowded(a, e), rule.crowded(a, e)))
    yield Obligation("scarce", COUNTS, iff(impl.scarce(a, e), rule.scarce(a, e)))
    for many, unit in SHAPES:
        alike = impl.length(n, many, unit) == rule.length(n, many, unit)
        yield Obligation(f"lengths, {many} of {unit}", (n >= 0,), alike)
    yield Obligation("gives", (*COUNTS, ranks >= 1), iff(impl.gives(a, e, ranks), rule.gives(a, e, ranks)))
