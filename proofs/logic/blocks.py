"""Reads ``1 << e``, ``x >> e``, ``bit_length`` and ``^`` as integers, with the facts that schedules need.

What a schedule of shifts and flipped bits is about are *blocks*: ``x >> e`` is the number of the
block of ``2**e`` numbers in which ``x`` lies.  To flip bit ``e`` is to go to the other half of a block
of ``2**(e + 1)``, and ``x ^ y < 2**e`` says that both lie in the same block of ``2**e``.  So powers of two,
lengths and blocks are uninterpreted functions here, about which facts are added for exactly the
terms that occur; the rest is linear arithmetic, which solvers decide in milliseconds, for every p.

Each fact is a theorem about all integers, proved in ``proofs/coq/blocks.v`` under the name that stands
beside it.  They are not all that is true of bits: where the question stays open here, nothing is
concluded, and it is asked anew in bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import z3

from sparring.errors import Undecided
from sparring.proofs.logic.symbolic import Z3Reader, Z3Term, remembered
from sparring.spec.core.numbers import Bool, Node

INT = z3.IntSort()
POWER = z3.Function("power_of_two", INT, INT)  # 2**e
BLOCK = z3.Function("block_of", INT, INT, INT)  # x >> e
LENGTH = z3.Function("length_of", INT, INT)  # x.bit_length()
XOR = z3.Function("xor_of", INT, INT, INT)
BELOW = z3.Function("xor_below", INT, INT, INT, z3.BoolSort())  # x ^ y < 2**e
APART = z3.Function("length_of_xor", INT, INT, INT)  # (x ^ y).bit_length()
SHIFT = z3.Function("shifted_up", INT, INT, INT)  # x << e
REVERSE = z3.Function("reverse_of", INT, INT, INT)  # the lowest e bits of x in reverse order


class BlocksReader(Z3Reader):
    """Reads terms under ``hypotheses``; ``facts`` are those about the terms read so far."""

    def __init__(self, hypotheses: Sequence[Bool], modulus: Node) -> None:
        self.exponents: dict[int, Z3Term] = {}
        self.numbers: dict[int, Z3Term] = {}
        self.flips: list[tuple[Z3Term, Z3Term, Z3Term]] = []  # the number, which bit, the other number
        self.pairs: dict[int, tuple[Z3Term, Z3Term, Z3Term]] = {}  # two numbers, and the length of x ^ y
        self.shifts: dict[int, tuple[Z3Term, Z3Term, Z3Term]] = {}  # the number, the exponent, x << e
        self.mirrored: dict[int, tuple[Z3Term, Z3Term, Z3Term]] = {}  # the number, how many bits, these reversed
        self.written: list[tuple[Z3Term, Z3Term, Z3Term]] = []  # the flips that the formulas have
        self.untold: list[Z3Term] = []  # facts that the solver has not been told, since it was not asked
        self.thirds = False  # whether formulas divide by 3, which for powers of two has facts of its own
        self.ended: dict[tuple[int, int, int], Z3Term] = {}  # facts about how numbers end whose bits are reversed
        super().__init__(hypotheses, modulus)

    def operator(self, x: Node, args: list[Z3Term]) -> Z3Term:
        match x.op:
            case "bit_length" if isinstance(x.args[0], Node) and is_xor(x.args[0]):
                return self.apart(*map(self, x.args[0].args))
            case "bit_length":
                return self.length(*args)
            case "<<" if is_power(x):
                return self.power(self.exponent(x))
            case "<<":
                return self.shifted(*args)
            case "reverse":
                return self.reversed(*args)
            case ">>":
                return self.down(x.args[1], *args)
            case "^":
                return self.flipped(x, args)
            case "//" if not isinstance(x.args[1], Node) and x.args[1] == 3:
                self.divided()
            case "<" if isinstance(x.args[0], Node) and x.args[0].op == "^" and is_power(x.args[1]):
                one, other = x.args[0].args
                return self.together(self(one), self(other), self.exponent(x.args[1]))
        return super().operator(x, args)

    def divided(self) -> None:
        """Add the facts about thirds of all powers of two, of those to come as well."""
        if not self.thirds:
            self.thirds = True
            self.know(*map(third, self.exponents.values()))

    def exponent(self, x: object) -> Z3Term:
        """Return the term ``e`` of a power of two ``1 << e``; raise Undecided for any other term."""
        if isinstance(x, Node) and is_power(x):
            return self(x.args[1])
        raise Undecided(f"{x!r} is not written as a power of two")

    def know(self, *facts: Z3Term) -> None:
        """Add the facts, which hold from now on."""
        self.facts += facts
        self.untold += facts

    def sure(self, claim: Z3Term) -> bool:
        """Return whether the hypotheses and the facts so far imply ``claim``."""
        self.solver.add(*self.untold)
        self.untold = []
        return super().sure(claim)

    def power(self, e: Z3Term) -> Z3Term:
        """Return the term for ``2**e``, and add the facts about it."""
        if e.get_id() not in self.exponents:
            self.exponents[e.get_id()] = e
            self.know(z3.Implies(e >= 0, POWER(e) >= 1), z3.Implies(e == 0, POWER(e) == 1))  # power_positive, power_0
            for other in self.exponents.values():
                self.know(*ordered(e, other), *ordered(other, e))
            self.know(*([third(e)] if self.thirds else []))
            for x in [*self.numbers.values()]:
                self.blocks(x, e)
            for flip in [*self.flips]:
                self.above(*flip, e)
            for pair in [*self.pairs.values()]:
                self.parted(*pair, e)
            for shift in [*self.shifts.values()]:
                for x in [*self.numbers.values()]:
                    self.ends(*shift, x, e)
        return POWER(e)

    def exactly(self, bits: int) -> list[Z3Term]:
        """Return facts that fix powers and blocks for exponents up to ``bits``, and bound the powers of larger ones."""
        facts = []
        for e in self.exponents.values():
            facts.append(z3.Implies(e > bits, POWER(e) > 2**bits))  # power_grows
            for k in range(bits + 1):
                facts.append(z3.Implies(e == k, POWER(e) == 2**k))
                facts += [z3.Implies(e == k, BLOCK(x, e) == x / 2**k) for x in self.numbers.values()]  # shift_constant
        for k in range(bits + 1):
            facts += [z3.Implies(e == k, start == x * 2**k) for x, e, start in self.shifts.values()]
            facts += [z3.Implies(e == k, y == bit_by_bit(x, k)) for x, e, y in self.mirrored.values()]
            for x, y, n in self.pairs.values():
                facts.append(z3.Implies(z3.And(x >= 0, y >= 0), (n <= k) == (x / 2**k == y / 2**k)))
        return facts

    def length(self, x: Z3Term) -> Z3Term:
        """Return the term for the number of bits of ``x``."""
        n = LENGTH(x)
        low, high = self.power(n - 1), self.power(n)
        self.know(z3.Implies(x >= 1, z3.And(n >= 1, low <= x, x < high)))  # length_bounds
        self.know(z3.Implies(n >= 2, low >= 2 * (n - 1)), z3.Implies(n == 2, low == 2))  # power_linear, power_1
        return n

    def down(self, by: object, x: Z3Term, e: Z3Term) -> Z3Term:
        """Return the term for ``x >> e``, a quotient where ``e`` is written as a number."""
        return x / 2**by if isinstance(by, int) and by >= 0 else self.block(x, e)  # shift_constant

    def block(self, x: Z3Term, e: Z3Term) -> Z3Term:
        """Return the number of the block of ``2**e`` numbers in which ``x`` lies."""
        self.power(e)
        if x.get_id() not in self.numbers:
            self.numbers[x.get_id()] = x
            for exponent in [*self.exponents.values()]:
                self.blocks(x, exponent)
            for shift in [*self.shifts.values()]:
                self.beside(*shift, x)
        return BLOCK(x, e)

    def blocks(self, x: Z3Term, e: Z3Term) -> None:
        """Add the facts about the block of ``2**e`` numbers in which ``x`` lies, and about twice or half that size."""
        others = self.exponents.values()
        self.know(*bounds(x, e), *(fact for other in others for fact in (halved(x, e, other), halved(x, other, e))))

    def flipped(self, x: Node, args: list[Z3Term]) -> Z3Term:
        """Return the term for ``x ^ 1`` or ``x ^ (1 << e)``; an XOR of two other numbers is left uninterpreted."""
        if is_one(x.args[1]):
            return z3.If(args[0] % 2 == 0, args[0] + 1, args[0] - 1)  # flip_0
        if not is_power(x.args[1]):
            return XOR(*args)
        v, e = args[0], self.exponent(x.args[1])
        self.written.append((v, e, self.flip(v, e)))
        for bits in {bits.get_id(): bits for _, bits, _ in self.mirrored.values()}.values():
            self.turned(*self.written[-1], bits)
        return self.written[-1][2]

    def flip(self, v: Z3Term, e: Z3Term) -> Z3Term:
        """Return the term for ``v ^ (1 << e)``."""
        b = self.block(v, e)
        natural = z3.And(v >= 0, e >= 0)
        other = XOR(v, POWER(e))
        flip = z3.If(natural, z3.If(b % 2 == 0, v + POWER(e), v - POWER(e)), other)  # flip_value
        moved = z3.And(flip >= 0, self.block(flip, e) == z3.If(b % 2 == 0, b + 1, b - 1))
        self.know(z3.Implies(natural, moved))  # flip_block
        self.flips.append((v, e, flip))
        for other in [*self.exponents.values()]:
            self.above(v, e, flip, other)
        return flip

    def above(self, v: Z3Term, e: Z3Term, flip: Z3Term, other: Z3Term) -> None:
        """Add the fact that flipping bit ``e`` of ``v`` leaves the larger blocks unchanged."""
        self.know(alike(v, e, other, self.block(flip, other), self.block(v, other)))

    def together(self, x: Z3Term, y: Z3Term, e: Z3Term) -> Z3Term:
        """Return the term for ``x ^ y < 2**e``: both numbers lie in one block."""
        natural = z3.And(x >= 0, y >= 0, e >= 0)
        return z3.If(natural, self.block(x, e) == self.block(y, e), BELOW(x, y, e))  # below_block

    def apart(self, x: Z3Term, y: Z3Term) -> Z3Term:
        """Return the number of bits of ``x ^ y``: how large a block must be to hold both numbers."""
        n = APART(x, y)
        if n.get_id() not in self.pairs:
            self.pairs[n.get_id()] = x, y, n
            equal = z3.Implies(z3.And(x >= 0, y >= 0), (n == 0) == (x == y))
            self.know(n >= 0, equal)  # length_natural, length_of_equal
            for e in [*self.exponents.values()]:
                self.parted(x, y, n, e)
        return n

    def parted(self, x: Z3Term, y: Z3Term, n: Z3Term, e: Z3Term) -> None:
        """Add the fact that relates blocks of ``2**e`` numbers to ``n``, the length of ``x ^ y``."""
        natural = z3.And(x >= 0, y >= 0, e >= 0)
        self.know(z3.Implies(natural, (self.block(x, e) == self.block(y, e)) == (n <= e)))  # length_of_xor

    def shifted(self, x: Z3Term, e: Z3Term) -> Z3Term:
        """Return the term for ``x << e``: the number at which block ``x`` of ``2**e`` numbers begins."""
        if z3.is_int_value(e) and e.as_long() >= 0:
            return x * 2 ** e.as_long()  # shift_up_constant
        self.power(e)
        start = SHIFT(x, e)
        if start.get_id() not in self.shifts:
            natural, zero, one = (z3.And(what, e >= 0) for what in (x >= 0, x == 0, x == 1))
            self.know(z3.Implies(natural, start >= 0), z3.Implies(zero, start == 0))  # shift_natural, shift_zero
            self.know(z3.Implies(one, start == POWER(e)))  # shift_one
            for shift in self.shifts.values():
                self.know(*nested(x, e, start, *shift), *nested(*shift, x, e, start))
                self.finer(x, e, start, *shift)
                self.finer(*shift, x, e, start)
            self.shifts[start.get_id()] = x, e, start
            for y in [*self.numbers.values()]:
                self.beside(x, e, start, y)
            if z3.is_int_value(x):
                self.know(z3.Implies(e >= 0, start == x * POWER(e)))  # shift_multiple
            if x.decl() == POWER:
                d = x.arg(0)
                self.know(z3.Implies(z3.And(d >= 0, e >= 0), start == self.power(d + e)))  # shift_power
            self.endings()
        return start

    def beside(self, x: Z3Term, e: Z3Term, start: Z3Term, y: Z3Term) -> None:
        """Add the facts about where ``y`` lies relative to the start and the end of block ``x``.

        Also add that a power of two never ends a block midway.
        """
        self.know(*sides(x, e, start, self.block(y, e), y))
        for other in [*self.exponents.values()]:
            self.ends(x, e, start, y, other)

    def ends(self, x: Z3Term, e: Z3Term, start: Z3Term, y: Z3Term, other: Z3Term) -> None:
        """Add the fact that a block that begins before a number below a power of two ends before that power."""
        self.know(within(x, e, start, self.block(y, e), y, other))

    def finer(self, x: Z3Term, e: Z3Term, start: Z3Term, y: Z3Term, d: Z3Term, other: Z3Term) -> None:
        """Add the fact that a number at which a block begins is also one at which a smaller block begins."""
        if not (x.decl() == y.decl() == BLOCK and x.arg(0).eq(y.arg(0)) and x.arg(1).eq(e) and y.arg(1).eq(d)):
            return
        v = x.arg(0)
        self.know(z3.Implies(z3.And(v >= 0, d >= 0, d <= e, start == v), other == v))  # shift_finer

    def reversed(self, x: Z3Term, bits: Z3Term) -> Z3Term:
        """Return the term for the lowest ``bits`` bits of ``x`` in reverse order."""
        known = {bits.get_id() for _, bits, _ in self.mirrored.values()}
        mirrored = self.mirror(x, bits)
        if bits.get_id() not in known:
            for flip in self.written:
                self.turned(*flip, bits)
        return mirrored

    def mirror(self, x: Z3Term, bits: Z3Term) -> Z3Term:
        """Return the reversed bits as ``reversed`` does, without adding the facts about numbers with a bit flipped."""
        mirrored = REVERSE(x, bits)
        if mirrored.get_id() not in self.mirrored:
            self.power(bits)
            self.know(z3.Implies(bits >= 0, z3.And(mirrored >= 0, mirrored < POWER(bits))))  # reverse_bounds
            for y, others, other in self.mirrored.values():
                small = [z3.And(v >= 0, v < POWER(bits)) for v in (x, y)]
                alike = z3.And(bits >= 0, others == bits, *small, mirrored == other)
                self.know(z3.Implies(alike, x == y))  # reverse_injective
                for (v, turned), (w, back) in (((x, mirrored), (y, other)), ((y, other), (x, mirrored))):
                    twice = z3.And(bits >= 0, others == bits, v >= 0, v < POWER(bits), w == turned)
                    self.know(z3.Implies(twice, back == v))  # reverse_twice
            self.mirrored[mirrored.get_id()] = x, bits, mirrored
            self.endings()
        return mirrored

    def endings(self) -> None:
        """Add the facts that reversed numbers begin alike where the numbers end alike, if their ends are spoken of."""
        for (x, bits, one), (y, others, other) in combinations([*self.mirrored.values()], 2):
            for e, low, same in self.ends_of(x, y) if bits.eq(others) else ():
                key = one.get_id(), other.get_id(), e.get_id()
                if key not in self.ended:
                    high = self.block(one, bits - e) == self.block(other, bits - e)
                    inside = z3.And(e >= 0, e <= bits)
                    self.ended[key] = z3.Implies(inside, high == (x - low == y - same))  # reverse_end
                    self.know(self.ended[key])

    def ends_of(self, x: Z3Term, y: Z3Term) -> list[tuple[Z3Term, Z3Term, Z3Term]]:
        """Return the ``e`` of which both blocks' beginnings are spoken of, ``(x >> e) << e`` and ``(y >> e) << e``."""
        begins = [(b.arg(0), e, start) for b, e, start in self.shifts.values() if b.decl() == BLOCK and b.arg(1).eq(e)]
        return [(e, i, j) for v, e, i in begins if v.eq(x) for w, d, j in begins if w.eq(y) and d.eq(e)]

    def turned(self, v: Z3Term, e: Z3Term, flip: Z3Term, bits: Z3Term) -> None:
        """Add the fact that flipping bit ``e`` flips bit ``bits - 1 - e`` of the reversed number."""
        other = self.flip(self.mirror(v, bits), bits - 1 - e)
        inside = z3.And(v >= 0, e >= 0, e < bits)
        self.know(z3.Implies(inside, self.mirror(flip, bits) == other))  # reverse_flip
        same = self.block(v, e) % 2 == self.block(self.mirror(v, bits), bits - 1 - e) % 2
        self.know(z3.Implies(inside, same))  # reverse_bit


@remembered
def third(e: Z3Term) -> Z3Term:
    """Return the fact about what is left of ``2**e`` when it is divided by 3."""
    return z3.Implies(e >= 0, POWER(e) % 3 == z3.If(e % 2 == 0, z3.IntVal(1), z3.IntVal(2)))  # power_modulo_3


@remembered
def ordered(d: Z3Term, e: Z3Term) -> tuple[Z3Term, ...]:
    """Return the facts that compare the powers ``2**d`` and ``2**e``."""
    return (
        z3.Implies(z3.And(d >= 0, d < e), 2 * POWER(d) <= POWER(e)),  # power_grows
        z3.Implies(z3.And(d >= 0, e == d + 1), POWER(e) == 2 * POWER(d)),  # power_next
    )


@remembered
def bounds(x: Z3Term, e: Z3Term) -> tuple[Z3Term, ...]:
    """Return the facts about the block of ``2**e`` numbers in which ``x`` lies."""
    b = BLOCK(x, e)
    natural = z3.And(x >= 0, e >= 0)
    return (
        z3.Implies(natural, z3.And(b >= 0, b <= x, (b == 0) == (x < POWER(e)))),  # block_bounds
        z3.Implies(e == 0, b == x),  # block_0
    )


@remembered
def halved(x: Z3Term, e: Z3Term, other: Z3Term) -> Z3Term:
    """Return the fact about the block in which ``x`` lies among blocks that are twice as long."""
    return z3.Implies(z3.And(e >= 0, other == e + 1), BLOCK(x, other) == BLOCK(x, e) / 2)  # block_next


@remembered
def alike(v: Z3Term, e: Z3Term, other: Z3Term, block: Z3Term, before: Z3Term) -> Z3Term:
    """Return the fact that flipping bit ``e`` leaves the larger blocks unchanged."""
    return z3.Implies(z3.And(v >= 0, e >= 0, e < other), block == before)  # flip_above


@remembered
def sides(x: Z3Term, e: Z3Term, start: Z3Term, b: Z3Term, y: Z3Term) -> tuple[Z3Term, ...]:
    """Return the facts about where ``y``, in block ``b``, lies relative to the start and the end of block ``x``."""
    return (
        z3.Implies(e >= 0, (start <= y) == (x <= b)),  # shift_start
        z3.Implies(e >= 0, (y < start + POWER(e)) == (b <= x)),  # shift_end
    )


@remembered
def nested(x: Z3Term, e: Z3Term, start: Z3Term, y: Z3Term, d: Z3Term, other: Z3Term) -> tuple[Z3Term, ...]:
    """Return the facts about where the next block begins, and, if ``x`` is a half of block ``y``, where it begins."""
    next_size = z3.And(e >= 0, d == e + 1)
    return (
        z3.Implies(z3.And(e >= 0, d == e, y == x + 1), other == start + POWER(e)),  # shift_next
        z3.Implies(z3.And(next_size, x == 2 * y), start == other),  # shift_low
        z3.Implies(z3.And(next_size, x == 2 * y + 1), start == other + POWER(e)),  # shift_high
    )


@remembered
def within(x: Z3Term, e: Z3Term, start: Z3Term, b: Z3Term, y: Z3Term, other: Z3Term) -> Z3Term:
    """Return the fact that a block that begins before some number below a power of two ends before that power."""
    inside = z3.And(e >= 0, e <= other, y < POWER(other), x <= b)
    return z3.Implies(inside, start + POWER(e) <= POWER(other))  # shift_within


def bit_by_bit(x: Z3Term, bits: int) -> Z3Term:
    """Return the term for the lowest ``bits`` bits of ``x`` in reverse order."""
    return z3.Sum([z3.IntVal(0), *(x / 2**k % 2 * 2 ** (bits - 1 - k) for k in range(bits))])


def is_xor(x: Node) -> bool:
    """Return whether ``x`` is an exclusive or of two numbers, neither of which is written as a power of two."""
    return x.op == "^" and not any(is_power(a) or is_one(a) for a in x.args)


def is_power(x: object) -> bool:
    """Return whether ``x`` is written as a power of two."""
    return isinstance(x, Node) and x.op == "<<" and is_one(x.args[0])


def is_one(x: object) -> bool:
    """Return whether ``x`` is the number 1; a term never is, whatever its value."""
    return not isinstance(x, Node) and x == 1
