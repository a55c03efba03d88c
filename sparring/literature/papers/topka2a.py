"""J. Peng, Z. Li, S. Shi and B. Li, "Sparse gradient communication with AlltoAll ...", ICPP 2024, pp. 148-157.

The formulas are as a re-implementation quotes them; of the thesis on it (HKUST 2024, Z. Li) the abstract was at hand.
A density is k / n.  The latency of TopKAllGather stands by the page of the ring allgather.
"""

from typing import Any

from sympy import And, Eq, Equivalent, Implies, Or, Rational

from sparring.costs.published.notation import Letter
from sparring.literature.statements import Row, Theorem, Unjudged, no_page

CONDITION = "condition of applicability"
READ = f"{CONDITION}, read of whole times, with their latencies; the reading is ours"


def a2a(p: Any, n: Any, k: Any, alpha: Any = 0, beta: Any = 1) -> Any:
    """The time of TopKA2A."""
    return 3 * (p - 1) * alpha + (2 * k + n) * (p - 1) / p * beta


def allgather(p: Any, k: Any, alpha: Any = 0, beta: Any = 1) -> Any:
    """The time of TopKAllGather."""
    return 2 * (p - 1) * alpha + 2 * (p - 1) * k * beta


def dense(p: Any, n: Any, alpha: Any = 0, beta: Any = 1) -> Any:
    """The time of the dense ring."""
    return 2 * (p - 1) * alpha + 2 * (p - 1) * n / p * beta


statements = [
    Row("bandwidth", "t_TopKA2A", "S", "topka2a", "words", lambda n, p, k: (2 * k + n) * (p - 1) / p,
        given="p | n, p | k", of="TopKA2A"),
    Row("latency", "t_TopKA2A", "S", "topka2a", "messages", lambda n, p, k: 3 * (p - 1), of="TopKA2A",
        xfail="there indices and values go apart, in two messages for one of the page",
        actual=lambda n, p, k: 2 * (p - 1)),
    Row("topkallgather-bandwidth", "t_TopKAllGather", "S", "ring_allgather", "words",
        lambda n, p, k: 2 * k * (p - 1)),
    Row("dense-bandwidth", "t_Dense", "S", "ring", "words", lambda n, p, k: 2 * n * (p - 1) / p, given="p | n"),
    Row("dense-latency", "t_Dense", "S", "ring", "messages", lambda n, p, k: 2 * (p - 1)),
    Theorem("beats-topkallgather", CONDITION, "S",
            "in words it is below TopKAllGather if and only if k / n > 1 / (2 (p - 1))",
            lambda p, n, k: Equivalent(a2a(p, n, k) < allgather(p, k), k / n > 1 / (2 * (p - 1))),
            hypotheses="p >= 2, n >= 1"),
    Theorem("beats-dense", CONDITION, "S", "in words it is below the dense ring if and only if k / n < 1/2",
            lambda p, n, k: Equivalent(a2a(p, n, k) < dense(p, n), k / n < Rational(1, 2)),
            hypotheses="p >= 2, n >= 1"),
    Theorem("on-32-gpus", "example of 32 GPUs", "S", "1 / (2 (p - 1)) is 0.016, rounded to three decimals",
            lambda p: And(Rational(31, 2000) <= 1 / (2 * (p - 1)), 1 / (2 * (p - 1)) < Rational(33, 2000)),
            hypotheses="p = 32"),
    Theorem("beats-topkallgather-in-time", READ, "DS", "it is faster than TopKAllGather if k / n > 1 / (2 (p - 1))",
            lambda p, n, k, alpha, beta: Implies(
                k / n > 1 / (2 * (p - 1)), a2a(p, n, k, alpha, beta) < allgather(p, k, alpha, beta)),
            hypotheses="p >= 2, n >= 1, alpha > 0, beta > 0",
            only=lambda p, n, k, alpha, beta: Or(
                k / n <= 1 / (2 * (p - 1)), p * alpha < beta * (2 * k * (p - 1) - n)),
            xfail="it has p - 1 messages more; see topkallgather-in-time"),
    Theorem("topkallgather-in-time", READ, "DS",
            "it is faster than TopKAllGather if and only if p alpha < beta (2 k (p - 1) - n)",
            lambda p, n, k, alpha, beta: Equivalent(
                a2a(p, n, k, alpha, beta) < allgather(p, k, alpha, beta), p * alpha < beta * (2 * k * (p - 1) - n)),
            hypotheses="p >= 2"),
    Theorem("dense-in-time", READ, "DS", "it is faster than the dense ring if and only if p alpha < beta (n - 2 k)",
            lambda p, n, k, alpha, beta: Equivalent(
                a2a(p, n, k, alpha, beta) < dense(p, n, alpha, beta), p * alpha < beta * (n - 2 * k)),
            hypotheses="p >= 2"),
    Theorem("dense-as-page", "the page topka2a, of which an index goes with its value", "D",
            "in 2 (p - 1) messages it is faster than the dense ring if and only if k / n < 1/2",
            lambda p, n, k, alpha, beta: Equivalent(
                a2a(p, n, k, alpha, beta) - (p - 1) * alpha < dense(p, n, alpha, beta), k / n < Rational(1, 2)),
            hypotheses="p >= 2, n >= 1, beta > 0"),
    Theorem("topkallgather-as-page", "the page topka2a, of which an index goes with its value", "D",
            "it is faster than an allgather in p - 1 messages if and only if p alpha < beta (2 k (p - 1) - n)",
            lambda p, n, k, alpha, beta: Equivalent(
                2 * (p - 1) * alpha + a2a(p, n, k, 0, beta) < (p - 1) * alpha + allgather(p, k, 0, beta),
                p * alpha < beta * (2 * k * (p - 1) - n)), hypotheses="p >= 2"),
    Theorem("powersgd", "also listed; that N_c is the mean length of its two factors is our reading", "DS",
            "time = 4 (p - 1) alpha + 4 (p - 1) N_c / p beta",
            lambda p, n, m, r, alpha, beta: Eq(
                dense(p, r * n, alpha, beta) + dense(p, r * m, alpha, beta),
                4 * (p - 1) * alpha + 4 * (p - 1) * (r * (n + m) / 2) / p * beta),
            hypotheses="two rings, N_c = r (n + m) / 2", given=lambda: True),
    Unjudged("acp-sgd", "also listed", "S", "time = 2 (p - 1) alpha + 2 (p - 1) N_c / p beta", no_page("ACP-SGD")),
    Unjudged("tensor-fusion", "section 4", "S", "a binary search locates a near-optimal buffer size",
             "its listing was not at hand, and what is optimal depends on a model's layers; fusion.py has our own"),
]  # fmt: skip

notation = {
    "topka2a": [
        Letter("n", "p", "S", "how many GPUs there are"),
        Letter("d", "n", "S", "how many entries a vector has"),
        Letter("k", "k", "S"),
        Letter("rho", "k / n", "S", "the density"),
        Letter("alpha", "alpha", "S", "seconds a message"),
        Letter("beta", "beta * width", "S", "seconds a word"),
    ]
}
