"""Formulas that many sources state: functions of ``n``, ``p`` and ``k``, as rows have them."""

from __future__ import annotations

from typing import Any

from sparring.costs.published.claim import log2


def one_less(_n: Any, p: Any, _k: Any) -> Any:
    """Return the number of the other ranks."""
    return p - 1


def rounds(_n: Any, p: Any, _k: Any) -> Any:
    """Return the binary logarithm of ``p``, a power of two."""
    return log2(p)


def rounds_up(_n: Any, p: Any, _k: Any) -> Any:
    """Return the binary logarithm of any ``p``, rounded up."""
    return log2(p, "up")


def share(n: Any, p: Any, _k: Any) -> Any:
    """Return all but one p-th of ``n`` words."""
    return n * (p - 1) / p


def twice(n: Any, p: Any, k: Any) -> Any:
    """Return the same, there and back."""
    return 2 * share(n, p, k)


def doubled(n: Any, p: Any, _k: Any) -> Any:
    """Return the words of recursive doubling, of which each round leaves out the blocks that are done."""
    return n * (log2(p) - (p - 1) / p)
