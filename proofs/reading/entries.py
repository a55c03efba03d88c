"""One index of a piece of a vector, with the methods of a sparse vector: what local functions are run on in proofs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from sparring.proofs.logic.obligations import implies
from sparring.spec.core.numbers import Bool, Int, Sym, Truth, both, either, negate, where

size = Sym.var("size")
"""How many places a piece has."""


@dataclass
class Letters:
    """Letters for unknowns, the facts known of them, and the most entries that selections may take."""

    facts: list[Bool] = field(default_factory=list)
    limits: list[Int] = field(default_factory=list)
    selections: dict[str, Truth] = field(default_factory=dict)
    names: int = 0

    def new(self, name: str) -> Sym:
        """Return a letter that was not there before."""
        self.names += 1
        return Sym.var(f"{name}{self.names}")

    def truth(self, name: str) -> Truth:
        """Return a truth that may hold or not."""
        return self.new(name) >= 1

    def selected(self, x: Point, k: Int) -> Truth:
        """Return the truth that the entry is among the ``k`` largest: one truth for equal pieces and numbers."""
        key = repr((x.there, x.value, x.n, x.m, k))
        return self.selections.setdefault(key, self.truth("kept"))

    def upto(self, most: Int) -> Sym:
        """Return a number of entries, at most ``most``."""
        found = self.new("m")
        self.facts += [found >= 0, found <= most]
        return found


class Unequal:
    """What no local function may compare or look up: a run would find equal what is different where it is read."""

    def __eq__(self, other: object) -> NoReturn:
        raise TypeError("a local function compares a piece, its indices or its values by ==, which no proof can read")

    def __hash__(self) -> NoReturn:
        raise TypeError("a local function looks a piece up in a dict, a set or a cache, which no proof can read")


class Unread(Unequal):
    """Indices or values as they lie in memory, of which nothing is known at a point."""

    def __getitem__(self, at: Any) -> Unread:
        return self

    def __iter__(self) -> Unread:
        return self

    def __next__(self) -> NoReturn:
        raise TypeError("a local function goes through entries one by one, which no proof can read: right is .at(...)")

    def __len__(self) -> NoReturn:
        raise TypeError("len(x.indices) is no formula: right is x.m")


@dataclass(frozen=True, eq=False)
class Point(Unequal):
    """One index of a piece of ``n`` entries, of which ``m`` are there.

    ``there`` says whether this entry is there, and ``value`` is its value.
    """

    there: Bool
    value: Int
    n: Int
    m: Int
    letters: Letters

    indices = values = Unread()

    def __getattr__(self, name: str) -> NoReturn:
        raise TypeError(f"a local function asks a piece for {name!r}: there are {', '.join(sorted(METHODS))}")

    def __add__(self, other: Point) -> Point:
        value = where(
            both(self.there, other.there), self.value + other.value, where(self.there, self.value, other.value)
        )
        many = self.letters.upto(self.n)
        self.letters.facts += [many >= self.m, many >= other.m, many <= self.m + other.m]
        return replace(self, there=either(self.there, other.there), value=value, m=many)

    @property
    def part(self) -> Int:
        """What the point adds to a sum."""
        return where(self.there, self.value, 0)

    def having(self, indices: Any, values: Any) -> Point:
        """Return a point with other entries, whatever they are."""
        letters = self.letters
        return replace(self, there=letters.truth("has"), value=letters.new("x"), m=letters.upto(self.n))

    def at(self, indices: Any) -> Point:
        """Return a point with some of its entries, whichever they are."""
        return replace(self, there=both(self.there, self.letters.truth("kept")), m=self.letters.upto(self.m))

    def largest(self, k: Int) -> Point:
        """Return the ``k`` largest entries; all where there are no more."""
        self.letters.limits.append(k)
        kept = either(self.m <= k, self.letters.selected(self, k))
        return replace(self, there=both(self.there, kept), m=where(k <= self.m, k, self.m))

    def without(self, other: Point) -> Point:
        """Return the point without an entry where ``other`` has one."""
        return replace(self, there=both(self.there, negate(other.there)), m=self.letters.upto(self.m))

    def meeting(self, other: Point) -> Point:
        """Return the point without an entry where ``other`` has none."""
        return replace(self, there=both(self.there, other.there), m=self.letters.upto(self.m))

    def full(self, when: Bool = True) -> Point:
        """Return the point with an entry in every place where ``when`` holds, else this point.

        An entry that is filled in adds nothing.
        """
        return replace(self, there=True, value=self.part, m=self.n).where(when, self)

    def where(self, c: Bool, other: Point) -> Point:
        """Return this point where ``c`` holds, else the other."""
        there, value, many = (
            where(c, self.there, other.there),
            where(c, self.value, other.value),
            where(c, self.m, other.m),
        )
        return replace(self, there=there, value=value, m=many)


METHODS = ("+", "m", "n", "at", "full", "having", "largest", "meeting", "where", "without")


def point(letters: Letters, size: Int = size, many: Int | None = None) -> Point:
    """Return any index of any piece of ``size`` places, of which ``many`` have an entry.

    With ``many`` None, the number of entries is unknown.
    """
    x = Point(letters.truth("has"), letters.new("x"), size, letters.upto(size) if many is None else many, letters)
    letters.facts += [implies(x.there, x.m >= 1), implies(negate(x.there), x.m <= size - 1)] if many is None else []
    return x
