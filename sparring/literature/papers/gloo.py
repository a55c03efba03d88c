"""Gloo, communication steps and bytes on the wire in docs/algorithms.md, at github.com/facebookincubator/gloo.

It was at hand.  S is the size of a buffer, here n words; bytes are those of one process.
"""

from sparring.costs.published.claim import log2
from sparring.literature.statements import Row, Theorem, collective

RING, CHUNKED, HALVING = "allreduce_ring", "allreduce_ring_chunked", "allreduce_halving_doubling"
BROADCAST = "broadcast_one_to_all"

statements = [
    Row("halving-steps", HALVING, "V", "rabenseifner", "messages", lambda n, p, k: 2 * log2(p), given="p = 2^m"),
    Row("halving-bytes", f"{HALVING}; that it is a bound is our reading", "DV", "rabenseifner", "words",
        lambda n, p, k: 2 * n, given="p = 2^m, p | n", bound=True),
    Row("chunked-bytes", f"{CHUNKED}; that it is a bound is our reading", "DV", "ring", "words",
        lambda n, p, k: 2 * n, bound=True),
    Row("whole-ring-steps", RING, "V", "whole_ring", "messages", lambda n, p, k: p - 1,
        of="allreduce in a ring of whole vectors"),
    Row("whole-ring-bytes", RING, "V", "whole_ring", "words", lambda n, p, k: p * n,
        of="allreduce in a ring of whole vectors"),
    Row("broadcast-bytes", BROADCAST, "V", collective("linear_bcast"), "words", lambda n, p, k: p * n,
        xfail="the root sends nothing to itself", actual=lambda n, p, k: (p - 1) * n),
    Theorem("chunked-over-whole", f"{CHUNKED} and {RING}; the comparison is ours", "DV", "2 S <= P S",
            hypotheses="P >= 2"),
]  # fmt: skip
