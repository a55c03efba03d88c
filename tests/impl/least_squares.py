"""Least squares on several ranks, each with rows of its own and another solution; the common one is known.

Rank ``r`` has ``f[r](w) = |A[r] w - b[r]|^2 / (2 rows)``; what is sought minimises their mean.  All numbers have
fixed seeds.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

N, ROWS = 24, 60


class Problem(NamedTuple):
    """By rank the matrix and the right-hand side of its gradient, ``a w - b``; what each seeks, and all together."""

    rows: list[Any]
    a: Any
    b: Any
    own: Any
    best: Any

    @property
    def curvatures(self) -> Any:
        """The eigenvalues of the mean matrix, ascending: the least is the strong convexity, the last the smoothness."""
        return np.linalg.eigvalsh(self.a.mean(0))

    @property
    def rate(self) -> float:
        """One over the largest eigenvalue of any rank: no step is too long for it."""
        return 1 / max(np.linalg.eigvalsh(one)[-1] for one in self.a)


def problem(p: int, n: int = N, rows: int = ROWS) -> Problem:
    """Of ``p`` ranks, ``n`` parameters and so many rows a rank: solutions differ as much as they have in common."""
    rng = np.random.default_rng([p, n, rows])
    common, parts = rng.standard_normal(n), []
    for _ in range(p):
        x = rng.standard_normal((rows, n)) * np.linspace(0.5, 1.5, n)
        parts.append(np.column_stack([x, x @ (common + rng.standard_normal(n)) + rng.standard_normal(rows)]))
    a = np.array([one[:, :-1].T @ one[:, :-1] / rows for one in parts])
    b = np.array([one[:, :-1].T @ one[:, -1] / rows for one in parts])
    every = np.concatenate(parts)
    own = np.array([np.linalg.lstsq(one[:, :-1], one[:, -1], rcond=None)[0] for one in parts])
    return Problem(parts, a, b, own, np.linalg.lstsq(every[:, :-1], every[:, -1], rcond=None)[0])


def settled(one: Problem, every: int) -> tuple[Any, Any]:
    """What one round of local descent is a multiplication with, and where it comes to rest.

    A rank that begins at ``w`` ends at ``own + (1 - rate a)^every (w - own)``; the round is the mean of these.
    """
    powers = np.array([np.linalg.matrix_power(np.eye(len(a)) - one.rate * a, every) for a in one.a])
    moved = np.array([own - power @ own for power, own in zip(powers, one.own)]).mean(0)
    around = powers.mean(0)
    return around, np.linalg.solve(np.eye(len(around)) - around, moved)
