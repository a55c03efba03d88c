"""Decides what ScaleCom's selection is said to have: a result of ``k`` entries on any number of ranks, and no loss."""

from __future__ import annotations

import numpy as np

from sparring.analysis.compression.reals import shown
from sparring.proofs import clt_k as theorems
from sparring.proofs.logic.verdicts import Settled, tested
from sparring.proofs.reading.paths import paths
from sparring.proofs.statements import compositions
from sparring.spec import clt_k
from sparring.spec.core.loading import load
from sparring.spec.core.runner import run

RANKS, MANY = range(1, 9), (0, 1, 3, 20)
"""Numbers of ranks, and of entries that are sent."""
N = 16


def nothing_lost() -> Settled:
    """Decide whether results and residuals make up what was given, in exact arithmetic and with any filter."""
    page = load(clt_k, beta=100)
    return shown(compositions.conservation(page, tuple(paths(page))), " on the page's own text")


def filter_moves() -> Settled:
    """Decide whether the paper's memory is so many thousandths of the page's residual, in each call."""
    return shown(theorems.filters(clt_k), " on the page's own functions")


def no_build_up() -> Settled:
    """Decide by counting whether results have ``k`` entries, or all ``n``, of vectors that have no zeros."""
    done = 0
    for p in RANKS:
        for k in MANY:
            state = None
            for call in range(3):
                xs = np.random.default_rng([p, k, call]).random((p, N)) + 1
                ran = run(load(clt_k, k=k), [*xs], state)
                state, done = ran.state, done + 1
                if (found := np.count_nonzero(ran.results[0])) != min(k, N):
                    return Settled(False, f"p = {p}, k = {k}: in call {call} the result has {found} entries")
    return Settled(True, f"counted in {done} calls, p = {RANKS[0]}..{RANKS[-1]}", tested(done))
