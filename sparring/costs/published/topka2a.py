"""Published costs: Allreduce of selected entries by alltoall and dense allgather, TopKA2A."""

from sparring.costs.published.claim import Claim

claims = [
    Claim(
        "bandwidth", "words", lambda n, p, k: (2 * k + n) * (p - 1) / p, "p | n, p | k", "Peng et al. 2024, as quoted"
    ),
    Claim("latency", "messages", lambda n, p, k: 2 * (p - 1), "", "own derivation: an index goes with its value"),
]
