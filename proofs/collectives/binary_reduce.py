"""What the theorems of the reduction along a binary tree need beyond its formulas."""

from __future__ import annotations

from collections.abc import Sequence

from sparring.spec.collectives.binary_reduce import level
from sparring.spec.core.numbers import Bool, Int


def lemmas(r: Int, t: Int, p: Int) -> Sequence[Bool]:  # noqa: ARG001  # no rank in particular
    """State that block 0 of ``2**e`` numbers begins at 0: from this solvers know where block 1 begins."""
    return [0 << level(t, p) == 0]
