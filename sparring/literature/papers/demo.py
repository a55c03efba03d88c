"""Peng, Quesnelle and Kingma, DeMo, arXiv:2411.19870, 2024; of the second version also Chen, Su and Liu.

The abstract of the second version and the authors' program were at hand, and the algorithm in texts by others.
"""

from sparring.analysis.compression import frequencies
from sparring.costs.published.notation import Letter
from sparring.literature.statements import CONVERGENCE, MEASURED, Shown, Unjudged

PROGRAM = "its authors' program; the statement is ours"

statements = [
    Shown("orthonormal", "abstract: a fast orthonormal transform, such as DCT", "V",
          "frequencies have nothing in common, and each has the length 1", frequencies.orthonormal,
          hypotheses="chunks of 1 to 12 entries"),
    Shown("momentum-as-feedback", "abstract: the momentum is error feedback; the statement is ours", "DV",
          "all sums and the last momenta make up all vectors", frequencies.conserved, hypotheses="decay 1"),
    Shown("momentum-with-decay", "abstract; the hypothesis dropped", "DV",
          "all sums and the last momenta make up all vectors", frequencies.conserved_with_decay,
          xfail="false with a decay of 0.999, as in the program: what waits fades"),
    Shown("mean-of-senders", PROGRAM, "DV",
          "signs are those of the sum if each frequency's is divided by how many ranks sent it",
          frequencies.by_senders,
          xfail="false: a frequency that one rank sent weighs more than in the sum, and moves signs of others"),
    Unjudged("less-data", "abstract", "V", "a GPU sends up to 85 times less than with AdamW and DDP", MEASURED),
    Unjudged("as-good", "abstract", "V", "loss and accuracy are comparable", CONVERGENCE),
]  # fmt: skip

notation = {
    "demo": [
        Letter("beta", "decay / 1000", "S", "how much of a momentum counts on"),
        Letter("m_t", "", "S", "a rank's momentum"),
        Letter("s", "chunk", "M", "entries of a chunk"),
        Letter("k", "top", "V", "how many frequencies of each chunk are sent"),
        Letter("eta", "", "S", "the learning rate, with which a vector is given"),
    ]
}
