"""Sparse inputs and results, for the pages that take sparse vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sparring.sparse import Sparse
from sparring.spec.core.model import Page
from sparring.spec.core.sparse import SparseVector

DENSITIES = (0.0, 0.2, 0.5, 0.95, 1.0)
STRETCHES = (1, 100, 1 << 40)
"""The distances of neighbouring entries: dense, sparse, and so far that an index takes 8 bytes."""
SHORT = (1, 5)
"""The distances where all entries of a vector must fit into memory."""


def fills(page: Page) -> bool:
    """Tell whether a rule of the page, ``fills``, makes sums dense.

    Then a vector must not be longer than memory is.
    """
    return hasattr(page.module, "fills")


def page_inputs(page: Page, xs: Sequence[Any]) -> list[Any]:
    """Return ``xs`` as the page takes them: where it takes sparse vectors, a part of each.

    The entries and their distance depend only on the ranks and the length.  A rank has none, all, or some at random, so
    that lists differ in size and overlap.
    """
    if not page.sparse:
        return list(xs)
    n = xs[0].size
    rng = np.random.default_rng([len(xs), n])
    supports = [np.flatnonzero(rng.random(n) < rng.choice(DENSITIES)) for _ in xs]
    stretches = SHORT if fills(page) else STRETCHES
    apart = stretches[(len(xs) + n) % len(stretches)]
    width = np.int32 if apart == 1 else np.int64
    return [Sparse((at * apart).astype(width), x[at], n * apart) for at, x in zip(supports, xs)]


def values(x: Any) -> Any:
    """Return the numbers or terms of a vector, sparse or not."""
    return x.values if isinstance(x, Sparse) else x


def having(x: Any, entries: Any) -> Any:
    """Return ``x`` with these entries in the place of its own."""
    return Sparse(x.indices, entries, x.n) if isinstance(x, Sparse) else entries


def made(x: SparseVector, dtype: Any) -> Sparse:
    """Return a page's vector as a target has it."""
    return Sparse(np.array(x.indices, np.int64), np.array(x.values, dtype), x.n)


def describe_difference(y: Any, wanted: Sparse) -> str:
    """Return as text what ``y`` is, unless it is a sparse vector of the same support, length and dtypes."""
    if not isinstance(y, Sparse):
        return f"returned {type(y).__name__}, not a Sparse"
    has, right = ((x.n, x.dtype, x.indices.dtype) for x in (y, wanted))
    if has != right:
        return "returned n={} of {} with indices of {}, not n={} of {} with {}".format(*has, *right)
    if odd := sorted({*y.indices.tolist()} ^ {*wanted.indices.tolist()}):
        more, less = ("nothing", "an entry") if odd[0] in wanted.indices else ("an entry", "none")
        return f"has {more} at index {odd[0]}, the page has {less}"
    return ""
