"""Decides what DeMo's transform keeps of a momentum, and what is lost of it: by algebra, and by counting in runs.

A cosine of ``pi k / (2 c)`` is half the sum of ``z^k`` and ``z^-k``, where ``z`` is a root of one of degree ``4 c``; so
sums of products of cosines are polynomials, which are compared by what is left of them by the cyclotomic one.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import sympy

from sparring.proofs.logic.verdicts import Settled, tested
from sparring.spec import demo
from sparring.spec.core.loading import load
from sparring.spec.core.runner import run
from sparring.spec.library.cosines import weights

CHUNKS, SEEDS, RANKS, CALLS = range(1, 13), range(6), (1, 2, 3), 5
"""Chunks of so many entries are looked at; and runs."""
N, CHUNK, TOP = 12, 4, 2
NEAR = 1e-9
"""What sums of a few numbers of double precision are off by at most."""
z = sympy.Symbol("z")


def product_of(c: int, u: int, v: int) -> Any:
    """Return four times the sum over all entries of the products of two cosines, as a polynomial, reduced."""
    terms: dict[tuple[int], int] = {}
    for i in range(c):
        for one, other in product((1, -1), (1, -1)):
            power = ((2 * i + 1) * (one * u + other * v) % (4 * c),)
            terms[power] = terms.get(power, 0) + 1
    return sympy.rem(sympy.Poly(terms, z), sympy.Poly(sympy.cyclotomic_poly(4 * c, z), z)).as_expr()


def orthonormal() -> Settled:
    """Decide whether two frequencies have nothing in common, and each has the length 1; and the page's, nearly."""
    for c in CHUNKS:
        for u, v in product(range(c), repeat=2):
            size = sympy.Rational(2 if u else 1, c) * product_of(c, u, v) / 4 if u == v else product_of(c, u, v)
            if size != (u == v):
                return Settled(False, f"of {c} entries frequencies {u} and {v} have {size} in common")
        w = np.array(weights(c))
        if np.abs(w @ w.T - np.eye(c)).max() > NEAR:
            return Settled(False, f"the page's weights of {c} entries are not orthonormal")
    return Settled(True, f"of chunks of {CHUNKS[0]} to {CHUNKS[-1]} entries", tested(len(CHUNKS)))


def vectors(p: int, seed: int) -> Any:
    """Return by call and rank small whole numbers."""
    return np.random.default_rng([p, seed]).integers(-9, 10, (CALLS, p, N)).astype(float)


def kept(decay: int) -> Settled:
    """Decide by runs whether all sums and the last momenta make up all vectors."""
    page = load(demo, decay=decay, chunk=CHUNK, top=TOP, signs=0)
    for p, seed in product(RANKS, SEEDS):
        state: Any = None
        sums = np.zeros(N)
        for xs in vectors(p, seed):
            ran = run(page, [*xs], state)
            state, sums = ran.state, sums + np.array([*ran.results[0]])
        off = np.abs(
            sums + np.sum([[*one] for one in state.momentum], axis=0) - vectors(p, seed).sum(axis=(0, 1))
        ).max()
        if off > NEAR:
            return Settled(False, f"p = {p}: what was sent and what is left is off by {off:.3g}")
    done = len(RANKS) * len(SEEDS)
    return Settled(True, f"{done} runs of {CALLS} calls, p = {RANKS[0]}..{RANKS[-1]}", tested(done))


def conserved() -> Settled:
    """Decide it of momenta that do not fade."""
    return kept(1000)


def conserved_with_decay() -> Settled:
    """Decide it of those of the program, which lose a thousandth."""
    return kept(999)


def senders(sent: Any) -> Any:
    """Return how many ranks sent a frequency; 1 for none."""
    return np.maximum((sent != 0).sum(axis=0), 1)


def by_senders() -> Settled:
    """Decide by runs whether signs stay where a frequency's sum is divided by how many ranks sent it."""
    page = load(demo, chunk=CHUNK, top=TOP)
    for seed in SEEDS:
        xs = vectors(RANKS[-1], seed)[0]
        chunks = xs.reshape(len(xs), -1, CHUNK) @ (w := np.array(weights(CHUNK))).T
        sent = chunks * (np.argsort(np.argsort(-np.abs(chunks), axis=2, kind="stable"), axis=2) < TOP)
        mean = sent.sum(axis=0) / senders(sent)
        signs = np.sign(np.round(mean @ w, 9)).ravel()
        if (other := np.array([*run(page, [*xs]).results[0]]) != signs).any():
            return Settled(False, f"of {N} signs {other.sum()} differ on {RANKS[-1]} ranks")
    return Settled(True, f"{len(SEEDS)} runs", tested(len(SEEDS)))
