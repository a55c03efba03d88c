"""Ryabinin, Gorbunov, Plokhotnyuk and Pekhimenko, Moshpit SGD, NeurIPS 2021, arXiv:2103.03239.

The introduction and public code were at hand; the theorems are as remembered, to be checked before they are quoted.
"""

from sympy import And, Eq, Implies

from sparring.proofs.cost.statements import CONVERGENCE, Theorem, Unjudged, no_page

MIXING = "Theorem 3.2, one round"

statements = [
    Unjudged("exact", "the algorithm on a full grid, as secondary texts have it", "S",
             "after d rounds in groups of M every rank has the mean of all p = M^d", no_page("Moshpit All-Reduce")),
    Unjudged("almost-surely", "Theorem 3.1", "M",
             "all ranks tend to the average with probability 1, where each may finish any round",
             "a statement about a limit of random runs, which no schedule decides"),
    Unjudged("mixing", "Theorem 3.2", "M",
             "the expected squared distance from the mean after t rounds is ((r - 1) / p + r / p^2)^t of what it was, "
             "for random partitions into r groups", "a statement about an expectation; see mixing-exact for one round"),
    Theorem("mixing-exact", f"{MIXING}, beside the exact factor, which is our own derivation", "DM",
            "(r - 1) / p + r / p^2 = (r - 1) / (p - 1)",
            lambda p, r: Eq((r - 1) / p + r / p**2, (r - 1) / (p - 1)),
            given=lambda p, r: And(p >= 2, r >= 1, r <= p), hypotheses="p >= 2, 1 <= r <= p",
            xfail="equal only where r = p; see mixing-bound"),
    Theorem("mixing-bound", f"{MIXING}, beside the exact factor, which is our own derivation", "DM",
            "(r - 1) / p + r / p^2 >= (r - 1) / (p - 1)",
            lambda p, r: (r - 1) / p + r / p**2 >= (r - 1) / (p - 1),
            given=lambda p, r: And(p >= 2, r >= 1, r <= p), hypotheses="p >= 2, 1 <= r <= p"),
    Theorem("mixing-in-one-group", f"{MIXING}; with r = 1 all ranks average at once", "DM",
            "(r - 1) / p + r / p^2 = 0 where r = 1", lambda p, r: Implies(Eq(r, 1), Eq((r - 1) / p + r / p**2, 0)),
            given=lambda p: p >= 2, hypotheses="p >= 2",
            xfail="the factor is above 0, though nothing is left to average"),
    Unjudged("rates", "rates of Moshpit-SGD", "S", "as those of Local-SGD", CONVERGENCE),
]  # fmt: skip
