"""Optimizing Ring AllReduce for Sparse Data, M.S. thesis, University of California, Irvine, 2026.

Only its abstract is public: neither schedule nor formulas were at hand, and no page of ours is its algorithm.
"""

from sparring.literature.statements import MEASURED, Row, Theorem, Unjudged

ABSTRACT = "abstract"

statements = [
    Unjudged("contention-free", ABSTRACT, "V", "ring algorithms are free of contention",
             "a property and not a cost: 'sparring verify ring ring_allgather' proves it of these two"),
    Row("allgather", f"{ABSTRACT}: the allgather's bandwidth is proportional to the number of processors; words are "
        "counted here in pairs of index and value, and a rank's own are not sent", "V", "ring_allgather", "words",
        lambda n, p, k: 2 * k * (p - 1)),
    Theorem("unlike-the-ring", f"{ABSTRACT}, with the ring's 2 n (p - 1) / p", "V", "2 n (p - 1) / p < 2 n",
            hypotheses="n >= 1"),
    Unjudged("no-counterpart", ABSTRACT, "V", "the ring lacks a counterpart that is optimized for sparse data",
             "a statement about the literature: SparCML's code has a sparse ring, and ZEN analyses one"),
    Unjudged("faster", ABSTRACT, "V", "its variant is better, on gradients of Llama 2 7b", MEASURED),
]  # fmt: skip
