"""Bruck, Ho, Kipnis, Upfal and Weathersby, Efficient algorithms for all-to-all communications ..., TPDS 8(11), 1997.

Costs are as remembered, with one port.  Its n processors are p ranks here, and its blocks of b bytes are n / p words;
the volume is the largest message of each round, summed.
"""

from sparring.costs.published.claim import log2
from sparring.literature.formulas import one_less, rounds, rounds_up, share
from sparring.literature.statements import Row, Theorem, collective

CONCATENATION, INDEX, LINEAR = "concatenation, C1 and C2", "index with radix 2, C1 and C2", "index with radix n"

statements = [
    Row("concatenation-rounds", CONCATENATION, "M", collective("dense_bruck_allgather"), "messages", rounds_up),
    Row("concatenation-volume", CONCATENATION, "M", collective("dense_bruck_allgather"), "critical", share,
        given="p | n"),
    Row("index-rounds", INDEX, "M", collective("bruck_alltoall"), "messages", rounds, given="p = 2^m"),
    Row("index-volume", INDEX, "M", collective("bruck_alltoall"), "critical", lambda n, p, k: n / 2 * log2(p),
        given="p = 2^m, p | n"),
    Row("linear-index-rounds", LINEAR, "M", collective("pairwise_alltoall"), "messages", one_less),
    Row("linear-index-volume", LINEAR, "M", collective("pairwise_alltoall"), "critical", share, given="p | n"),
    Theorem("radix", f"{INDEX} and {LINEAR}; the comparison of their volumes is ours", "DM",
            "(p - 1) / p n <= log2(p) n / 2", hypotheses="p = 2^m >= 4"),
]  # fmt: skip
