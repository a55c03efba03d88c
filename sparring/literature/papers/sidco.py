"""Abdelmoniem, Elzanaty, Alouini and Canini, SIDCo, MLSys 2021, arXiv:2101.10761.

The abstract and its authors' program were at hand; what the paper proves is as remembered.  Of magnitudes with mean m
the part d should exceed a threshold.
"""

from sparring.analysis.compression import exponential_tails
from sparring.literature.statements import CONVERGENCE, MEASURED, Shown, Unjudged

PROGRAM = "its authors' program, the first of three rules for stages; the statement is ours"

statements = [
    Shown("quantile", "its threshold of a double exponential distribution", "MV",
          "the part d of magnitudes exceeds m log(1 / d)", exponential_tails.quantile,
          hypotheses="magnitudes are exponentially distributed"),
    Shown("excess", "its stages: peaks over a threshold", "M",
          "what exceeds a threshold is, from there on, exponentially distributed with the same mean",
          exponential_tails.excess, hypotheses="magnitudes are exponentially distributed"),
    Shown("parts", "its authors' program", "V",
          "the first of s stages lets the part f pass, each other one the root of d / f of degree s - 1: together d",
          exponential_tails.together, hypotheses="2 <= s <= 9"),
    Shown("stages-exponential", PROGRAM, "DV",
          "of exponential magnitudes as many entries are taken as are wanted, 20 % more or less",
          exponential_tails.exponential),
    Shown("stages-short-tails", PROGRAM, "DV",
          "the same of normally distributed entries", exponential_tails.short_tails),
    Shown("stages-long-tails", PROGRAM, "DV",
          "the same of cubes of normally distributed entries", exponential_tails.long_tails,
          xfail="one stage takes too many, so that the rule, which then takes a stage away, never adds one"),
    Unjudged("as-near", "abstract", "V", "its thresholds are about as good as those from samples of DGC", MEASURED),
    Unjudged("speed-up", "abstract", "V",
             "training is faster than without compression, with top-k and with DGC by 41.7, 7.6 and 1.9 per cent; "
             "other copies of the abstract say times", MEASURED),
    Unjudged("convergence", "its theorem on convergence with error feedback", "M",
             "it converges at the rate of SGD", CONVERGENCE),
]  # fmt: skip
