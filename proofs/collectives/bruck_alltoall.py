"""What the theorems of Bruck's alltoall need beyond its formulas."""

from __future__ import annotations

from collections.abc import Sequence

from sparring.proofs.logic.obligations import c
from sparring.spec.collectives.bruck_alltoall import low
from sparring.spec.core.numbers import Bool, Int


def contributor(r: Int, c: Int, t: Int, p: Int) -> Int:
    """Return whose part rank ``r`` sends in step ``t`` as chunk ``c``: that of the rank from which it came."""
    return (r - low(c, t)) % p


def lemmas(r: Int, t: Int, p: Int) -> Sequence[Bool]:  # noqa: ARG001  # no rank in particular
    """State where the next block of ``2**t`` numbers begins, and in which block 0 and ``2**t`` are."""
    block = c >> t
    return [(block + 1) << t == (block << t) + (1 << t), 0 >> t == 0, (1 << t) >> t >= 1]
