"""Published costs: Dense allreduce by parallel aggregated trees, PAT."""

from sparring.costs.published.claim import Claim, log2

# The abstract says "a logarithmic number of network transfers for small size operations", on any number of ranks, of
# each of two collectives; the base, and that they come one after the other, are our reading.
claims = [
    Claim("latency", "messages", lambda n, p, k: 2 * log2(p, "up"), "", "arXiv:2506.20252, abstract; the base is ours"),
]
