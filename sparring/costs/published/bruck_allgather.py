"""Published costs: Allgather of sparse vectors by Bruck's algorithm."""

from sparring.costs.published.claim import Claim, log2

# The cost that stands above MPIR_Allgather_intra_brucks in pmodels/mpich,
# src/mpi/coll/allgather/allgather_intra_brucks.c, with n = 2 k p, all that is gathered.
SOURCE = "MPICH's source"
claims = [
    Claim("latency", "messages", lambda n, p, k: log2(p, "up"), "", SOURCE),
    Claim("bandwidth", "words", lambda n, p, k: 2 * k * p * (p - 1) / p, "", SOURCE),
]
