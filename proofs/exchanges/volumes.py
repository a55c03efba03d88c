"""Bounds what a rank sends in a reduce-scatter, a balancing and an allgather, of ``k = p e`` entries.

Of ``a`` entries those in its own region, ``b``, do not leave a rank; of ``n`` that are dealt out those of its own share
do not; and of lists, none longer than ``e``, it sends one less than there are ranks.  Of all entries in the order of
ranks, a rank has those at or after ``begin`` and before ``end``, and a share those from ``start`` to ``stop``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sparring.proofs.logic.obligations import Bound, Obligation, j, n, p, q, within
from sparring.spec.core import balancing
from sparring.spec.core.model import bound
from sparring.spec.core.numbers import Sym, both, where

k, e, a, b = (Sym.var(name) for name in ("k", "e", "a", "b"))
begin, end, start, stop = (Sym.var(name) for name in ("begin", "end", "start", "stop"))
BOX = (p >= 1, n >= 0, within(j))
"""``n`` entries, and one of the shares that they are dealt out in."""


def leaving() -> Iterator[Obligation]:
    """State what leaves a rank for other regions."""
    yield Obligation("split", (p >= 1, a >= 0, a <= k, e <= b), a - b <= k - e)


def moving(m: Any = balancing) -> Iterator[Obligation]:
    """State what leaves a rank for other shares."""
    slot = (p >= 1, begin >= 0, begin <= end, end <= n, start >= 0, start <= stop, stop <= n)
    stays = where(m.later(begin, start) < m.sooner(end, stop), m.sooner(end, stop) - m.later(begin, start), 0)
    yield Obligation("dealt out", slot, end - begin - stays <= n - (stop - start))


def sharing(cut: Bound = bound) -> Iterator[Obligation]:
    """State how long the shares of ``n`` entries are, of at most ``p e``."""
    few, room = (*BOX, e >= 0, n <= p * e), (p >= 1, a >= 0, e >= 0, q >= 0)
    yield Obligation("a share begins where the last ends", BOX, cut(j + 1, n, p) == (j * n + n) // p)
    yield Obligation("a share ends no later than with e", few, cut(j + 1, n, p) <= (j * n + p * e) // p)
    yield Obligation("which is e entries long", room, (a + p * e) // p == a // p + e)
    yield Obligation("with q fewer in all, at most q fewer", room, (a + p * e - q) // p >= a // p + e - q)
    yield Obligation("shares are all", (p >= 1, n >= 0), both(cut(0, n, p) == 0, cut(p, n, p) == n))


VOLUMES: Mapping[str, Callable[[], Iterator[Obligation]]] = {
    "reduce_scatter": leaving,
    "balance": moving,
    "allgather": sharing,
}
"""By exchange: that a rank sends no more than ``k - e`` entries."""
