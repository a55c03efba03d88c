"""Wang et al., ZEN, OSDI 2025, arXiv:2309.13254.

Of p tensors of M words, d_i is the density of the sum of i of them, d = d_1, gamma(i) = d_i / d; b is the bandwidth.
"""

from sparring.analysis.compression import hashed_owners
from sparring.costs.published.claim import log2
from sparring.costs.published.notation import Letter
from sparring.literature.statements import MEASURED, Row, Shown, Theorem, Unjudged

statements = [
    Unjudged("optimal", "Theorem 1", "V",
             "the schemes with the least volume are Balanced Parallelism or Hierarchical Centralization",
             "a statement about every scheme of its design space, which no one schedule decides"),
    Unjudged("balanced-parallelism", "Eq. 1", "V", "time = (p - 1) / p (gamma(p) + 1) 2 M d / b",
             "a time of vectors that lie evenly; what is sent is judged beside it"),
    Shown("pushed-once", "Eq. 1, with gamma(p) M d sums that are not zero", "DV",
          "an entry is pushed once, unless its rank owns it; a sum is pulled once by each rank that does not own it",
          hashed_owners.once, hypotheses="no sum cancels"),
    Shown("pushed-evenly", "Eq. 1, its first term, for parts of one length that are cut by a drawn order", "DV",
          "of k entries, wherever they lie, a rank pushes (p - 1) / p k on the average over all orders",
          hashed_owners.balanced, hypotheses="p | n"),
    Theorem("two-indices", "its hash h0 is universal: two indices have one owner with a chance of at most 1 / p", "DS",
            "(n / p - 1) / (n - 1) <= 1 / p: of two indices of a drawn order that is cut into p parts of one length",
            lambda n, p: (n / p - 1) / (n - 1) <= 1 / p, given=lambda n, p: n >= 2, hypotheses="n >= 2, p | n"),
    Shown("hash-bitmap", "its hash bitmap, as a summary by others has it: a worker gets M bits, however many servers "
          "there are; in ours those of its own are not sent", "DS",
          "all bitmaps that a rank gets have (p - 1) / p M bits", hashed_owners.bitmaps, hypotheses="8 p | M"),
    Row("balanced-parallelism-full-overlap", "Eq. 1 with gamma(p) = 1 and k = M d, of a page that cuts vectors into "
        "neighbouring entries", "DV", "two_shot_sparse", "words", lambda n, p, k: 2 * k * (1 + 1) * (p - 1) / p,
        given="p | n", support="identical"),
    Unjudged("hierarchical-centralization", "Eq. 2", "V",
             "time = sum of gamma(2^(i - 1)) 2 M d / b for i = 1, ..., log2(p)",
             "its densities are measured; both ends of it are judged beside it", given="p = 2^m"),
    Row("hierarchical-centralization-full-overlap", "Eq. 2 with gamma(i) = 1 and k = M d", "DV",
        "ssar_recursive_doubling", "words", lambda n, p, k: 2 * k * log2(p), given="p = 2^m", support="identical"),
    Row("hierarchical-centralization-no-overlap", "Eq. 2 with gamma(i) = i and k = M d", "DV",
        "ssar_recursive_doubling", "words", lambda n, p, k: 2 * k * (p - 1), given="p = 2^m, k p <= n",
        support="disjoint"),
    Theorem("ring-never-below-direct", "Lemma 1, its proof in Appendix B.1", "V",
            "2 (p - 1) D M / p >= 2 (p - 1) d M / p, where D is the mean of d_1, ..., d_(p - 1)",
            lambda p, M, D, d_1: 2 * (p - 1) * D * M / p >= 2 * (p - 1) * d_1 * M / p,
            given=lambda D, d_1: d_1 <= D, hypotheses="D >= d, since d_i >= d for every i"),
    Theorem("full-overlap", "Eq. 1 and Eq. 2 with gamma(i) = 1; the comparison is ours", "DV",
            "Balanced Parallelism takes no longer: 2 (p - 1) / p <= log2(p)", hypotheses="p = 2^m >= 2"),
    Theorem("no-overlap", "Eq. 1 and Eq. 2 with gamma(i) = i; the comparison is ours", "DV",
            "Hierarchical Centralization is faster: p - 1 < (p - 1) (p + 1) / p", hypotheses="p = 2^m >= 2"),
    Theorem("between-the-two", "Eq. 1; the bounds are ours", "DV",
            "2 (p - 1) / p <= (p - 1) / p (g + 1) <= (p - 1) (p + 1) / p: g is gamma(p)",
            hypotheses="1 <= g <= p"),
    Unjudged("imbalance", "Theorem 2", "V",
             "the imbalance of Push is at most 1 + Theta(sqrt(p log(p) / (M d))) with probability at least 1 - 1 / p",
             "a bound on how evenly a random hash cuts, which no schedule decides"),
    Unjudged("imbalance-of-ok-topk", "measurements", "V",
             "imbalances of Push from 1.4 to 5.1 where Ok-Topk refreshes its boundaries every 1000 iterations",
             MEASURED),
]  # fmt: skip

LETTERS = [
    Letter("n", "p", "V", "how many GPUs there are"),
    Letter("M", "n", "V", "the size of a dense tensor"),
    Letter("d_G^n", "", "V", "the density of the sum of n tensors"),
    Letter("gamma_G^n", "", "V", "how many times as dense the sum of n tensors is as one"),
    Letter("b", "", "V", "the bandwidth"),
]

notation = {
    "two_shot_sparse": [*LETTERS[:2], Letter("d_G", "k / n", "V", "the density of a rank's tensor"), *LETTERS[2:]],
    "zen": [*LETTERS[:2], Letter("d_G", "", "V", "the density of a rank's tensor"), *LETTERS[2:],
            Letter("h0", "", "S", "the hash by which indices are owned")],
}  # fmt: skip
