"""Published costs: Hierarchical allreduce, on nodes of two ranks."""

from sparring.costs.published.claim import Claim

# Mikami et al. count 2 (X - 1) operations in a row of X ranks; those of a column of Y, and the sums, are ours.
SOURCE = "Mikami et al. 2018, as remembered; both directions' sum is ours"
claims = [
    Claim("latency", "messages", lambda n, p, k: 2 * (2 - 1) + 2 * (p / 2 - 1), "2 | p", SOURCE),
    Claim("bandwidth", "words", lambda n, p, k: 2 * n * (p - 1) / p, "2 | p, p | n", SOURCE),
    Claim("reduction", "added", lambda n, p, k: n * (p - 1) / p, "2 | p, p | n", SOURCE),
]
