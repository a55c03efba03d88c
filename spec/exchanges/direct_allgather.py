"""Allgather in one step: every rank sends its chunk to each other rank.

Requires: ``p >= 1``; chunks of any lengths.
Ensures:  every rank holds all chunks.

Message ``j`` goes to the rank ``j + 1`` further, so that no two ranks send their ``j``-th message to the same one.

>>> from sparring import run
>>> for t, wire, _ in run("sparring.spec.exchanges.direct_allgather", [["a", "b"], ["A", "B"]]):
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 0->1:a 1->0:B
"""

from sparring.spec.core.numbers import Bool, Int, both, either, where

kind = "allgather"


def steps(p: Int) -> Int:                          return where(p > 1, 1, 0)
def messages(t: Int, p: Int) -> Int:               return p - 1
def dst(r: Int, t: Int, j: Int, p: Int) -> Int:    return (r + j + 1) % p
def src(r: Int, t: Int, j: Int, p: Int) -> Int:    return (r - j - 1) % p
def chunk(r: Int, t: Int, j: Int, p: Int) -> Int:  return r  # its own
def adds(t: Int, p: Int) -> Bool:                  return False


def who(q: Int, r: Int, c: Int, t: Int, p: Int) -> Int:
    """Which message brings it: the one from ``c``'s rank."""
    return (r - c - 1) % p


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s copy of chunk ``c`` contains ``q``'s contribution."""
    return both(q == c, either(r == c, t >= 1))
