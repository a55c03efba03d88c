"""The matrix of a round, in exact numbers: who averages with whom, and what that does on average.

A round in which blocks of ranks average is ``W``, whose entry ``(i, j)`` is 1 over the size of their block where
``i`` and ``j`` are in one, and else 0.  It is symmetric, has sums of 1 and is its own square, so
that for every vector ``z``, ``|W z|^2 = z W z``; and its trace is the number of blocks.

A random partition that gives all orders of ranks the same chance has a mean ``E[W]`` that no order changes, so
``E[W] = f I + (1 - f) J`` with ``J`` the mean over all.  Its trace is ``1 + f (n - 1)``: the expected square of the
distance from the mean becomes ``f = (E[blocks] - 1) / (n - 1)`` of what it was, whatever the vectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

Blocks = Sequence[Sequence[int]]
Matrix = list[list[Any]]


def mixing(blocks: Blocks, n: int) -> Matrix:
    """Return ``W``, ``n`` by ``n``, for blocks that hold each of ``0, ..., n - 1`` once."""
    found = [[Fraction(0)] * n for _ in range(n)]
    for block in blocks:
        for i in block:
            for j in block:
                found[i][j] = Fraction(1, len(block))
    return found


def product(a: Matrix, b: Matrix) -> Matrix:
    """Return ``a b``."""
    columns = [*zip(*b)]
    return [[sum(x * y for x, y in zip(row, column)) for column in columns] for row in a]


def expected(chances: Iterable[tuple[Any, Matrix]], n: int) -> Matrix:
    """Return the mean of ``n`` by ``n`` matrices, each with its probability."""
    total: Matrix = [[0] * n for _ in range(n)]
    for chance, one in chances:
        for row, more in zip(total, one):
            row[:] = [x + chance * y for x, y in zip(row, more)]
    return total


def isotropic(factor: Any, n: int) -> Matrix:
    """Return ``f I + (1 - f) J``, which keeps the mean and multiplies all that is orthogonal to it by ``f``."""
    return [[(1 - factor) / n + (factor if i == j else 0) for j in range(n)] for i in range(n)]


def sized(items: Sequence[int], sizes: Sequence[int]) -> Iterator[list[list[int]]]:
    """Yield all ways to deal the items out to blocks of these sizes, in order; blocks of equal size are told apart."""
    if not sizes:
        yield []
        return
    for block in combinations(items, sizes[0]):
        left = [x for x in items if x not in block]
        yield from ([[*block], *others] for others in sized(left, sizes[1:]))
