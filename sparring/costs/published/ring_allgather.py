"""Published costs: Ring allgather of sparse vectors."""

from sparring.costs.published.claim import Claim

claims = [
    # "Top-k" in the table of the gTop-k repository's README; the paper itself was not at hand.
    Claim("Top-k bandwidth", "words", lambda n, p, k: 2 * k * (p - 1), "", "gTop-k README (Shi et al. 2019)"),
    # TopKAllGather sends indices and values apart; quoted by a re-implementation of TopKA2A (ICPP 2024).
    Claim(
        "TopKAllGather latency",
        "messages",
        lambda n, p, k: 2 * (p - 1),
        "",
        "Peng et al. 2024, second hand",
        "there indices and values go apart, in twice as many messages",
        actual=lambda n, p, k: p - 1,
    ),
]
