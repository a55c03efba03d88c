"""Costs of algorithms of sparse chunks, in sizes ``u(s)`` of unions of ``s`` ranks' supports.

Entries are taken to lie evenly in the chunks: of the ``u(s)`` entries of such a union a chunk of
``l`` places has ``u(s) l / n``.  Where ranks send unions of different sizes, the cost is that of the
largest.  A model of supports replaces ``u``.  Where it gives an expected
size, as "independent" does, what is told is the cost at that size.  Expected bytes are no more:
the cheapest of several encodings, each linear in the number of entries, is concave (Jensen).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import sympy

from sparring import ranges
from sparring.costs.costs import summable
from sparring.costs.derivation import message_bytes, multi_message
from sparring.costs.derivation.confirmation import so
from sparring.costs.derivation.proof import Checked
from sparring.costs.derivation.step_ranges import Span, spans
from sparring.costs.forms import Forms
from sparring.costs.formulas import units
from sparring.costs.formulas.hypotheses import POWER, holds, parts
from sparring.costs.formulas.lower_bounds import Floor, lower_bounds, of_unions
from sparring.costs.formulas.simplified import simplified, tidy
from sparring.costs.formulas.symbols import OCTETS, Expr, alpha, beta, exact, gamma, k, n, p, t, width
from sparring.costs.supports import contributions, models
from sparring.costs.supports.contributions import Message
from sparring.errors import InputError, Undecided
from sparring.proofs.logic import obligations
from sparring.proofs.logic.verdicts import REFUTED, tested
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Int
from sparring.spec.core.schedule import number, truth

RANKS = range(1, 65)
RUNS = (*range(1, 10), 12, 18)
"""On so many ranks bytes are counted in runs, too: what a page makes of a chunk before it sends it is in no formula."""
DIVIDED, ROOM = "p | n", "k p <= n"
GIVEN = (DIVIDED, ROOM, POWER)
SUMMED = 2048
"""Ranks up to which a cost is evaluated: of independent supports in fractions whose terms are as long as p."""
s, m, size, q = sympy.symbols("s m size q", integer=True, positive=True)
i = sympy.Symbol("i", integer=True, nonnegative=True)
u, octets = sympy.Function("u"), sympy.Function("octets")

Union = Callable[[int], Any]
"""``u(s)``, the size of the union of ``s`` ranks' supports, exact."""


class UnionPoint(NamedTuple):
    """A cost at a point, exact; sizes of unions, and so what follows from them, may be fractions."""

    messages: int
    pairs: Fraction
    """Words, were every entry sent as an index and a value, or, in chunks that are dense by a rule, as a value."""
    nbytes: Fraction
    """Bytes, each message in its cheapest encoding, with its header."""
    added: Fraction
    """Entries that a rank receives in steps that add."""
    time: Fraction | None
    """Seconds; None unless alpha and beta are given."""
    deviation: Fraction | None = None
    """A bound on the standard deviation of a chunk's entries in all ranks' union; None where no model gives one."""

    def seconds(self, at: Mapping[str, Fraction]) -> Fraction:
        """Return the seconds in lock step, by the point's alpha, beta and gamma."""
        return at["alpha"] * self.messages + at["beta"] * self.nbytes + at["gamma"] * self.added


class Piece(NamedTuple):
    """A span of steps, or of one step's messages, each of which holds ``many`` ranks' contributions."""

    span: Span
    many: Expr
    adds: bool
    """Whether the receivers add the contributions to their copies."""
    dense: Expr = sympy.false
    """The condition under which chunks are sent with all their places, by the page's rule."""


@dataclass(frozen=True)
class UnionCost(Forms):
    """The cost of ``page``, a chunk of which is sparse, in ``u(s)`` or under a model of supports.

    It is that of the largest message of every step, summed; where ``p`` divides ``n`` every rank
    sends as much.  ``k``: entries of each rank; ``width``: bytes of a value.
    """

    page: Page
    steps: Expr
    pieces: tuple[Piece, ...]
    support: str = "union"
    """"union": in u(s); else a model's name, as ``models.find`` takes it."""
    given: str = ""

    names: ClassVar[tuple[str, ...]] = ("messages", "pairs", "octets", "bytes")

    @property
    def even(self) -> str:
        """The hypothesis under which no chunk is rounded, and no logarithm where vectors are whole."""
        return DIVIDED if self.page.cuts else POWER

    def form(self, name: str) -> Expr | None:
        """Return the closed form called ``name``, one of ``names``; None where there is none.

        ``octets`` is the bytes of a message with ``m`` entries of a chunk of ``size``.
        """
        if name not in self.names:
            return None
        if name == "messages":
            return self.supposing(self.steps)
        if name == "octets":
            return self.octets
        if name == "pairs":
            return tidy(2 * self.total(lambda many: many, lambda whole: whole / 2)) * self.share
        return self.total(lambda many: octets(many * self.share, n * self.share, width))

    @property
    def share(self) -> Expr:
        """The part of all places that the longest chunk has."""
        if not self.page.cuts:
            return sympy.Integer(1)
        return 1 / p if DIVIDED in self.given else sympy.ceiling(n / p) / n

    def supposing(self, x: Expr) -> Expr:
        """Return ``x`` for a ``p`` that is a power of two, if that is given."""
        return simplified(x, POWER) if POWER in self.given else x

    @property
    def supposed(self) -> str:
        """The meaning of the model of supports, in LaTeX, where its name does not say it."""
        return self.model.latex if self.model else ""

    @property
    def bounds(self) -> Mapping[str, Floor]:
        """The lower bounds, by form; that of pairs is the model's, and left out where some go without an index."""
        return self.floors(self.union(p))

    def floors(self, all_: Expr) -> Mapping[str, Floor]:
        """Return the lower bounds, by form, where all ranks' union has the size ``all_``."""
        paired = all(piece.dense == sympy.false for piece in self.pieces)
        found = (*lower_bounds(self.page), *([of_unions(self.support, all_)] if paired else []))
        return {one.quantity: one for one in found}

    @property
    def plainest(self) -> str:
        """The hypothesis under which nothing is rounded, and, of disjoint supports, there is room for all."""
        return f"{self.even}, {ROOM}" if self.support == "disjoint" else self.even

    def least(self, at: Mapping[str, Fraction]) -> dict[str, Fraction]:
        """Return the lower bounds at a point, by form; exact where ``u`` is."""
        ranks, length, kept = (int(at[letter]) for letter in ("p", "n", "k"))
        size = Fraction(models.valued(self.support).union(ranks, length, kept))
        whole = sympy.Rational(size.numerator, size.denominator)  # u(p) is the only size that a bound has
        return {name: exact(one.formula.subs(u(p), whole), at) for name, one in self.floors(u(p)).items()}

    def total(self, of: Callable[[Expr], Expr], whole: Callable[[Expr], Expr] | None = None) -> Expr:
        """Return the sum over all steps of ``of`` a message's union, or of ``whole`` where it is dense."""
        return sympy.Add(*(self.summed(of, piece, whole) for piece in self.pieces))

    def summed(self, of: Callable[[Expr], Expr], piece: Piece, whole: Callable[[Expr], Expr] | None = None) -> Expr:
        """Return the same sum as ``total``, over the steps of one piece."""
        first, end, many = map(self.supposing, (*piece.span, piece.many))
        x = message_bytes.either(piece.dense, self.union(s), n, self.share, of, whole or of)
        return summed(x, Piece(Span(first, end), many, piece.adds))

    @property
    def time(self) -> Expr:
        """Seconds in lock step: ``alpha`` a message, ``beta`` a byte of it, ``gamma`` an entry in steps that add."""
        per_message = self.octets
        nbytes = self.nbytes.replace(
            octets, lambda *sizes: per_message.subs(dict(zip(OCTETS, sizes)), simultaneous=True)
        )
        seconds = alpha * self.messages + beta * nbytes + gamma * self.added
        if self.model is None or self.model.closed:
            return seconds
        size = self.model.function
        return seconds.replace(u, lambda s: size(s, n, k))

    @property
    def added(self) -> Expr:
        """Entries that a rank receives in steps that add."""
        adding = [piece for piece in self.pieces if piece.adds]
        return sympy.Add(*(self.summed(lambda many: many, piece) for piece in adding)) * self.share

    def union(self, s: Expr) -> Expr:
        """Return the size of the union of ``s`` supports, as a formula."""
        if self.model is None or not self.model.closed:
            return u(s)
        found = self.model.union(s, n, k)
        if self.support != "disjoint":
            return found
        least = k * s if ROOM in self.given else sympy.Min(k * s, n)
        far = abs(k * s - n)  # the model writes its minimum with this
        return sympy.expand(found.subs(far, k * s + n - 2 * least))

    @cached_property
    def model(self) -> models.Model | None:
        """The model of supports that gives ``u(s)``; None where ``u(s)`` stays as it is."""
        return None if self.support == "union" else models.find(self.support)

    @property
    def octets(self) -> Expr:
        """The page's own formula for the bytes of a message, with minima written as such."""
        return message_bytes.octets(self.page)

    @property
    def messages(self) -> Expr:
        """Messages that each rank sends, one after the other."""
        return self.form("messages")

    @property
    def words(self) -> Expr:
        """The words that each rank sends, an index being a word and a value another."""
        return self.form("pairs")

    @property
    def nbytes(self) -> Expr:
        """The bytes that each rank sends: ``octets(m, size, width)`` of each message."""
        return self.form("bytes")

    def simplify(self, given: str) -> UnionCost:
        """Return the cost under hypotheses: "p | n", "k p <= n", "p = 2^m", several with commas.

        Raises InputError for others.
        """
        for part in parts(given):
            if part not in GIVEN:
                raise InputError(f"given={part!r} is no hypothesis of sparse costs; there are {', '.join(GIVEN)}")
        return replace(self, given=given)

    def under(self, support: str) -> UnionCost:
        """Return the cost under another model of supports; raise InputError where there is none of that name."""
        return replace(self, support=check_support(support))

    def at(self, **values: units.Given) -> UnionPoint:
        """Return the cost at a point, in exact arithmetic; ``p``, ``n`` and ``k`` are needed.

        Raises InputError for ``support="union"``, which has no numbers, and for a bad letter.
        """
        model = models.valued(self.support)
        at = units.full(values)
        if missing := [letter for letter in "pnk" if letter not in at]:
            raise InputError(f"bytes of {self.page.name} need a value for {missing[0]}: {missing[0]}=VALUE")
        ranks, length, kept, w = (int(at[letter]) for letter in ("p", "n", "k", "width"))
        if ranks > SUMMED:
            raise InputError(
                f"p={ranks}: bytes of {self.page.name} are summed step by step, for at most {SUMMED} ranks"
            )
        for given in (one for one in GIVEN if one in self.given):
            if not holds(given, at):
                raise InputError(f"this cost holds where {given}, not for p={ranks}, n={length}, k={kept}")
        found = measured(self.page, ranks, length, models.sizes(self.support, length, kept), w)
        variance = model.variance(ranks, length, kept, contributions.longest(self.page, ranks, length))
        found = found._replace(deviation=None if variance is None else root(variance))
        return found._replace(time=found.seconds(at)) if {"alpha", "beta"} <= at.keys() else found

    @property
    def gaps(self) -> list[str]:
        """Sentences about what the closed forms do not cover, and why."""
        exactly = "bytes for given supports: proofs.cost.contributions.predicted"
        if not self.page.cuts:
            return [exactly]
        return [
            f"entries that lie unevenly in the chunks; {exactly}",
            *(["k = 0, where the sum of powers is 0 / 0"] if self.union(s).has(1 - k / n) else []),
        ]

    def unlike(self, ranks: Iterable[int]) -> str:
        """Return the first message of so many ranks that is not what is derived; empty where there is none."""
        stated = contributions.contributions(self.page)
        return contributions.unlike(self.page, stated, ranks) or contributions.unlike_a_run(self.page, ranks)

    @cached_property
    def checks(self) -> list[Checked]:
        """The checks: which contributions a message holds, counted and proved; the sum over steps, counted."""
        stated = contributions.contributions(self.page)
        fault = contributions.unlike(self.page, stated, RANKS) or miscounted(self) or self.unlike(RUNS)
        told = (
            f"p = {RANKS[0]}..{RANKS[-1]}: whose contributions each message holds, and in which steps how many; "
            f"bytes in runs, p = {ranges.spans(RUNS)}"
        )
        counted = Checked("counted", REFUTED if fault else tested(len(RANKS)), fault or told)
        return [counted, contributions.prove(self.page, stated)]


def derive(page: Page, support: str = "union") -> UnionCost:
    """Return the cost of a page of sparse chunks.

    Raises Undecided where the page does not say what messages hold, InputError for an unknown model
    and where a formula cannot be run on symbols.
    """
    with summable(page):
        stated = contributions.contributions(page)
        parts = multi_message.step_by_step(page) if page.several else [page]
        if not page.several and not so(page, [contributions.somebody(page)]):
            raise Undecided("in some step no rank is shown to send: whether the step costs a message is not known")
        at: Sequence[Int] = range(len(parts)) if page.several else [obligations.t]
        pieces = []
        for step, part in zip(at, parts):
            many, adds = stated(step, obligations.p), part.adds(obligations.t, obligations.p)
            dense = message_bytes.condition(page, step, obligations.p)
            pieces += [Piece(span, read(many), read.holds(adds), dense) for span, read in spans(part, [many, adds])]
        steps = sympy.expand(sum(piece.span.end - piece.span.first for piece in pieces))
        return UnionCost(page, steps, tuple(pieces), check_support(support))


def check_support(support: str) -> str:
    """Return ``support``; raise InputError where there is no such model."""
    if support != "union":
        models.find(support)
    return support


def summed(x: Expr, piece: Piece) -> Expr:
    """Return the sum of ``x``, a formula of ``s``, over the steps of a piece."""
    steps, many = piece.span.end - piece.span.first, piece.many
    if not many.has(t) or not x.has(s):
        return steps * x.subs(s, many).subs(u(1), k)
    if sympy.expand(many - t).has(t):
        return each(x, many.subs(t, i + piece.span.first), steps)
    low, high = (many.subs(t, at) for at in (piece.span.first, piece.span.end - 1))
    return closed(x, low, high)


def each(x: Expr, many: Expr, steps: Expr) -> Expr:
    """Return the sum of ``x`` for ``s = many``, a formula of ``i``, over the steps; without a sum sign if linear."""
    done = sympy.Sum(x.subs(s, many), (i, 0, steps - 1))
    if sympy.expand(x).diff(s).has(s) or many.has(sympy.Min) or x.has(octets, sympy.Min, u):
        return done
    return sympy.expand(simplified(sympy.expand(done.doit()), POWER))


def closed(x: Expr, low: Expr, high: Expr) -> Expr:
    """Return the sum of ``x`` for ``s`` from ``low`` to ``high``; without a sum sign if it is a sum of powers."""
    if x.has(octets, sympy.Min, u):
        return sympy.Sum(x, (s, low, high))
    done = sympy.Sum(sympy.expand(x.subs(1 - k / n, q)), (s, low, high)).doit()
    return done.replace(sympy.Piecewise, lambda *cases: cases[-1][0]).subs(q, 1 - k / n)  # the first is that of q = 1


def messages(page: Page, p: int, n: int, u: Union, w: int) -> Iterator[tuple[int, Message]]:
    """Yield the messages of the rank whose messages are the largest, each with its step, for unions of sizes ``u(s)``.

    ``s`` goes from 1 to ``p``; the sizes are a model's, or measured ones.
    """
    many, message = contributions.contributions(page), contributions.sized(page, p, n, u, w)
    return ((step, message(number(many(step, p)), step)) for step in all_steps(page, p))


def measured(page: Page, p: int, n: int, u: Union, w: int) -> UnionPoint:
    """Return the cost for unions of sizes ``u(s)``."""
    sent = [*messages(page, p, n, u, w)]
    return UnionPoint(
        messages=len(sent),
        pairs=sum((one.words for _, one in sent), Fraction(0)),
        nbytes=sum((one.nbytes for _, one in sent), Fraction(0)),
        added=sum((one.entries for step, one in sent if truth(page.adds(step, p))), Fraction(0)),
        time=None,
    )


def all_steps(page: Page, p: int) -> Iterator[int]:
    """Yield the step of each message that a rank sends."""
    for step in range(number(page.steps(p))):
        yield from [step] * number(page.messages(step, p))


def root(x: Fraction) -> Fraction:
    """Return the square root, rounded up to a thousandth."""
    whole = math.ceil(x * 10**6)
    return Fraction(math.isqrt(whole - 1) + 1 if whole else 0, 1000)


def miscounted(cost: UnionCost) -> str:
    """Return the first p at which the spans do not say what each step's message holds; empty if there is none."""
    many = contributions.contributions(cost.page)
    for ranks in RANKS:
        at = {"p": Fraction(ranks)}
        found = [
            exact(piece.many, {**at, "t": Fraction(step)})
            for piece in cost.pieces
            for step in range(*(int(exact(sympy.sympify(edge), at)) for edge in piece.span))
        ]
        if found != [many(step, ranks) for step in all_steps(cost.page, ranks)]:
            return f"p={ranks}: the spans say {[*map(int, found[:9])]} of the messages' contributions"
    return ""
