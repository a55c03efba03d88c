"""Reduce-scatter in turns: every rank sends each rank after it, one after the other, that one's chunk.

Requires: ``p >= 1``; ``+`` associative and commutative.
Ensures:  rank ``r`` holds chunk ``r`` of ``x[0] + ... + x[p-1]``.

In turn ``t`` it sends to the rank ``t + 1`` further, so that no two ranks send to the same one.  What is sent is its
sender's own, so that several turns can be under way at a time.

>>> from sparring import run
>>> for t, wire, _ in run("sparring.spec.exchanges.rotation", [["a", "b", "c"], ["A", "B", "C"], ["1", "2", "3"]]):
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 0->1:b 1->2:C 2->0:1
1 0->2:c 1->0:A 2->1:2
"""

from sparring.spec.core.numbers import Bool, Int, either, where

kind = "reduce_scatter"


def steps(p: Int) -> Int:                   return p - 1
def dst(r: Int, t: Int, p: Int) -> Int:     return (r + t + 1) % p
def src(r: Int, t: Int, p: Int) -> Int:     return (r - t - 1) % p
def chunk(r: Int, t: Int, p: Int) -> Int:   return dst(r, t, p)  # the receiver's
def adds(t: Int, p: Int) -> Bool:           return True


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` turns rank ``r`` has added, of its own chunk, those of the ``t`` ranks before it."""
    return either(q == r, where(r == c, (r - q) % p <= t, False))
