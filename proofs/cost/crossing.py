"""Where a sparse ring that sends every entry as an index and a value crosses the ring allgather.

Supports are independent, of density ``x = k / n``, and ``p`` divides ``n``.  Per place of the
vector a rank sends ``R(x)`` words in the sparse ring, ``A(x) = 2 (p - 1) x`` in the allgather and
``D = 2 (p - 1) / p`` in the dense ring.  For every ``p >= 3``, with ``x* = 1 / (p - 1)``:

``R(x*) = A(x*) = 2``                identities, shown by :func:`identities`
``R(x) >= A(x)`` for ``x <= x*``     ``R`` is concave, and ``R(0) = A(0) = 0``: it lies above its chord
``R(x) >= 2 > D`` for ``x >= x*``    ``R`` does not fall

so it is nowhere shorter than both.  ``R`` is a sum of terms ``1 - (1 - x)^s``, ``s >= 1``, with
factors ``2 / p``; each is 0 at 0, and :func:`slopes` shows that it neither falls nor is convex.
The step from these facts to the theorem is the argument in words above.
"""

from __future__ import annotations

import sympy

from sparring.proofs.cost.symbols import Expr, k, n, p
from sparring.proofs.cost.unioncost import UnionCost

x = sympy.Symbol("x", positive=True)
s = sympy.Symbol("s", integer=True, positive=True)
MEETING = 1 / (p - 1)


def ring(cost: UnionCost) -> Expr:
    """``R(x)``, from the derived words; for ``x > 0``."""
    return sympy.expand(cost.under("independent").simplify("p | n").words.subs(k, x * n) / n)


def identities(cost: UnionCost) -> tuple[Expr, Expr]:
    """``R(x*) - 2`` and ``A(x*) - 2``, which are 0 for every ``p >= 3``."""
    return sympy.simplify(ring(cost).subs(x, MEETING) - 2), sympy.simplify(2 * (p - 1) * MEETING - 2)


def slopes() -> tuple[Expr, Expr]:
    """The derivatives of ``1 - (1 - x)^s``: the first over ``(1 - x)^(s - 1)``, the second over ``(1 - x)^(s - 2)``."""
    term, left = 1 - (1 - x) ** s, 1 - x
    first = sympy.simplify(sympy.diff(term, x) / left ** (s - 1))
    return first, sympy.factor(sympy.simplify(sympy.diff(term, x, 2) / left ** (s - 2)))
