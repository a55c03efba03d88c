"""Dense allreduce by direct reduce-scatter and allgather, the two-shot allreduce [QR]_.

Cut every vector into ``p`` chunks, of which rank ``r`` looks after chunk ``r``.  In the first step
every rank sends each other rank the chunk that the other looks after, all at once, and adds up what
it receives.  In the second it sends the finished sum of its own chunk to everybody.

Requires: ``p >= 1``; ``+`` associative and commutative.
Ensures:  every rank holds ``x[0] + ... + x[p-1]``, each chunk added up in the order of the ranks.

Nothing is forwarded, so two messages in a row are all that anybody waits for, however many ranks
there are; but a rank sends ``p - 1`` messages in each step, and receives as many.  Message ``j``
goes to the rank ``j + 1`` further.  The order of addition is this page's own choice.

>>> from sparring import run
>>> for t, wire, _ in run("two_shot", [["a", "b", "c"], ["A", "B", "C"], ["1", "2", "3"]]):
...     print(t, *(f"{src}->{dst}:{'|'.join(msg)}" for src, dst, msg in wire))
0 0->1:b 0->2:c 1->2:C 1->0:A 2->0:1 2->1:2
1 0->1:aA1 0->2:aA1 1->2:bB2 1->0:bB2 2->0:cC3 2->1:cC3

.. [QR] ``AllReduceTwoshot`` in vllm-project/vllm, which is at csrc/quickreduce/quick_reduce_impl.cuh.
"""

from sparring.spec.core.numbers import Bool, Int, both, either, where


def steps(p: Int) -> Int:                          return where(p > 1, 2, 0)
def messages(t: Int, p: Int) -> Int:               return p - 1
def dst(r: Int, t: Int, j: Int, p: Int) -> Int:    return (r + j + 1) % p
def src(r: Int, t: Int, j: Int, p: Int) -> Int:    return (r - j - 1) % p
def chunk(r: Int, t: Int, j: Int, p: Int) -> Int:  return where(t < 1, dst(r, t, j, p), r)  # the receiver's; its own
def adds(t: Int, p: Int) -> Bool:                  return t < 1


def who(q: Int, r: Int, c: Int, t: Int, p: Int) -> Int:
    """Which message brings it: in the first step the one from ``q``, in the second the one from ``c``'s rank."""
    return (r - where(t < 1, q, c) - 1) % p


def holds(q: Int, r: Int, c: Int, t: Int, p: Int) -> Bool:
    """After ``t`` steps, rank ``r``'s copy of chunk ``c`` contains ``q``'s contribution."""
    return either(q == r, either(t >= 2, both(t >= 1, r == c)))
