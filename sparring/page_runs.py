"""Runs of a page call after call, each on what the last one left."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

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
