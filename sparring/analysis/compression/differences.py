"""Proves the recursion of EF21: how far an estimate is from its vector, by how far it was before [RSF21]_.

A compressor that is contractive with a constant ``A`` leaves at most ``1 - A = q^2`` of a squared length.  An estimate
is ``u`` away from the vector before, in one entry, and the next vector is ``v`` away from that one.  So of the squared
length of ``u + v`` at most ``q^2`` is left, and with ``s = 1/q - 1`` that is at most ``q`` times the squared length of
``u`` and ``q^2 / (1 - q)`` times that of ``v``: ``(u + v)^2 <= (1 + s) u^2 + (1 + 1/s) v^2`` in each entry, and a sum
over entries has no more.

.. [RSF21] P. Richtarik, I. Sokolov and I. Fatkhullin, "EF21: a new, simpler, theoretically better, and
   practically faster error feedback", NeurIPS 2021, arXiv:2106.05203.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import z3

from sparring.analysis.compression.reals import Lemma, proved
from sparring.proofs.logic.verdicts import Settled

q, u, v, w, far, moved, given, left = z3.Reals("q u v w far moved given left")


def lemmas(before: Any = q) -> Iterator[Lemma]:
    """Yield the lemmas of one entry, of one entry more, and of what is left of all; all of it times ``1 - q``.

    ``before``: what the distance before counts.  ``far``, ``moved`` and ``given`` are the squared lengths of all ``u``,
    ``v`` and ``u + v``, ``left`` what the compressor leaves.
    """
    part = (q > 0, q < 1)
    rest = (1 - q) * u - q * v
    yield Lemma("a square", (), w * w >= 0)
    yield Lemma("one entry", (), (1 - q) * q * (u + v) * (u + v) + rest * rest == (1 - q) * u * u + q * v * v)
    most = (1 - q) * q * given <= (1 - q) * far + q * moved
    yield Lemma(
        "one entry more",
        (*part, most, (1 - q) * q * w <= (1 - q) * u + q * v),
        (1 - q) * q * (given + w) <= (1 - q) * (far + u) + q * (moved + v),
    )
    yield Lemma("times what is not negative", (w >= 0, u <= v), w * u <= w * v)
    both = (q * ((1 - q) * q * given) <= q * ((1 - q) * far + q * moved), (1 - q) * left <= (1 - q) * (q * q * given))
    yield Lemma("both", (*part, far >= 0, *both), (1 - q) * left <= (1 - q) * before * far + q * q * moved)


def recursion() -> Settled:
    """Decide whether at most ``q`` of the squared distance stays, and a part of what the vector has moved."""
    return proved(lemmas())
