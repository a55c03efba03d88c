"""Searches by halves how many entries to gather before a reduction, and proves when that finds the best.

Backpropagation has the gradients of layers ready one after the other, from the last layer to the first, and
computes on while a buffer of them is reduced.  Layers are gathered until a buffer has at least so many
entries; each buffer takes a start-up and a time for each entry, and buffers are reduced one after the other.
Small buffers spend their time on start-up, large ones begin late.

That a binary search locates a good size is said in [PL24]_; its listing was not at hand, so model, search
and theorem are our own.  The search asks on which side of the middle the time falls, from two sizes around
it.  It returns the best size that it has tried.  That this is the best of all is proved for times that are
*unimodal*: they fall up to the first of the best sizes, and rise from the last of them.  Layers need not
make such times: :func:`missed` finds some that do not.

.. [PL24] J. Peng, Z. Li, S. Shi and B. Li, "Sparse gradient communication with AlltoAll for
   accelerating distributed deep learning", ICPP 2024, pp. 148-157.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import NamedTuple

import sympy

from sparring.costs.costs import Cost
from sparring.costs.formulas import symbols
from sparring.costs.formulas.hypotheses import holds
from sparring.costs.links.machines import Machine
from sparring.errors import InputError, Undecided
from sparring.proofs.logic.obligations import Obligation, every, implies, some
from sparring.spec.core.numbers import Int, Sym, both, where
from sparring.spec.core.schedule import number


class Layer(NamedTuple):
    """A layer's entries, and the seconds that backpropagation takes for it."""

    entries: int
    seconds: Fraction


class Line(NamedTuple):
    """Seconds of an allreduce: a start-up, and what each entry takes."""

    startup: Fraction
    entry: Fraction


class Found(NamedTuple):
    """The best of the places that were tried, its time, and all of these times."""

    best: int
    time: Fraction
    tried: Mapping[int, Fraction]


def line(cost: Cost, machine: Machine, p: int, density: Fraction, width: int = 4) -> Line:
    """Return the seconds that an algorithm takes for ``n`` entries of ``width`` bytes, where nothing is rounded.

    ``density``: how much of ``n`` is kept.  Raises InputError for a ``p`` of which no cost is derived,
    Undecided where it is no line in ``n``, or its time is not derived.
    """
    if not holds(cost.even, {"n": p, "p": p, "k": p, **cost.derived.letters}):
        raise InputError(f"{cost.page.name}: its cost is derived where {cost.even}, not for p={p}")
    even = cost.simplify(cost.even)
    machine_letters = (symbols.alpha, machine.alpha), (symbols.beta, machine.beta), (symbols.gamma, machine.gamma)
    letters = {**dict(machine_letters), symbols.width: width}
    given = {x: sympy.Rational(str(value)) for x, value in letters.items()}
    time = sympy.expand(even.time.subs(symbols.k, density * symbols.n).subs({**given, symbols.p: p}))
    entry = time.coeff(symbols.n, 1)
    startup = sympy.expand(time - entry * symbols.n)
    if not (startup.is_Rational and entry.is_Rational):
        raise Undecided(f"{cost.page.name}: {time} seconds are no start-up and a time for each of n entries")
    return Line(Fraction(str(startup)), Fraction(str(entry)))


def buffers(layers: Sequence[Layer], least: int) -> Iterator[tuple[int, Fraction]]:
    """Yield each buffer's entries, and when the last is ready; the first layer comes last and ends the last buffer."""
    entries, now = 0, Fraction(0)
    for i, layer in enumerate(reversed(layers), start=1):
        entries, now = entries + layer.entries, now + layer.seconds
        if entries >= least or i == len(layers):
            yield entries, now
            entries = 0


def iteration(layers: Sequence[Layer], least: int, line: Line) -> Fraction:
    """Return the seconds from the start of backpropagation until the last buffer is reduced."""
    end = Fraction(0)
    for entries, ready in buffers(layers, least):
        end = max(end, ready) + line.startup + line.entry * entries
    return end


def sizes(layers: Sequence[Layer]) -> list[int]:
    """Return the sizes from which on buffers are others: the entries of neighbouring layers, ascending."""
    many = range(len(layers))
    return sorted({sum(layer.entries for layer in layers[i : j + 1]) for i in many for j in many[i:]})


def halved(time: Callable[[int], Fraction], low: int, high: int, delta: int = 1) -> Found:
    """Return the best place tried from ``low`` to ``high``; ``delta``: how far from the middle at most.

    Raises InputError where there is no place, or ``delta`` is below 1.
    """
    if low > high or delta < 1:
        raise InputError(f"places {low} to {high}, {delta} from the middle: there must be one, and 1 or more")
    tried: dict[int, Fraction] = {}

    def at(place: int) -> Fraction:
        if place not in tried:
            tried[place] = time(place)
        return tried[place]

    while high - low > 1:
        left, right = map(number, probes(low, high, delta))
        rise = at(right) - at(left)
        low, high = map(number, narrowed(low, high, left, right, (rise > 0) - (rise < 0)))
    best = min((low, high, *tried), key=lambda place: (at(place), place))
    return Found(best, at(best), tried)


def probes(low: Int, high: Int, delta: Int) -> tuple[Int, Int]:
    """Return the places around the middle at which to ask: a quarter of the way to an end at most, and 1 at least."""
    quarter, middle = (high - low) // 4, (low + high) // 2
    near = where(delta < quarter, delta, quarter)
    away = where(near < 1, 1, near)
    return middle - away, middle + away


def narrowed(low: Int, high: Int, left: Int, right: Int, sign: int) -> tuple[Int, Int]:
    """Return the range that can still hold an untried best place, by the sign of the change from ``left`` to ``right``.

    If that place were beyond the worse of the two, on its other side, the times between would not be unimodal.
    """
    return (left + 1 if sign <= 0 else low), (right - 1 if sign >= 0 else high)


Narrowing = Callable[[Int, Int, Int, Int, int], tuple[Int, Int]]


def optimality(narrowed: Narrowing = narrowed) -> Iterator[Obligation]:
    """Yield the obligations that the search finds a best place where times are unimodal, for any places and times.

    Times enter by their order alone, so integers stand for them.  The hypothesis is used at the two places
    that are tried and at the best ones, ``a`` to ``b``.  Each step then keeps one of these or has tried one,
    and has fewer places left; with two left both are tried.
    """
    low, high, delta, left, right, a, b = (Sym.var(x) for x in ("low", "high", "delta", "left", "right", "a", "b"))
    x, y, best = (Sym.var(name) for name in ("at_left", "at_right", "at_best"))
    tried, wide = probes(low, high, delta), (high - low >= 2, delta >= 1)
    inside = every(low <= tried[0], tried[0] < tried[1], tried[1] <= high)
    yield Obligation("two places are tried", wide, inside)
    places = (low <= left, left < right, right <= high, a <= b, a <= high, low <= b)
    falls = (implies(right <= a, x > y), implies(left < a, x > best), implies(right < a, y > best))
    flat = (implies(both(a <= i, i <= b), v == best) for i, v in ((left, x), (right, y)))
    rises = (implies(b <= left, y > x), implies(b < left, x > best), implies(b < right, y > best))
    unimodal = (*places, *falls, *flat, *rises)
    for sign, seen in ((-1, y < x), (0, y == x), (1, y > x)):
        first, last = narrowed(low, high, left, right, sign)
        kept = some(x == best, y == best, both(a <= last, first <= b))
        yield Obligation(f"none is lost, {sign}", (*unimodal, seen), kept)
        fewer = every(low <= first, last <= high, last - first < high - low)
        yield Obligation(f"fewer are left, {sign}", (*places, seen), fewer)


def missed(
    entries: Iterable[int], seconds: Iterable[Fraction], many: int, line: Line
) -> Iterator[tuple[Sequence[Layer], Found, Found]]:
    """Yield layers, of these entries and seconds, whose best size the search misses; what it finds; and the best."""
    kinds = [Layer(*one) for one in product([*entries], [*seconds])]
    for layers in product(kinds, repeat=many):
        places = sizes(layers)
        times = [iteration(layers, least, line) for least in places]
        found = halved(times.__getitem__, 0, len(times) - 1)
        if found.time > min(times):
            best = min(range(len(times)), key=lambda i: (times[i], i))
            yield layers, found, Found(best, times[best], dict(enumerate(times)))


def unimodal(times: Sequence[Fraction | int]) -> bool:
    """Return whether times fall up to the first least one, are equal up to the last, and rise from there."""
    best = [i for i, time in enumerate(times) if time == min(times)]
    first, last = best[0], best[-1]
    falls = all(a > b for a, b in pairwise(times[: first + 1]))
    rises = all(a < b for a, b in pairwise(times[last:]))
    return falls and rises and best == [*range(first, last + 1)]
