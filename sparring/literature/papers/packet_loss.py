"""Weintraub, Banner and Orda, Distributed Training under Packet Loss, arXiv:2507.07114.

The abstract was at hand, no listing, theorem or code; one bound is as remembered.  A packet is lost with probability
q = x / (x + a), independently; v is the mean square of what a parameter moves in an iteration, and s = q^t after t of
them.  The page is our own design of the abstract's two ideas; all moments over all losses are in ``proofs.loss``.
"""

from math import comb
from typing import Any

from sympy import And, Eq, Rational

from sparring.analysis.packet_loss import ages, weights
from sparring.analysis.packet_loss.identities import shown
from sparring.literature.statements import MEASURED, Row, Shown, Theorem, Unjudged

MEAN = "how the page makes a mean of what arrives; our own derivation"
WEIGHT = "what the own gradient, which is never lost, weighs in a mean of what arrived; our own derivation"
DRIFT = "a bound as remembered, beside the exact distance of two receivers, which is our own derivation"
RANKS = (2, 3, 4)


def lost(x: Any, a: Any) -> Any:
    """The probability q."""
    return x / (x + a)


def weight(p: int, x: Any, a: Any) -> Any:
    """(1 - q^p) / (p (1 - q))."""
    return weights.AVERAGE["ratio"](p, lost(x, a)).own


def reciprocal(p: int, x: Any, a: Any) -> Any:
    """E[1 / K], where K - 1 of p - 1 packets arrive."""
    q, others = lost(x, a), p - 1
    return sum(comb(others, k) * (1 - q) ** k * q ** (others - k) / (k + 1) for k in range(p))


def of_any(p: int, x: Any, a: Any) -> Any:
    """E[b / K], where K of p packets arrive and b is 1 if a given one does; 0 where none does."""
    q = lost(x, a)
    return sum(comb(p - 1, k - 1) * (1 - q) ** k * q ** (p - k) / k for k in range(1, p + 1))


def remembered(x: Any, a: Any, v: Any) -> Any:
    """2 q v / (1 + q)."""
    return v * ages.behind_by_one(lost(x, a))


def exact(x: Any, a: Any, v: Any) -> Any:
    """2 q v / (1 - q^2)."""
    return v * ages.gap_limit(lost(x, a))


def apart(x: Any, a: Any, s: Any, v: Any) -> Any:
    """The mean square distance after t iterations."""
    q = lost(x, a)
    return 2 * v * (q * (1 - s) / (1 - q) - q**2 * (1 - s**2) / (1 - q**2))


statements = [
    Row("volume", "its two phases, a reduce-scatter and a broadcast, with nothing sent again; our own count", "DV",
        "lossy_two_shot", "words", lambda n, p, k: 2 * n * (p - 1) / p, given="p | n"),
    Unjudged("unbiased", "abstract", "V",
             "each worker reconstructs, from what arrives, an estimate of the gradient that is right in expectation",
             "some ways to weigh what arrives are, and others are not, as is proved below; which is meant its listing "
             "would say, which was not at hand"),
    Theorem("unbiased-inverse", MEAN, "D", "(1 - q) / (p (1 - q)) = 1 / p: weighed by 1 / (1 - q) each counts 1 / p",
            lambda p, x, a: Eq((1 - lost(x, a)) / (p * (1 - lost(x, a))), 1 / p),
            given=lambda a: a > 0, hypotheses="q < 1"),
    Theorem("unbiased-exchangeable", MEAN, "D",
            "E[b / K] = (1 - q^p) / p for p = 2, 3, 4: where all may be lost, and something is left, each counts 1 / p",
            lambda x, a: And(*(Eq(of_any(p, x, a), (1 - lost(x, a) ** p) / p) for p in RANKS)),
            given=lambda a: a > 0, hypotheses="q < 1"),
    Theorem("zero-filled", MEAN, "D", "(1 - q) / p = 1 / p: what is lost counts as zero",
            lambda p, x, a: Eq((1 - lost(x, a)) / p, 1 / p), given=lambda a: a > 0, hypotheses="q < 1", only="x = 0",
            xfail="equal only where q = 0: each other rank's gradient counts q / p too little"),
    Theorem("own-weight", WEIGHT, "D", "(1 - q^p) / (p (1 - q)) = 1 / p for p = 2, 3, 4",
            lambda x, a: And(*(Eq(weight(p, x, a), Rational(1, p)) for p in RANKS)),
            given=lambda a: a > 0, hypotheses="q < 1", only="x = 0",
            xfail="equal only where q = 0: over the losses such a mean is biased towards the own gradient"),
    Theorem("own-weight-bound", WEIGHT, "D", "(1 - q^p) / (p (1 - q)) > 1 / p for p = 2, 3, 4",
            lambda x, a: And(*(weight(p, x, a) > Rational(1, p) for p in RANKS)),
            given=lambda x, a: And(x > 0, a > 0), hypotheses="0 < q < 1"),
    Theorem("own-weight-sum", WEIGHT, "D", "E[1 / K] = (1 - q^p) / (p (1 - q)) for p = 2, 3, 4",
            lambda x, a: And(*(Eq(reciprocal(p, x, a), weight(p, x, a)) for p in RANKS)),
            given=lambda a: a > 0, hypotheses="q < 1"),
    Shown("own-weight-every-p", WEIGHT, "D", "E[1 / K] = (1 - q^p) / (p (1 - q)) > 1 / p for every p > 1",
          lambda: shown(weights.by_ratio()), hypotheses="0 < q < 1"),
    Shown("unbiased-every-p", MEAN, "D", "of the same two ways: each counts 1 / p, and the variances, for every p",
          lambda: shown([*weights.by_inverse(), *weights.by_exchange()]), hypotheses="0 < q < 1"),
    Shown("distances", DRIFT, "D",
          "after t iterations E|a - b| and E(a - b)^2 of two receivers' ages, and their limits 2 q / (1 - q^2) and "
          "2 q / (1 - q)^2", lambda: shown(ages.identities()), hypotheses="0 < q < 1, losses independent"),
    Theorem("drift", "abstract; the bound is our own", "DV",
            "two workers' models stay within O(1): 2 v (q (1 - s) / (1 - q) - q^2 (1 - s^2) / (1 - q^2)) "
            "<= 2 q v / (1 - q^2)",
            lambda x, a, s, v: apart(x, a, s, v) <= exact(x, a, v),
            given=lambda a, s: And(a > 0, s <= 1),
            hypotheses="q < 1, s = q^t, losses independent, steps uncorrelated, models alike at first"),
    Theorem("drift-exact", DRIFT, "DM", "2 q v / (1 + q) = 2 q v / (1 - q^2)",
            lambda x, a, v: Eq(remembered(x, a, v), exact(x, a, v)), given=lambda a: a > 0, hypotheses="q < 1",
            only="x v = 0", xfail="equal only where q v = 0: it takes who missed updates to be one step behind"),
    Theorem("drift-bound", DRIFT, "DM", "2 q v / (1 + q) <= 2 q v / (1 - q^2)",
            lambda x, a, v: remembered(x, a, v) <= exact(x, a, v), given=lambda a: a > 0, hypotheses="q < 1"),
    Unjudged("perplexity", "abstract", "V",
             "10 % of the packets, lost at random, cost at most 0.8 % of perplexity, for LLaMA2-7B on 64 GPUs",
             MEASURED),
    Unjudged("perplexity-beyond", "as notes report it", "S", "20 % cost 2.6 %, and 30 % cost 3.8 %", MEASURED),
]  # fmt: skip
