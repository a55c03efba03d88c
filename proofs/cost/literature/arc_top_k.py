"""Chen, Ma, Li, He, Dong and Yuan, ARC-Top-K, arXiv:2510.26709.

The abstract and public code were at hand.  A gradient of m rows and n columns; a sketch has r columns, k rows are kept.
"""

from sympy import Eq, Equivalent

from sparring.proofs.cost.statements import CONVERGENCE, Theorem, Unjudged, no_page

ARC = "ARC-Top-K"

statements = [
    Unjudged("no-indices", "abstract", "V", "an allreduce without indices: all ranks keep the same rows", no_page(ARC)),
    Unjudged("contractive", "abstract", "V", "the compressor is provably contractive",
             "its constant was not at hand, and it is a statement about an expectation"),
    Unjudged("speed-up", "abstract", "V", "with the momentum error feedback EF21M it has a linear speed-up",
             CONVERGENCE),
    Theorem("traffic", "the counter of its code, beside two allreduces of 2 (p - 1) / p words a rank", "DV",
            "2 (p - 1) (m r + k n) = p (2 (p - 1) / p m r + 2 (p - 1) / p k n)",
            lambda p, m, n, r, k: Eq(2 * (p - 1) * (m * r + k * n),
                                     p * (2 * (p - 1) / p * m * r + 2 * (p - 1) / p * k * n))),
    Theorem("pays", "the same, beside one dense allreduce; the comparison is ours", "DV",
            "m r + k n < m n if and only if r / n + k / m < 1",
            lambda m, n, r, k: Equivalent(m * r + k * n < m * n, r / n + k / m < 1),
            given=lambda m, n: (m >= 1) & (n >= 1), hypotheses="m >= 1, n >= 1"),
]  # fmt: skip
