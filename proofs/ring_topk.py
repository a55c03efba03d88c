"""What the theorems of the ring with selection need beyond the ring's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sparring.impl import ring_topk
from sparring.proofs import ring
from sparring.proofs.logic.obligations import ROUND, Obligation, c, p
from sparring.proofs.ring import contention, same
from sparring.spec import ring_topk as formulas
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, Sym, both

__all__ = ["contention", "same"]

k = Sym.var("k")


def spent(r: Int, c: Int, t: Int, p: Int) -> Bool:
    """Return whether ``r`` sent chunk ``c`` to be added, in step ``(r - c) % p``; it is back, complete, a lap later."""
    given = (r - c) % p
    return both(given < t, both(given < p - 1, t <= given + p - 1))


def peers(page: Page) -> Iterator[Obligation]:
    """Compare with ``impl``, which takes its hops from the dense ring and shares out ``k`` as the page does."""
    impl: Any = ring_topk  # its functions are typed for int and run here on symbols
    yield from ring.peers(page, impl)
    yield Obligation("parts", (*ROUND, k >= 0), impl.part(c, k, p) == formulas.part(c, p, k))
