"""Computes what aggregators make of the vectors on average, and its variance, for all ranks and losses.

Of an entry of a shard that one of ``p`` ranks owns, ``g`` by rank are the values, each lost with
probability ``q`` by itself, but for the owner's own, unless the aggregator is ``ratio0``.  The result is
linear in them: on average the owner's value and each other's have a *weight*.  An aggregator is unbiased
over the losses if all weights are ``1 / p``; that is another thing than being unbiased over the data.

``K`` is how many values are there, of those that may be lost binomial.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import comb
from typing import Any, NamedTuple

import sympy

from sparring.analysis.packet_loss.identities import Identity, induction

q = sympy.Symbol("q", positive=True)
p, m = sympy.Symbol("p", integer=True, positive=True), sympy.Symbol("m", integer=True, positive=True)
g, h, a, b = sympy.symbols("g h a b", real=True)


class Weights(NamedTuple):
    """The mean weight of the owner's own value, and that of each other rank's value."""

    own: Any
    other: Any


def inverse(p: Any, _: Any) -> Weights:
    """``ht``: 1 / p each."""
    return Weights(1 / p, 1 / p)


def renormalised(p: Any, q: Any) -> Weights:
    """``ratio``: E[1 / K] for the own value; the weights add up to 1."""
    own = (1 - q**p) / (p * (1 - q))
    return Weights(own, (1 - own) / (p - 1))


def exchangeable(p: Any, q: Any) -> Weights:
    """``ratio0``: 1 / p each, where anything is left."""
    return Weights((1 - q**p) / p, (1 - q**p) / p)


def filled(p: Any, q: Any) -> Weights:
    """``zero``: what arrives, over p."""
    return Weights(1 / p, (1 - q) / p)


AVERAGE: Mapping[str, Callable[[Any, Any], Weights]] = {
    "ht": inverse,
    "ratio": renormalised,
    "ratio0": exchangeable,
    "zero": filled,
}
"""The weights by aggregator, as functions of ``p`` and ``q``, numbers of any kind.  ``ratio`` needs two ranks."""


def binomial(many: int, q: Fraction) -> Iterator[tuple[int, Fraction]]:
    """Yield each number of values that may arrive out of ``many``, with its probability."""
    return ((k, comb(many, k) * (1 - q) ** k * q ** (many - k)) for k in range(many + 1))


def mean(aggregator: str, values: Sequence[Fraction], own: int, q: Fraction) -> Fraction:
    """Return the mean of the result, in closed form."""
    if len(values) == 1:
        return values[0] * (1 - q if aggregator == "ratio0" else 1)
    weights = AVERAGE[aggregator](Fraction(len(values)), q)
    return sum((x * (weights.own if r == own else weights.other) for r, x in enumerate(values)), Fraction(0))


def variance(aggregator: str, values: Sequence[Fraction], own: int, q: Fraction) -> Fraction:
    """Return the variance of the result; for ``ratio`` and ``ratio0`` by a sum over how many values arrive."""
    ranks, others = len(values), [x for r, x in enumerate(values) if r != own]
    squares = sum((x * x for x in others), Fraction(0)) / ranks**2
    if aggregator == "ht":
        return q / (1 - q) * squares
    if aggregator == "zero":
        return q * (1 - q) * squares
    second = second_moment(others, values[own], q) if aggregator == "ratio" else of_any(values, q)
    return second - mean(aggregator, values, own, q) ** 2


def spread(values: Sequence[Fraction]) -> Fraction:
    """Return S^2: the squared distances from the mean, summed and divided by one less than their number."""
    middle = sum(values, Fraction(0)) / len(values)
    return sum(((x - middle) ** 2 for x in values), Fraction(0)) / (len(values) - 1) if len(values) > 1 else Fraction(0)


def reciprocal(ranks: int, q: Fraction) -> Fraction:
    """Return E[1 / K | K >= 1] for ``ranks`` values that may all be lost."""
    return sum((one / k for k, one in binomial(ranks, q) if k), Fraction(0)) / (1 - q**ranks)


def conditional(values: Sequence[Fraction], q: Fraction) -> Fraction:
    """Return the variance of ``ratio0`` where anything is left: (E[1 / K | K >= 1] - 1 / p) S^2."""
    return (reciprocal(len(values), q) - Fraction(1, len(values))) * spread(values)


def of_any(values: Sequence[Fraction], q: Fraction) -> Fraction:
    """Return the second moment of ``ratio0``, whose result is 0 where nothing is left."""
    middle = sum(values, Fraction(0)) / len(values)
    return (1 - q ** len(values)) * (conditional(values, q) + middle**2)


def second_moment(others: Sequence[Fraction], own: Fraction, q: Fraction) -> Fraction:
    """Return the second moment of ``ratio``; if ``k`` other values arrive, all choices of them are equally likely."""
    many, total = len(others), sum(others, Fraction(0))
    squares = sum((x * x for x in others), Fraction(0))
    found = Fraction(0)
    for k, probability in binomial(many, q):
        one = Fraction(k, many) if many else Fraction(0)  # the chance that a given one arrives, and that two do
        two = Fraction(k * (k - 1), many * (many - 1)) if many > 1 else Fraction(0)
        pairs = own * own + 2 * own * one * total + one * squares + two * (total * total - squares)
        found += probability * pairs / (k + 1) ** 2
    return found


def identities() -> Iterator[Identity]:
    """Yield all identities about aggregators, for every ``p`` and ``q``."""
    yield from by_inverse()
    yield from by_filling()
    yield from by_ratio()
    yield from by_exchange()


def by_inverse() -> Iterator[Identity]:
    """Yield the identities of ``ht``, where ``b`` is 1 with probability 1 - q and 0 otherwise.

    E[b] = E[b^2] = 1 - q, and for two independent ones E[b b'] = (1 - q)^2.
    """
    weight = 1 / (p * (1 - q))
    yield Identity(
        "ht, mean", "Each value weighs 1/p on average: unbiased.", ((1 - q) * weight - AVERAGE["ht"](p, q).other,)
    )
    yield Identity("ht, variance", "It is q / (1 - q) / p^2 times the squares of all values but the owner's.", (
        (1 - q) * weight**2 - AVERAGE["ht"](p, q).other ** 2 - q / (1 - q) / p**2,
        (1 - q) ** 2 * weight**2 - AVERAGE["ht"](p, q).other ** 2,  # independent: no covariance
    ))  # fmt: skip


def by_filling() -> Iterator[Identity]:
    """Yield the identities of ``zero``, whose weights are 1 / p."""
    yield Identity(
        "zero, bias",
        "Each value but the owner's weighs q / p too little.",
        ((1 - q) / p - AVERAGE["zero"](p, q).other, AVERAGE["zero"](p, q).other - 1 / p + q / p),
    )
    yield Identity(
        "zero, variance",
        "It is q (1 - q) / p^2 times the squares of all values but the owner's.",
        ((1 - q) / p**2 - ((1 - q) / p) ** 2 - q * (1 - q) / p**2,),
    )


def by_ratio() -> Iterator[Identity]:
    """Yield the identities of ``ratio``, whose own weight is E[1 / K], by absorption and the binomial theorem.

    E[1 / K] = sum over k of C(p - 1, k) (1 - q)^k q^(p - 1 - k) / (k + 1).
    With ``s(p)`` the sum over m = 1..p of C(p, m) (1 - q)^m q^(p - m), it is ``s(p) / (p (1 - q))``.
    """
    k = m - 1
    yield Identity(
        "absorption",
        "C(p - 1, k) / (k + 1) = C(p, k + 1) / p.",
        (sympy.binomial(p - 1, k) / (k + 1) - sympy.binomial(p, k + 1) / p,),
    )
    yield Identity(
        "Pascal",
        "C(p + 1, m) = C(p, m) + C(p, m - 1).",
        (sympy.binomial(p + 1, m) - sympy.binomial(p, m) - sympy.binomial(p, m - 1),),
    )
    whole = 1 - q**p  # by Pascal s(p + 1) = q s(p) + (1 - q) (s(p) + q^p), and s(0) = 0
    yield induction("binomial", "s(p) = 1 - q^p.", whole, p, sympy.Integer(0), q * whole + (1 - q) * (whole + q**p))
    weights = AVERAGE["ratio"](p, q)
    yield Identity(
        "ratio, own weight",
        "The owner's value weighs (1 - q^p) / (p (1 - q)) on average: biased.",
        (weights.own - whole / (p * (1 - q)), weights.own + (p - 1) * weights.other - 1),
    )
    yield Identity(
        "ratio, growth",
        "p times that weight is 1 for one rank, and q^p more with each: too much.",
        (weights.own.subs(p, 1) - 1, ((p * weights.own).subs(p, p + 1) - p * weights.own) - q**p),
    )


def by_exchange() -> Iterator[Identity]:
    """Yield the identities of ``ratio0``, in which all choices of ``k`` values that arrive are equally likely.

    A given value is among these with probability k / p, a given pair with k (k - 1) / (p (p - 1)).
    ``g`` is the sum of all values, ``h`` that of their squares; ``a`` is E[1 / K], ``b`` the mean's weight.
    """
    one, two = a / p, (1 - a) / (p * (p - 1))  # E[b / K^2] and E[b b' / K^2], where K >= 1
    square = (h - g**2 / p) / (p - 1)
    yield Identity("ratio0, mean", "Each value weighs (1 - q^p) / p on average: unbiased where anything is left.", (
        sympy.binomial(p - 1, m - 1) / m - sympy.binomial(p, m) / p,  # P(K = m) m / p / m = P(K = m) / p
        AVERAGE["ratio0"](p, q).own - (1 - q**p) / p,
    ))  # fmt: skip
    yield Identity("ratio0, variance", "Where anything is left it is (E[1 / K] - 1 / p) S^2.", (
        one * h + two * (g**2 - h) - (g / p) ** 2 - (a - 1 / p) * square,
        (h - g**2 / p).subs({h: p * b**2, g: p * b}),  # none where all values are alike
    ))  # fmt: skip
