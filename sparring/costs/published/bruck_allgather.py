"""Published costs: Allgather of sparse vectors by Bruck's algorithm."""

from sparring.costs.published.claim import Claim, log2
from sparring.costs.published.notation import Letter

# The cost that stands above MPIR_Allgather_intra_brucks in pmodels/mpich,
# src/mpi/coll/allgather/allgather_intra_brucks.c, with n = 2 k p, all that is gathered.
SOURCE = "MPICH's source"
claims = [
    Claim("latency", "messages", lambda n, p, k: log2(p, "up"), "", SOURCE),
    Claim("bandwidth", "words", lambda n, p, k: 2 * k * p * (p - 1) / p, "", SOURCE),
]

# Of the paper the abstract was at hand; b is as a summary has it.
notation = {
    "Bruck et al. 1997": [
        Letter("n", "p", "V", "how many processors there are"),
        Letter("k", "", "V", "how many messages a processor sends at once; the page has one"),
        Letter("b", "2 * k", "S", "the size of a processor's block"),
    ]
}
