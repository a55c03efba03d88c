"""Chan, Heimlich, Purkayastha and van de Geijn, Collective communication: theory, practice, and experience, CCPE 2007.

Costs are as remembered: of minimum spanning trees (MST), of buckets, which go round, and of bidirectional exchange.
The lower bounds beside our costs are this paper's, too.
"""

from typing import Any

from sparring.costs.published.claim import log2
from sparring.literature.formulas import one_less, rounds, rounds_up, share, twice
from sparring.literature.statements import Row, Theorem, collective

POWER, EQUAL = "p = 2^m", "p = 2^m, p | n"
BCAST, REDUCE, SCATTER, GATHER = (f"MST {name}" for name in ("broadcast", "reduce", "scatter", "gather"))
LONG = "broadcast of long vectors: scatter, then a bucket allgather"
EXCHANGE = "bidirectional exchange"


def whole(n: Any, p: Any, _k: Any) -> Any:
    """Return a vector for each round."""
    return n * log2(p, "up")


statements = [
    Row("mst-broadcast-latency", BCAST, "M", collective("binomial_bcast"), "messages", rounds_up),
    Row("mst-broadcast-bandwidth", BCAST, "M", collective("binomial_bcast"), "critical", whole),
    Row("mst-reduce-latency", REDUCE, "M", collective("halving_reduce"), "messages", rounds_up),
    Row("mst-reduce-bandwidth", REDUCE, "M", collective("halving_reduce"), "critical", whole),
    Row("mst-reduce-additions", REDUCE, "M", collective("halving_reduce"), "added", whole),
    Row("mst-scatter-latency", SCATTER, "M", collective("binomial_scatter"), "messages", rounds_up),
    Row("mst-scatter-bandwidth", SCATTER, "M", collective("binomial_scatter"), "words", share, given="p | n"),
    Row("mst-gather-latency", GATHER, "M", collective("binomial_gather"), "messages", rounds_up),
    Row("mst-gather-bandwidth", GATHER, "M", collective("binomial_gather"), "critical", share, given="p | n"),
    Row("bucket-allgather-latency", "bucket allgather", "M", collective("dense_ring_allgather"), "messages", one_less),
    Row("bucket-allgather-bandwidth", "bucket allgather", "M", collective("dense_ring_allgather"), "words", share,
        given="p | n"),
    Row("bucket-reduce-scatter-latency", "bucket reduce-scatter", "M", collective("ring_reduce_scatter"), "messages",
        one_less),
    Row("bucket-reduce-scatter-bandwidth", "bucket reduce-scatter", "M", collective("ring_reduce_scatter"), "words",
        share, given="p | n"),
    Row("bucket-reduce-scatter-additions", "bucket reduce-scatter", "M", collective("ring_reduce_scatter"), "added",
        share, given="p | n"),
    Row("bucket-allreduce-latency", "bucket allreduce", "M", "ring", "messages", lambda n, p, k: 2 * (p - 1)),
    Row("bucket-allreduce-bandwidth", "bucket allreduce", "M", "ring", "words", twice, given="p | n"),
    Row("bucket-allreduce-additions", "bucket allreduce", "M", "ring", "added", share, given="p | n"),
    Row("exchange-allgather-latency", f"{EXCHANGE}, allgather", "M", collective("dense_recursive_doubling_allgather"),
        "messages", rounds, given=POWER),
    Row("exchange-allgather-bandwidth", f"{EXCHANGE}, allgather", "M",
        collective("dense_recursive_doubling_allgather"), "words", share, given=EQUAL),
    Row("exchange-reduce-scatter-latency", f"{EXCHANGE}, reduce-scatter", "M",
        collective("recursive_halving_reduce_scatter"), "messages", rounds, given=POWER),
    Row("exchange-reduce-scatter-bandwidth", f"{EXCHANGE}, reduce-scatter", "M",
        collective("recursive_halving_reduce_scatter"), "words", share, given=EQUAL),
    Row("exchange-reduce-scatter-additions", f"{EXCHANGE}, reduce-scatter", "M",
        collective("recursive_halving_reduce_scatter"), "added", share, given=EQUAL),
    Row("long-broadcast-latency", LONG, "M", collective("scatter_ring_bcast"), "messages",
        lambda n, p, k: log2(p, "up") + p - 1),
    Row("long-broadcast-bandwidth", LONG, "M", collective("scatter_ring_bcast"), "critical", twice, given="p | n"),
    Theorem("long-broadcast-pays", f"{BCAST} and {LONG}; the comparison of their words is ours", "DM",
            "2 (p - 1) / p n <= log2(p) n", hypotheses="p = 2^m >= 4"),
]  # fmt: skip
