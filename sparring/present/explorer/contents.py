"""What messages and copies hold, as an explorer's document says it: entries, bytes, and values as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sparring.present.explorer.document import Cell, Detail
from sparring.refinement.running import octets
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int
from sparring.spec.core.schedule import number, truth
from sparring.spec.core.sparse import SparseVector

SHORT = 32
"""Entries at most of a message or a copy whose values are shown."""
FEW = 16
"""Ranks at most of a run of which values are shown."""

Sets = list[list[list[int]]]
"""By rank and chunk the ranks whose contributions a copy holds."""


def support(entries: Any) -> list[int] | None:
    """Return where there are entries, None of what is not sparse."""
    return [*entries.indices] if isinstance(entries, SparseVector) else None


def values(entries: Any, ranks: int) -> list[str]:
    """Return the values as text, of sparse entries with their places; none of bytes, of long ones or of many ranks."""
    if isinstance(entries, memoryview) or ranks > FEW:
        return []
    if not isinstance(entries, SparseVector):
        return [*map(text, entries)] if len(entries) <= SHORT else []
    return [f"{i}:{text(v)}" for i, v in zip(entries.indices, entries.values)] if entries.m <= SHORT else []


def count(n: int, thing: str) -> str:
    """Return ``n`` things, in prose.

    >>> count(1, "rank"), count(2, "rank")
    ('1 rank', '2 ranks')
    """
    return f"{n} {thing}{'' if n == 1 else 's'}"


def text(value: Any) -> str:
    """Return a value as text, a number in few digits.

    >>> text(2.0), text(1 / 3), text("aA")
    ('2', '0.3333', 'aA')
    """
    return str(value) if isinstance(value, str) or not hasattr(value, "__float__") else f"{float(value):.4g}"


def cell(r: int, c: int, entries: Any, ranks: int) -> Cell:
    """Return rank ``r``'s copy of chunk ``c``."""
    return Cell(r, c, support(entries), values(entries, ranks))


def detail(page: Page, i: int, entries: Any, width: int, ranks: int, begins: int = 0) -> Detail:
    """Return what is known of message ``i`` of a step: its entries, which take ``width`` bytes a value.

    ``begins``: where its chunk begins, if places are counted from the beginning of the vector.  Of a code, which is
    bytes, the number of its entries is not told.
    """
    size = octets(page, entries, width)
    if isinstance(entries, SparseVector):
        entries = entries.having((at - begins for at in entries.indices), entries.values)
    many = entries.m if isinstance(entries, SparseVector) else None if isinstance(entries, memoryview) else len(entries)
    at = support(entries)
    ascending = at == sorted({*at}) if at else True  # else of several lists, one after the other
    return Detail(i, entries=many, bytes=size, support=at if ascending else None, values=values(entries, ranks))


def sets(page: Page, formula: Callable[[Int, Int, Int, Int], Bool], p: int) -> Sets:
    """Return by rank and chunk for which ranks ``formula(q, r, c, p)`` holds: a page's ``start``, or its ``goal``."""
    chunks = range(number(page.chunks(p)))
    return [[[q for q in range(p) if truth(formula(q, r, c, p))] for c in chunks] for r in range(p)]


def start(page: Page, p: int) -> Sets | None:
    """Return what copies hold before the first step; None where that is each rank's own contribution."""
    found = sets(page, page.start, p) if page.kind not in OWN else None
    return None if found == [[[r]] * number(page.chunks(p)) for r in range(p)] else found


def goal(page: Page, p: int) -> Sets | None:
    """Return what they must hold in the end, nothing where nothing is promised; None where that is everything."""
    if page.kind == "allreduce":
        return None
    found = sets(page, page.goal, p)
    return [[one if truth(page.wanted(r, c, p)) else [] for c, one in enumerate(row)] for r, row in enumerate(found)]


OWN = ("allreduce", "reduce_scatter")
"""Kinds that begin with each rank's own contribution."""


def changed(before: Sequence[Sequence[Any]], after: Sequence[Sequence[Any]]) -> list[tuple[int, int]]:
    """Return the rank and chunk of each copy that a step has changed."""
    rows = zip(before, after)
    return [(r, c) for r, (row, new) in enumerate(rows) for c, (x, y) in enumerate(zip(row, new)) if x is not y]
