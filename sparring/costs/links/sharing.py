"""Derives how many messages of a step share a link, as closed forms of patterns of partners.

Where neighbouring ranks are a node, this is proved: of all intervals of ranks for shifts, of all
numbers with the same first digits for exchanges.  On a topology a form of the counts is looked for,
``c d^e p^f`` with integers ``e`` and ``f``, for each power of the base modulo a short period, or a
polynomial in p where all send to all; it is that of every count in a sweep over p, and said to be tested.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import sympy

from sparring.costs.derivation.partners import Pattern, d
from sparring.costs.formulas import symbols
from sparring.costs.formulas.symbols import Expr, Log, Log2
from sparring.errors import Undecided
from sparring.proofs.contention.networks import Topology
from sparring.proofs.logic.obligations import Obligation, every, implies, p, r, within
from sparring.proofs.logic.queries import answered
from sparring.proofs.logic.verdicts import PROVED, Verdict, tested
from sparring.spec.core.digits import digit, log_of, power_of, prefix, put
from sparring.spec.core.numbers import Bool, Int, Sym, both, negate

a, g, h, i, b, k = (Sym.var(name) for name in "aghibk")

SWEEP = range(2, 65)
"""The numbers of ranks on which loads of a shift are counted."""
LARGEST = 512
"""The most ranks on which loads of an exchange are counted."""
PERIODS = (1, 2, 3)
EXPONENTS = (0, 1, -1)


class Run(NamedTuple):
    """Steps in which as many messages share the fullest link, as a formula says."""

    load: Expr
    """Messages on the fullest link that is shared, in ``d``; 0 where none crosses one."""
    inside: bool
    """Whether some messages stay within their node, each on a link of its own."""
    first: Expr = sympy.Integer(1)
    end: Expr = sympy.Integer(1)
    ratio: int = 0
    """Distances are ``first``, ``first * ratio``, ... below ``end``; 0 where all steps are alike."""
    near: Expr = sympy.Integer(1)
    """How many messages a rank sends within its node in a step, one after the other."""
    far: Expr = sympy.Integer(1)
    """How many messages a rank sends over links that are shared."""

    @property
    def ends(self) -> tuple[Expr, ...]:
        """The distance at which the load is the largest: a power of the distance grows or shrinks."""
        return (self.end / self.ratio,) if self.ratio and not self.load.has(1 / d) else (self.first,)


class Sharing(NamedTuple):
    """The runs that are all steps of a shift, or of an exchange that goes once through all digits."""

    runs: Sequence[Run]
    given: tuple[str, ...]
    """The hypotheses under which the runs are all steps."""
    verdict: Verdict
    detail: str
    """What the verdict rests on."""

    @property
    def most(self) -> Expr:
        """The most messages on one link, of all steps."""
        return sympy.Max(*(one.load.subs(d, at) for one in self.runs for at in one.ends))


def between_nodes(pattern: Pattern, node: int | None) -> Sharing:
    """Return the sharing in nodes of ``node`` neighbouring ranks; for None their number is the letter ``node``.

    Raises Undecided for a size that ranks of this pattern do not fill.
    """
    size = symbols.node if node is None else sympy.Integer(node)
    base = pattern.base
    if pattern.to_all:
        # a last node that is smaller has fewer such pairs, or as many where there are two nodes
        told = "each rank of a node sends one message to each rank outside: as of partners"
        load, some = size * (symbols.p - size), () if node else ("1 < node",)
        run = Run(load, node != 1, near=size - 1, far=symbols.p - size)
        return Sharing([run], (*some, f"{size} < p"), PROVED, told)
    claims = list(intervals(pattern.by) if not base else first_digits())
    fewer = f"{size} < p"
    if not all(one.holds for one in answered(claims, second_opinion=True, encoding="digits" if base else "wrap")):
        raise Undecided("how many messages leave a node is not proved")
    proof = PROVED, f"messages that leave a node, and that come to one: {len(claims)} obligations, z3 and cvc5"
    if not base:
        if node == 1:
            raise Undecided("nodes of one rank share nothing; there the cost is that without nodes")
        return Sharing([Run(sympy.Integer(1), inside=True)], (*(() if node else ("1 < node",)), fewer), *proof)
    if node is not None and power_of(base, log_of(node, base)) != node:
        raise Undecided(f"{node} is no power of {base}: then partners of one step are both in and out of a node")
    many = sympy.Integer(base - 1)
    inside = Run(sympy.Integer(0), True, sympy.Integer(1), size, base, near=many)
    outside = Run(size * many, False, size, symbols.p, base, far=many)
    runs = [outside] if node == 1 else [inside, outside]
    return Sharing(runs, (*(() if node else (f"node = {base}^h",)), fewer), *proof)


def intervals(by: int) -> Iterator[Obligation]:
    """Yield the obligations for a shift by one: how many messages leave an interval of ranks, and come to it.

    One message leaves it and one comes; in an interval of two or more ranks, one stays.
    """
    box = (p >= 1, within(r), within(a), within(g))
    a_node = both(g >= 1, a + g <= p)
    to = (r + by) % p
    first, last = (a, a + g - 1) if by > 0 else (a + g - 1, a)  # the ranks at its ends, as messages go
    before = (first - by) % p

    def inside(x: Int) -> Bool:
        return both(a <= x, x < a + g)

    yield Obligation("one leaves", box, implies(every(a_node, inside(r), negate(inside(to))), r == last))
    yield Obligation("the last one leaves", box, implies(both(a_node, r == last), negate(inside(to))))
    yield Obligation("one comes", box, implies(every(a_node, negate(inside(r)), inside(to)), r == before))
    comes = both(negate(inside(r)), to == first)
    yield Obligation("from the one before it comes", box, implies(both(a_node, r == before), comes))
    yield Obligation("the first one stays", box, implies(every(a_node, g > 1, r == first), inside(to)))


def first_digits() -> Iterator[Obligation]:
    """Yield the obligations that a message leaves its node if the digit that it changes is one of the first.

    A node's ranks have the same first digits, all but the last ``h``; that they differ goes on from ``h + 1`` to ``h``.
    Partners are mutual; so all ranks of a node send out of it or none does, and as many messages come.
    """
    box = (k >= 2, p >= 1, within(r), i >= 0, h >= 0, within(b, k))
    to, other = put(r, i, b, k), negate(digit(r, i, k) == b)

    def leaves(last: Int) -> Bool:
        return negate(prefix(to, last, k) == prefix(r, last, k))

    yield Obligation("one of the last digits stays", box, implies(i < h, negate(leaves(h))))
    changed = both(leaves(h), digit(to, h, k) == b)
    yield Obligation("the first of the others leaves", box, implies(both(h == i, other), changed))
    yield Obligation(
        "what leaves a node leaves smaller ones", (*box, digit(r, h, k) >= 0), implies(leaves(h + 1), leaves(h))
    )
    yield Obligation("back again", box, put(to, i, digit(r, i, k), k) == r)


def on_links(pattern: Pattern, topology: Topology) -> Sharing:
    """Return the sharing on a topology; raise Undecided where no form gives all counts."""
    base = pattern.base
    if not base:
        counted = {(ranks, 1): load(pattern, topology, ranks) for ranks in SWEEP}
        form = fitted(counted) if pattern.by else polynomial({ranks: many for (ranks, _), many in counted.items()})
        detail = f"the fullest link of a step, p = {SWEEP[0]}..{SWEEP[-1]}"
        far = symbols.p - 1 if pattern.to_all else sympy.Integer(1)
        return Sharing([Run(form, inside=False, far=far)], (), tested(len(counted)), detail)
    for period in PERIODS:
        powers = [base ** (period * m) for m in range(1, LARGEST.bit_length()) if base ** (period * m) <= LARGEST]
        if len(powers) < 2:
            break
        counts = {
            (ranks, distance): load(pattern, topology, ranks, distance)
            for ranks in powers
            for distance in (base**e for e in range(log_of(ranks, base)))
        }
        ratio = base**period
        try:
            forms = [
                fitted({where: many for where, many in counts.items() if log_of(where[1], base) % period == at})
                for at in range(period)
            ]
        except Undecided:
            continue
        each, starts = sympy.Integer(base - 1), [sympy.Integer(base**at) for at in range(period)]
        runs = [Run(form, False, at, at * symbols.p, ratio, far=each) for form, at in zip(forms, starts)]
        given = () if period == 1 else (f"p = {ratio}^m",)
        detail = f"the fullest link of a step at each distance, p = {', '.join(map(str, powers))}"
        return Sharing(runs, given, tested(len(counts)), detail)
    raise Undecided(f"how many messages share the fullest link of {topology.name} is no product of powers")


def load(pattern: Pattern, topology: Topology, ranks: int, distance: int = 1) -> int:
    """Count the most messages on one link in a step at that distance."""
    pairs = pattern.pairs(ranks, distance)
    return max(Counter(link for pair in pairs for link in topology.route(*pair, ranks)).values())


def fitted(counts: dict[tuple[int, int], int]) -> Expr:
    """Return a ``c d^e p^f`` that is every count, by ranks and distance; raise Undecided where there is none."""
    (ranks, distance), many = next(iter(counts.items()))
    for e, f in product(EXPONENTS, repeat=2):
        c = many / (Fraction(distance) ** e * Fraction(ranks) ** f)
        if all(c * Fraction(x) ** e * Fraction(y) ** f == found for (y, x), found in counts.items()):
            return sympy.Rational(c.numerator, c.denominator) * d**e * symbols.p**f
    raise Undecided("the fullest link's messages are no product of powers")


def polynomial(counts: dict[int, int]) -> Expr:
    """Return the polynomial in ``p``, of degree 2 at most, that is every count; raise Undecided without one."""
    points = list(counts.items())
    found = sympy.interpolate(points[:3], symbols.p)
    if any(found.subs(symbols.p, ranks) != many for ranks, many in points):
        raise Undecided("the fullest link's messages are no polynomial of the ranks")
    return found


def summed(x: Expr, run: Run, base: int) -> Expr:
    """Return the sum over the run of ``x``, made of powers of ``d``."""
    total = sympy.Integer(0)
    for term in sympy.Add.make_args(sympy.expand(x)):
        factor, power = term.as_independent(d, as_Add=False)
        base_of, e = power.as_base_exp() if power.has(d) else (d, sympy.Integer(0))
        if base_of != d or not e.is_Integer:
            raise Undecided(f"{term} is no power of the distance, and not summed")
        if e == 0:
            whole = run.end / run.first
            log = log_of(int(whole), base) if whole.is_Integer else Log2(whole) if base == 2 else Log(whole, base)
            total += factor * log / log_of(run.ratio, base)
        else:
            total += factor * (run.end**e - run.first**e) / (sympy.Integer(run.ratio) ** e - 1)
    return total
