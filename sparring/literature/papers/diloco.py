"""Douillard, Feng, Rusu, Chhaparia, Donchev, Kuncoro, Ranzato, Szlam and Shen, DiLoCo, arXiv:2311.08105.

The abstract was at hand, and a port by others.  Ranks take H inner steps between outer steps.
"""

from sparring.analysis.compression import outer_steps
from sparring.costs.published.notation import Letter
from sparring.literature.statements import CONVERGENCE, Shown, Unjudged

PORT = "a port, diloco_simple's pure_torch_diloco.py: SGD with nesterov"

statements = [
    Shown("outer-step", f"abstract: the outer optimizer is Nesterov momentum; {PORT}", "VS",
          "b' = momentum b + g, and the point loses rate (momentum b' + g)", outer_steps.nesterov),
    Shown("averaging", "abstract: a variant of federated averaging; the statement is ours", "DV",
          "with rate 1 and without momentum all go on from the mean of where ranks are", outer_steps.averaged,
          hypotheses="exact arithmetic"),
    Shown("averaging-slower", "the same; the rate is the paper's, as remembered", "DM",
          "with rate 0.7 and without momentum all go on from the mean of where ranks are", outer_steps.averaged_slower,
          xfail="false: they go 0.7 of the way"),
    Shown("volume", "abstract: communicating 500 times less", "V",
          "it sends an H-th of what a sum in each step sends", outer_steps.volume, hypotheses="H = 500 in the paper"),
    Unjudged("as-good", "abstract", "V", "with 8 workers it performs as well as synchronous optimization", CONVERGENCE),
]  # fmt: skip

notation = {
    "diloco": [
        Letter("k", "p", "S", "how many workers there are"),
        Letter("H", "", "S", "inner steps between two calls"),
        Letter("T", "", "S", "outer steps, which are calls here"),
        Letter("t", "", "S", "an outer step, which is a call here"),
        Letter("theta_i", "x", "S", "where a rank is after the inner steps"),
        Letter("Delta", "", "S", "the mean of the ways back, the outer gradient"),
    ]
}
