"""Alistarh, Grubic, Li, Tomioka and Vojnovic, QSGD, NeurIPS 2017, arXiv:1610.02132.

Its text was not at hand; the code of a port was.  A vector v of d entries has s levels.
"""

from sparring.analysis.compression import levels
from sparring.costs.published.notation import Letter
from sparring.literature.statements import Shown

LEMMA = "its lemma on the stochastic quantiser"
PORTS = "ports that divide by the greatest magnitude; the comparison is ours"

statements = [
    Shown("unbiased", LEMMA, "M", "E Q(v) = v", levels.unbiased),
    Shown("variance", LEMMA, "M", "E |Q(v) - v|_2^2 <= min(d / s^2, sqrt(d) / s) |v|_2^2", levels.variance),
    Shown("sparse", LEMMA, "M", "at most s (s + sqrt(d)) levels are not 0, in expectation", levels.sparse),
    Shown("sparse-by-max", PORTS, "D", "at most s (s + sqrt(d)) levels are not 0, in expectation",
          levels.sparse_by_max, hypotheses="levels are parts of the greatest magnitude",
          xfail="false: of equal entries none is 0, however many there are"),
]  # fmt: skip

notation = {
    "qsgd": [
        Letter("K", "p", "M", "how many processors there are"),
        Letter("n", "n", "M"),
        Letter("s", "levels", "M", "how many levels there are above 0"),
        Letter("v", "x", "M", "the gradient that is coded"),
        Letter("x", "", "M", "the parameters of the model"),
    ]
}
