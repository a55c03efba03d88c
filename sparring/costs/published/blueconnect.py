"""Published costs: BlueConnect, on nodes of two ranks and racks of two nodes."""

from sparring.costs.published.claim import Claim

# Of levels of p_i ranks each has 2 (p_i - 1) messages and 2 (p_i - 1) / (p_1 ... p_i) n words.
SOURCE = "Cho et al. 2019, from memory"
claims = [
    Claim("latency", "messages", lambda n, p, k: 2 * (2 - 1) + 2 * (2 - 1) + 2 * (p / 4 - 1), "4 | p", SOURCE),
    Claim(
        "bandwidth",
        "words",
        lambda n, p, k: 2 * n * (2 - 1) / 2 + 2 * n * (2 - 1) / 4 + 2 * n * (p / 4 - 1) / p,
        "4 | p, p | n",
        SOURCE,
    ),
]
