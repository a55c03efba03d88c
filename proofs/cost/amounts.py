"""What a rank does at most in one part of a program: closed forms of words, or of bytes where messages are codes.

Of codes only their number of messages is a page's sum.  Each is taken to be as long as the longest: that of
as many entries as the largest chunk has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import lcm
from typing import NamedTuple

import sympy

from sparring.errors import Undecided
from sparring.proofs.core.parts import Part
from sparring.proofs.cost import symbols
from sparring.proofs.cost.derivation import Derivation, derive
from sparring.proofs.cost.simplified import POWER, even, tidy
from sparring.proofs.cost.sums import largest
from sparring.proofs.cost.symbols import CeilLog, CeilLog2, Expr, SympyReader, plain
from sparring.spec.core.numbers import Node, Sym

ENTRIES = "c"
"""The letter for the entries of a message."""


class Most(NamedTuple):
    """A part, and what is derived of it: the most that a rank does, by quantity."""

    part: Part
    derived: Derivation
    forms: Mapping[str, Expr]

    @property
    def unit(self) -> str:
        """What its messages are counted in."""
        return "words" if self.part.octets is None else "bytes"


def derived_part(part: Part) -> Most:
    """What is derived of a part; raises Undecided where its page has no closed form of something."""
    d = derive(part.page)
    if d.added_critical is None or d.critical is None:
        raise Undecided(f"{part.name}: {'; '.join(d.gaps)}")
    return Most(part, d, in_codes(part, d) if part.octets else in_groups(part, d) if part.ranks else in_words(part, d))


def in_words(part: Part, d: Derivation) -> Mapping[str, Expr]:
    """Of lists, or of whole vectors."""
    longest = None if part.longest is None else plain(largest(SympyReader()(part.longest)))
    length = symbols.n if part.length is None else SympyReader()(part.length)

    def form(x: Expr | None) -> Expr:
        if x is None:
            raise Undecided(f"{part.name}: {'; '.join(d.gaps)}")
        return plain(x).subs(symbols.n, length) if longest is None else plain(x).subs(symbols.k, longest)

    words, added = form(d.largest), sympy.Integer(0) if part.longest is not None else form(d.added_critical)
    return {
        "words": words, "critical": words if part.once else form(d.critical), "added": added, "messages": d.messages,
        "steps": d.steps if part.length is not None else in_steps(d.messages, SympyReader()(part.together)),
    }  # fmt: skip


def in_codes(part: Part, d: Derivation) -> Mapping[str, Expr]:
    """Of messages that are bytes; those of all entries are added in the steps in which the page adds."""
    entries = held(part)
    sent = d.messages * octets(part).subs(symbols.c, entries)
    return {
        "bytes": sent, "critical": sent, "messages": d.messages, "added": d.messages * entries * int(d.added != 0),
        "steps": in_steps(d.messages, SympyReader()(part.together)),
    }  # fmt: skip


def in_groups(part: Part, d: Derivation) -> Mapping[str, Expr]:
    """Of all rounds, in each of which full groups of so many ranks do what the page says."""
    each = {
        "words": d.largest, "critical": d.critical, "added": d.added_critical, "messages": d.messages, "steps": d.steps,
    }  # fmt: skip
    return {name: rounds(part) * plain(x).subs(symbols.p, part.ranks) for name, x in each.items()}


def rounds(part: Part) -> Expr:
    """How often groups meet."""
    if part.times is not None:
        return sympy.Integer(part.times)
    return CeilLog2(symbols.p) if part.ranks == 2 else CeilLog(symbols.p, part.ranks)


def in_steps(messages: Expr, together: Expr) -> Expr:
    """How many steps messages take of which so many leave together."""
    return messages if together == 1 else sympy.ceiling(messages / together)


class CodesReader(SympyReader):
    """Reads ``(x + 7) // 8`` as the ceiling of ``x / 8``, and ``d`` as ``ceil(log2(p))``."""

    def variable(self, name: str) -> Expr:
        return CeilLog2(symbols.p) if name == "d" else super().variable(name)

    def operator(self, x: Node, args: list[Expr]) -> Expr:
        if x.op == "//" and args[1].is_Integer:
            return sympy.ceiling(sympy.expand(args[0] - args[1] + 1) / args[1])
        return super().operator(x, args)


def octets(part: Part) -> Expr:
    """The bytes of a message of ``c`` entries."""
    if part.octets is None:
        raise Undecided(f"{part.name}: its messages are no codes")
    return CodesReader()(part.octets(Sym.var(ENTRIES)))


def held(part: Part) -> Expr:
    """How many entries its messages have."""
    if part.longest is None:
        raise Undecided(f"{part.name}: how many entries its messages have is not said")
    return plain(largest(SympyReader()(part.longest)))


def unrounded(most: Sequence[Most]) -> str:
    """The hypothesis under which nothing is rounded."""
    return ", ".join(dict.fromkeys([*of_codes(most), *of_groups(most), *of_words(most)])) or "p | n"


def of_words(most: Sequence[Most]) -> Iterator[str]:
    """Of lists and whole vectors."""
    plainly = [one for one in most if one.part.octets is None and one.part.ranks is None]
    longest = [SympyReader()(one.part.longest) for one in plainly if one.part.longest is not None]
    found = [one.derived for one in plainly]
    if plainly:
        yield even([*longest, *(d.steps for d in found), *(piece.words for d in found for piece in d.pieces)])


def of_groups(most: Sequence[Most]) -> Iterator[str]:
    """Of groups."""
    for part in (one.part for one in most if one.part.ranks is not None):
        yield f"{part.ranks} | n"
        if part.times is None:
            yield f"p = {part.ranks}^m"


def of_codes(most: Sequence[Most]) -> Iterator[str]:
    """Of codes, which fill bytes and groups of entries."""
    parts = [one.part for one in most if one.part.octets is not None]
    for letter, some in (
        ("p ", [part for part in parts if held(part).has(symbols.p)]),
        ("", [part for part in parts if held(part) == symbols.n]),
    ):
        atoms = {x for part in some for x in octets(part).atoms(sympy.ceiling)}
        full = lcm(*(int(sympy.fraction(sympy.together(x.args[0]))[1]) for x in atoms))
        if some and (letter or full > 1):
            yield f"{full} {letter}| n" if full > 1 else "p | n"
    if any(octets(part).has(CeilLog2) for part in parts):
        yield POWER


def amounts(one: Most) -> str:
    """What a rank does in a part, in words."""
    sent, messages, steps = (tidy(one.forms[name]) for name in (one.unit, "messages", "steps"))
    return f"{sent} {one.unit}, {messages} messages" + ("" if steps == messages else f", steps: {steps}")
