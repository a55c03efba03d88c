"""Published costs: Dense allreduce by Swing."""

from sparring.costs.published.claim import Claim, log2

# Its variant for short vectors: as many steps as recursive doubling, each with a whole vector.
SOURCE = "De Sensi et al. 2024, from memory"
claims = [
    Claim("latency", "messages", lambda n, p, k: log2(p), "p = 2^m", SOURCE),
    Claim("bandwidth", "words", lambda n, p, k: n * log2(p), "p = 2^m", SOURCE),
]
