"""What the sparse recursive doubling's theorems need beyond the dense one's: the sparse ring's sizes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from sparring.proofs import recursive_doubling
from sparring.proofs.logic.obligations import Obligation
from sparring.proofs.recursive_doubling import contention, lemmas, same
from sparring.proofs.ring_sparse import encodings, sizes
from sparring.spec import ring_sparse
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Int, where
from sparring.spec.recursive_doubling import folds, log, mask, number, rem

__all__ = ["contention", "lemmas", "same", "sizes"]


def contributions(t: Int, p: Int) -> Int:
    """Return the most of a message: one rank's in the fold, in a round those of ``mask`` numbers, in the end all.

    Of the numbers that a message has the first ``rem`` stand for two ranks each.
    """
    numbers = mask(t, p)
    return where(t < folds(p), 1, where(t < folds(p) + log(p), numbers + ring_sparse.least(numbers, rem(p)), p))


def contributor(r: Int, c: Int, t: Int, p: Int) -> Int:  # noqa: ARG001  # there is one chunk
    """Return the sender itself in the fold; then the first rank of the block of numbers in which its own is."""
    return where(t < folds(p), r, where(t < folds(p) + log(p), first(block(r, t, p), p), 0))


def contributed(r: Int, t: Int, p: Int) -> Int:
    """Return how many ranks there are from the first of this block to the first of the next."""
    begin = block(r, t, p)
    many = first(begin + mask(t, p), p) - first(begin, p)
    return where(t < folds(p), 1, where(t < folds(p) + log(p), many, p))


def block(r: Int, t: Int, p: Int) -> Int:
    """Return where the block of ``mask`` numbers begins in which rank ``r``'s number is."""
    bits = where(t < folds(p), 0, t - folds(p))
    return (number(r, p) >> bits) << bits


def first(v: Int, p: Int) -> Int:
    """Return the first rank of number ``v``."""
    return where(v < rem(p), 2 * v, v + rem(p))


def peers(page: Page) -> Iterator[Obligation]:
    """Who sends what is as in the dense one; and a message is as long as the page says, however many entries it has."""
    return chain(recursive_doubling.peers(page), encodings(page))
