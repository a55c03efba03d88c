"""S. Shi et al., "A distributed synchronous SGD algorithm with global top-k sparsification ...", ICDCS 2019.

The README of its public code and the authors' plotting script were at hand.  The bandwidth of its row Top-k stands by
the page of the ring allgather.
"""

from sympy import Eq

from sparring.proofs.cost.published import log2
from sparring.proofs.cost.statements import Row, Theorem

README = "table in the README"
TOGETHER = f"{README}, and the plotting script; the comparison is ours"

statements = [
    Row("dense-bandwidth", f"{README}, Dense", "V", "ring", "words", lambda n, p, k: 2 * (p - 1) / p * n,
        given="p | n"),
    Row("dense-latency", f"{README}, Dense", "V", "ring", "messages", lambda n, p, k: 2 * (p - 1)),
    Row("top-k-latency", f"{README}, Top-k", "V", "recursive_doubling_allgather", "messages", lambda n, p, k: log2(p),
        given="p = 2^m", of="allgather by recursive doubling"),
    Row("latency", f"{README}, gTop-k", "V", "gtopk", "messages", lambda n, p, k: log2(p), given="p = 2^m",
        of="gTop-k"),
    Row("bandwidth", f"{README}, gTop-k", "V", "gtopk", "words", lambda n, p, k: 2 * k * log2(p), given="p = 2^m",
        of="gTop-k"),
    Row("bandwidth-in-the-script", "plotting script", "V", "gtopk", "words", lambda n, p, k: 4 * k * log2(p),
        given="p = 2^m", of="gTop-k"),
    Theorem("readme-and-script", TOGETHER, "DV", "2 k log2(p) = 4 k log2(p)",
            lambda p, k: Eq(2 * k * log2(p), 4 * k * log2(p)), hypotheses="p = 2^m",
            xfail="the README counts one direction, the script reduction and broadcast"),
    Theorem("within-top-k", f"{README}, two rows; the comparison is ours", "DV", "2 k log2(p) <= 2 (p - 1) k",
            lambda p, k: 2 * k * log2(p) <= 2 * (p - 1) * k, hypotheses="p = 2^m"),
]  # fmt: skip
