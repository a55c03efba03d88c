"""Open MPI, comments on time and steps in ompi/mca/coll/base, at github.com/open-mpi/ompi.

They stand in the code, which was at hand.  m words are broadcast, or p blocks are m words in all; lambda, the time to
copy a word, is in no page.
"""

from sparring.costs.published.claim import log2
from sparring.literature.formulas import doubled, rounds, share, twice
from sparring.literature.statements import Row, Unjudged, collective

POWER, EQUAL = "p = 2^m", "p = 2^m, p | n"
RING = "ompi_coll_base_allreduce_intra_ring"
DOUBLED = "ompi_coll_base_bcast_intra_scatter_allgather"
RINGED = f"{DOUBLED}_ring"
SCATTER = "ompi_coll_base_scatter_intra_binomial"
DOUBLING = "ompi_coll_base_reduce_scatter_block_intra_recursivedoubling"
BUTTERFLY = "ompi_coll_base_reduce_scatter_block_intra_butterfly_pof2"
EXCHANGED = "twice what a rank sends, as if what it receives were counted, too"


statements = [
    Row("ring-steps", RING, "V", "ring", "messages", lambda n, p, k: 2 * p - 1,
        xfail="there are p - 1 steps in each of its two phases", actual=lambda n, p, k: 2 * (p - 1)),
    Row("bcast-doubling-latency", f"{DOUBLED}, both parts", "V", collective("scatter_doubling_bcast"), "messages",
        lambda n, p, k: 2 * log2(p), given=POWER),
    Row("bcast-doubling-bandwidth", f"{DOUBLED}, both parts", "V", collective("scatter_doubling_bcast"), "critical",
        twice, given=EQUAL),
    Row("bcast-ring-latency", f"{RINGED}, both parts", "V", collective("scatter_ring_bcast"), "messages",
        lambda n, p, k: log2(p) + 2 * (p - 1), given=POWER, xfail=EXCHANGED,
        actual=lambda n, p, k: log2(p) + p - 1),
    Row("bcast-ring-bandwidth", f"{RINGED}, both parts", "V", collective("scatter_ring_bcast"), "critical",
        lambda n, p, k: share(n, p, k) + 2 * (p - 1) * n / p, given="p | n", xfail=EXCHANGED, actual=twice),
    Row("scatter-latency", SCATTER, "V", collective("binomial_scatter"), "messages", rounds, given=POWER),
    Row("scatter-bandwidth", SCATTER, "V", collective("binomial_scatter"), "words", share, given="p | n"),
    Row("doubling-blocks-latency", DOUBLING, "V", collective("recursive_doubling_reduce_scatter"), "messages", rounds,
        given=POWER),
    Row("doubling-blocks-bandwidth", DOUBLING, "V", collective("recursive_doubling_reduce_scatter"), "words", doubled,
        given=EQUAL),
    Row("doubling-blocks-additions", DOUBLING, "V", collective("recursive_doubling_reduce_scatter"), "added", doubled,
        given=EQUAL),
    Row("butterfly-latency", BUTTERFLY, "V", collective("strided_butterfly_reduce_scatter"), "messages",
        lambda n, p, k: 2 * log2(p), given=POWER, xfail=EXCHANGED, actual=rounds),
    Row("butterfly-bandwidth", BUTTERFLY, "V", collective("strided_butterfly_reduce_scatter"), "words",
        lambda n, p, k: 2 * n * (1 - 1 / p), given=EQUAL, xfail=EXCHANGED, actual=share),
    Row("butterfly-additions", BUTTERFLY, "V", collective("strided_butterfly_reduce_scatter"), "added", share,
        given=EQUAL),
    Unjudged("neighbor-steps", "ompi_coll_base_allgather_intra_neighborexchange", "V", "it uses N / 2 steps",
             "the cost of the page is not derived: two chunks are in a message, and all steps but the first send two"),
    Unjudged("knomial-time", "ompi_coll_base_bcast_intra_knomial", "V",
             "(radix - 1) O(log_radix(comm_size)) messages", "an order of growth names no constant"),
]  # fmt: skip
