"""Finds where one algorithm becomes cheaper than another, as density, length or the number of ranks grows.

Two costs cross where their difference changes its sign.  Where sympy solves the difference for the
letter, the answer is a formula; in any case each crossing is put between two numbers at which the
difference has opposite signs, and interval arithmetic shows that between crossings it has one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import sympy

from sparring.costs.costs import Cost
from sparring.costs.formulas import units
from sparring.costs.formulas.hypotheses import holds, parts
from sparring.costs.formulas.interval import Interval, enclosure, interval, sign
from sparring.costs.formulas.symbols import Expr, Logarithm, alpha, beta, exact, gamma, k, n, symbol
from sparring.costs.union_cost import UnionCost
from sparring.errors import InputError, Undecided

Either = Cost | UnionCost
rho = sympy.Symbol("rho", positive=True)
x = sympy.Symbol("x", positive=True)
"""The letter that grows, as a real number."""
FIELDS = {
    "rho": (Fraction(1, 10**6), Fraction(1)),
    "n": (Fraction(1), Fraction(10**12)),
    "p": (Fraction(2), Fraction(128)),
}
"""Letters that may grow, with their ranges unless asked otherwise."""
BYTES = {alpha: 0, beta: 1, gamma: 0}
"""The values with which time is the number of bytes."""
CLOSE = Fraction(1, 10**6)  # of a crossing, how near the numbers around it are, relative to it
PATIENCE = 20_000  # intervals that are looked at


Function = Callable[[Fraction, Fraction], Interval]
"""An interval that holds a value, for the letter between two numbers."""


class Crossing(NamedTuple):
    """Between these two numbers the cheaper one changes."""

    low: Fraction
    high: Fraction


@dataclass(frozen=True)
class Comparison:
    """The comparison of two algorithms' costs, for ``over`` from ``start`` to ``end``.

    ``cheaper``: in each range between ``crossings``, the name of the one that costs less, "" for the same cost.
    ``formula``: the value of ``over`` where the costs are equal, if there is one and sympy finds it, under ``given``.
    Over "p" nothing is said of ranks at which ``given`` does not hold.
    ``costs``: an interval that holds each cost, for the letter between two numbers.
    """

    names: tuple[str, str]
    over: str
    quantity: str
    start: Fraction
    end: Fraction
    given: str
    crossings: tuple[Crossing, ...]
    cheaper: tuple[str, ...]
    formula: Expr | None
    costs: tuple[Function, Function] = field(repr=False, compare=False)
    places: tuple[Fraction, ...] = ()
    """The numbers of ranks that are compared, where these grow: those of the range at which ``given`` holds."""


def compare(a: Either, b: Either, over: str, at: Mapping[str, units.Given], start: units.Given | None = None,
            end: units.Given | None = None) -> Comparison:  # fmt: skip
    """Compare the costs of ``a`` and ``b`` as ``over``, one of ``FIELDS``, grows, the other letters being ``at``.

    What is compared is seconds in lock step where ``at`` has alpha and beta, else bytes, those of
    the largest message of each step.

    Raises InputError for a letter that is missing or of no use, Undecided where a cost has no closed
    form or the difference stays too near to 0 to be told from it.
    """
    if over not in FIELDS:
        raise InputError(f"over={over!r}: costs are compared over {', '.join(FIELDS)}")
    point, quantity = read_point(units.point(at))
    low, high = (edge(over, given, default) for given, default in zip((start, end), FIELDS[over]))
    if low >= high:
        raise InputError(f"{over} cannot grow from {low} to {high}")
    if over == "n" and low < (kept := point.get("k", Fraction(0))):
        if start is not None:
            raise InputError(f"k={kept}: a rank has at most n={low} entries")
        low = kept
    point.pop(over, None)
    names = (a.page.name, b.page.name)
    if over == "p":
        return ranks_compared(a, b, point, quantity, range(int(low), int(high) + 1))
    ranks = int(point.get("p", 1))
    a, b = of_ranks(a, ranks), of_ranks(b, ranks)
    hypotheses = common(a, b, over, point)
    difference, function, costs = functions(a, b, over, hypotheses, point, quantity)
    if vanishes(difference):
        return Comparison(names, over, quantity, low, high, hypotheses, (), ("",), None, costs)
    ranges = merged(bracketed(function, low, high))
    formula = solved(difference, over) if len(ranges) == 2 else None  # else it lies outside of the range
    return in_ranges(names, over, quantity, ranges, hypotheses, costs, formula)


def in_ranges(
    names: tuple[str, str], over: str, quantity: str, ranges: Sequence[Range], given: str,
    costs: tuple[Function, Function], formula: Expr | None = None, places: Sequence[Fraction] = (),
) -> Comparison:  # fmt: skip
    """Return the comparison that these ranges are, each with the sign of the difference."""
    crossings = tuple(Crossing(before[1], after[0]) for before, after in pairwise(ranges))
    cheaper = tuple({1: names[1], -1: names[0], 0: ""}[found] for _, _, found in ranges)
    start, end = ranges[0][0], ranges[-1][1]
    return Comparison(names, over, quantity, start, end, given, crossings, cheaper, formula, costs, tuple(places))


def ranks_compared(a: Either, b: Either, at: Mapping[str, Fraction], quantity: str, ranks: Sequence[int]) -> Comparison:
    """Return the comparison at each number of ranks at which both costs hold, and the hypotheses that leave some out.

    Raises InputError where that is none.
    """
    some = {
        part: [p for p in ranks if holds(part, values(cost, at, p))] for cost in (a, b) for part in parts(cost.given)
    }
    given = ", ".join(part for part, found in some.items() if len(found) < len(ranks))
    left = [p for p in ranks if all(p in found for found in some.values())]
    if not left:
        raise InputError(f"p from {ranks[0]} to {ranks[-1]}: both costs hold at no p; right is one where {given}")
    known: dict[tuple[int, int], Compared] = {}

    def there(p: Fraction) -> Compared:
        pair = of_ranks(a, int(p)), of_ranks(b, int(p))
        key = id(pair[0]), id(pair[1])
        return known[key] if key in known else known.setdefault(key, functions(*pair, "p", "", at, quantity))

    ranges = merged(stepwise(lambda low, high: there(low).function(low, high), left))
    costs = (lambda low, high: there(low).costs[0](low, high)), (lambda low, high: there(low).costs[1](low, high))
    return in_ranges((a.page.name, b.page.name), "p", quantity, ranges, given, costs, places=[*map(Fraction, left)])


class Compared(NamedTuple):
    """The difference of two costs, and functions of the letter that grows: the difference, and each cost."""

    difference: Expr
    function: Function
    costs: tuple[Function, Function]


def functions(a: Either, b: Either, over: str, hypotheses: str, at: Mapping[str, Fraction], quantity: str) -> Compared:
    """Return what two costs are under the hypotheses, in seconds or in bytes."""
    times = [seconds(cost, hypotheses, at) for cost in (a, b)]
    if quantity == "bytes":
        times = [time.subs(BYTES) for time in times]
    difference = sympy.expand(times[0] - times[1])
    costs = of_letter(times[0], over, at), of_letter(times[1], over, at)
    return Compared(difference, of_letter(difference, over, at), costs)


def of_ranks(cost: Either, ranks: int) -> Either:
    """Return the cost of calls of so many ranks, which may decide what a composition sends."""
    return cost.of_ranks(ranks) if isinstance(cost, Cost) else cost


def values(cost: Either, at: Mapping[str, Fraction], ranks: int) -> dict[str, int | Fraction]:
    """Return the letters of the cost's hypotheses, with their values; ``radix`` among them."""
    letters = cost.derived.letters if isinstance(cost, Cost) else {}
    return {**{letter: at[letter] for letter in "nk" if letter in at}, "p": ranks, **letters}


def read_point(at: Mapping[str, units.Given]) -> tuple[dict[str, Fraction], str]:
    """Return the point, and what is compared there: time given alpha and beta, else bytes."""
    if {"alpha", "beta"} <= at.keys():
        return units.full(at), "time"
    return units.full({**at, **{letter.name: value for letter, value in BYTES.items()}}), "bytes"


def vanishes(difference: Expr) -> bool:
    """Return whether ``difference`` is 0 everywhere; for sums, slow to simplify, only where that is seen at once."""
    return bool(difference == 0 or (not difference.has(sympy.Sum) and sympy.simplify(difference) == 0))


def edge(over: str, given: units.Given | None, default: Fraction) -> Fraction:
    """Return the value at which ``over`` begins or ends."""
    if given is None:
        return default
    if over != "rho":
        return units.value(over, given)
    value = units.fraction(str(given).strip())
    if value is None or not 0 < value <= 1:
        raise InputError(f"rho={given}: a density is a number above 0, at most 1")
    return value


def common(a: Either, b: Either, over: str, at: Mapping[str, Fraction]) -> str:
    """Return the hypotheses of both costs, and those under which nothing is rounded, as far as these can hold.

    Raises InputError at a point at which a cost does not hold, whatever ``over`` is.
    """
    grows, ranks, wanted = {"n": "n", "rho": "k"}[over], int(at.get("p", 1)), dict[str, None]()
    for cost in (a, b):
        for part in parts(f"{cost.given}, {cost.even}"):
            letter = part.rpartition(" ")[2]
            if letter == grows or (letter in "nk" and letter not in at) or holds(part, values(cost, at, ranks)):
                wanted[part] = None
            elif part in parts(cost.given):
                where = f"p={ranks}" + (f", {letter}={at[letter]}" if letter in "nk" else "")
                raise InputError(f"{cost.page.name}: this cost holds where {part}, not for {where}")
    return ", ".join(wanted)


def seconds(cost: Either, hypotheses: str, at: Mapping[str, Fraction]) -> Expr:
    """Return a cost's time, under those of the hypotheses that it knows, for the page's own parameters."""
    own = ", ".join(part for part in parts(hypotheses) if part in parts(cost.even))
    time = cost.simplify(own).time if own else cost.time
    letters = cost.derived.letters if isinstance(cost, Cost) else {}
    time = time.subs({symbol(letter): value for letter, value in letters.items()})
    units.need({s.name for s in time.free_symbols} - {*"pnk"}, at, f"time of {cost.page.name} needs")
    return time


def of_letter(difference: Expr, over: str, at: Mapping[str, Fraction]) -> Function:
    """Return the difference as a function of ``over``; others are ``at``, and ``k`` is ``rho n`` where rho grows."""
    if over == "rho":
        difference = difference.subs(k, rho * n)
    letters = {s.name for s in difference.free_symbols} - {over}
    units.need(letters, at, f"a comparison over {over} needs")
    known = {s: sympy.Rational(at[s.name]) for s in difference.free_symbols if s.name in letters}
    logs = {x: exact(x, at) for x in difference.atoms(Logarithm) if {s.name for s in x.free_symbols} <= at.keys()}
    left = difference.xreplace({x: sympy.Rational(y) for x, y in logs.items()}).subs(known)  # sympy knows no values
    if over == "p" and not left.has(sympy.Sum):
        return lambda low, high: interval(exact(left, {"p": low}))
    enclosed = enclosure(left)
    return lambda low, high: enclosed({over: interval(low, high)})


Range = tuple[Fraction, Fraction, int]
"""A range from one number to another, and the sign of the difference in it."""


def stepwise(function: Function, ranks: Sequence[int]) -> Iterator[tuple[Fraction, Fraction, int | None]]:
    """Yield the sign of the difference at each number of ranks."""
    for at in map(Fraction, ranks):
        found = sign(function(at, at))
        if found is None:
            raise Undecided(f"p={at}: the costs are too near each other to say which is less")
        yield at, at, found


def bracketed(function: Function, low: Fraction, high: Fraction) -> Iterator[tuple[Fraction, Fraction, int | None]]:
    """Yield the sign in intervals, from left to right, halved until it is clear, or None where they get small."""
    todo = [(low, high)]
    for _ in range(PATIENCE):
        left, right = todo.pop()
        found = sign(function(left, right))
        if found is None and right - left > CLOSE * left:
            middle = halfway(left, right)
            todo += [(middle, right), (left, middle)]
        else:
            yield left, right, found
        if not todo:
            return
    raise Undecided(f"from {float(todo[-1][0]):g} on the costs stay too near each other to say which is less")


def halfway(low: Fraction, high: Fraction) -> Fraction:
    """Return a number between the two; where they are far apart, halfway by factors."""
    return (low + high) / 2 if high <= 4 * low else Fraction(float(low) * float(high) ** 0.5 / float(low) ** 0.5)


def merged(pieces: Iterable[tuple[Fraction, Fraction, int | None]]) -> list[Range]:
    """Return ranges of one sign each; raise Undecided where what lies between two has no other sign than both."""
    ranges: list[Range] = []
    open_ = False  # whether the last piece was not decided
    for low, high, found in pieces:
        if found is None:
            pass
        elif not ranges or ranges[-1][2] != found:
            ranges.append((low, high, found))
        elif open_:
            raise Undecided(f"near {float(low):g} the costs are too near each other to say which is less")
        else:
            ranges[-1] = (ranges[-1][0], high, found)
        open_ = found is None
    if not ranges:
        raise Undecided("the costs are too near each other to say which is less")
    return ranges


def solved(difference: Expr, over: str) -> Expr | None:
    """Return where ``difference`` is 0, as a formula of the other letters; None where none, or several, are found."""
    if over == "p":
        return None
    left = sympy.numer(sympy.together(difference.subs(k, rho * n) if over == "rho" else difference))
    left = left.subs(rho if over == "rho" else n, x)
    if not left.is_polynomial(x) or sympy.degree(left, x) != 1:
        return None
    return sympy.factor(sympy.solve(left, x)[0])
