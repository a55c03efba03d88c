"""Sarfi, Therien, Lidin and Belilovsky, SparseLoCo, arXiv:2508.15706.

The abstract was at hand, and its equations in texts by others.  A rank's way back is D, what waits e.
"""

from sparring.analysis.compression import outer_steps
from sparring.costs.published.notation import Letter
from sparring.literature.statements import CONVERGENCE, Shown, Unjudged

ALGORITHM = "its algorithm, as two texts by others have it"

statements = [
    Shown("error-feedback", ALGORITHM, "S", "e = beta e + D, of which Q(TopK(e)) is sent, and e - Q(TopK(e)) waits",
          outer_steps.fed_back),
    Shown("outer-step", ALGORITHM, "S", "the point loses alpha times the mean of what ranks send",
          outer_steps.mean_step),
    Shown("conserved", f"{ALGORITHM}; the statement is ours", "DS",
          "what is sent and what waits make up all ways back", outer_steps.conserved, hypotheses="beta = 1"),
    Shown("conserved-with-decay", f"{ALGORITHM}; the hypothesis dropped", "DS",
          "what is sent and what waits make up all ways back", outer_steps.conserved_with_decay,
          xfail="false with beta = 0.95, as in the page: what waits fades"),
    Unjudged("as-good", "abstract", "V", "with 1 to 3 % of the entries and 2 bits it outperforms DiLoCo", CONVERGENCE),
]  # fmt: skip

notation = {
    "sparse_loco": [
        Letter("R", "p", "S", "how many workers there are"),
        Letter("H", "", "S", "inner steps between two calls"),
        Letter("k", "top", "S", "how many entries of each chunk are kept"),
        Letter("alpha", "rate / 1000", "S", "the rate of the outer step"),
        Letter("beta", "decay / 1000", "S", "how much counts on of what was not sent"),
        Letter("e_r", "", "S", "what rank r has not sent so far"),
        Letter("Q", "", "S", "the quantiser"),
    ]
}
