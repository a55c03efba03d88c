"""Exchanges of Ok-Topk: what is claimed of turns, shares and regions is refuted where they are others."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from sparring.proofs.core.questions import answered
from sparring.proofs.exchanges import balancing, regions, turns, volumes
from sparring.spec.core import balancing as shares
from sparring.spec.core import regions as cuts
from sparring.spec.core.exchanges import served
from sparring.spec.core.numbers import where

ROTATION = served("rotation")


def of(module, **functions):
    return SimpleNamespace(**{**vars(module), **functions})


CLAIMS = {
    "in no other rank's": (balancing.moves, shares, of(shares, sooner=lambda a, b: where(a < b, a, b) + 1)),
    "in its message": (balancing.moves, shares, of(shares, later=lambda a, b: b + 1)),
    "ends at n": (regions.partition, cuts, of(cuts, mean=lambda total, p: total // p + 1)),
    "what is sent is its sender's own": (turns.own, ROTATION, served("ring")),
    "of two ranks": (turns.apart, ROTATION, replace(ROTATION, dst=lambda r, t, p: t)),
    "of two turns": (turns.apart, ROTATION, replace(ROTATION, dst=lambda r, t, p: (r + 1) % p)),
}
"""By claim: what makes it, of what, and of what it is false; the ring sends on what it added."""


@pytest.mark.parametrize("name", CLAIMS)
def test_a_claim_is_refuted_of_another_exchange(name):
    claims, right, wrong = CLAIMS[name]
    refuted = [[a.obligation.name for a in answered([*claims(x)], False) if a.witness and not a.problem]
               for x in (right, wrong)]  # fmt: skip
    assert refuted[0] == [] and name in refuted[1]
    assert {*volumes.VOLUMES} == {"reduce_scatter", "balance", "allgather"}
