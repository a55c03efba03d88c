"""S. Jeaugey, PAT: a new algorithm for all-gather and reduce-scatter operations at scale, 2025, arXiv:2506.20252.

The abstract was at hand, the rest was not.
"""

from sparring.costs.published.notation import Letter
from sparring.literature.statements import MEASURED, Row, Unjudged

ABSTRACT = "abstract"
BOTH = "PAT's reduce-scatter and allgather"

statements = [
    Row("economy", f"{ABSTRACT}, for any number of ranks; that nothing is sent twice is our reading", "DV", "pat",
        "words", lambda n, p, k: 2 * n * (p - 1) / p, given="p | n", of=BOTH),
    Unjudged("buffers", ABSTRACT, "V", "it requires a logarithmic amount of internal buffers",
             "the page sends all that goes to one rank at once; how NCCL cuts that is not its matter"),
    Unjudged("distance", ABSTRACT, "V", "it minimizes long-distance communication",
             "how far is a matter of the network; the page has the longest leaps where messages are the shortest"),
    Unjudged("faster-than-rings", ABSTRACT, "V", "for small sizes, and at scale, it improves on rings", MEASURED),
]  # fmt: skip

notation = {
    "pat": [
        Letter("n", "t", "S", "a dimension: in it a rank sends to the rank ``2**n`` away"),
        Letter("R_agg", "", "S", "the most chunks in one message; the page has no such bound"),
        Letter("B_max", "", "S", "the size of the buffer from which that follows"),
    ]
}
