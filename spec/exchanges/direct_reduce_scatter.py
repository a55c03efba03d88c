"""Reduce-scatter in one step: every rank sends each other rank that one's chunk.

Requires: ``p >= 1``; ``+`` associative and commutative.
Ensures:  rank ``r`` holds chunk ``r`` of ``x[0] + ... + x[p-1]``.

Message ``j`` goes to the rank ``j + 1`` further, so that no two ranks send their ``j``-th message to the same one.

>>> from sparring import run
>>> for t, wire, _ in run("sparring.spec.exchanges.direct_reduce_scatter", [["a", "b"], ["A", "B"]]):
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 0->1:b 1->0:A
"""

from sparring.spec.core.numbers import Bool, Int, either, where

kind = "reduce_scatter"


def steps(p: Int) -> Int:                          return where(p > 1, 1, 0)
def messages(t: Int, p: Int) -> Int:               return p - 1
def dst(r: Int, t: Int, j: Int, p: Int) -> Int:    return (r + j + 1) % p
def src(r: Int, t: Int, j: Int, p: Int) -> Int:    return (r - j - 1) % p
def chunk(r: Int, t: Int, j: Int, p: Int) -> Int:  return dst(r, t, j, p)  # the receiver's
def adds(t: Int, p: Int) -> Bool:                  return True


def who(q: Int, r: Int, c: Int, t: Int, p: Int) -> Int:
    """Which message brings it: the one from ``q``."""
    return (r - q - 1) % p


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s copy of chunk ``c`` contains ``q``'s contribution."""
    return either(q == r, where(r == c, t >= 1, False))
