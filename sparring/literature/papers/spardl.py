"""Zhao et al., SparDL, arXiv:2304.00737.

Of the paper the beginning was at hand, and public code; both formulas are as remembered, and its schedule gives them.
"""

from sparring.costs.published.claim import log2
from sparring.costs.published.notation import Letter
from sparring.literature.statements import Row, Theorem, Unjudged, no_page

statements = [
    Row("bandwidth", "cost of SparDL", "M", "spardl", "words", lambda n, p, k: 4 * k * (p - 1) / p, given="p | k",
        of="SparDL"),
    Row("latency", "cost of SparDL", "M", "spardl", "messages", lambda n, p, k: 2 * log2(p, "up"), of="SparDL"),
    Unjudged("in-teams", "cost of R-SAG with d teams", "M",
             "time = (2 ceil(log2(p / d)) + log2(d)) alpha + 2 k ((2 p - 2 d) / p + d / p log2(d)) beta",
             no_page("R-SAG of SparDL")),
    Theorem("one-team", "cost of R-SAG at d = 1, and of SparDL", "DM",
            "2 k ((2 p - 2 d) / p + d / p log2(d)) = 4 k (p - 1) / p", hypotheses="d = 1"),
    Theorem("no-more-messages-than-a-ring", "cost of SparDL; the comparison is ours", "DM",
            "2 ceil(log2(p)) <= 2 (p - 1)", lambda p: 2 * log2(p, "up") <= 2 * (p - 1)),
    Unjudged("nothing-lost", "its collection of residuals, as its code has it", "DV",
             "the vectors that go in are what comes out and the residuals that stay",
             "a property and not a cost: 'sparring verify spardl' proves it"),
]  # fmt: skip

notation = {
    "spardl": [
        Letter("P", "p", "M"),
        Letter("n", "n", "M"),
        Letter("k", "k", "M"),
        Letter("d", "", "M", "how many teams there are; the page has one team"),
    ]
}
