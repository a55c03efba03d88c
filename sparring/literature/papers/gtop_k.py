"""S. Shi et al., "A distributed synchronous SGD algorithm with global top-k sparsification ...", ICDCS 2019.

The README of its public code and the authors' plotting script were at hand.  The bandwidth of its row Top-k stands by
the page of the ring allgather.
"""

from sympy import Eq

from sparring.costs.published.claim import log2
from sparring.costs.published.notation import Letter
from sparring.literature.statements import Row, Theorem

README = "table in the README"
TOGETHER = f"{README}, and the plotting script; the comparison is ours"

ONE_WAY = "the README counts the way to the root and not the broadcast"

statements = [
    Row("dense-bandwidth", f"{README}, Dense", "V", "ring", "words", lambda n, p, k: 2 * (p - 1) / p * n,
        given="p | n"),
    Row("dense-latency", f"{README}, Dense", "V", "ring", "messages", lambda n, p, k: 2 * (p - 1)),
    Row("top-k-latency", f"{README}, Top-k", "V", "recursive_doubling_allgather", "messages", lambda n, p, k: log2(p),
        given="p = 2^m", of="allgather by recursive doubling"),
    Row("latency", f"{README}, gTop-k", "V", "gtopk", "messages", lambda n, p, k: log2(p), given="p = 2^m",
        xfail=ONE_WAY, actual=lambda n, p, k: 2 * log2(p)),
    Row("bandwidth", f"{README}, gTop-k", "V", "gtopk", "critical", lambda n, p, k: 2 * k * log2(p), given="p = 2^m",
        xfail=ONE_WAY, actual=lambda n, p, k: 4 * k * log2(p)),
    Row("bandwidth-in-the-script", "plotting script", "V", "gtopk", "critical", lambda n, p, k: 4 * k * log2(p),
        given="p = 2^m"),
    Theorem("readme-and-script", TOGETHER, "DV", "2 k log2(p) = 4 k log2(p)", hypotheses="p = 2^m",
            xfail="the README counts one direction, the script reduction and broadcast", only="k log2(p) = 0"),
    Theorem("residual-conserves", "included_indexes in the code of Ok-Topk and its residual; the example is ours", "DV",
            "where a < b < c and d < c, of x0 = {1: a}, x1 = {2: b}, x2 = {1: c}, x3 = {3: d} with k = 1, the result "
            "{1: c} and residuals 0, b, 0 and d make a + b + c + d",
            lambda a, b, c, d: Eq(c + b + d, a + b + c + d),
            hypotheses="a < b < c, d < c", only="a = 0",
            xfail="a, cut in one half of the tree, is nowhere, since its index comes through the other half"),
    Theorem("within-top-k", f"{README}, two rows; the comparison is ours", "DV", "2 k log2(p) <= 2 (p - 1) k",
            hypotheses="p = 2^m"),
]  # fmt: skip

notation = {
    "gtopk": [
        Letter("P", "p", "V"),
        Letter("d", "n", "V", "how many entries a vector has, in the README"),
        Letter("m", "n", "V", "how many entries a vector has, in the plotting script"),
        Letter("k", "k", "V"),
        Letter("rho", "k / n", "V", "the density, in the plotting script"),
        Letter("alpha", "alpha", "V", "seconds a message"),
    ]
}
