"""Bounds what one exchange of a composition costs: closed forms of words, or of bytes where messages are codes.

They are those of the page that carries it out, with as many entries as are sent there in the place of ``n``, or of
``k`` where the page is of lists.  Where messages are codes, each chunk is taken to be as long as the largest.  Where
they are pieces of sparse vectors, each is taken to be as long as the dense one and its header: none is longer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from math import lcm, prod
from typing import Any, NamedTuple

import sympy

from sparring.costs.derivation import group_averages
from sparring.costs.derivation.closed_forms import derive
from sparring.costs.derivation.step_ranges import Derivation
from sparring.costs.formulas import symbols
from sparring.costs.formulas.hypotheses import POWER
from sparring.costs.formulas.simplified import even, tidy
from sparring.costs.formulas.symbols import CeilLog, CeilLog2, Expr, SympyReader, without_floors
from sparring.errors import Undecided
from sparring.proofs.reading.ways import Sent, unsized_code
from sparring.spec.core.exchanges import served
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Node, Sym
from sparring.spec.core.schedule import number
from sparring.spec.core.wire_forms import PLAIN

ENTRIES, WIDTH = Sym.var("c"), Sym.var("width")


class LengthReader(SympyReader):
    """Reads ``x // d`` as a floor or, of ``x + d - 1``, as a ceiling; ``bit_length(p - 1)`` as ``ceil(log2(p))``.

    So, too, ``log(p - 1, b) + 1``; with one rank nothing is sent, and these are 0.
    """

    def operator(self, x: Node, args: list[Expr]) -> Expr:
        if x.op == "//":
            up = args[0] - args[1] + 1
            return sympy.ceiling(up / args[1]) if rounds_up(x) else sympy.floor(args[0] / args[1])
        if x.op == "bit_length" and args[0] == symbols.p - 1:
            return CeilLog2(symbols.p)
        if x.op == "log" and args[0] in (symbols.p - 1, MORE):
            return (CeilLog2(symbols.p) if args[1] == 2 else CeilLog(symbols.p, args[1])) - 1
        if x.op in ("bit_length", "log"):
            raise Undecided(f"{x!r} has no closed form")
        return super().operator(x, args)


MORE = sympy.Piecewise((symbols.p - 1, symbols.p > 1), (1, True))
"""``p - 1``, or 1 with one rank, which has a logarithm."""


def rounds_up(x: Node) -> bool:
    """Return whether a quotient is written as ``(x + d - 1) // d``, with a number for ``d``."""
    top, by = x.args
    read = SympyReader()
    return isinstance(by, int) and isinstance(top, Sym) and read(top).as_coeff_Add()[0] % by == by - 1


GROUPS, SPARSE = "Averaging", "SparseAllreduce"


class Priced(NamedTuple):
    """An exchange, and the most that a rank does in it, by quantity."""

    name: str
    sent: Sent
    page: Page
    derived: Derivation
    entry: int
    """Words of an entry: with its index two."""
    forms: Mapping[str, Expr] = {}

    @property
    def unit(self) -> str:
        """The unit in which the exchange's messages are counted, words or bytes."""
        return "words" if self.sent.code == PLAIN and not self.packed else "bytes"

    @property
    def packed(self) -> bool:
        """Whether the exchange's messages are pieces of sparse vectors."""
        return self.sent.exchange == SPARSE and self.page.data != "lists"

    @property
    def lacking(self) -> str:
        """The reason why the messages' bytes have no form; empty where they have one."""
        return "" if self.unit == "words" else unsized_code(self.sent.code)

    @property
    def length(self) -> Expr:
        """The number of entries that the exchange sends, in all chunks or by each rank."""
        return LengthReader()(self.sent.length)

    @property
    def often(self) -> Expr:
        """The number of rounds of the exchange."""
        return LengthReader()(self.sent.times)

    @property
    def members(self) -> int:
        """The number of ranks in a full group; 0 for an exchange without groups."""
        return group_averages.size(self.sent) if self.sent.exchange == GROUPS else 0

    @property
    def ranks(self) -> Expr:
        """The number of ranks that meet: all, or those along an axis of a grid, whose sides make ``p``."""
        axis = self.sent.among
        return symbols.p if axis is None else LengthReader()(axis.size).replace(sympy.floor, lambda x: x)

    @property
    def held(self) -> Expr:
        """The number of entries of the longest piece."""
        return self.length if self.sent.whole else sympy.ceiling(self.length / self.ranks)

    @property
    def octets(self) -> Expr:
        """The bytes of a message of ``c`` entries."""
        return LengthReader()(self.sent.code.octets(ENTRIES, WIDTH))

    def of(self, x: Expr | None) -> Expr:
        """Return a form of the page for the entries that the exchange sends; raise Undecided where there is none."""
        if x is None:
            raise Undecided(f"{self.name}: {'; '.join(self.derived.gaps)}")
        form = self.met(x)
        if self.page.data == "lists":  # whose entries have indices
            return form.subs(symbols.k, self.held) * self.entry / 2
        entries = self.ranks * self.length if self.sent.whole else self.length
        return form.subs(symbols.n, entries) * self.entry

    def met(self, x: Expr) -> Expr:
        """Return a form of the page for the ranks that meet."""
        return without_floors(x).subs(symbols.p, self.ranks)

    @property
    def pieces(self) -> Expr:
        """The most pieces that one rank sends."""
        words = without_floors(self.derived.words)
        many = words.subs(symbols.k, 1) / 2 if self.page.data == "lists" else words.subs(symbols.n, symbols.p)
        return sympy.expand(self.met(many))

    @property
    def adds(self) -> Expr:
        """The most entries that one rank adds."""
        if self.sent.exchange == "Balance":
            return sympy.Integer(0)
        if self.sent.exchange in ("Allreduce", SPARSE) and self.page.kind == "allgather":
            return (self.ranks - 1) * self.length
        return sympy.Integer(0) if self.page.data == "lists" else self.of(self.derived.added_critical) / self.entry


def priced(name: str, sent: Sent, *, selecting: bool) -> Priced:
    """Return the cost of an exchange of a page that may be ``selecting``; raise Undecided without a closed form."""
    page = carrying(sent.through or "direct_reduce_scatter")  # dealing out is each one's part to each other rank
    entry = 2 if selecting or (sent.exchange == SPARSE and page.data == "lists") else 1
    one = Priced(name, sent, page, derive(page), entry)
    d = one.derived
    if d.given:
        raise Undecided(f"{name} through {page.name}: its closed form holds where {d.given} alone")
    if one.members:
        each = {
            "words": one.of(d.words),
            "critical": one.of(d.critical),
            "added": one.of(d.added_critical),
            "messages": d.messages,
            "steps": d.steps,
        }
        rounds = {what: one.often * without_floors(x).subs(symbols.p, one.members) for what, x in each.items()}
        return one._replace(forms=rounds)
    sizes: dict[str, Any] = {}
    if one.lacking:
        pass  # what is left are messages, steps and additions
    elif one.packed:
        header = number(page.octets(0, 0, 1))
        dense = {"bytes": d.words, "critical": d.critical}
        sizes = {what: one.of(x) * symbols.width + header * one.met(d.messages) for what, x in dense.items()}
    elif one.unit == "bytes":
        bytes_ = one.pieces * one.octets.subs(symbols.c, one.held)
        sizes = {"bytes": bytes_, "critical": bytes_}
    elif not sent.even:  # one list may be all, and a rank may send it in each step
        sizes = dict.fromkeys(("words", "critical"), entry * one.length * one.met(d.steps))
    else:
        sizes = {"words": one.of(d.words), "critical": one.of(d.critical)}
    bucket, steps = getattr(sent.asked, "bucket", 0), one.met(d.steps)
    steps = sympy.ceiling(steps / bucket) if bucket else steps
    return one._replace(forms={**sizes, "messages": one.met(d.messages), "steps": steps, "added": one.adds})


@cache
def carrying(through: str) -> Page:
    """Return the page that carries an exchange out: for sparse pieces, the same schedule on dense chunks."""
    page = served(through)
    return replace(page, data="vector") if page.data == "sparse" else page


def unrounded(some: Sequence[Priced]) -> str:
    """Return the hypothesis under which nothing is rounded."""
    found = dict.fromkeys([*of_grids(some), *of_codes(some), *of_groups(some), *of_words(some)])
    return ", ".join(found) or "p | n"


def of_grids(some: Sequence[Priced]) -> Iterator[str]:
    """Yield the hypotheses under which grids have a place for each rank: sides, but for the last, divide ``p``."""
    axes = filter(None, (one.sent.among for one in some))
    yield from (f"{whole} | p" for whole in dict.fromkeys(prod(axis.sides[:-1]) for axis in axes) if whole > 1)


def of_words(some: Sequence[Priced]) -> Iterator[str]:
    """Yield the hypothesis under which nothing is rounded in exchanges that send entries as they are."""
    found = [one for one in some if one.unit == "words" and not one.members]
    if found:
        words = [piece.words for one in found for piece in one.derived.pieces]
        letters = {letter for one in found for letter in one.length.free_symbols & {symbols.n, symbols.k}}
        given = even([*(one.derived.steps for one in found), *words])
        yield given.replace("p | n", "p | k") if letters == {symbols.k} else given


def of_groups(some: Sequence[Priced]) -> Iterator[str]:
    """Yield the hypotheses under which nothing is rounded in groups, all of which are full."""
    for one in some:
        if one.members:
            yield f"{one.members} | n"
            if not one.often.is_Integer:
                yield f"p = {one.members}^m"


def of_codes(some: Sequence[Priced]) -> Iterator[str]:
    """Yield the hypotheses under which nothing is rounded in codes, which fill bytes and groups of entries."""
    coded = [one for one in some if one.unit == "bytes" and not one.lacking]
    for letter, found in (
        ("p ", [one for one in coded if one.held == sympy.ceiling(symbols.n / symbols.p)]),
        ("", [one for one in coded if one.held == symbols.n]),
    ):
        atoms = {x for one in found for x in one.octets.atoms(sympy.ceiling)}
        full = lcm(*(int(sympy.fraction(sympy.together(x.args[0]))[1]) for x in atoms))
        if found and (letter or full > 1):
            yield f"{full} {letter}| n" if full > 1 else "p | n"
    if any(one.octets.has(CeilLog2) for one in coded):
        yield POWER


def amounts(one: Priced) -> str:
    """Return a text that says how much a rank sends in an exchange, and in how many steps."""
    messages, steps = (tidy(one.forms[name]) for name in ("messages", "steps"))
    sent = "" if one.lacking else f"{tidy(one.forms[one.unit])} {one.unit}, "
    return f"{sent}{messages} messages" + ("" if steps == messages else f", steps: {steps}")
