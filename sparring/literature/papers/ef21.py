"""Richtarik, Sokolov and Fatkhullin, EF21, NeurIPS 2021, arXiv:2106.05203.

Its text was not at hand.  A compressor is contractive with A: it leaves at most 1 - A of a squared length, expected.
"""

from sympy import Eq

from sparring.analysis.compression import contraction, differences
from sparring.costs.published.notation import Letter
from sparring.literature.statements import CONVERGENCE, Shown, Theorem, Unjudged

PART = "0 < A < 1"

statements = [
    Shown("top-k", "its example of a contractive compressor", "M",
          "the k largest of d entries hold at least k/d of the squared length, so that A = k/d",
          contraction.exact_lengths),
    Shown("recursion", "its lemma on the Markov compressor", "M",
          "the squared distance of an estimate is at most 1 - T times what it was and B times that of two vectors, "
          "with T = 1 - sqrt(1 - A), B = (1 - A) / T", differences.recursion,
          hypotheses=f"the compressor is contractive with A; {PART}"),
    Theorem("constants", "its lemma on the best choice of T and B; q is the root of 1 - A", "M",
            "B / T = (q / (1 - q))^2 = ((1 + q) / A - 1)^2", lambda q: Eq(q / (1 - q), (1 + q) / (1 - q**2) - 1),
            given=lambda q: q < 1, hypotheses=PART),
    Theorem("constants-at-most", "the same", "M", "(1 + q) / A - 1 <= 2 / A - 1",
            lambda q: (1 + q) * (1 - q) <= 2 * (1 - q), given=lambda q: q < 1, hypotheses=PART),
    Unjudged("rate", "abstract", "V", "gradients fall as O(1/T) on smooth functions that need not be convex",
             CONVERGENCE),
    Unjudged("linear-rate", "its theorem on functions that satisfy the Polyak-Lojasiewicz inequality", "M",
             "with steps that are small enough it converges linearly", CONVERGENCE),
]  # fmt: skip

notation = {
    "ef21": [
        Letter("n", "p", "M", "how many nodes there are"),
        Letter("d", "n", "M", "how many entries a vector has"),
        Letter("k", "k", "M", "how many entries Top-k keeps"),
        Letter("x", "", "M", "the parameters of the model"),
        Letter("g_i", "", "M", "a rank's estimate"),
        Letter("alpha", "", "M", "how contractive the compressor is"),
        Letter("gamma", "", "M", "the step size"),
    ]
}
