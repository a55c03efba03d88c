"""Fits conventions: how a target cuts vectors into chunks and numbers these.

So a target whose messages are a page's with its chunks cut or numbered in another of these ways sends what the page
does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from sparring.spec.core.blocks import Chunks
from sparring.spec.core.model import Page
from sparring.spec.core.runs import Run
from sparring.spec.core.vector_parts import Places
from sparring.trace.compare import compare
from sparring.trace.events import Trace

Begin = Callable[[int, int, int], int]
CUTS: Mapping[str, Begin] = {
    "": lambda c, n, of: c * n // of,
    "cut as numpy.array_split cuts them": lambda c, n, of: c * (n // of) + min(c, n % of),
    "cut evenly but for the last, which has the rest": lambda c, n, of: n if c == of else c * (n // of),
    "cut as long as the longest, the last ones shorter": lambda c, n, of: min(n, c * -(-n // of)),
}
"""``f(c, n, of)``: where chunk ``c`` of ``of`` chunks of ``n`` entries begins."""
NUMBERS: Mapping[str, Callable[[int, int], int]] = {
    "": lambda c, of: c,
    "numbered from the next one on": lambda c, of: (c + 1) % of,
    "numbered from the last one on": lambda c, of: (c - 1) % of,
    "numbered backwards": lambda c, of: of - 1 - c,
    "numbered backwards from the first one on": lambda c, of: -c % of,
}
"""``f(c, of)``: the target's number of the page's chunk ``c``, of ``of`` chunks."""


class Convention(NamedTuple):
    """A way to cut a vector into chunks, and to number them."""

    cut: str = ""
    numbers: str = ""

    def __str__(self) -> str:
        return " and ".join(filter(None, self))

    def entries(self, c: int, n: int, of: int) -> range:
        """Return the entries of the page's chunk ``c``, of ``of`` chunks of ``n`` entries."""
        own = NUMBERS[self.numbers](c, of)
        return range(CUTS[self.cut](own, n, of), CUTS[self.cut](own + 1, n, of))


AS_THE_PAGE = Convention()
OTHERS = [Convention(*one) for one in product(CUTS, NUMBERS)][1:]


class CutRun(Run):
    """A run of a page with its chunks cut and numbered by a convention."""

    def __init__(self, page: Page, xs: Sequence[Any], convention: Convention) -> None:
        super().__init__(page, xs)
        self.convention = convention

    def _places(self, some: Chunks, n: int, chunks: int) -> Places:
        return [i for c in some for i in self.convention.entries(c, n, chunks)]


def calls(page: Page, xs: Sequence[Any], convention: Convention) -> Iterator[Run] | None:
    """Return the run of the page by a convention, to compare messages with; None for the page's own convention."""
    return iter([CutRun(page, xs, convention)]) if any(convention) else None


def fitting(page: Page, seen: Sequence[tuple[Sequence[Any], Trace | None]], level: str) -> list[Convention]:
    """Return the other conventions by which the messages of all these runs, on these vectors, are the page's."""
    return [one for one in OTHERS if all(
        trace is not None and compare(page, xs, trace, level, calls(page, xs, one)) is None for xs, trace in seen
    )]  # fmt: skip


def apply(page: Page) -> bool:
    """Return whether the page cuts vectors into chunks itself, so that targets may cut them in other ways."""
    return page.cuts and not (page.listed or page.stateful or page.composed)
