"""What the theorems of the scatter along a binomial tree need beyond its formulas."""

from __future__ import annotations

from sparring.spec.core.numbers import Int


def contributor(r: Int, c: Int, t: Int, p: Int) -> Int:  # noqa: ARG001  # whoever sends
    """Return whose block rank ``r`` sends: the root's."""
    return 0
