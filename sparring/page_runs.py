"""Runs of a page call after call, each on what the last one left."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from sparring.sparse import Sparse
from sparring.sparse_lists import made
from sparring.spec.core.model import Page
from sparring.spec.core.runner import Run, run


def runs(page: Page, xs: Sequence[Any]) -> Iterator[Run]:
    """Yield a run of the page for each call, on its vectors and on what the last call left, with a composition's state.

    ``xs``: for each rank its vector, or an array whose rows are its vectors, one a call.  A composition on whole
    vectors keeps its state alone.  NumPy's warnings that infinities cancel to NaN are silenced.
    """
    if getattr(xs[0], "ndim", 1) == 1:
        yield run(page, xs)
        return
    left, state = [np.zeros_like(x, shape=x.shape[1]) for x in xs], None
    for vectors in zip(*xs):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            ran = run(page, vectors if page.dense else [x + y for x, y in zip(vectors, left)], state)
            left = left if page.dense else [made(y, x.dtype).dense() for y, x in zip(ran.residuals, xs)]
            state = ran.state
        yield ran


_kept: list[dict[Any, Sequence[Run]]] = []
"""The runs so far within each :func:`keeping`, the innermost last."""


@contextmanager
def keeping() -> Iterator[None]:
    """Keep what the page does on the same vectors: looks share inputs, and planted faults are given them again."""
    _kept.append({})
    try:
        yield
    finally:
        _kept.pop()


def known(page: Page, xs: Sequence[Any]) -> Sequence[Run]:
    """Return the runs of the page on these vectors, each computed once while they are kept."""
    if not _kept:
        return [*runs(page, xs)]
    key = (page.module, repr(page.params), *map(content, xs))
    if key not in _kept[-1]:
        _kept[-1][key] = [*runs(page, xs)]
    return _kept[-1][key]


def content(x: Any) -> Any:
    """Return a key that vectors of the same bits share."""
    if isinstance(x, Sparse):
        return content(x.indices), content(x.values), x.n
    return x.dtype.str, x.shape, x.tobytes()
