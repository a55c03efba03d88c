"""Counts what OmniReduce sends: blocks that are not all zero, and nothing else but a bit a block.

Of ``S`` bytes let ``D`` be the part that lies in blocks in which any rank has something.  An owner's chunk has at most
all of these blocks; where they lie evenly, a rank sends ``(p - 1) / p D S`` bytes of entries at most in each step.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.proofs.logic.verdicts import Settled, tested
from sparring.spec import omnireduce
from sparring.spec.core.loading import load
from sparring.spec.core.runner import run

BLOCK, EACH, WIDTH = 3, 8, 4
"""Entries of a block, blocks of a chunk, which fill a byte of bits, and bytes of an entry."""
RANKS = range(2, 7)


def drawn(p: int, density: float, seed: int) -> NDArray[Any]:
    """Return by rank and block whether it has something there: a rank for each of as many blocks in all chunks."""
    rng = np.random.default_rng([p, seed])
    some = np.arange(EACH) < round(density * EACH)
    return np.stack([np.tile(some & (rng.random(EACH) < 0.5) | some & (r == seed % p), p) for r in range(p)])


def sent(there: NDArray[Any]) -> list[list[int]]:
    """Return by step and rank the bytes that it sends, of vectors with positive numbers in these blocks."""
    p = len(there)
    xs = [np.repeat(row, BLOCK).astype(f"f{WIDTH}") for row in there]
    trace = run(load(omnireduce, block=BLOCK), xs).trace
    return [[sum(len(m.entries) for m in wire if m.src == r) for r in range(p)] for wire in trace]


def blocks_alone() -> Settled:
    """Decide by counting whether ranks send the blocks in which they have something, and of sums those in which any."""
    done = 0
    for p in RANKS:
        for seed in range(4):
            there = drawn(p, 0.5, seed)
            cuts = [slice(*cut) for cut in pairwise(range(0, p * EACH + 1, EACH))]
            bits, size = (p - 1) * EACH // 8, BLOCK * WIDTH
            first = [bits + size * sum(there[r][cut].sum() for c, cut in enumerate(cuts) if c != r) for r in range(p)]
            then = [bits + (p - 1) * size * there[:, cut].any(axis=0).sum() for cut in cuts]
            if sent(there) != [first, then]:
                return Settled(False, f"p = {p}: ranks send {sent(there)} bytes, and not {[first, then]}")
            done += 1
    return Settled(True, f"counted in {done} runs, p = {RANKS[0]}..{RANKS[-1]}", tested(done))


def part_of_all() -> Settled:
    """Decide by counting whether a rank sends at most ``2 (p - 1) / p D S`` bytes of entries, where they lie evenly."""
    done = 0
    for p in RANKS:
        for density in (0, 0.25, 0.5, 1):
            there = drawn(p, density, p)
            bits, whole = 2 * (p - 1) * EACH // 8, p * EACH * BLOCK * WIDTH
            most = 2 * (p - 1) * there.any(axis=0).mean() * whole / p
            if (found := max(map(sum, zip(*sent(there)))) - bits) > most:
                return Settled(False, f"p = {p}: a rank sends {found} bytes of entries, more than {most}")
            done += 1
    return Settled(True, f"counted in {done} runs, p = {RANKS[0]}..{RANKS[-1]}", tested(done))
