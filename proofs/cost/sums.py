"""Sums of chunk sizes over steps, and their largest value over ranks.

A sum of ``B(x + 1) - B(x)`` over chunks that follow each other telescopes.  Over all ranks,
``B(x + m) - B(x)`` has the mean ``m n / p`` and takes no values but its floor and its ceiling; so
the largest is the ceiling and the smallest the floor.
"""

from __future__ import annotations

import sympy

from sparring.errors import Undecided
from sparring.proofs.cost.spans import Span, never_negative
from sparring.proofs.cost.symbols import LENGTHS, B, Expr, c, p, r, t

FURTHEST = 64  # chunks that one message may span


def total(words: Expr, span: Span) -> Expr:
    """The sum of ``words``, a sum of ``B`` at places linear in ``t``, over the span.

    Raises Undecided where it does not telescope.
    """
    words = sympy.expand(words)
    moving = [b for b in words.atoms(B) if b.has(t)]
    rest, found = remainder(words, moving)
    if rest.has(t) or any(k.has(t) for k in found.values()):
        raise Undecided(f"a message of {words} words changes with the step in a way that is not summed")
    result = rest * (span.end - span.first)
    for m in LENGTHS:
        if shared := {b: factor for b, factor in found.items() if b.args[1] == m}:
            result += telescoped(shared, m, span)
    return sympy.expand(result)


def telescoped(found: dict[Expr, Expr], m: Expr, span: Span) -> Expr:
    """The sum over the span of prefixes of ``m``, each with its factor."""
    if sympy.expand(sum(found.values())) != 0:
        raise Undecided(f"{sum(factor * b for b, factor in found.items())} is no sum of chunk sizes")
    slope = common_slope(list(found))
    start, stop = (span.first, span.end) if slope == 1 else (1 - span.end, 1 - span.first)
    places = {b: sympy.expand(b.args[0] - slope * t) for b in found}
    result = sympy.Integer(0)
    for b, steps in distances(places).items():
        low = places[b] - steps
        result += found[b] * sum(B(stop + low + j, m) - B(start + low + j, m) for j in range(steps))
    return result


def remainder(x: Expr, prefixes: list[Expr]) -> tuple[Expr, dict[Expr, Expr]]:
    """``x`` without its terms in ``prefixes``, and the factor of each."""
    factors = {b: x.coeff(b) for b in prefixes}
    return sympy.expand(x - sum(k * b for b, k in factors.items())), factors


def common_slope(moving: list[Expr]) -> int:
    """By how much the chunk moves from one step to the next, 1 or -1."""
    slopes = {sympy.expand(b.args[0]).coeff(t) for b in moving}
    if slopes not in ({1}, {-1}):
        raise Undecided(f"chunks do not follow each other: from step to step they move by {sorted(slopes, key=str)}")
    return int(slopes.pop())


def distances(places: dict[Expr, Expr]) -> dict[Expr, int]:
    """How far each place is from the lowest."""
    some = next(iter(places.values()))
    away = {b: sympy.expand(x - some) for b, x in places.items()}
    if not all(d.is_Integer and abs(d) <= FURTHEST for d in away.values()):
        raise Undecided("a message whose number of chunks is no small constant is not summed")
    lowest = min(away.values())
    return {b: int(d - lowest) for b, d in away.items()}


def largest(words: Expr) -> Expr:
    """The largest of ``words`` over all ranks ``r``, which takes each value modulo ``p`` once.

    Raises Undecided where that is no single difference ``B(x + m) - B(x)``.
    """
    words = sympy.expand(words)
    rest, factors = remainder(words, [b for b in words.atoms(B) if b.has(r)])
    if rest.has(r, c):
        raise Undecided(f"the largest of {words} over all ranks has no closed form here")
    if not factors:
        return rest
    lengths = {b.args[1] for b in factors}
    if len(factors) != 2 or len(lengths) != 1 or sympy.expand(sum(factors.values())) != 0:
        raise Undecided(f"the largest of {words} over all ranks has no closed form here")
    low, high = sorted(factors, key=distances({b: b.args[0] for b in factors}).__getitem__)
    if sympy.expand(low.args[0]).coeff(r) not in (1, -1):
        raise Undecided(f"in {words} the ranks do not share out the chunks")
    width = sympy.expand(high.args[0] - low.args[0]) * lengths.pop() / p
    if never_negative(factors[high]):
        return sympy.expand(rest + factors[high] * sympy.ceiling(width))
    if never_negative(-factors[high]):
        return sympy.expand(rest + factors[high] * sympy.floor(width))
    raise Undecided(f"whether {factors[high]} is negative depends on p")
