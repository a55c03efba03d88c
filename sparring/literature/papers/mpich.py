"""MPICH, comments on costs in src/mpi/coll, at github.com/pmodels/mpich.

They stand in the code, which was at hand.  Where n words in all are gathered, and a rank brings n / p of them, pages of
lists send 2 k.  Those of allreduce stand by the pages of recursive doubling and of Rabenseifner.
"""

from sparring.costs.published.claim import log2
from sparring.costs.published.notation import Letter
from sparring.literature.formulas import doubled, one_less, rounds, share, twice
from sparring.literature.statements import Row, Theorem, Unjudged, collective, exchange

POWER, EQUAL = "p = 2^m", "p = 2^m, p | n"
RING, BRUCK, DOUBLING = (f"allgather_intra_{name}.c" for name in ("ring", "brucks", "recursive_doubling"))
K_BRUCK, K_INDEX = "allgather_intra_k_brucks.c with k = 2", "alltoall_intra_k_brucks.c with k = 2"
TREE, DOUBLED, RINGED = (
    f"bcast_intra_{name}.c" for name in ("binomial", "scatter_recursive_doubling_allgather", "scatter_ring_allgather")
)
GATHER, SCATTER, REDUCE = "gather_intra_binomial.c", "scatter_intra_binomial.c", "reduce_intra_binomial.c"
HALVES = "reduce_intra_reduce_scatter_gather.c"
HALVING, DOUBLING_BLOCKS, BUTTERFLY = (
    f"reduce_scatter_intra_{name}.c" for name in ("recursive_halving", "recursive_doubling", "noncommutative")
)
PAIRWISE = "reduce_scatter_block_intra_pairwise.c"
ALLTOALL, INDEX = "alltoall_intra_pairwise.c, where n is what goes to other ranks", "alltoall_intra_brucks.c"
WIDE = "the cost is that of recursive doubling: its first rounds send all but a few blocks, here half of them"


statements = [
    Row("ring-latency", RING, "V", "ring_allgather", "messages", one_less),
    Row("ring-bandwidth", RING, "V", "ring_allgather", "words", lambda n, p, k: 2 * k * p * ((p - 1) / p)),
    Row("bruck-latency", BRUCK, "V", "bruck_allgather", "messages", lambda n, p, k: log2(p, "up"),
        of="Bruck's allgather"),
    Row("bruck-bandwidth", BRUCK, "V", "bruck_allgather", "words", lambda n, p, k: 2 * k * p * ((p - 1) / p),
        of="Bruck's allgather"),
    Row("doubling-latency", DOUBLING, "V", "recursive_doubling_allgather", "messages", rounds, given=POWER,
        of="allgather by recursive doubling"),
    Row("doubling-bandwidth", DOUBLING, "V", "recursive_doubling_allgather", "words",
        lambda n, p, k: 2 * k * p * ((p - 1) / p), given=POWER, of="allgather by recursive doubling"),
    Row("dense-ring-latency", RING, "V", collective("dense_ring_allgather"), "messages", one_less),
    Row("dense-ring-bandwidth", RING, "V", collective("dense_ring_allgather"), "words", share, given="p | n"),
    Row("dense-bruck-latency", BRUCK, "V", collective("dense_bruck_allgather"), "messages", rounds, given=POWER),
    Row("dense-bruck-bandwidth", BRUCK, "V", collective("dense_bruck_allgather"), "words", share, given="p | n"),
    Row("k-bruck-latency", K_BRUCK, "V", collective("dense_bruck_allgather"), "messages", rounds, given=POWER),
    Row("k-bruck-bandwidth", K_BRUCK, "V", collective("dense_bruck_allgather"), "words",
        lambda n, p, k: n / p * (p - 1) * log2(p), given=EQUAL,
        xfail="each phase counts as much as all phases send together", actual=share),
    Row("dense-doubling-latency", DOUBLING, "V", collective("dense_recursive_doubling_allgather"), "messages", rounds,
        given=POWER),
    Row("dense-doubling-bandwidth", DOUBLING, "V", collective("dense_recursive_doubling_allgather"), "words", share,
        given=EQUAL),
    Row("bcast-tree-latency", TREE, "V", collective("binomial_bcast"), "messages", rounds, given=POWER),
    Row("bcast-tree-bandwidth", TREE, "V", collective("binomial_bcast"), "critical", lambda n, p, k: n * log2(p),
        given=POWER),
    Row("bcast-doubling-latency", DOUBLED, "V", collective("scatter_doubling_bcast"), "messages",
        lambda n, p, k: 2 * log2(p), given=POWER),
    Row("bcast-doubling-bandwidth", DOUBLED, "V", collective("scatter_doubling_bcast"), "critical", twice, given=EQUAL),
    Row("bcast-ring-latency", RINGED, "V", collective("scatter_ring_bcast"), "messages",
        lambda n, p, k: log2(p) + p - 1, given=POWER),
    Row("bcast-ring-bandwidth", RINGED, "V", collective("scatter_ring_bcast"), "critical", twice, given="p | n"),
    Row("gather-latency", GATHER, "V", collective("binomial_gather"), "messages", rounds, given=POWER),
    Row("gather-bandwidth", GATHER, "V", collective("binomial_gather"), "critical", share, given="p | n"),
    Row("scatter-latency", SCATTER, "V", collective("binomial_scatter"), "messages", rounds, given=POWER),
    Row("scatter-bandwidth", SCATTER, "V", collective("binomial_scatter"), "words", share, given="p | n"),
    Row("reduce-latency", REDUCE, "V", collective("binomial_reduce"), "messages", rounds, given=POWER),
    Row("reduce-bandwidth", REDUCE, "V", collective("binomial_reduce"), "critical", lambda n, p, k: n * log2(p),
        given=POWER),
    Row("reduce-additions", REDUCE, "V", collective("binomial_reduce"), "added", lambda n, p, k: n * log2(p),
        given=POWER),
    Row("reduce-halves-latency", HALVES, "V", collective("rabenseifner_reduce"), "messages",
        lambda n, p, k: 2 * log2(p), given=POWER),
    Row("reduce-halves-bandwidth", HALVES, "V", collective("rabenseifner_reduce"), "critical", twice, given=EQUAL),
    Row("reduce-halves-additions", HALVES, "V", collective("rabenseifner_reduce"), "added", share, given=EQUAL),
    Unjudged("reduce-halves-of-others", HALVES, "V",
             "where p is no power of two: (2 floor(lg p) + 1) alpha + (2 (p - 1) / p + 1) n beta",
             "the cost of the page is derived for powers of two alone"),
    Row("halving-latency", HALVING, "V", collective("recursive_halving_reduce_scatter"), "messages", rounds,
        given=POWER),
    Row("halving-bandwidth", HALVING, "V", collective("recursive_halving_reduce_scatter"), "words", share, given=EQUAL),
    Row("halving-additions", HALVING, "V", collective("recursive_halving_reduce_scatter"), "added", share, given=EQUAL),
    Theorem("halving-of-others", f"{HALVING}, where p is no power of two, beside twice the vector; that is ours", "DV",
            "n (1 + (p - 1 + n) / p) <= 2 n", only="n <= 1",
            xfail="n n / p stands there, where n / p would be one more block; then it holds"),
    Row("doubling-blocks-latency", DOUBLING_BLOCKS, "V", collective("recursive_doubling_reduce_scatter"), "messages",
        rounds, given=POWER),
    Row("doubling-blocks-bandwidth", DOUBLING_BLOCKS, "V", collective("recursive_doubling_reduce_scatter"), "words",
        doubled, given=EQUAL),
    Row("doubling-blocks-additions", DOUBLING_BLOCKS, "V", collective("recursive_doubling_reduce_scatter"), "added",
        doubled, given=EQUAL),
    Row("butterfly-latency", BUTTERFLY, "V", collective("strided_butterfly_reduce_scatter"), "messages", rounds,
        given=POWER),
    Row("butterfly-bandwidth", BUTTERFLY, "V", collective("strided_butterfly_reduce_scatter"), "words", doubled,
        given=EQUAL, xfail=WIDE, actual=share),
    Row("butterfly-additions", BUTTERFLY, "V", collective("strided_butterfly_reduce_scatter"), "added", doubled,
        given=EQUAL, xfail=WIDE, actual=share),
    Row("pairwise-blocks-latency", PAIRWISE, "V", exchange("rotation"), "messages", one_less),
    Row("pairwise-blocks-bandwidth", PAIRWISE, "V", exchange("rotation"), "words", share, given="p | n"),
    Row("pairwise-blocks-additions", PAIRWISE, "V", exchange("rotation"), "added", share, given="p | n"),
    Row("alltoall-latency", ALLTOALL, "V", collective("pairwise_alltoall"), "messages", one_less),
    Row("alltoall-bandwidth", ALLTOALL, "V", collective("pairwise_alltoall"), "words", share, given="p | n"),
    Row("index-latency", INDEX, "V", collective("bruck_alltoall"), "messages", rounds, given=POWER),
    Row("index-bandwidth", f"{INDEX}, where n also has the rank's own block", "V", collective("bruck_alltoall"),
        "words", lambda n, p, k: n / 2 * log2(p), given=EQUAL),
    Row("k-index-bandwidth", K_INDEX, "V", collective("bruck_alltoall"), "words",
        lambda n, p, k: n / p * (p - 1) * log2(p), given=EQUAL,
        xfail="of p blocks a phase sends half, not all but one", actual=lambda n, p, k: n / 2 * log2(p)),
]  # fmt: skip

LETTERS = [
    Letter("p", "p", "V"),
    Letter("n", "2 * k * p", "V", "all that is gathered, here in words"),
    Letter("lgp", "log2(p)", "V", "the binary logarithm"),
    Letter("alpha", "alpha", "V", "seconds a message"),
]
notation = dict.fromkeys(("bruck_allgather", "recursive_doubling_allgather", "ring_allgather"), LETTERS)
