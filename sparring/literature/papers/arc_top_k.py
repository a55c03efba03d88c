"""Chen, Ma, Li, He, Dong and Yuan, ARC-Top-K, arXiv:2510.26709.

The abstract and public code were at hand.  A gradient of m rows and n columns; a sketch has r columns, k rows are kept.
"""

from sparring.analysis.compression import arc_rows, contraction
from sparring.costs.published.notation import Letter
from sparring.literature.statements import CONVERGENCE, Row, Shown, Theorem, Unjudged

KEPT = "the k longest of m rows hold at least k/m of the squared length"
OURS = "the constant is ours, as the paper's was not at hand"
NORMAL = "the sketching matrix has independent entries with mean 0, variance 1 and a fourth moment of at most 3"

statements = [
    Shown("no-indices", "abstract", "V", "an allreduce without indices: no message holds anything but values",
          arc_rows.values_alone),
    Shown("same-rows", "abstract: sparsity patterns are aligned", "V", "all ranks keep the same rows",
          arc_rows.same_rows, hypotheses="all ranks have the same bits of the summed sketches"),
    Shown("same-rows-in-any-order", "the same; the hypothesis dropped is ours", "DV", "all ranks keep the same rows",
          arc_rows.differently, hypotheses="each rank adds the sketches in an order of its own",
          xfail="sums of floats differ in a bit, and then ranks keep different rows"),
    Shown("single-node", "its code, a variant that averages first; the statement is ours", "DV",
          "the mean of all ranks' memories is the memory of one rank that is given the mean, with EF14, EF21 and EF21M",
          arc_rows.single_node, hypotheses="exact arithmetic"),
    Shown("contractive", f"abstract; {OURS}", "DV", "the compressor is contractive, with at least (k/m)^2 r/(r + 2)",
          contraction.random_sketch, hypotheses=NORMAL),
    Shown("contractive-exact-lengths", f"the same, with rows' exact lengths; {OURS}", "D", KEPT,
          contraction.exact_lengths, hypotheses="rows are ordered by their exact lengths"),
    Shown("contractive-within", f"the same, with lengths to within a part x of them; {OURS}", "D",
          "the kept rows hold at least (1 - x)/(1 + x) k/m of the squared length", contraction.within_a_part,
          hypotheses="each score is within x times the squared length of it, x < 1"),
    Shown("contractive-as-top-k", "what one would expect of it; not known to be the paper's", "D",
          "the k rows with the longest sketches hold at least k/m of the squared length, in expectation",
          contraction.constant_fails, hypotheses="the sketching matrix is normal, of r columns",
          xfail="false for every r that was looked at: rows that are equal rise and fall together"),
    Row("words", "the counter of its code", "V", "arc_top_k", "words",
        lambda n, p, k: 2 * (p - 1) / p * (4 * n + k), given="p | n, p | k", params={"columns": 1},
        of="ARC-Top-K with rows of one entry and sketches of 4 numbers"),
    Row("messages", "the counter of its code: two allreduces in a ring", "DV", "arc_top_k", "messages",
        lambda n, p, k: 4 * (p - 1), params={"columns": 1}, of="ARC-Top-K"),
    Unjudged("speed-up", "abstract", "V", "with the momentum error feedback EF21M it has a linear speed-up",
             CONVERGENCE),
    Theorem("traffic", "the counter of its code, beside two allreduces of 2 (p - 1) / p words a rank", "DV",
            "2 (p - 1) (m r + k n) = p (2 (p - 1) / p m r + 2 (p - 1) / p k n)"),
    Theorem("pays", "the same, beside one dense allreduce; the comparison is ours", "DV",
            "m r + k n < m n if and only if r / n + k / m < 1", hypotheses="m >= 1, n >= 1"),
]  # fmt: skip

notation = {
    "arc_top_k": [
        Letter("N", "p", "V", "how many nodes there are"),
        Letter("m", "", "S", "rows of the matrix"),
        Letter("n", "columns", "S", "columns of the matrix"),
        Letter("r", "sketch", "S", "columns of the sketch"),
        Letter("K", "k", "S", "how many rows are kept"),
        Letter("mu", "", "S", "the part of the rows that is kept"),
        Letter("V", "", "S", "the random matrix that makes the sketch"),
    ]
}
