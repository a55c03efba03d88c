"""MPICH, comments on costs in src/mpi/coll/allgather, at github.com/pmodels/mpich.

They stand in the code, which was at hand; n words in all are gathered, so that a rank brings n / p, here 2 k.  Those of
allreduce stand by the pages of recursive doubling and of Rabenseifner.
"""

from sparring.costs.published.claim import log2
from sparring.costs.published.notation import Letter
from sparring.literature.statements import Row

RING, BRUCK, DOUBLING = (f"allgather_intra_{name}.c" for name in ("ring", "brucks", "recursive_doubling"))

statements = [
    Row("ring-latency", RING, "V", "ring_allgather", "messages", lambda n, p, k: p - 1),
    Row("ring-bandwidth", RING, "V", "ring_allgather", "words", lambda n, p, k: 2 * k * p * ((p - 1) / p)),
    Row("bruck-latency", BRUCK, "V", "bruck_allgather", "messages", lambda n, p, k: log2(p, "up"),
        of="Bruck's allgather"),
    Row("bruck-bandwidth", BRUCK, "V", "bruck_allgather", "words", lambda n, p, k: 2 * k * p * ((p - 1) / p),
        of="Bruck's allgather"),
    Row("doubling-latency", DOUBLING, "V", "recursive_doubling_allgather", "messages", lambda n, p, k: log2(p),
        given="p = 2^m", of="allgather by recursive doubling"),
    Row("doubling-bandwidth", DOUBLING, "V", "recursive_doubling_allgather", "words",
        lambda n, p, k: 2 * k * p * ((p - 1) / p), given="p = 2^m", of="allgather by recursive doubling"),
]  # fmt: skip

LETTERS = [
    Letter("p", "p", "V"),
    Letter("n", "2 * k * p", "V", "all that is gathered, here in words"),
    Letter("lgp", "log2(p)", "V", "the binary logarithm"),
    Letter("alpha", "alpha", "V", "seconds a message"),
]
notation = dict.fromkeys(("bruck_allgather", "recursive_doubling_allgather", "ring_allgather"), LETTERS)
