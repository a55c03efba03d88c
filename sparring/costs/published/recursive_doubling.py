"""Published costs: Dense allreduce by recursive doubling."""

from typing import Any

from sparring.costs.published.claim import Claim, log2
from sparring.costs.published.notation import MPICH


def fold(p: Any) -> Any:
    """1 where some ranks fold, which is where p is no power of two; else 0."""
    return log2(p, "up") - log2(p, "down")


# The cost that stands above MPIR_Allreduce_intra_recursive_doubling in pmodels/mpich,
# src/mpi/coll/allreduce/allreduce_intra_recursive_doubling.c; notes on the paper have the same.
SOURCE = "MPICH's source; Thakur et al. 2005, second hand"
claims = [
    Claim("latency", "messages", lambda n, p, k: log2(p), "p = 2^m", SOURCE),
    Claim("bandwidth", "words", lambda n, p, k: n * log2(p), "p = 2^m", SOURCE),
    Claim("reduction", "added", lambda n, p, k: n * log2(p), "p = 2^m", SOURCE),
    # That source folds where p is no power of two, and makes no exception in the cost; its logarithm is
    # read as the number of rounds.
    Claim(
        "latency for every p",
        "messages",
        lambda n, p, k: log2(p, "down"),
        "",
        SOURCE,
        "the fold: two steps",
        actual=lambda n, p, k: log2(p, "down") + 2 * fold(p),
    ),
    Claim(
        "bandwidth for every p",
        "path",
        lambda n, p, k: n * log2(p, "down"),
        "",
        SOURCE,
        "the fold: two messages",
        actual=lambda n, p, k: n * (log2(p, "down") + 2 * fold(p)),
    ),
    Claim(
        "reduction for every p",
        "added",
        lambda n, p, k: n * log2(p, "down"),
        "",
        SOURCE,
        "the fold: n additions",
        actual=lambda n, p, k: n * (log2(p, "down") + fold(p)),
    ),
]

notation = MPICH
