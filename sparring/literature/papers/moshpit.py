"""Ryabinin, Gorbunov, Plokhotnyuk and Pekhimenko, Moshpit SGD, NeurIPS 2021, arXiv:2103.03239.

The introduction and public code were at hand; the theorems are as remembered, to be checked before they are quoted.
"""

from sparring.analysis.averaging import shown
from sparring.costs.published.notation import Letter
from sparring.literature.statements import CONVERGENCE, Shown, Theorem, Unjudged

MIXING = "Theorem 3.2, one round"

statements = [
    Shown("exact", "the algorithm on a full grid, as secondary texts have it", "S",
          "after d rounds in groups of M every rank has the mean of all p = M^d", shown.exact,
          hypotheses="weights are alike, and nobody dies"),
    Shown("volume", "the algorithm in groups of M; the sum is ours", "DS",
          "a rank sends 2 d n (M - 1) / M words in 2 d steps", shown.volume,
          hypotheses="p = M^d, M | n, bandwidths are alike, and nobody dies"),
    Unjudged("almost-surely", "Theorem 3.1", "M",
             "all ranks tend to the average with probability 1, where each may finish any round",
             "a statement about a limit of random runs, which no schedule decides"),
    Shown("mixing", "Theorem 3.2", "M",
          "the expected squared distance from the mean after t rounds is ((r - 1) / p + r / p^2)^t of what it was, "
          "for random partitions into r groups", shown.published_factor,
          xfail="it is an upper bound; a round leaves (r - 1) / (p - 1), see mixing-factor and mixing-bound"),
    Shown("mixing-factor", f"{MIXING}, beside the exact factor, which is our own derivation", "DM",
          "the expected squared distance from the mean after t rounds is ((r - 1) / (p - 1))^t of what it was, for "
          "random partitions into r groups of any fixed sizes", shown.exact_factor, hypotheses="p >= 2"),
    Theorem("mixing-exact", f"{MIXING}, beside the exact factor, which is our own derivation", "DM",
            "(r - 1) / p + r / p^2 = (r - 1) / (p - 1)", hypotheses="p >= 2, 1 <= r <= p",
            xfail="equal only where r = p; see mixing-bound", only="r = p"),
    Theorem("mixing-bound", f"{MIXING}, beside the exact factor, which is our own derivation", "DM",
            "(r - 1) / p + r / p^2 >= (r - 1) / (p - 1)", hypotheses="p >= 2, 1 <= r <= p"),
    Theorem("mixing-in-one-group", f"{MIXING}; with r = 1 all ranks average at once", "DM",
            "(r - 1) / p + r / p^2 = 0", hypotheses="p >= 2, r = 1",
            xfail="the factor is above 0, though nothing is left to average"),
    Unjudged("rates", "rates of Moshpit-SGD", "S", "as those of Local-SGD", CONVERGENCE),
]  # fmt: skip

notation = {
    "moshpit": [
        Letter("N", "p", "S", "how many peers there are"),
        Letter("M", "m", "S", "the size of a group, which is the length of the grid's sides"),
        Letter("d", "d", "S", "how many sides the grid has"),
        Letter("T", "rounds", "S", "how many rounds there are"),
        Letter("theta_i", "x", "S", "a rank's vector"),
        Letter("C_i", "", "S", "the key of a rank's group"),
        Letter("r", "", "M", "how many groups there are, in the theorem on random groups"),
    ]
}
