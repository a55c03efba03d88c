"""Decides what is said of selections in exclusive parts: whose these are, what comes out, and how much is sent."""

from __future__ import annotations

from collections import Counter

import numpy as np

from sparring.analysis.compression.reals import shown
from sparring.proofs import exdyna as of_blocks
from sparring.proofs import micro as theorems
from sparring.proofs.logic.verdicts import Settled, tested
from sparring.proofs.reading.paths import paths
from sparring.proofs.statements import compositions
from sparring.spec import deft, exdyna, micro
from sparring.spec.core.loading import load
from sparring.spec.core.model import Page
from sparring.spec.core.runner import run

RANKS, FIRST = range(1, 9), (1, 500_000, 10**9)
"""Numbers of ranks, and first thresholds: of vectors of these runs all entries reach it, some, or none."""
N = 16


def exact_sum() -> Settled:
    """Decide whether the result at selected indices is the sum of all ranks' vectors and residuals."""
    return summed(load(micro))


def exact_sum_of_blocks() -> Settled:
    """Decide the same where parts are runs of blocks."""
    return summed(load(exdyna))


def nothing_lost() -> Settled:
    """Decide whether results and residuals make up what was given, in exact arithmetic."""
    return conserved(load(micro))


def nothing_lost_of_blocks() -> Settled:
    """Decide the same where parts are runs of blocks."""
    return conserved(load(exdyna))


def exact_sum_of_layers() -> Settled:
    """Decide the same where parts are layers that a leader deals out."""
    return summed(load(deft))


def nothing_lost_of_layers() -> Settled:
    """Decide the same where parts are layers that a leader deals out."""
    return conserved(load(deft))


def as_many_as_wanted() -> Settled:
    """Decide by counting whether no more than ``k`` entries are sent, of ``k`` of them at least one a layer."""
    done = 0
    for p in RANKS:
        k = 3 * p
        for scale in (1, 9):  # of a rank's vector in the p-th of it that is its own in the first call
            xs = np.random.default_rng([p, scale]).random((p, 8 * p)) + 1
            for r in range(p):
                xs[r, 8 * r : 8 * r + 8] *= scale
            sent, done = np.count_nonzero(run(load(deft, k=k, layers=p), [*xs]).results[0]), done + 1
            if sent > k:
                return Settled(False, f"p = {p}, k = {k}, {p} layers, own ones {scale} times as large: {sent} are sent")
    return Settled(True, f"counted in {done} calls, p = {RANKS[0]}..{RANKS[-1]}", tested(done))


def summed(page: Page) -> Settled:
    found = tuple(paths(page))
    return shown(compositions.result(page, found, compositions.serving(found)), " on the page's own text")


def conserved(page: Page) -> Settled:
    return shown(compositions.conservation(page, tuple(paths(page))), " on the page's own text")


def bounds_move() -> Settled:
    """Decide whether of two neighbours at most one gives a block, which is not its last."""
    return shown(of_blocks.balance(exdyna), " on the page's own functions")


def no_build_up() -> Settled:
    """Decide whether in each call a part is one rank's and no other's."""
    return shown(theorems.parts(micro), " on the page's own function")


def values_sent() -> Settled:
    """Decide by counting whether the rank that sends most sends ``2 K (p - 1) / p`` of ``K`` values, rounded up."""
    done = 0
    for p in RANKS:
        for first in FIRST:
            state = None
            for call in range(3):
                xs = np.random.default_rng([p, first, call]).random((p, N)) + 0.25
                ran = run(load(micro, k=4, first=first, gain=900), [*xs], state)
                state, done = ran.state, done + 1
                sent, k = Counter({0: 0}), np.count_nonzero(ran.results[0])
                for step in ran.trace:
                    sent.update({one.src: len(one.entries) for one in step})
                if (most := max(sent.values())) != (right := 2 * k - 2 * k // p):
                    where = f"p = {p}, first = {first}, call {call}"
                    return Settled(False, f"{where}: a rank sends {most} of {k} values, and not {right}")
    return Settled(True, f"counted in {done} calls, p = {RANKS[0]}..{RANKS[-1]}", tested(done))
