"""Published costs: SparDL's sparse allreduce, with global residual collection."""

from sparring.costs.published.claim import Claim, log2

SOURCE = "Zhao et al. 2024, from memory"
claims = [
    Claim("latency", "messages", lambda n, p, k: 2 * log2(p, "up"), "", SOURCE),
    Claim("bandwidth", "words", lambda n, p, k: 4 * k * (p - 1) / p, "p | k", SOURCE),
]
