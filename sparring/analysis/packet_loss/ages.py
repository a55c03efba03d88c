"""Proves how stale replicas are, and how far apart, for every number of calls and every loss, and in the limit.

An owner's shard moves by ``Delta`` in each call.  Whoever loses ``a`` calls in a row has it as it was
``a`` calls ago: ``a`` is the *age* of the replica, 0 for who got the last one.  With loss ``q``, each by
itself, and all alike at first, P(a >= k) = q^k for k <= t after ``t`` calls: in the limit geometric.

Two kinds of steps are looked at.  *Uncorrelated* ones of mean 0 and mean square ``v``: the mean square
of a distance is ``v`` times the mean number of steps between two versions.  *Bounded* ones, none longer
than ``d``: a distance is at most ``d`` times that number, and equal to that where all steps are alike.
The mean squares hold however a shard is cut into packets, since all packets have the same ages in law;
the bound on the mean distance itself only where a shard is one packet.

Nothing of this is the paper's, whose theorems were not at hand.  ``behind_by_one`` is a limit as
remembered, which takes who missed calls to be a single one behind; it is too low.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy

from sparring.analysis.packet_loss.identities import Identity, induction

q = sympy.Symbol("q", positive=True)
t = sympy.Symbol("t", integer=True, nonnegative=True)
d, v = sympy.symbols("d v", nonnegative=True)


def age(q: Any, t: Any) -> Any:
    """E[a] after ``t`` calls; times ``v``, the mean square distance of a replica and its owner."""
    return q * (1 - q**t) / (1 - q)


def age_squared(q: Any, t: Any) -> Any:
    """E[a^2]: the sum of (2 k - 1) q^k over k = 1..t; times ``d^2``, a bound on that distance's mean square."""
    return (q * (1 + q) - q ** (t + 1) * (2 * t + 1 - (2 * t - 1) * q)) / (1 - q) ** 2


def gap(q: Any, t: Any) -> Any:
    """E|a - b| of two replicas: E[a] + E[b] - 2 E[min]; times ``v``, their mean square distance."""
    return 2 * (age(q, t) - age(q * q, t))


def gap_squared(q: Any, t: Any) -> Any:
    """E(a - b)^2, twice the variance of one; times ``d^2``, a bound on their mean square distance."""
    return 2 * (age_squared(q, t) - age(q, t) ** 2)


def age_limit(q: Any) -> Any:
    """q / (1 - q)."""
    return q / (1 - q)


def age_squared_limit(q: Any) -> Any:
    """q (1 + q) / (1 - q)^2."""
    return q * (1 + q) / (1 - q) ** 2


def gap_limit(q: Any) -> Any:
    """2 q / (1 - q^2)."""
    return 2 * q / (1 - q * q)


def gap_squared_limit(q: Any) -> Any:
    """2 q / (1 - q)^2."""
    return 2 * q / (1 - q) ** 2


def behind_by_one(q: Any) -> Any:
    """2 q / (1 + q): the limit of the gap if who missed a call were one behind, however many it missed before."""
    return 2 * q / (1 + q)


LIMITS = ((age, age_limit), (age_squared, age_squared_limit), (gap, gap_limit), (gap_squared, gap_squared_limit))


def identities() -> Iterator[Identity]:
    """Yield all identities about ages and gaps, for every ``t`` and ``q``."""
    yield from recursions()
    yield from limits()
    yield from simplified()


def recursions() -> Iterator[Identity]:
    """Prove the four closed forms by induction: in a call an age becomes 0 or, with probability ``q``, grows by one.

    Both of two replicas lose the packet with q^2, and stay equally far apart.  With 2 q (1 - q) exactly one of them
    loses it, and is then behind the other by its own new age.
    """
    one, two, zero = age(q, t), age_squared(q, t), sympy.Integer(0)
    lone = 2 * q * (1 - q)
    yield induction("age", "E[a] = q (1 - q^t) / (1 - q).", one, t, zero, q * (1 + one))
    yield induction("age squared", "E[a^2] is the sum of (2 k - 1) q^k.", two, t, zero, q * (1 + 2 * one + two))
    yield induction("gap", "E|a - b| = 2 q (1 - q^t) / (1 - q) - 2 q^2 (1 - q^(2 t)) / (1 - q^2).", gap(q, t), t, zero,
                    q**2 * gap(q, t) + lone * (1 + one))  # fmt: skip
    yield induction("gap squared", "E(a - b)^2 = 2 (E[a^2] - E[a]^2).", gap_squared(q, t), t, zero,
                    q**2 * gap_squared(q, t) + lone * (1 + 2 * one + two))  # fmt: skip


def limits() -> Iterator[Identity]:
    """Yield the limits of the four closed forms, and their growth with each call, which is never negative.

    In the limit q^t and t q^t vanish, as they do for q < 1.
    """
    for finite, limit in LIMITS:
        name = finite.__name__.replace("_", " ")
        left = sympy.expand(finite(q, t), power_exp=True).subs(q**t, 0).subs((q**2) ** t, 0).subs(q ** (2 * t), 0)
        yield Identity(f"{name}, limit", f"It is {limit(q)}.", (left - limit(q),))
    more = q ** (t + 1)  # P(a >= t + 1), which a call more adds
    yield Identity("age, growth", "A call adds q^(t + 1).", (age(q, t + 1) - age(q, t) - more,))
    yield Identity(
        "age squared, growth",
        "A call adds (2 t + 1) q^(t + 1).",
        (age_squared(q, t + 1) - age_squared(q, t) - (2 * t + 1) * more,),
    )
    yield Identity(
        "gap, growth", "A call adds 2 q^(t + 1) (1 - q^(t + 1)).", (gap(q, t + 1) - gap(q, t) - 2 * more * (1 - more),)
    )
    yield Identity(
        "gap squared, growth",
        "A call adds 2 q^(t + 1) (2 t + 1 - E[a] - E[a']), not less than 0.",
        (gap_squared(q, t + 1) - gap_squared(q, t) - 2 * more * (2 * t + 1 - age(q, t) - age(q, t + 1)),),
    )


def simplified() -> Iterator[Identity]:
    """Yield by how much the remembered limit is too low: the part that it lacks is not negative."""
    yield Identity(
        "one behind",
        "2 q / (1 + q) is less than the limit of the gap by 2 q^2 / (1 - q^2).",
        (gap_limit(q) - behind_by_one(q) - 2 * q**2 / (1 - q**2),),
    )
    fixed = behind_by_one(q)
    yield Identity(
        "one behind, recursion",
        "It is the fixed point of D = q^2 D + 2 q (1 - q).",
        (q**2 * fixed + 2 * q * (1 - q) - fixed,),
    )
