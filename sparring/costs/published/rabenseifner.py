"""Published costs: Dense allreduce by reduce-scatter and allgather, Rabenseifner's algorithm."""

from sparring.costs.published.claim import Claim, log2
from sparring.costs.published.notation import MPICH

# The costs that stand above MPIR_Allreduce_intra_reduce_scatter_allgather in pmodels/mpich,
# src/mpi/coll/allreduce/allreduce_intra_reduce_scatter_allgather.c; notes on the paper have the same.
SOURCE = "MPICH's source; Thakur et al. 2005, second hand"
FOLDED = "p not 2^m, 2^floor(log2 p) | n"
claims = [
    Claim("latency", "messages", lambda n, p, k: 2 * log2(p), "p = 2^m", SOURCE),
    Claim("bandwidth", "words", lambda n, p, k: 2 * n * (p - 1) / p, "p = 2^m, p | n", SOURCE),
    Claim("reduction", "added", lambda n, p, k: n * (p - 1) / p, "p = 2^m, p | n", SOURCE),
    # What stands there for the other p.  It is p that divides what is sent, where the ranks that exchange are
    # fewer; so two are a little too high.
    Claim("latency with a fold", "messages", lambda n, p, k: 2 * log2(p, "down") + 2, "p not 2^m", SOURCE),
    Claim("bandwidth with a fold", "path", lambda n, p, k: 2 * n * (p - 1) / p + 2 * n, FOLDED, SOURCE, bound=True),
    Claim("reduction with a fold", "added", lambda n, p, k: n * (p - 1) / p + n, FOLDED, SOURCE, bound=True),
]

notation = MPICH
