"""Yoon and Oh, DEFT (ICPP 2023), MiCRO (HiPC 2023) and ExDyna (CCGrid 2024).

The author's public code was at hand.  Each rank selects in a part of the vector that is its own for this iteration;
padded indices are gathered, then the values of all ranks are added at all K of them.  j is the most that one rank
selected.
"""

from sympy import Eq

from sparring.literature.statements import Theorem, Unjudged, no_page

PARTS = no_page("selection in exclusive parts")
COST = "their code's collectives over a ring; the sum is ours"

statements = [
    Unjudged("cost", COST, "DV", "words = (p - 1) (1 + j) + 2 K (p - 1) / p", PARTS),
    Unjudged("sum", "their code", "V", "the result at a selected index is the sum of all ranks' values there", PARTS),
    Unjudged("nothing-lost", "their code; the statement is ours", "DV",
             "the vectors that go in are what comes out and the residuals that stay", PARTS),
    Unjudged("no-build-up", "parts of DEFT, MiCRO and ExDyna", "V", "no index is selected by two ranks", PARTS),
    Theorem("balanced", f"{COST}, where every rank selects k / p entries, without the counts", "DV",
            "(p - 1) k / p + 2 k (p - 1) / p = 3 k (p - 1) / p",
            lambda p, k: Eq((p - 1) * (k / p) + 2 * k * (p - 1) / p, 3 * k * (p - 1) / p)),
    Theorem("unbalanced", f"{COST}, where at most j of K entries are one rank's", "DV",
            "(p - 1) j + 2 K (p - 1) / p >= 3 K (p - 1) / p",
            lambda p, j, K: (p - 1) * j + 2 * K * (p - 1) / p >= 3 * K * (p - 1) / p,
            given=lambda p, j, K: p * j >= K, hypotheses="K <= p j, since no rank selects more than j"),
    Theorem("half-of-ok-topk", f"{COST}, beside Ok-Topk's 6 k (p - 1) / p", "DS",
            "2 (3 k (p - 1) / p) = 6 k (p - 1) / p", lambda p, k: Eq(2 * (3 * k * (p - 1) / p), 6 * k * (p - 1) / p)),
]  # fmt: skip
