"""What the theorems of the split with a dense allgather need beyond the sparse two-shot's: where regions go dense."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from sparring.impl import dsar_split_allgather
from sparring.proofs import two_shot_sparse
from sparring.proofs.logic.obligations import Obligation, always, iff
from sparring.proofs.ring_sparse import m, size
from sparring.proofs.two_shot_sparse import contention, contributions, contributor, same, sizes
from sparring.spec.core.model import Page

least = {"thirds": 0}
others = ({"thirds": 4},)
"""With so many no region goes dense by the rule."""

__all__ = ["contention", "contributions", "contributor", "same", "sizes"]


def peers(page: Page) -> Iterator[Obligation]:
    """State that who sends what, and how long messages are, is as in the sparse two-shot; the same sums go dense."""
    return chain(two_shot_sparse.peers(page), rule(page))


def rule(page: Page) -> Iterator[Obligation]:
    """For every number of entries, and as few ``thirds`` as make a difference."""
    impl: Any = dsar_split_allgather  # its functions are typed for int and run here on symbols
    for many in range(5):
        says = page.module.fills(m, size, 1, 2, many)
        yield Obligation(f"dense from {many} thirds on", always(page), iff(impl.reaches(m, size, many), says))
