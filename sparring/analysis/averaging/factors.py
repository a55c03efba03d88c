"""Computes exactly how much a round of averaging in random groups shrinks the squared distance from the mean.

Published is ``(r - 1) / n + r / n^2`` for a random partition of ``n`` ranks into ``r`` groups [R21]_.  That is an upper
bound: the factor is ``(r - 1) / (n - 1)``, whatever the sizes of the groups, since it depends on the number of
blocks alone, see :mod:`sparring.analysis.averaging.matrices`.  All others here follow from that, too; each is also
enumerated in the tests, over all partitions, choices or patterns.

Arguments are ints, Fractions or sympy's terms, and results exact.

.. [R21] M. Ryabinin, E. Gorbunov, V. Plokhotnyuk and G. Pekhimenko, "Moshpit SGD: communication-efficient
   decentralized training on heterogeneous unreliable devices", NeurIPS 2021, arXiv:2103.03239, Theorem 3.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import chain, combinations
from typing import Any


def quotient(a: Any, b: Any) -> Any:
    """Return ``a / b``, exactly."""
    return Fraction(a, b) if isinstance(a, int) and isinstance(b, int) else a / b


def of_blocks(blocks: Any, n: Any) -> Any:
    """Return the factor of a random partition of ``n >= 2`` ranks, all alike, into ``blocks`` blocks on average."""
    return quotient(blocks - 1, n - 1)


def published(n: Any, r: Any) -> Any:
    """Return the factor of Theorem 3.2 for ``r`` groups."""
    return quotient(r - 1, n) + quotient(r, n**2)


def gap(n: Any, r: Any) -> Any:
    """Return ``published(n, r) - of_blocks(r, n)``, which is 0 for ``r = n`` alone."""
    return quotient(n - r, n**2 * (n - 1))


def dropouts(n: Any, alive: Any, r: Any) -> Any:
    """Return the factor where ``alive`` random ranks form ``r`` groups; each other rank is a block by itself."""
    return of_blocks(n - alive + r, n)


def line(m: Any, dies: Any) -> Any:
    """Return the factor of a full line of ``m`` cells in which each rank misses the round with probability ``dies``."""
    return of_blocks(m * dies + 1 - dies**m, m)


Energies = Mapping[frozenset[int], Any]


def torus(m: int, d: int) -> Energies:
    """Return the energies of independent values of variance 1 on a full torus, ``d`` sides of ``m``, by set of axes.

    The part of a vector that belongs to a set has the mean 0 along exactly its axes, and is constant along all
    others; its energy is the expected sum of its squares over the number of cells.
    """
    axes = chain.from_iterable(combinations(range(d), size) for size in range(1, d + 1))
    return {frozenset(some): Fraction((m - 1) ** len(some), m**d) for some in axes}


def along(energies: Energies, axis: int, m: int, d: int, dies: Any) -> Energies:
    """Return the energies after a round along ``axis``, whose lines each follow :func:`line`, independently.

    A line's matrix is ``f I`` on average, so that a part with ``axis`` keeps ``f^2`` of its energy in its place; as
    it is a projection it keeps ``f`` of it in all, and what is more than ``f^2`` is spread: lines fail
    independently, so evenly over all parts with ``axis``, by how many dimensions these have.
    """
    f, cells = line(m, dies), Fraction(1, m ** (d - 1))
    spread = (f - f**2) * sum(e for some, e in energies.items() if axis in some)
    return {
        some: f**2 * e + spread * cells * (m - 1) ** (len(some) - 1) if axis in some else e
        for some, e in energies.items()
    }


def variances(m: int, d: int, dies: Any, rounds: int) -> list[Any]:
    """Return the expected variance over the cells after each of ``rounds`` rounds, along the axes in turn.

    At first values are independent, of variance 1, so that it is ``1 - 1 / m**d``.
    """
    energies, found = torus(m, d), []
    for t in range(rounds):
        energies = along(energies, t % d, m, d, dies)
        found.append(sum(energies.values()))
    return found
