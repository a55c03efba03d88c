"""Counts what ZEN sends: pairs pushed once to owners, sums pulled by all, and a bit for each index.

Every order of a few indices is tried: what a hash does on the average over all orders is then a fraction.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np

from sparring.proofs.logic.verdicts import Settled, tested
from sparring.spec import zen
from sparring.spec.core.loading import load
from sparring.spec.core.runner import run
from sparring.spec.library.hashed_order import order

WIDTH, PLACE, BYTE = 4, 4, 8
"""Bytes of an entry, of a place; and bits of a byte."""
RANKS, SEEDS, LONG = range(1, 7), range(4), 16
"""So many entries has each part, which fill bytes of bits."""
FEW = ((4, 2), (6, 2), (6, 3))
"""Indices and ranks, of which all orders are tried."""


def sent(p: int, seed: int) -> tuple[Any, list[int], list[int], list[int]]:
    """Return who has what, by rank and index; by rank the bytes that it pushes, and pulls of others; and the order."""
    rng = np.random.default_rng([p, seed])
    there = rng.random((p, n := p * LONG)) < 0.1 * (1 + rng.random(n) * 3)
    trace = run(load(zen, seed=seed), [row.astype(f"f{WIDTH}") for row in there]).trace
    push, pull = trace or ([], [])
    out = [sum(len(m.entries) for m in push if m.src == r) for r in range(p)]
    back = [sum(len(m.entries) for m in pull if m.dst == r) for r in range(p)]
    return there, out, back, order(seed, n)


def owners(places: list[int], p: int) -> Any:
    """Return by index who owns it."""
    found = np.empty(len(places), int)
    found[places] = np.arange(len(places)) * p // len(places)
    return found


def runs() -> list[tuple[int, Any, list[int], list[int], Any]]:
    """Return what is sent in all runs, and by index who owns it."""
    return [
        (p, there, out, back, owners(places, p))
        for p in RANKS
        for seed in SEEDS
        for there, out, back, places in [sent(p, seed)]
    ]


def once() -> Settled:
    """Decide by counting whether each entry is pushed once, and each sum comes once to each other rank."""
    for p, there, out, back, owner in runs():
        fixed, bits = (p - 1) * PLACE, (p - 1) * LONG // BYTE
        pushed = [fixed + (PLACE + WIDTH) * there[r, owner != r].sum() for r in range(p)]
        pulled = [bits + WIDTH * there[:, owner != r].any(axis=0).sum() for r in range(p)]
        if [out, back] != [pushed, pulled]:
            return Settled(False, f"p = {p}: ranks push {out} and pull {back}, and not {pushed} and {pulled}")
    return counted()


def bitmaps() -> Settled:
    """Decide by counting whether the bitmaps of all ranks have one bit for each index together, on any number."""
    for p, there, _, back, owner in runs():
        sums = [WIDTH * there[:, owner != r].any(axis=0).sum() for r in range(p)]
        told = [BYTE * (b - s) for b, s in zip(back, sums)]
        if any(p * bits != (p - 1) * there.shape[1] for bits in told):
            return Settled(False, f"p = {p}: a rank gets bitmaps of {told} bits, of vectors of {there.shape[1]}")
    return counted()


def counted() -> Settled:
    done = len(RANKS) * len(SEEDS)
    return Settled(True, f"counted in {done} runs, p = {RANKS[0]}..{RANKS[-1]}", tested(done))


def on_average(n: int, p: int, k: int) -> Fraction:
    """Return how many of ``k`` entries, the first ones, a rank pushes on the average over all orders."""
    pushed = [sum(own != 0 for own in owners([*places], p)[:k]) for places in permutations(range(n))]
    return Fraction(int(sum(pushed)), len(pushed))


def balanced() -> Settled:
    """Decide by trying all orders whether of ``k`` entries a rank pushes ``(p - 1) / p k`` on the average."""
    for n, p in FEW:
        for k in range(n + 1):
            if (found := on_average(n, p, k)) != Fraction((p - 1) * k, p):
                return Settled(False, f"n = {n}, p = {p}: of {k} entries a rank pushes {found} on the average")
    return Settled(True, "all orders of 4 and 6 indices tried", tested(sum(n + 1 for n, _ in FEW)))
