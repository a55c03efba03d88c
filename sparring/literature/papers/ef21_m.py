"""Fatkhullin, Tyurin and Richtarik, Momentum provably improves error feedback!, NeurIPS 2023, arXiv:2305.15155.

Its text was not at hand.  A new vector counts a part m of the running mean.
"""

from sparring.costs.published.notation import Letter
from sparring.literature.statements import CONVERGENCE, Theorem, Unjudged

statements = [
    Theorem("ef21", "its algorithm EF21-SGDM with m = 1", "M", "(1 - 1) v + 1 x = x: it is EF21"),
    Theorem("step", "its algorithm EF21-SGDM; the second form is ours", "DM", "(1 - m) v + m x = v + m (x - v)"),
    Unjudged("batch", "abstract", "M", "it converges with batches of any size, where EF21-SGD needs large ones",
             CONVERGENCE),
    Unjudged("best-known", "abstract", "M", "with momentum error feedback needs no more samples than without errors",
             CONVERGENCE),
]  # fmt: skip

notation = {
    "ef21_m": [
        Letter("n", "p", "M", "how many nodes there are"),
        Letter("d", "n", "M", "how many entries a vector has"),
        Letter("eta", "momentum / 1000", "S", "how much a new vector counts in the running mean"),
        Letter("v_i", "", "S", "a rank's running mean"),
        Letter("g_i", "", "S", "a rank's estimate"),
        Letter("x", "", "S", "the parameters of the model"),
        Letter("alpha", "", "S", "how contractive the compressor is"),
        Letter("gamma", "", "S", "the step size"),
    ]
}
