"""What the theorems of the broadcast of halves along a binary tree need beyond its formulas."""

from __future__ import annotations

from collections.abc import Sequence

from sparring.proofs.logic.obligations import implies
from sparring.spec.core.numbers import Bool, Int, where


def lemmas(r: Int, t: Int, p: Int) -> Sequence[Bool]:  # noqa: ARG001  # no rank in particular
    """State that below the root's children all distances are even, so that nobody changes sides."""
    half = 1 << where(t > 0, t - 1, 0)
    return [implies(t > 0, 1 << t == 2 * half)]
