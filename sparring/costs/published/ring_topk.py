"""Published costs: Ring allreduce with selection at every hop."""

from sparring.costs.published.claim import Claim

claims = [
    Claim(
        "bandwidth", "words", lambda n, p, k: 4 * k * (p - 1) / p, "p | k", "SparDL's rule on the ring, own derivation"
    ),
    Claim("latency", "messages", lambda n, p, k: 2 * (p - 1), "", "Patarasuk and Yuan 2009"),
]
