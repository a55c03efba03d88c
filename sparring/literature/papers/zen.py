"""Wang et al., ZEN, OSDI 2025, arXiv:2309.13254.

Of p tensors of M words, d_i is the density of the sum of i of them, d = d_1, gamma(i) = d_i / d; b is the bandwidth.
"""

from sparring.costs.published.claim import log2
from sparring.costs.published.notation import Letter
from sparring.literature.statements import MEASURED, Row, Theorem, Unjudged

statements = [
    Unjudged("optimal", "Theorem 1", "V",
             "the schemes with the least volume are Balanced Parallelism or Hierarchical Centralization",
             "a statement about every scheme of its design space, which no one schedule decides"),
    Unjudged("balanced-parallelism", "Eq. 1", "V", "time = (p - 1) / p (gamma(p) + 1) 2 M d / b",
             "no page yet that cuts by a hash; see balanced-parallelism-full-overlap"),
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

notation = {
    "two_shot_sparse": [
        Letter("n", "p", "V", "how many GPUs there are"),
        Letter("M", "n", "V", "the size of a dense tensor"),
        Letter("d_G", "k / n", "V", "the density of a rank's tensor"),
        Letter("d_G^n", "", "V", "the density of the sum of n tensors"),
        Letter("gamma_G^n", "", "V", "how many times as dense the sum of n tensors is as one"),
        Letter("b", "", "V", "the bandwidth"),
    ]
}
