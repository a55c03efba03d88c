"""Evaluates terms at many small points at once: with how few ranks an obligation is false, how far numbers range.

This decides only what is put to a solver, and with how many ranks; what counts is the solver's answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.proofs.logic.obligations import Obligation
from sparring.spec.core.numbers import Bool, Int, Node, Reader, variables

FEW, POINTS, MANY = 1_000, 10_000, 60_000
"""How many points are tried; more where a claim is expected to be false."""
RANKS = (1, 6)
"""The range of the number of ranks: from 1 up to 5."""
MOST = 12  # the most bits, and digits, that numbers have here
LONG = {"t": 2, "u": 2, "c": 2, "n": 3}
"""Letters that range over this multiple of the number of ranks; the others are ranks, messages or links."""
VALUES = {"radix": (2, 6), "param_m": (2, 6)}
"""The ranges of parameters, written as in ``RANKS``."""


class Sampler(Reader[Any]):
    """Reads a term as the values that it has at some points."""

    def __init__(self, points: Mapping[str, NDArray[np.int64]]) -> None:
        super().__init__()
        self.points = points

    def constant(self, x: int | bool) -> Any:
        return x

    def variable(self, name: str) -> Any:
        return self.points[name]

    def operator(self, x: Node, args: list[Any]) -> Any:
        return MEANING[x.op](*args)


def false_at(claim: Obligation, many: int = POINTS) -> dict[str, int]:
    """Return the fewest ranks, one to five, at which a point shows the obligation false; empty if none is found.

    The result holds ``p`` and the parameters there.  One-letter variables that the claim does not mention are 0.
    ``many`` is the number of points.
    """
    spoken = variables(claim.claim)
    names = sorted(frozenset().union(*map(variables, (claim.claim, *claim.hypotheses))) - {"p"})
    points = drawn(tuple(names), many)
    silent = {name for name in names if name not in spoken and len(name) == 1}
    read = Sampler({name: np.zeros_like(x) if name in silent else x for name, x in points.items()})
    with np.errstate(all="ignore"):
        false = np.logical_not(np.full(many, True) & read(claim.claim))
        for hypothesis in claim.hypotheses if false.any() else ():
            false &= read(hypothesis)
    first = int(false.argmax())
    return {name: int(points[name][first]) for name in ("p", *VALUES) if name in points} if false[first] else {}


def laps(x: Int, modulus: Int, hypotheses: Sequence[Bool]) -> tuple[int, int]:
    """Return the least and the largest ``x // modulus`` at points that satisfy the hypotheses; (0, 0) without any."""
    names = sorted(frozenset().union(*map(variables, (x, modulus, *hypotheses))) - {"p"})
    read = Sampler(drawn(tuple(names), FEW))
    with np.errstate(all="ignore"):
        possible = np.full(FEW, True)
        for hypothesis in hypotheses:
            possible &= read(hypothesis)
        found = (read(x) // read(modulus) + np.zeros(FEW, np.int64))[possible]
    return (int(found.min()), int(found.max())) if found.size else (0, 0)


@lru_cache(16)
def drawn(names: tuple[str, ...], many: int) -> Mapping[str, NDArray[np.int64]]:
    """Return ``many`` random points: numbers of ranks, in ascending order, and the values of each letter there."""
    rng = np.random.default_rng(many)
    p = np.sort(rng.integers(*RANKS, many))
    points = {name: rng.integers(0, LONG.get(name, 1) * p) for name in names}
    return {"p": p, **points, **{name: rng.integers(*VALUES[name], many) for name in VALUES if name in names}}


def length(x: Any) -> Any:
    """Return the number of bits; 0 for a negative number."""
    return np.frexp(np.maximum(x, 0))[1].astype(np.int64)


def backwards(x: Any, bits: Any) -> Any:
    """Return the lowest ``bits`` bits of ``x`` in reverse order."""
    return sum(np.where(i < bits, (x >> i & 1) << np.maximum(bits - 1 - i, 0), 0) for i in range(MOST))


def power(k: Any, e: Any) -> Any:
    """Return ``k**e``; wrong for a negative or large exponent, which occurs nowhere where the value matters."""
    return np.power(np.asarray(k, np.int64), np.clip(e, 0, MOST))


def shifted(x: Any, e: Any) -> Any:
    """Return ``x << e``; wrong for a negative or large ``e``, as in ``power``."""
    return x << np.clip(e, 0, MOST)


MEANING: Mapping[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "%": lambda a, b: a % b,
    "//": lambda a, b: a // b,
    "^": lambda a, b: a ^ b,
    "<<": shifted,
    ">>": lambda a, b: a >> np.clip(b, 0, MOST),
    "bit_length": length,
    "reverse": backwards,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    "==": lambda a, b: a == b,
    "not": np.logical_not,
    "and": np.logical_and,
    "or": np.logical_or,
    "where": np.where,
    "power": power,
    "log": lambda x, k: sum(np.asarray(x >= power(k, e), np.int64) for e in range(1, MOST)),
    "prefix": lambda x, e, k: x // power(k, e),
    "digit": lambda x, e, k: x // power(k, e) % k,
    "put": lambda x, e, b, k: x + (b - x // power(k, e) % k) * power(k, e),
}
