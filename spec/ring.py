"""Dense ring allreduce [PY09]_.

Cut every vector into ``p`` chunks.  Chunk ``c`` leaves rank ``c``, takes up one
contribution at each rank it visits and is complete after ``p - 1`` hops, at rank
``c - 1``; ``p - 1`` more hops show it to everybody else.

Requires: ``p >= 1``; ``+`` associative and commutative.
Ensures:  every rank holds ``x[0] + ... + x[p-1]``.

>>> from sparring import run
>>> for t, wire, _ in run("ring", [["a", "b", "c"], ["A", "B", "C"], ["1", "2", "3"]]):
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 0->1:a 1->2:B 2->0:3
1 0->1:3c 1->2:aA 2->0:B2
2 0->1:B2b 1->2:3cC 2->0:aA1
3 0->1:aA1 1->2:B2b 2->0:3cC

.. [PY09] P. Patarasuk and X. Yuan, "Bandwidth optimal all-reduce algorithms for
   clusters of workstations", J. Parallel Distrib. Comput. 69(2), 2009.
"""

from sparring.spec.core.numbers import Bool, Int, where


def steps(p: Int) -> Int:                  return 2 * (p - 1)
def dst(r: Int, t: Int, p: Int) -> Int:    return (r + 1) % p
def src(r: Int, t: Int, p: Int) -> Int:    return (r - 1) % p
def chunk(r: Int, t: Int, p: Int) -> Int:  return (r - t) % p      # what rank r sends in step t, on both laps
def adds(t: Int, p: Int) -> Bool:          return t < p - 1        # the first lap adds, the second overwrites


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s copy of chunk ``c`` contains ``q``'s contribution."""
    hops = (r - c) % p                       # from c's origin to r
    full = (r - c + 1) % p <= t - (p - 1)    # the second lap has come by
    return where(full, True, where(hops <= t, (q - c) % p <= hops, q == r))
