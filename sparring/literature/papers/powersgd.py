"""Vogels, Karimireddy and Jaggi, PowerSGD, NeurIPS 2019.

PyTorch's hook was at hand.  A gradient of n rows and m columns has approximations of rank r.
"""

from sparring.analysis.compression import low_rank
from sparring.costs.published.notation import Letter
from sparring.literature.statements import CONVERGENCE, Shown, Theorem, Unjudged

HOOK = "PyTorch's hook, powerSGD_hook.py"
OURS = "our own statement of its algorithm"
EXACT = "exact arithmetic, nothing added to lengths, and no column that depends on those before it"

statements = [
    Shown("words", HOOK, "V", "words = 2 (p - 1) / p r (n + m)", low_rank.words,
          hypotheses="rings, p divides r n and r m, and the factors are worth sending"),
    Theorem("two-allreduces", f"{HOOK}: one of n r words and one of m r; the sum is ours", "DV",
            "2 (p - 1) / p n r + 2 (p - 1) / p m r = 2 (p - 1) / p r (n + m)"),
    Theorem("pays", f"{HOOK}, its condition at min_compression_rate = 1, beside one dense allreduce", "DV",
            "2 (p - 1) / p r (n + m) < 2 (p - 1) / p n m if and only if r (n + m) < n m", hypotheses="p >= 2"),
    Shown("projection", OURS, "D", "the result is the mean projected onto the columns of P", low_rank.projection,
          hypotheses=EXACT),
    Shown("right-angles", OURS, "D",
          "the squared error of the result is that of the mean less that of P' times the mean", low_rank.right_angles,
          hypotheses=EXACT),
    Shown("exact", OURS, "D", "the result is the mean itself where the mean has rank r or less", low_rank.exact,
          hypotheses=f"{EXACT}; the mean times Q has the rank of the mean"),
    Shown("exact-for-every-q", f"{OURS}; the hypothesis dropped", "D",
          "the result is the mean itself where the mean has rank r or less", low_rank.exact_always,
          xfail="false where the rows are at right angles to Q, whatever their rank"),
    Shown("exact-with-epsilon", f"{OURS}; 1e-8 is what {HOOK}, advises against columns of zeros", "D",
          "the result is the mean itself where the mean has rank r or less", low_rank.exact_with_epsilon,
          hypotheses="1e-8 is added to lengths, and some columns depend on those before",
          xfail="a column that is parallel to the first stays so and is made longer: up to twice the mean"),
    Shown("single-node", OURS, "D",
          "results, Q and the mean of the errors are those of one rank alone that is given the mean",
          low_rank.single_node, hypotheses=EXACT),
    Shown("sum-or-mean", f"{HOOK}: the sum of P need not be divided by p, as its columns are made orthonormal", "V",
          "a sum over p ranks and their mean give the same columns", low_rank.sum_or_mean,
          hypotheses="1e-8 is added to lengths",
          xfail="the lengths differ by p, and what is added does not: beside short columns it counts"),
    Shown("conserved", f"{HOOK}: error = gradient and error before, less the result; the sum is ours", "DV",
          "p times the result and all errors make up all gradients and all errors before", low_rank.conserved,
          hypotheses="exact arithmetic"),
    Unjudged("as-good", "abstract", "M", "with rank 2 or 4 it trains to the accuracy of SGD", CONVERGENCE),
]  # fmt: skip

notation = {
    "power_sgd": [
        Letter("W", "p", "M", "how many workers there are"),
        Letter("r", "rank", "S", "the rank of the matrix that is sent"),
        Letter("M", "", "S", "a gradient as a matrix"),
        Letter("n", "", "M", "rows of the matrix; the prose above calls them ``m``"),
        Letter("m", "columns", "M", "columns of the matrix; the prose above calls its rows ``m``"),
        Letter("P", "", "S", "the left factor"),
        Letter("Q", "", "S", "the right factor, with which the next call begins"),
    ]
}
