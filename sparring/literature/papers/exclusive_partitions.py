"""Yoon and Oh, DEFT (ICPP 2023), MiCRO (HiPC 2023) and ExDyna (CCGrid 2024).

The author's public code was at hand.  Each rank selects in a part of the vector that is its own for this iteration;
padded indices are gathered, then the values of all ranks are added at all K of them.  j is the most that one rank
selected.
"""

from sparring.analysis.compression import exclusive_parts
from sparring.costs.published.notation import Letter
from sparring.literature.statements import Row, Shown, Theorem, Unjudged

COST = "their code's collectives over a ring; the sum is ours"

statements = [
    Unjudged("cost", COST, "DV", "words = (p - 1) (1 + j) + 2 K (p - 1) / p",
             "the page has no gather of counts and indices; what the allreduce sends is judged beside it"),
    Row("values", f"{COST}, of MiCRO where all entries are selected, K = n", "DV", "micro", "words",
        lambda n, p, k: 2 * n * (p - 1) / p, given="p | n", of="MiCRO without its indices"),
    Shown("values-of-the-selected", f"{COST}, of MiCRO", "DV", "2 K (p - 1) / p values where p divides 2 K",
          exclusive_parts.values_sent, hypotheses="of other K, rounded up"),
    Shown("sum", "their code, of MiCRO", "V", "the result at a selected index is the sum of all ranks' values there",
          exclusive_parts.exact_sum, hypotheses="exact arithmetic; the code divides by p"),
    Shown("nothing-lost", "their code, of MiCRO; the statement is ours", "DV",
          "the vectors that go in are what comes out and the residuals that stay", exclusive_parts.nothing_lost,
          hypotheses="exact arithmetic"),
    Shown("no-build-up", "parts of MiCRO", "V", "no index is selected by two ranks", exclusive_parts.no_build_up),
    Shown("sum-of-exdyna", "their code, of ExDyna", "V",
          "the result at a selected index is the sum of all ranks' values there", exclusive_parts.exact_sum_of_blocks,
          hypotheses="exact arithmetic; the code divides by p"),
    Shown("nothing-lost-of-exdyna", "their code, of ExDyna; the statement is ours", "DV",
          "the vectors that go in are what comes out and the residuals that stay",
          exclusive_parts.nothing_lost_of_blocks, hypotheses="exact arithmetic"),
    Shown("bounds-stay-bounds", "parts of ExDyna; the statement is ours", "DV",
          "a part of two neighbours gives a block to the other at most, and keeps one", exclusive_parts.bounds_move),
    Shown("sum-of-deft", "their code, of DEFT", "V",
          "the result at a selected index is the sum of all ranks' values there", exclusive_parts.exact_sum_of_layers,
          hypotheses="exact arithmetic; the code divides by p"),
    Shown("nothing-lost-of-deft", "their code, of DEFT; the statement is ours", "DV",
          "the vectors that go in are what comes out and the residuals that stay",
          exclusive_parts.nothing_lost_of_layers, hypotheses="exact arithmetic"),
    Shown("density-of-deft", "abstract of DEFT: traffic as a user requires, on any number of workers", "DV",
          "no more than k entries are sent, whatever p is", exclusive_parts.as_many_as_wanted,
          hypotheses="at least as many entries are wanted as there are layers",
          xfail="each rank counts by its own norms, and all may find theirs in the layers that they have"),
    Theorem("factor-never-used", "its code's rule for a threshold: 0.9987 where 0.909 < k' / k and not k' > 0", "DV",
            "no count k' > 0.909 k leads there", lambda f, k: f > 0, given=lambda f, k: 1000 * f > 909 * k,
            hypotheses="1000 k' > 909 k"),
    Theorem("balanced", f"{COST}, where every rank selects k / p entries, without the counts", "DV",
            "(p - 1) k / p + 2 k (p - 1) / p = 3 k (p - 1) / p"),
    Theorem("unbalanced", f"{COST}, where at most j of K entries are one rank's", "DV",
            "(p - 1) j + 2 K (p - 1) / p >= 3 K (p - 1) / p",
            given=lambda p, j, K: p * j >= K, hypotheses="K <= p j, since no rank selects more than j"),
    Theorem("half-of-ok-topk", f"{COST}, beside Ok-Topk's 6 k (p - 1) / p", "DS",
            "2 (3 k (p - 1) / p) = 6 k (p - 1) / p"),
]  # fmt: skip

CODE = [
    Letter("n_workers", "p", "V", "how many ranks there are, in the authors' code"),
    Letter("sz_grad", "n", "V", "how many entries there are, in the same code"),
    Letter("k", "k", "V", "how many entries are wanted; in the code a part of all, its parameter compression"),
    Letter("iteration", "call", "V", "the number of a call"),
    Letter("threshold", "", "V", "the threshold, the same on all ranks"),
    Letter("sf", "", "V", "what a threshold is multiplied by: 1.005, 1.00125 or 0.995"),
]

notation = {
    "micro": CODE,
    "exdyna": [
        *CODE,
        Letter("num_blk", "blocks", "V", "how many blocks there are, 1024 in the code"),
        Letter("sz_blk", "", "V", "how many entries a block has, a multiple of 32"),
        Letter("blk_pos", "", "V", "with which blocks parts begin, in the state"),
    ],
    "deft": [
        *CODE[:4],
        Letter("num_layer", "", "V", "how many layers there are, when those that are too long are cut"),
        Letter("k_layer", "", "V", "how many entries of each layer a rank selects"),
    ],
}
