"""Reads ``power``, ``log``, ``prefix``, ``digit`` and ``put`` as integers, with the facts that schedules need.

A rank is a row of digits to the base ``k``.  Written out, ``x = (prefix * k + digit) * k**e + rest`` is
no linear arithmetic, as ``k`` and ``e`` are any numbers.  So powers, digits, prefixes (what is left of a
digit and the digit), and the rest (all other digits, told as ``x`` with a 0 there) are uninterpreted
functions here, about which facts are added for exactly the terms that occur; none of them
multiplies, and what is left is linear arithmetic, for every number of ranks and every base.

Each fact is a theorem about all integers, proved in ``proofs/coq/digits.v`` under the name that
stands beside it.  They are not all that is true of digits: where the question stays open here,
nothing is concluded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import z3

from sparring.errors import Undecided
from sparring.proofs.logic.symbolic import Z3Reader, Z3Term, positive, remembered
from sparring.spec.core.numbers import Bool, Node

INT = z3.IntSort()
POWER = z3.Function("power_of_base", INT, INT)  # k**e
LOG = z3.Function("log_of", INT, INT)
PREFIX = z3.Function("prefix_of", INT, INT, INT)  # x // k**e
DIGIT = z3.Function("digit_of", INT, INT, INT)  # x // k**e % k
REST = z3.Function("rest_of", INT, INT, INT)  # x with its digit e a 0
PRODUCT = z3.Function("base_times_power", INT, INT)  # k**e * k
REMAINDER = z3.Function("remainder_of", INT, INT, INT)  # x % d, of another divisor than the base or the number of ranks
PUT = z3.Function("put_in", INT, INT, INT, INT)  # x with its digit e another


class DigitsReader(Z3Reader):
    """Reads terms under ``hypotheses``; ``facts`` are those about the terms read so far."""

    def __init__(self, hypotheses: Sequence[Bool], modulus: Node) -> None:
        self.base: Z3Term = None  # unknown as yet
        self.powers: dict[int, Z3Term] = {}  # exponents
        self.places: dict[int, Z3Term] = {}  # of digits; each is an exponent, and so is the next
        self.numbers: dict[int, Z3Term] = {}
        self.puts: list[tuple[Z3Term, Z3Term, Z3Term, Z3Term]] = []  # the number, the place, the digit, the new number
        self.divided: list[tuple[Z3Term, Z3Term]] = []
        super().__init__(hypotheses, modulus)

    def operator(self, x: Node, args: list[Z3Term]) -> Z3Term:
        if self.base is not None and (written := self.written_out(x.op, args)) is not None:
            return written
        if x.op == "%" and self.base is not None and args[1].eq(self.base):
            return self.wrap(x, *args)
        if x.op == "%" and not (x.args[1] is self.modulus or positive(x.args[1], self.modulus)):
            return self.rest(*args)
        if x.op not in ("power", "log", "prefix", "digit", "put"):
            return super().operator(x, args)
        base = args.pop(0 if x.op == "power" else -1)
        self.to_base(base)
        read = getattr(self, x.op)
        return read(*args) if x.op in ("power", "log") else by_case(read, *args)

    def written_out(self, op: str, args: list[Z3Term]) -> Z3Term | None:
        """Return the prefix, digit, power or change by a put digit that a written-out formula is, else None."""
        heads: list[Z3Term] = [a.decl() for a in args]
        match op, heads:
            case "//", [_, d] if d.eq(POWER):
                return self.prefix(args[0], args[1].arg(0))
            case "%", [b, _] if b.eq(PREFIX) and args[1].eq(self.base):
                return self.digit(*args[0].children())
            case "*", [d, _] if d.eq(POWER) and args[1].eq(self.base):
                return self.multiplied(args[0].arg(0))
            case "*", [_, d] if d.eq(POWER) and z3.is_sub(args[0]) and args[0].arg(1).decl().eq(DIGIT):
                b, (x, e) = args[0].arg(0), args[0].arg(1).children()
                return self.put(x, e, b) - x if e.eq(args[1].arg(0)) else None
        return None

    def to_base(self, k: Z3Term) -> None:
        """Require that all digits are to the one base ``k``, which is at least 2; raise Undecided otherwise."""
        if self.base is None and self.sure(k >= 2):
            self.base = k
        if self.base is None or not k.eq(self.base):
            raise Undecided(f"digits to the base {k}: only one base, of which the hypotheses say >= 2, can be read")

    def know(self, *facts: Z3Term) -> None:
        """Add the facts, which hold from now on."""
        self.facts += facts

    def bounded(self, fact: Z3Term) -> None:
        """Add a fact that also tells how far a remainder can range."""
        self.know(fact)
        self.solver.add(fact)

    def power(self, e: Z3Term) -> Z3Term:
        """Return the term for ``k**e``, and add the facts about it."""
        if e.get_id() not in self.powers:
            self.powers[e.get_id()] = e
            self.know(z3.Implies(e >= 0, POWER(e) >= 1), z3.Implies(e == 0, POWER(e) == 1))  # power_positive, power_0
            for other in self.powers.values():
                self.know(grows(e, other), grows(other, e))
            for x in self.numbers.values():
                self.cut(x, e)
            for one in self.puts:
                self.above(*one, e)
        return POWER(e)

    def log(self, x: Z3Term) -> Z3Term:
        """Return the term for the largest ``e`` with ``k**e <= x``."""
        e = LOG(x)
        low, high = self.power(e), self.power(e + 1)
        self.bounded(z3.Implies(x >= 1, z3.And(e >= 0, low <= x, x < high)))  # log_bounds
        return e

    def rest(self, x: Z3Term, d: Z3Term) -> Z3Term:
        """Return the term for ``x % d``."""
        e = REMAINDER(x, d)
        self.divided.append((x, d))
        self.bounded(z3.Implies(d >= 1, z3.And(e >= 0, e < d)))  # remainder_bounds
        self.bounded(z3.Implies(z3.And(x >= 0, x < d), e == x))  # remainder_small
        return e

    def multiplied(self, e: Z3Term) -> Z3Term:
        """Return the term for ``k**e * k``."""
        return z3.If(e >= 0, self.power(e + 1), PRODUCT(e))  # power_next

    def known(self, x: Z3Term) -> None:
        """Add, from now on, the facts about the digits and prefixes of ``x`` that are asked for."""
        if x.get_id() not in self.numbers:
            self.numbers[x.get_id()] = x
            for e in self.powers.values():
                self.cut(x, e)
            for e in self.places.values():
                self.placed(x, e, len(self.numbers) - 1)

    def place(self, e: Z3Term) -> None:
        """Add, from now on, the facts about digit ``e`` of all numbers."""
        self.power(e)
        self.power(e + 1)
        if e.get_id() not in self.places:
            self.places[e.get_id()] = e
            for i, x in enumerate(self.numbers.values()):
                self.placed(x, e, i)
            for one in self.puts:
                self.beside(*one, e)

    def prefix(self, x: Z3Term, e: Z3Term) -> Z3Term:
        """Return the term for ``x // k**e``."""
        self.power(e)
        self.known(x)
        return PREFIX(x, e)

    def digit(self, x: Z3Term, e: Z3Term) -> Z3Term:
        """Return the term for ``x // k**e % k``."""
        self.place(e)
        self.known(x)
        return DIGIT(x, e)

    def put(self, x: Z3Term, e: Z3Term, b: Z3Term) -> Z3Term:
        """Return the term for ``x`` with ``b`` as its digit ``e``."""
        y = PUT(x, e, b)
        if not any(y.eq(other) for *_, other in self.puts):
            self.place(e)
            self.known(x)
            self.known(y)
            self.puts.append((x, e, b, y))
            alike = z3.And(y >= 0, DIGIT(y, e) == b, REST(y, e) == REST(x, e))
            self.bounded(z3.Implies(self.proper(x, e, b), alike))  # put_digit
            for other in self.powers.values():
                self.above(x, e, b, y, other)
            for other in self.places.values():
                self.beside(x, e, b, y, other)
        return y

    def proper(self, x: Z3Term, e: Z3Term, b: Z3Term) -> Z3Term:
        """Return the condition that ``b`` can be digit ``e`` of ``x``."""
        return z3.And(x >= 0, e >= 0, b >= 0, b < self.base)

    def cut(self, x: Z3Term, e: Z3Term) -> None:
        """Add the facts about the prefix of ``x``: what is left without its last ``e`` digits."""
        self.know(*left(x, e))

    def placed(self, x: Z3Term, e: Z3Term, before: int) -> None:
        """Add the facts about digit ``e`` of ``x``, and those that compare ``x`` with the first ``before`` numbers."""
        b, g, natural = PREFIX(x, e), DIGIT(x, e), z3.And(x >= 0, e >= 0)
        self.bounded(z3.Implies(natural, z3.And(g >= 0, g < self.base, g <= b)))  # digit_bounds
        self.know(z3.Implies(z3.And(natural, PREFIX(x, e + 1) == 0), b == g))  # prefix_last
        for y in [*self.numbers.values()][:before]:
            self.know(*compared(x, y, e))

    def above(self, x: Z3Term, e: Z3Term, b: Z3Term, y: Z3Term, other: Z3Term) -> None:
        """Add the fact that putting digit ``e`` leaves the prefixes above it unchanged."""
        higher = z3.And(self.proper(x, e, b), other > e)
        self.know(z3.Implies(higher, PREFIX(y, other) == PREFIX(x, other)))  # put_above

    def beside(self, x: Z3Term, e: Z3Term, b: Z3Term, y: Z3Term, other: Z3Term) -> None:
        """Add the fact that putting digit ``e`` leaves every other digit unchanged."""
        apart = z3.And(self.proper(x, e, b), other >= 0, other != e)
        self.know(z3.Implies(apart, DIGIT(y, other) == DIGIT(x, other)))  # put_other

    def exactly(self, bits: int) -> list[Z3Term]:
        """Return facts that fix all values for numbers of at most ``bits`` bits and small bases.

        Other cases are excluded.
        """
        most = 1 << bits - 1
        bases = [base] if (base := self.at.get(str(self.base))) else range(2, most + 2)
        facts = [z3.Or([self.base == k for k in bases])]
        facts += [z3.Implies(d == k, REMAINDER(x, d) == x % k) for x, d in self.divided for k in range(1, most + 2)]
        for k, e in product(bases, self.powers.values()):
            top = next(m for m in range(1, most + 2) if k**m > most)
            for m in range(top + 2):
                at = z3.And(self.base == k, e == m)
                facts.append(z3.Implies(at, POWER(e) == k**m))
                for x in self.numbers.values():
                    lot = x / k**m
                    facts.append(z3.Implies(at, z3.And(PREFIX(x, e) == lot, DIGIT(x, e) == lot % k)))
                for x, place, b, y in self.puts:
                    if place.eq(e):
                        facts.append(z3.Implies(at, y == x + (b - x / k**m % k) * k**m))
            facts.append(z3.Implies(self.base == k, e <= top + 1))
        return facts


@remembered
def compared(x: Z3Term, y: Z3Term, e: Z3Term) -> tuple[Z3Term, ...]:
    """Return the facts that compare two numbers whose other digits are equal, and those about two prefixes."""
    natural = z3.And(x >= 0, y >= 0, e >= 0)
    same = z3.And(natural, REST(x, e) == REST(y, e))
    both = z3.And(PREFIX(x, e + 1) == PREFIX(y, e + 1), DIGIT(x, e) == DIGIT(y, e))
    return (
        z3.Implies(same, (x < y) == (DIGIT(x, e) < DIGIT(y, e))),  # rest_order
        z3.Implies(same, (x == y) == (DIGIT(x, e) == DIGIT(y, e))),  # rest_same
        z3.Implies(natural, (PREFIX(x, e) == PREFIX(y, e)) == both),  # prefix_next
    )


@remembered
def grows(d: Z3Term, e: Z3Term) -> Z3Term:
    """Return the fact that compares the powers of the base with exponents ``d`` and ``e``."""
    return z3.Implies(z3.And(d >= 0, d < e), 2 * POWER(d) <= POWER(e))  # power_grows


@remembered
def left(x: Z3Term, e: Z3Term) -> tuple[Z3Term, ...]:
    """Return the facts about how large ``x`` is without its last ``e`` digits."""
    b = PREFIX(x, e)
    natural = z3.And(x >= 0, e >= 0)
    return (
        z3.Implies(natural, z3.And(b >= 0, b <= x, (b == 0) == (x < POWER(e)))),  # prefix_bounds
        z3.Implies(z3.And(natural, e == 0), b == x),  # prefix_0
    )


def by_case(read: Callable[..., Z3Term], x: Z3Term, *rest: Z3Term) -> Z3Term:
    """Apply ``read`` to each case of a number that depends on a condition, so that facts are about the cases.

    The number as a whole gets no facts.
    """
    if not z3.is_app_of(x, z3.Z3_OP_ITE):
        return read(x, *rest)
    condition, one, other = x.children()
    return z3.If(condition, by_case(read, one, *rest), by_case(read, other, *rest))
