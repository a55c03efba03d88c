"""Published costs: Dense ring allreduce."""

from sparring.costs.published.claim import Claim
from sparring.costs.published.notation import Letter

claims = [
    # Of the first paper the abstract was at hand; the formulas of both are as others quote them.
    Claim("bandwidth", "words", lambda n, p, k: 2 * n * (p - 1) / p, "p | n", "Patarasuk and Yuan 2009"),
    Claim("latency", "messages", lambda n, p, k: 2 * (p - 1), "", "Patarasuk and Yuan 2009"),
    Claim("reduction", "added", lambda n, p, k: n * (p - 1) / p, "p | n", "Chan et al. 2007"),
]

# The letters are as remembered.
notation = {"Patarasuk and Yuan 2009": [Letter("N", "p", "M"), Letter("X", "n", "M")]}
