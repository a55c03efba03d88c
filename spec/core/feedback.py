"""Error feedback: what a rank does not send of its vector is added to its next one.

The reference of every sparse allreduce that is given what a selector takes: any selector, any page
of sparse vectors.

Requires: one length ``n`` on all ranks, in all calls; a page whose result is the sum of all lists.
Ensures:  in exact arithmetic all inputs so far are all results so far plus what the ranks keep now.

>>> from sparring.spec.core.selectors import find
>>> from sparring.spec.core import pages
>>> feedback = Feedback(pages.find("ring_allgather"), find("topk", k=1), 2)
>>> feedback([[1, 5, 2], [4, 0, 3]]), feedback.residuals
([4, 5, 0], [[1, 0, 2], [0, 0, 3]])
>>> feedback([[0, 1, 1], [1, 1, 1]]), feedback.residuals
([0, 0, 7], [[1, 1, 0], [1, 1, 0]])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sparring.spec.core.model import Page
from sparring.spec.core.runner import run
from sparring.spec.core.selectors import Selector, Series


class Feedback:
    """``p`` ranks, each with its own calls of ``selector`` and its own residual."""

    def __init__(self, page: Page, selector: Selector, p: int) -> None:
        self.page, self.series = page, [Series(selector) for _ in range(p)]
        self.residuals: list[list[Any]] = []
        """By rank, what was not sent so far; nothing before the first call."""

    def __call__(self, xs: Sequence[Sequence[Any]]) -> list[Any]:
        """The result of one call, which is every rank's; ``xs``: a vector of numbers of one type a rank."""
        before = self.residuals or [[zero(v) for v in x] for x in xs]
        waiting = [[a + b for a, b in zip(kept, x)] for kept, x in zip(before, xs)]
        sent = [select(x) for select, x in zip(self.series, waiting)]
        self.residuals = [spread(waits, x.indices, map(zero, x.values)) for waits, x in zip(waiting, sent)]
        total = run(self.page, sent).results[0]
        return spread([zero(v) for v in xs[0]], total.indices, total.values)


def spread(x: Sequence[Any], indices: Sequence[int], values: Any) -> list[Any]:
    """``x`` with other values at some indices."""
    other = dict(zip(indices, values))
    return [other.get(i, v) for i, v in enumerate(x)]


def zero(v: Any) -> Any:
    """Nothing, as a number of this one's type.

    >>> zero(-2.5), zero(7)
    (0.0, 0)
    """
    return v.dtype.type(0) if hasattr(v, "dtype") else type(v)(0)
