"""Checks that whole numbers fit into the bits in which they travel, in every exact code of so many bits.

What is read of such a code is what was coded only if there is room.  A rank's own numbers are shown, at a point, to be
from 0, or of a code of signed numbers from the least, to the greatest of so many bits; of a sum of all ranks' numbers
of ``b`` bits, that ``B`` bits are enough: there are at most ``2**(B - b)`` ranks.  ``b`` and ``B`` are the text's own
terms of ``p`` and of parameters, each of which is given all its values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from inspect import unwrap
from itertools import product
from typing import Any, get_type_hints

from sparring.errors import Undecided
from sparring.proofs.logic.obligations import Obligation, p
from sparring.proofs.logic.values import PARAMETER
from sparring.proofs.reading.paths import Path
from sparring.proofs.reading.points import point
from sparring.proofs.reading.summands import nonzero
from sparring.proofs.reading.symbols import Reading, free
from sparring.spec.codecs.packed_integers import most
from sparring.spec.core.calling import domain
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import MEANING, Bool, Int, Node, Reader, Sym, both

a, k, m, q, x = (Sym.var(name) for name in "akmqx")
VALUES = 64
"""The most values of a parameter on which a number of bits depends."""


def limited(path: Path) -> list[Any]:
    """Return the exchanges of a path that carry whole numbers in a limited number of bits."""
    codes = [(e, getattr(e, "code", None)) for e in path.exchanges]
    return [e for e, code in codes if getattr(code, "exact", False) and getattr(code, "bits", None) is not None]


def fitting(page: Page, path: Path) -> Iterator[Obligation]:
    """Yield the obligations that all such numbers on this path have room, where there are several ranks."""
    own: list[Any] = []
    for e in () if path.alone else limited(path):
        reading = path.given["x"].reading
        here = point(reading, e.x)
        one = next((o for o in own if o.x.rest is here.each), None)
        if not nonzero(here.each):
            top = point(reading, most(e.code.room)).rest
            claim = both(here.rest >= (-top if e.code.signed else 0), here.rest <= top)
            known = (*reading.box, *reading.hypotheses)
            yield Obligation(f"{path.name}: a whole number of {e.code!r}", known, claim, encoding="wrap")
            own.append(e)
        elif one is None or nonzero(here.rest) or here.mean or one.code.signed > e.code.signed:
            raise Undecided(f"nothing says how large {here!r} is, which travels as {e.code!r}")
        else:
            yield from sums(signed=e.code.signed)
            yield from enough(page, reading, point(reading, one.code.room).rest, point(reading, e.code.room).rest)


def sums(*, signed: bool = False) -> Iterator[Obligation]:
    """Yield the obligations that bound the sum ``q`` of numbers below ``m``, which if ``signed`` are above ``-m``.

    The sum of ``a`` numbers is at most ``a (m - 1)``, so that of ``p <= k`` numbers is below ``k m``.
    """

    def within(number: Int, far: Int) -> Bool:
        return both(number >= (-far if signed else 0), number <= far)

    one = (m >= 1, within(x, m - 1))
    yield Obligation("the sum of one more", (*one, within(q, a * (m - 1))), within(q + x, (a + 1) * (m - 1)))
    all_of = (p >= 1, p <= k, *one, within(q, p * (m - 1)))
    yield Obligation("the sum of all", all_of, both(q < k * m, q > -k * m) if signed else q < k * m)


def enough(page: Page, reading: Reading, few: Int, many: Int) -> Iterator[Obligation]:
    """Yield the obligations that there are no more ranks than the additional bits of the sum can count.

    They hold for all values of the parameters.
    """
    names = sorted(depends(reading, few) | depends(reading, many))
    for some in product(*(values(page, name) for name in names)):
        meant = Meant(reading, dict(zip(names, some)))
        more = meant(many) - meant(few)
        told = ", ".join(f"{name.removeprefix(PARAMETER)} = {value}" for name, value in zip(names, some))
        claim = more >= 0 if isinstance(more, int) and more < 0 else p <= 1 << more
        yield Obligation(f"all ranks' numbers, {told}", (p >= 2,), claim, encoding="bits")


def depends(reading: Reading, term: Int) -> set[str]:
    """Return the parameters on which a number depends, beside ``p``; also those within local functions."""
    found = set[str]()
    for name in free(term) - {"p"}:
        _, args = reading.made.get(name, (None, None))
        inner = [point(reading, one).rest for one in args or ()]
        found |= {name} if args is None else set[str]().union(*(depends(reading, one) for one in inner))
    return found


def values(page: Page, name: str) -> Sequence[int]:
    """Return all values of a parameter; raise Undecided for more than ``VALUES``, or if the name is no parameter's."""
    kind = get_type_hints(getattr(page.module, "Params", None) or object, include_extras=True)
    least, last = domain(kind[name.removeprefix(PARAMETER)]) if name.startswith(PARAMETER) else (0, None)
    if last is None or last - least >= VALUES:
        raise Undecided(f"a number of bits depends on {name}, of which too little is known")
    return range(least, last + 1)


class Meant(Reader[Any]):
    """Reads a number as a term of ``p`` alone: with values for parameters, and local functions as they are."""

    def __init__(self, reading: Reading, given: Mapping[str, int]) -> None:
        super().__init__()
        self.reading, self.given = reading, given

    def constant(self, x: int | bool) -> Any:
        return x

    def variable(self, name: str) -> Any:
        if name == "p":
            return p
        if name in self.given:
            return self.given[name]
        function, args = self.reading.made[name]
        return unwrap(function)(*(self(point(self.reading, one).rest) for one in args))

    def operator(self, x: Node, args: list[Any]) -> Any:
        return MEANING[x.op](*args)
