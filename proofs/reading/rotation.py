"""Implementations in which each rank sends one message to each other one, to those after it in turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sparring.proofs.logic.obligations import RANKS, Obligation, c, i, n, p, r, within
from sparring.spec.core.model import Page, bound

TURN = (*RANKS, i >= 1, i < p)
"""The hypotheses that ``i`` is a message of a step."""


def peers_of(page: Page, to: Any, whence: Any, begin: Any = None) -> Iterator[Obligation]:
    """Yield the obligations that an implementation's neighbours, and blocks if any, are a direct exchange's.

    Messages are counted from 1.
    """
    yield Obligation("to whom", TURN, to(r, i, p) == page.dst(r, 0, p, i - 1))
    yield Obligation("from whom", TURN, whence(r, i, p) == page.src(r, 0, p, i - 1))
    sends = to(r, i, p) if page.kind == "reduce_scatter" else r
    yield Obligation("what it sends", TURN, page.chunk(r, 0, p, i - 1) == sends)
    if begin:
        yield Obligation("blocks", (p >= 1, n >= 0, within(c, p + 1)), begin(c, n, p) == bound(c, n, p))
