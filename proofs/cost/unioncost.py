"""What an algorithm of sparse chunks costs, in sizes ``u(s)`` of unions of ``s`` ranks' supports.

Entries are taken to lie evenly in the chunks: of the ``u(s)`` entries of such a union a chunk of
``l`` places has ``u(s) l / n``.  A model of supports replaces ``u``.  Where it gives an expected
size, as "independent" does, what is told is the cost at that size.  Expected bytes are no more:
the cheapest of several encodings, each linear in the number of entries, is concave (Jensen).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import sympy

from sparring.errors import InputError, Undecided
from sparring.proofs.core.verdicts import REFUTED, tested
from sparring.proofs.cost import contributions, units
from sparring.proofs.cost.claims import Judged
from sparring.proofs.cost.costs import Checked, summable
from sparring.proofs.cost.derivation import number_of_steps
from sparring.proofs.cost.forms import Forms
from sparring.proofs.cost.simplified import tidy
from sparring.proofs.cost.spans import Span, SpanReader, spans
from sparring.proofs.cost.symbols import OPERATORS, Expr, SympyReader, alpha, beta, gamma, k, n, p, symbol, t, width
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Node, Sym
from sparring.spec.core.runner import number, truth
from sparring.spec.core.supports import MODELS

RANKS = range(1, 65)
SUPPORTS = ("union", *MODELS)
GIVEN = ("p | n", "k p <= n")
SUMMED = 2048
"""Ranks up to which a cost is evaluated: of independent supports in fractions whose terms are as long as p."""
s, m, size, q = sympy.symbols("s m size q", integer=True, positive=True)
u, octets = sympy.Function("u"), sympy.Function("octets")
OCTETS = tuple(map(symbol, ("m", "size", "width")))
"""The letters of a page's ``octets``."""
STEP, RANK_COUNT = Sym.var("t"), Sym.var("p")

Union = Callable[[int], Any]
"""``u(s)``, the size of the union of ``s`` ranks' supports, exact."""


class UnionPoint(NamedTuple):
    """A cost at a point, exact; sizes of unions, and so what follows from them, may be fractions."""

    messages: int
    pairs: Fraction
    """Words, were every entry sent as an index and a value."""
    nbytes: Fraction
    """Each message in its cheapest encoding, with its header."""
    added: Fraction
    """Entries that a rank receives in steps that add."""
    time: Fraction | None
    """Seconds; None unless alpha and beta are given."""


class Piece(NamedTuple):
    """The steps of one span, in which a message holds ``many`` ranks' contributions."""

    span: Span
    many: Expr


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
    """"union": in u(s); else one of the models "identical", "independent", "disjoint"."""
    given: str = ""

    names: ClassVar[tuple[str, ...]] = ("messages", "pairs", "octets", "bytes")

    @property
    def even(self) -> str:
        """The hypothesis under which no chunk is rounded."""
        return "p | n"

    def form(self, name: str) -> Expr | None:
        """The closed form of that name, one of ``names``; None where there is none.

        ``octets`` is the bytes of a message with ``m`` entries of a chunk of ``size``.
        """
        if name not in self.names:
            return None
        if name == "messages":
            return self.steps
        if name == "octets":
            return self.octets
        share = 1 / p if "p | n" in self.given else sympy.ceiling(n / p) / n
        if name == "pairs":
            return tidy(2 * self.total(lambda many: many)) * share
        return self.total(lambda many: octets(many * share, n * share, width))

    def total(self, of: Callable[[Expr], Expr]) -> Expr:
        """The sum over all steps of something of the union that the message holds."""
        return sympy.Add(*(summed(of(self.union(s)), piece) for piece in self.pieces))

    @property
    def time(self) -> Expr:
        """Seconds in lock step: ``alpha`` a message, ``beta`` a byte of it, ``gamma`` an entry in steps that add."""
        per_message = self.octets
        nbytes = self.nbytes.replace(
            octets, lambda *sizes: per_message.subs(dict(zip(OCTETS, sizes)), simultaneous=True)
        )
        return alpha * self.messages + beta * nbytes + gamma * self.added

    @property
    def added(self) -> Expr:
        """Entries that a rank receives in steps that add."""
        share = 1 / p if "p | n" in self.given else sympy.ceiling(n / p) / n
        adding = [piece for piece in self.pieces if SpanReader(piece.span)(self.page.adds(STEP, RANK_COUNT)) == True]  # noqa: E712  # sympy's true
        return sympy.Add(*(summed(self.union(s), piece) for piece in adding)) * share

    def union(self, s: Expr) -> Expr:
        """The size of the union of ``s`` supports, as a formula."""
        if self.support == "union":
            return u(s)
        if self.support != "disjoint":
            return MODELS[self.support](s, n, k)
        least = k * s if "k p <= n" in self.given else sympy.Min(k * s, n)
        far = abs(k * s - n)  # the model writes its minimum with this
        return sympy.expand(MODELS["disjoint"](s, n, k).subs(far, k * s + n - 2 * least))

    @property
    def octets(self) -> Expr:
        """The page's own formula, with minima written as such."""
        return OctetsReader()(self.page.octets(Sym.var("m"), Sym.var("size"), Sym.var("width")))

    @property
    def messages(self) -> Expr:
        """Messages that each rank sends, one after the other."""
        return self.form("messages")

    @property
    def words(self) -> Expr:
        """Words, were every entry sent as an index and a value, a word each."""
        return self.form("pairs")

    @property
    def nbytes(self) -> Expr:
        """Bytes: ``octets(m, size, width)`` of each message."""
        return self.form("bytes")

    def simplify(self, given: str) -> UnionCost:
        """The same under hypotheses: "p | n", "k p <= n", or both with a comma between.  InputError for others."""
        for part in filter(None, given.split(", ")):
            if part not in GIVEN:
                raise InputError(f"given={part!r} is no hypothesis of sparse costs; there are {', '.join(GIVEN)}")
        return replace(self, given=given)

    def under(self, support: str) -> UnionCost:
        """The same under another model of supports; raises InputError where there is none of that name."""
        return replace(self, support=model(support))

    def at(self, **values: units.Given) -> UnionPoint:
        """The cost where letters have these values, in exact arithmetic; ``p``, ``n`` and ``k`` are needed.

        Raises InputError for ``support="union"``, which has no numbers, and for a bad letter.
        """
        if self.support == "union":
            raise InputError(f"u(s) has no value; choose a model of supports: {', '.join(MODELS)}")
        at = units.full(values)
        if missing := [letter for letter in "pnk" if letter not in at]:
            raise InputError(f"bytes of {self.page.name} need a value for {missing[0]}: {missing[0]}=VALUE")
        ranks, length, kept, w = (int(at[letter]) for letter in ("p", "n", "k", "width"))
        if kept > length:
            raise InputError(f"k={kept}: a rank has at most n={length} entries")
        if ranks > SUMMED:
            raise InputError(
                f"p={ranks}: bytes of {self.page.name} are summed step by step, for at most {SUMMED} ranks"
            )
        for given, holds in zip(GIVEN, (length % ranks == 0, kept * ranks <= length)):
            if given in self.given and not holds:
                raise InputError(f"this cost holds where {given}, not for p={ranks}, n={length}, k={kept}")
        found = measured(self.page, ranks, length, lambda s: MODELS[self.support](s, length, kept), w)
        if not {"alpha", "beta"} <= at.keys():
            return found
        seconds = at["alpha"] * found.messages + at["beta"] * found.nbytes + at["gamma"] * found.added
        return found._replace(time=seconds)

    @property
    def gaps(self) -> list[str]:
        """What the closed forms do not say, and why."""
        return [
            "entries that lie unevenly in the chunks; bytes for given supports: proofs.cost.contributions.predicted",
            *(["k = 0, where the sum of powers is 0 / 0"] if self.support == "independent" else []),
        ]

    @cached_property
    def claims(self) -> Sequence[Judged]:
        """Published formulas, judged: there are none of such pages yet."""
        return ()

    @cached_property
    def checks(self) -> list[Checked]:
        """Which contributions a message holds, counted and proved; the sum over steps, counted."""
        stated = contributions.contributions(self.page)
        fault = contributions.unlike(self.page, stated, RANKS) or miscounted(self)
        told = f"p = {RANKS[0]}..{RANKS[-1]}: whose contributions each message holds, and in which steps how many"
        counted = Checked("counted", REFUTED if fault else tested(len(RANKS)), fault or told)
        return [counted, Checked("contributions", *contributions.prove(self.page, stated))]


class OctetsReader(SympyReader):
    """Reads ``where(a <= b, a, b)`` as the minimum of the two."""

    def operator(self, x: Node, args: list[Expr]) -> Expr:
        if x.op == "where" and x.args[0].op == "<=" and all(a is b for a, b in zip(x.args[0].args, x.args[1:])):
            return sympy.Min(*args[1:])
        return OPERATORS[x.op](*args)


def derive(page: Page, support: str = "union") -> UnionCost:
    """The cost of a page of sparse chunks.

    Raises Undecided where the page does not say what messages hold, InputError for an unknown model
    and where a formula cannot be run on symbols.
    """
    with summable(page):
        stated, steps = contributions.contributions(page)(STEP, RANK_COUNT), number_of_steps(page)
        pieces = tuple(Piece(span, SpanReader(span)(stated)) for span in spans(steps, [stated]))
        return UnionCost(page, steps, pieces, model(support))


def model(support: str) -> str:
    """``support``, or InputError where there is none of that name."""
    if support not in SUPPORTS:
        raise InputError(f"support={support!r}: there are {', '.join(SUPPORTS)}")
    return support


def summed(x: Expr, piece: Piece) -> Expr:
    """The sum of ``x``, a formula of ``s``, over the steps of a piece."""
    steps, many = piece.span.end - piece.span.first, piece.many
    if not many.has(t):
        return steps * x.subs(s, many)
    if sympy.expand(many - t).has(t):
        raise Undecided(f"the contributions of a message, {many}, do not grow by one from step to step")
    low, high = (many.subs(t, at) for at in (piece.span.first, piece.span.end - 1))
    return closed(x, low, high)


def closed(x: Expr, low: Expr, high: Expr) -> Expr:
    """The sum of ``x`` for ``s`` from ``low`` to ``high``; without a sum sign where it is a sum of powers."""
    if not x.has(s):
        return (high - low + 1) * x
    if x.has(octets, sympy.Min, u):
        return sympy.Sum(x, (s, low, high))
    done = sympy.Sum(sympy.expand(x.subs(1 - k / n, q)), (s, low, high)).doit()
    return done.replace(sympy.Piecewise, lambda *cases: cases[-1][0]).subs(q, 1 - k / n)  # the first is that of q = 1


def measured(page: Page, p: int, n: int, u: Union, w: int) -> UnionPoint:
    """The cost for unions of sizes ``u(s)``, ``s`` from 1 to ``p``: a model's, or measured ones."""
    many, length = contributions.contributions(page), -(-n // p)
    steps = [number(many(t, p)) for t in range(number(page.steps(p)))]
    held = {s: Fraction(u(s)) * length / n if n else Fraction(0) for s in {*steps}}
    octets: Any = page.octets  # typed for integers and symbols, and right for fractions
    nbytes = {s: Fraction(octets(x, length, w)) for s, x in held.items()}
    return UnionPoint(
        messages=len(steps),
        pairs=2 * sum((held[s] for s in steps), Fraction(0)),
        nbytes=sum((nbytes[s] for s in steps), Fraction(0)),
        added=sum((held[s] for t, s in enumerate(steps) if truth(page.adds(t, p))), Fraction(0)),
        time=None,
    )


def miscounted(cost: UnionCost) -> str:
    """The first number of ranks for which the spans do not say what each step's message holds; empty if none."""
    many = contributions.contributions(cost.page)
    for ranks in RANKS:
        found = [
            piece.many.subs({p: ranks, t: step})
            for piece in cost.pieces
            for step in range(*(int(sympy.sympify(edge).subs(p, ranks)) for edge in piece.span))
        ]
        if found != [many(step, ranks) for step in range(number(cost.page.steps(ranks)))]:
            return f"p={ranks}: the spans say {found[:9]} of the steps' contributions"
    return ""
