"""Weintraub, Banner and Orda, Distributed Training under Packet Loss, arXiv:2507.07114.

The abstract was at hand, no listing, theorem or code; one bound is as remembered.  A message is lost with probability
q = x / (x + a), independently; v is the expected square of what a parameter moves in an iteration.
"""

from typing import Any

from sympy import And, Eq, Rational

from sparring.proofs.cost.statements import MEASURED, Theorem, Unjudged

WEIGHT = "what the own gradient, which is never lost, weighs in a mean of what arrived; our own derivation"
DRIFT = "a bound as remembered, beside the exact distance of two receivers, which is our own derivation"
RANKS = (2, 3, 4)


def lost(x: Any, a: Any) -> Any:
    """The probability q."""
    return x / (x + a)


def weight(p: int, x: Any, a: Any) -> Any:
    """(1 - q^p) / (p (1 - q))."""
    return (1 - lost(x, a) ** p) / (p * (1 - lost(x, a)))


def remembered(x: Any, a: Any, v: Any) -> Any:
    """2 q v / (1 + q)."""
    return 2 * lost(x, a) * v / (1 + lost(x, a))


def exact(x: Any, a: Any, v: Any) -> Any:
    """2 q v / (1 - q^2)."""
    return 2 * lost(x, a) * v / (1 - lost(x, a) ** 2)


statements = [
    Unjudged("unbiased", "abstract", "V",
             "each worker reconstructs, from what arrives, an estimate of the gradient that is right in expectation",
             "its listing was not at hand, and it is a statement about an expectation"),
    Theorem("own-weight", WEIGHT, "D", "(1 - q^p) / (p (1 - q)) = 1 / p for p = 2, 3, 4",
            lambda x, a: And(*(Eq(weight(p, x, a), Rational(1, p)) for p in RANKS)),
            given=lambda a: a > 0, hypotheses="q < 1",
            xfail="equal only where q = 0: over the losses such a mean is biased towards the own gradient"),
    Theorem("own-weight-bound", WEIGHT, "D", "(1 - q^p) / (p (1 - q)) > 1 / p for p = 2, 3, 4",
            lambda x, a: And(*(weight(p, x, a) > Rational(1, p) for p in RANKS)),
            given=lambda x, a: And(x > 0, a > 0), hypotheses="0 < q < 1"),
    Unjudged("drift", "abstract", "V",
             "the models of two workers stay within O(1) of each other after any number of iterations",
             "a statement about a limit of random runs, which no schedule decides"),
    Theorem("drift-exact", DRIFT, "DM", "2 q v / (1 + q) = 2 q v / (1 - q^2)",
            lambda x, a, v: Eq(remembered(x, a, v), exact(x, a, v)), given=lambda a: a > 0, hypotheses="q < 1",
            xfail="equal only where q v = 0: it takes who missed updates to be one step behind"),
    Theorem("drift-bound", DRIFT, "DM", "2 q v / (1 + q) <= 2 q v / (1 - q^2)",
            lambda x, a, v: remembered(x, a, v) <= exact(x, a, v), given=lambda a: a > 0, hypotheses="q < 1"),
    Unjudged("perplexity", "abstract", "V",
             "10 % of the packets, lost at random, cost at most 0.8 % of perplexity, for LLaMA2-7B on 64 GPUs",
             MEASURED),
    Unjudged("perplexity-beyond", "as notes report it", "S", "20 % cost 2.6 %, and 30 % cost 3.8 %", MEASURED),
]  # fmt: skip
