"""Chen et al., ScaleCom, NeurIPS 2020.

Its code was not found; the selection CLT-k is as another author's code has it, the filter as remembered.  In turn one
rank broadcasts the indices of its k largest entries, and all ranks add their values there.
"""

from sympy import Eq

from sparring.literature.statements import Theorem, Unjudged, no_page

CLT = no_page("CLT-k of ScaleCom")
COST = "cost of CLT-k with a pipelined broadcast and a ring; it is our own reading of the code"

statements = [
    Unjudged("cost", COST, "DS", "words = k + 2 k (p - 1) / p", CLT),
    Unjudged("no-build-up", "selection CLT-k", "S", "the result has k entries, whatever p is", CLT),
    Unjudged("nothing-lost", "selection CLT-k; the statement is ours", "DS",
             "the vectors that go in are what comes out and the residuals that stay", CLT),
    Theorem("within-allgather", f"{COST}; so is the comparison", "DS", "k + 2 k (p - 1) / p <= 2 k (p - 1)",
            lambda p, k: k + 2 * k * (p - 1) / p <= 2 * k * (p - 1), given=lambda p: p >= 2, hypotheses="p >= 2"),
    Theorem("less-than-3k", f"{COST}; so is the comparison", "DS", "k + 2 k (p - 1) / p <= 3 k",
            lambda p, k: k + 2 * k * (p - 1) / p <= 3 * k),
    Theorem("filter", "residual with a low-pass filter, of two forms", "DM",
            "(1 - b) m + b (m + g - s) = m + b (g - s)",
            lambda b, m, g, s: Eq((1 - b) * m + b * (m + g - s), m + b * (g - s))),
]  # fmt: skip
