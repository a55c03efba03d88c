"""Kim et al., Parallax, EuroSys 2019.

The abstract and public code were at hand; costs, of what a machine sends and receives, are as remembered.  m variables
of w bytes each, of which the part a is used by one machine.
"""

from sparring.literature.statements import Row, Theorem, Unjudged, no_page

COSTS = "costs of one machine"
BESIDE = f"{COSTS}; the comparison is ours"

statements = [
    Row("dense", f"{COSTS}: half of 4 w m (p - 1) / p, of what is sent and received", "M", "ring", "words",
        lambda n, p, k: 4 * n * (p - 1) / p / 2, given="p | n"),
    Row("allgatherv", f"{COSTS}: half of 2 a w m (p - 1), of what is sent and received, for indices as for values",
        "M", "ring_allgather", "words", lambda n, p, k: 2 * (2 * k) * (p - 1) / 2),
    Unjudged("parameter-server", COSTS, "M", "4 a w m (p - 1) / p for sparse variables", no_page("a parameter server")),
    Unjudged("hybrid", "abstract", "V",
             "a parameter server for sparse variables and allreduce for dense ones take the least traffic",
             no_page("a parameter server")),
    Theorem("server-within-allgatherv", BESIDE, "DM", "4 a w m (p - 1) / p <= 2 a w m (p - 1)", hypotheses="p >= 2"),
    Theorem("server-within-dense", BESIDE, "DM", "4 a w m (p - 1) / p <= 4 w m (p - 1) / p", hypotheses="a <= 1"),
    Theorem("allgatherv-beats-dense", BESIDE, "DM",
            "2 a w m (p - 1) < 4 w m (p - 1) / p if and only if a < 2 / p", hypotheses="w m > 0, p >= 2"),
]  # fmt: skip
