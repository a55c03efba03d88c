"""Lin, Han, Mao, Wang and Dally, deep gradient compression, ICLR 2018, arXiv:1712.01887.

Its text was not at hand; the recurrence is as remembered.  A gradient is g, a velocity u = m u + g, what waits
v = v + u; what is sent leaves v and, with masking, u.
"""

from sparring.analysis.compression import momentum
from sparring.costs.published.notation import Letter
from sparring.literature.statements import CONVERGENCE, Shown, Theorem, Unjudged

OURS = "momentum correction; the statement is ours"

statements = [
    Shown("momentum-correction", OURS, "DM",
          "without masking all results and (1 - m) v + m u, over 1 - m, are what was given, over 1 - m",
          momentum.nothing_lost, hypotheses="exact arithmetic"),
    Shown("as-momentum", "momentum correction: sent late, an entry is what momentum makes of it", "DM",
          "where all entries are sent in each call, results are the velocities of the sum", momentum.all_sent,
          hypotheses="exact arithmetic, no masking"),
    Shown("masking-loses", "momentum factor masking; the statement is ours", "DM",
          "the same with masking", momentum.masked, hypotheses="exact arithmetic",
          xfail="masking drops what a velocity had still to give; it is meant to"),
    Theorem("future", OURS, "DM", "u + m u / (1 - m) = u / (1 - m)", hypotheses="0 <= m < 1"),
    Unjudged("accuracy", "abstract", "M", "it compresses gradients 270 to 600 times without loss of accuracy",
             CONVERGENCE),
]  # fmt: skip

notation = {
    "dgc": [
        Letter("N", "p", "M", "how many nodes there are"),
        Letter("k", "", "M", "the number of a node, as an index"),
        Letter("m", "momentum / 1000", "M", "the momentum"),
        Letter("u", "velocity", "M", "a rank's velocity"),
        Letter("v", "", "M", "what a rank has not sent so far, its residual"),
    ]
}
