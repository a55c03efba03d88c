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

import z3

from sparring.errors import Undecided
from sparring.proofs.core.symbolic import Z3Reader, Z3Term
from sparring.spec.core.numbers import Bool, Node

INT = z3.IntSort()
POWER = z3.Function("power_of_two", INT, INT)  # 2**e
BLOCK = z3.Function("block_of", INT, INT, INT)  # x >> e
LENGTH = z3.Function("length_of", INT, INT)  # x.bit_length()
XOR = z3.Function("xor_of", INT, INT, INT)
BELOW = z3.Function("xor_below", INT, INT, INT, z3.BoolSort())  # x ^ y < 2**e


class BlocksReader(Z3Reader):
    """Reads terms under ``hypotheses``; ``facts`` are those about the terms read so far."""

    def __init__(self, hypotheses: Sequence[Bool], modulus: Node) -> None:
        self.facts: list[Z3Term] = []
        self.exponents: dict[int, Z3Term] = {}
        self.numbers: dict[int, Z3Term] = {}
        self.flips: list[tuple[Z3Term, Z3Term, Z3Term]] = []  # the number, which bit, the other number
        super().__init__(hypotheses, modulus)

    def operator(self, x: Node, args: list[Z3Term]) -> Z3Term:
        match x.op:
            case "bit_length":
                return self.length(*args)
            case "<<":
                return self.power(self.exponent(x))
            case ">>" if isinstance(x.args[1], int) and x.args[1] >= 0:
                return args[0] / 2 ** x.args[1]  # shift_constant
            case ">>":
                return self.block(*args)
            case "^":
                return self.flipped(x, args)
            case "<" if isinstance(x.args[0], Node) and x.args[0].op == "^" and is_power(x.args[1]):
                one, other = x.args[0].args
                return self.together(self(one), self(other), self.exponent(x.args[1]))
        return super().operator(x, args)

    def exponent(self, x: object) -> Z3Term:
        """Of a power of two, ``1 << e``, the ``e``; raises Undecided for what is none."""
        if isinstance(x, Node) and is_power(x):
            return self(x.args[1])
        raise Undecided(f"{x!r} is not written as a power of two")

    def know(self, *facts: Z3Term) -> None:
        """Facts, from now on."""
        self.facts += facts
        self.solver.add(*facts)

    def power(self, e: Z3Term) -> Z3Term:
        """``2**e``."""
        if e.get_id() not in self.exponents:
            self.exponents[e.get_id()] = e
            self.know(z3.Implies(e >= 0, POWER(e) >= 1), z3.Implies(e == 0, POWER(e) == 1))  # power_positive, power_0
            for other in self.exponents.values():
                self.ordered(e, other)
                self.ordered(other, e)
            for x in [*self.numbers.values()]:
                self.blocks(x, e)
            for flip in [*self.flips]:
                self.above(*flip, e)
        return POWER(e)

    def exactly(self, bits: int) -> list[Z3Term]:
        """What powers and blocks are where exponents are small numbers, or beyond."""
        facts = []
        for e in self.exponents.values():
            facts.append(z3.Implies(e > bits, POWER(e) > 2**bits))  # power_grows
            for k in range(bits + 1):
                facts.append(z3.Implies(e == k, POWER(e) == 2**k))
                facts += [z3.Implies(e == k, BLOCK(x, e) == x / 2**k) for x in self.numbers.values()]  # shift_constant
        return facts

    def ordered(self, d: Z3Term, e: Z3Term) -> None:
        """How two powers compare."""
        self.know(
            z3.Implies(z3.And(d >= 0, d < e), 2 * POWER(d) <= POWER(e)),  # power_grows
            z3.Implies(z3.And(d >= 0, e == d + 1), POWER(e) == 2 * POWER(d)),  # power_next
        )

    def length(self, x: Z3Term) -> Z3Term:
        """The number of bits of ``x``."""
        n = LENGTH(x)
        low, high = self.power(n - 1), self.power(n)
        self.know(z3.Implies(x >= 1, z3.And(n >= 1, low <= x, x < high)))  # length_bounds
        return n

    def block(self, x: Z3Term, e: Z3Term) -> Z3Term:
        """``x >> e``."""
        self.power(e)
        if x.get_id() not in self.numbers:
            self.numbers[x.get_id()] = x
            for exponent in [*self.exponents.values()]:
                self.blocks(x, exponent)
        return BLOCK(x, e)

    def blocks(self, x: Z3Term, e: Z3Term) -> None:
        """In which block of ``2**e`` numbers ``x`` lies, and how that goes with other sizes."""
        b = BLOCK(x, e)
        natural = z3.And(x >= 0, e >= 0)
        self.know(
            z3.Implies(natural, z3.And(b >= 0, b <= x, (b == 0) == (x < POWER(e)))),  # block_bounds
            z3.Implies(e == 0, b == x),  # block_0
        )
        for other in self.exponents.values():
            self.know(
                z3.Implies(z3.And(e >= 0, other == e + 1), BLOCK(x, other) == b / 2),  # block_next
                z3.Implies(z3.And(other >= 0, e == other + 1), b == BLOCK(x, other) / 2),
            )

    def flipped(self, x: Node, args: list[Z3Term]) -> Z3Term:
        """``x ^ 1`` and ``x ^ (1 << e)``; of two other numbers nothing is known but that."""
        if is_one(x.args[1]):
            return z3.If(args[0] % 2 == 0, args[0] + 1, args[0] - 1)  # flip_0
        if not is_power(x.args[1]):
            return XOR(*args)
        v, e = args[0], self.exponent(x.args[1])
        b = self.block(v, e)
        natural = z3.And(v >= 0, e >= 0)
        flip = z3.If(natural, z3.If(b % 2 == 0, v + POWER(e), v - POWER(e)), XOR(*args))  # flip_value
        moved = z3.And(flip >= 0, self.block(flip, e) == z3.If(b % 2 == 0, b + 1, b - 1))
        self.know(z3.Implies(natural, moved))  # flip_block
        self.flips.append((v, e, flip))
        for other in [*self.exponents.values()]:
            self.above(v, e, flip, other)
        return flip

    def above(self, v: Z3Term, e: Z3Term, flip: Z3Term, other: Z3Term) -> None:
        """A bit that is flipped leaves larger blocks alone."""
        same = self.block(flip, other) == self.block(v, other)
        self.know(z3.Implies(z3.And(v >= 0, e >= 0, e < other), same))  # flip_above

    def together(self, x: Z3Term, y: Z3Term, e: Z3Term) -> Z3Term:
        """``x ^ y < 2**e``: both lie in one block."""
        natural = z3.And(x >= 0, y >= 0, e >= 0)
        return z3.If(natural, self.block(x, e) == self.block(y, e), BELOW(x, y, e))  # below_block


def is_power(x: object) -> bool:
    """Whether it is written as a power of two."""
    return isinstance(x, Node) and x.op == "<<" and is_one(x.args[0])


def is_one(x: object) -> bool:
    """Whether it is the number 1; a term is none, whatever its value."""
    return not isinstance(x, Node) and x == 1
