"""What the sparse two-shot's theorems need beyond the dense one's: the sparse ring's sizes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from sparring.proofs import two_shot
from sparring.proofs.logic.obligations import Obligation
from sparring.proofs.ring_sparse import encodings, sizes
from sparring.proofs.two_shot import contention, same
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Int, where

__all__ = ["contention", "same", "sizes"]


def contributions(t: Int, p: Int) -> Int:
    """Return how many: a message of the first step holds one rank's, one of the second all."""
    return where(t < 1, 1, p)


def contributor(r: Int, c: Int, t: Int, p: Int) -> Int:  # noqa: ARG001  # two steps, for every p
    """Return whose: the sender's own; then those of all, from the chunk's own rank on."""
    return where(t < 1, r, c)


def peers(page: Page) -> Iterator[Obligation]:
    """State that who sends what is as in the dense one, and a message as long as the page says, however full it is."""
    return chain(two_shot.peers(page), encodings(page))
