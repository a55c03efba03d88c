"""Chen et al., ScaleCom, NeurIPS 2020.

Its code was not found; the selection CLT-k is as another author's code has it, the filter as remembered.  In turn one
rank broadcasts the indices of its k largest entries, and all ranks add their values there.
"""

from sparring.analysis.compression import leaders
from sparring.costs.published.notation import Letter
from sparring.literature.statements import Row, Shown, Theorem, Unjudged

COST = "cost of CLT-k with a pipelined broadcast and a ring; it is our own reading of the code"

statements = [
    Unjudged("cost", COST, "DS", "words = k + 2 k (p - 1) / p",
             "the page has no broadcast of indices; what the ring sends is judged beside it"),
    Row("values", COST, "DS", "clt_k", "words", lambda n, p, k: 2 * k * (p - 1) / p, given="p | k",
        of="CLT-k without its indices"),
    Shown("no-build-up", "selection CLT-k", "S", "the result has k entries, whatever p is", leaders.no_build_up,
          hypotheses="no entry is zero, k <= n"),
    Shown("nothing-lost", "selection CLT-k; the statement is ours", "DS",
          "the vectors that go in are what comes out and the residuals that stay", leaders.nothing_lost,
          hypotheses="exact arithmetic"),
    Theorem("within-allgather", f"{COST}; so is the comparison", "DS", "k + 2 k (p - 1) / p <= 2 k (p - 1)",
            hypotheses="p >= 2"),
    Theorem("less-than-3k", f"{COST}; so is the comparison", "DS", "k + 2 k (p - 1) / p <= 3 k"),
    Theorem("filter", "residual with a low-pass filter, of two forms", "DM",
            "(1 - b) m + b (m + g - s) = m + b (g - s)"),
    Shown("filter-of-what-waits", "the same; the statement is ours", "DM",
          "m is b times all that came and was not sent, so that the filter loses nothing", leaders.filter_moves,
          hypotheses="exact arithmetic"),
]  # fmt: skip

notation = {
    "clt_k": [
        Letter("n", "p", "M", "how many workers there are"),
        Letter("k", "k", "M"),
        Letter("beta", "beta / 1000", "M", "the part that the filter lets pass, here in thousandths"),
        Letter("m", "", "M", "a rank's memory, which is ``beta / 1000`` times the residual here"),
        Letter("t", "call", "M", "the number of a call"),
    ]
}
