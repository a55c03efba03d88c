"""Pairwise exchange allreduce.

Cut every vector into ``p`` chunks, of which rank ``r`` looks after chunk ``r``.  For
``p - 1`` steps every rank sends each other rank the chunk that the other looks after
(the reduce-scatter of [TRG05]_); for ``p - 1`` more it sends everybody the finished sum
of its own.

Requires: ``p >= 1``; ``+`` associative and commutative.
Ensures:  every rank holds ``x[0] + ... + x[p-1]``.

>>> from sparring import run
>>> for t, wire, _ in run(__file__, [["a", "b", "c"], ["A", "B", "C"], ["1", "2", "3"]]):
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 0->1:b 1->2:C 2->0:1
1 0->2:c 1->0:A 2->1:2
2 0->1:A1a 1->2:2bB 2->0:cC3
3 0->2:A1a 1->0:2bB 2->1:cC3

.. [TRG05] R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of collective communication
   operations in MPICH", Int. J. High Performance Computing Applications 19(1), 2005.
"""

# Above: what happens, what it needs and gives, a run with letters for numbers (it shows who adds
# what in which order; `python -m doctest` on this file checks it), and where it comes from.
#
# Below: the formulas.  p ranks, r rank, t step, c chunk, q a rank whose contribution is meant; all
# count from 0.  A formula takes the letters that it needs and is written with + - * % < <= == and
# the helpers of this import (there is negate, too), not with if, and, or, min: the same lines run
# on numbers and are proved on symbols.
from sparring.spec.core.numbers import Bool, Int, both, either, where


# How many steps there are.  With p = 1 there are none, and nothing is sent.
def steps(p: Int) -> Int:                  return 2 * (p - 1)

# A helper of our own: steps since the lap began, 0 .. p - 2 while collecting and again while handing out.
def lap(t: Int, p: Int) -> Int:            return where(t < p - 1, t, t - (p - 1))

# To whom rank r sends in step t, and from whom it receives: each formula is the other's inverse.
def dst(r: Int, t: Int, p: Int) -> Int:    return (r + lap(t, p) + 1) % p
def src(r: Int, t: Int, p: Int) -> Int:    return (r - lap(t, p) - 1) % p

# Which chunk rank r sends: first the one that its receiver looks after, then its own.
def chunk(r: Int, t: Int, p: Int) -> Int:  return where(t < p - 1, dst(r, t, p), r)

# Whether the receiver adds the message to its copy of the chunk; else it overwrites it.
def adds(t: Int, p: Int) -> Bool:          return t < p - 1


# What is where after t steps: the induction that makes the proof.  Where it is wrong about an
# algorithm that is right, `sparring prove` answers "not inductive" and names the first such cell.
def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s copy of chunk ``c`` contains ``q``'s contribution."""
    collected = where(r == c, (r - q) % p <= t, q == r)    # from the t nearest ranks on one side
    handed = either(r == c, (r - c) % p <= t - (p - 1))    # c's own rank has come round to r
    return where(t < p - 1, collected, either(handed, q == r))


# From here on everything may be left out; what is left out reads "not covered".

# For the theorem that all ranks end with identical bits: when two ranks r and s hold the very
# same sum, added up in the same order, in chunk c.
def same(r: Int, s: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps ranks ``r`` and ``s`` hold the identical term in chunk ``c``."""
    def full(x: Int) -> Bool:  # x has the finished sum
        return either(x == c, (x - c) % p <= t - (p - 1))
    return either(r == s, both(full(r), full(s)))


# On which topologies ("ring", "tree", "crossbar", "fat_tree", "torus", "dragonfly") messages keep out of one
# another's way: "exclusive" where each link serves one sender and one receiver all along,
# "rendezvous" where synchronous sends keep them apart, "lock step" where no link carries two
# messages of one step.  This algorithm sends far and wide and can claim neither; a line
# "ring": "lock step"  between the braces is refuted.
contention: dict[str, str] = {}
