"""Reads terms in z3 as signed integers of ``WIDTH`` bits: where :mod:`sparring.proofs.logic.blocks` decides nothing.

The reading is exact as long as nothing leaves the ``WIDTH`` bits.  Therefore p is below 2**31, the
hypotheses must bound every variable, and of every operation that could overflow it is proved that
it does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import z3

from sparring.errors import Undecided
from sparring.proofs.logic.obligations import within
from sparring.proofs.logic.symbolic import Z3Reader, Z3Term
from sparring.spec.core.numbers import Bool, Int, Node, Sym, variables

WIDTH = 34  # room for the sum of a few ranks
BELOW = 2**31  # the bound of p


Ids = frozenset[int]
KNOWN: dict[tuple[Any, ...], list[Ids]] = {}
"""The sets of hypotheses under which an operator stays within the bits, by operator and operands.

Terms stand here as z3's numbers, which equal terms share; comparing terms would make new terms.
"""
KEPT: list[Any] = []
"""The terms themselves: as long as they live no other term gets their number."""


class BitsReader(Z3Reader):
    """Reads terms under ``hypotheses`` and ``p < BELOW``; raises Undecided where the reading might not be exact."""

    def __init__(self, hypotheses: Sequence[Bool], modulus: Sym) -> None:
        hypotheses = (within(modulus, BELOW), *hypotheses)
        self.bounded = bounded(hypotheses)
        super().__init__(hypotheses, modulus)

    def new_solver(self) -> z3.Solver:
        return z3.SolverFor("QF_BV")

    def number(self, x: int) -> Z3Term:
        if not -(1 << WIDTH - 1) <= x < 1 << WIDTH - 1:
            raise Undecided(f"{x} has more than {WIDTH} bits")
        return z3.BitVecVal(x, WIDTH)

    def variable(self, name: str) -> Z3Term:
        if name not in self.bounded:
            raise Undecided(f"the hypotheses do not bound {name}, so that it has no number of bits")
        return z3.BitVec(name, WIDTH)

    def exact(self, op: str, args: list[Z3Term]) -> bool:
        """Return whether the operator gives Python's number.

        A positive answer is remembered with its hypotheses, since it also holds under more hypotheses.
        """
        known = KNOWN.setdefault((op, *(a.get_id() for a in args)), [])
        given = frozenset(h.get_id() for h in self.hypotheses)
        if any(fewer <= given for fewer in known):
            return True
        answer = self.sure(z3.And(EXACT[op](*args)))
        if answer:
            known.append(given)
        KEPT.append((args, tuple(self.hypotheses)))
        return answer

    def operator(self, x: Node, args: list[Z3Term]) -> Z3Term:
        if x.op in EXACT and not self.exact(x.op, args):
            raise Undecided(f"{x!r} may leave {WIDTH} bits")
        if x.op == "bit_length":
            return self.length(*args)
        return MEANING[x.op](*args) if x.op in MEANING else super().operator(x, args)

    def length(self, x: Z3Term) -> Z3Term:
        """Return the number of bits of ``x >= 0``; the term is written once for each ``x``, since it is long."""
        if x.get_id() not in LENGTHS:
            LENGTHS[x.get_id()] = x, bit_length(x)
        return LENGTHS[x.get_id()][1]


LENGTHS: dict[int, tuple[Z3Term, Z3Term]] = {}
"""Terms and their numbers of bits, by z3's number of the term, which is unique as long as the term lives."""


def bounded(hypotheses: Sequence[Bool]) -> frozenset[str]:
    """Return the names of the variables; raise Undecided unless the hypothesis where one first occurs bounds it.

    A variable must be bounded from both sides.
    """
    low: set[str] = set()
    high: set[str] = set()
    for hypothesis in hypotheses:
        pairs = list(comparisons(hypothesis))
        for x, y in pairs * len(pairs):  # repeated so that the order of the pairs does not matter
            if isinstance(x, Sym) and x.op == "var" and (variables(y) <= low & high or name(y) in high):
                high.add(name(x))
            if isinstance(y, Sym) and y.op == "var" and (variables(x) <= low & high or name(x) in low):
                low.add(name(y))
        if loose := sorted(variables(hypothesis) - (low & high)):
            raise Undecided(f"{hypothesis!r} does not bound {loose[0]}, so that it has no number of bits")
    return frozenset(low & high)


def comparisons(x: Bool) -> Iterator[tuple[Int, Int]]:
    """Yield the pairs of terms of which ``x`` says that the first is at most the second."""
    if isinstance(x, Node) and x.op == "and":
        yield from (pair for part in x.args for pair in comparisons(part))
    elif isinstance(x, Node) and x.op in ("<", "<="):
        yield x.args


def name(x: Int) -> str:
    """Return the name of a variable, and ``""`` for any other term."""
    return x.args[0] if isinstance(x, Sym) and x.op == "var" else ""


def bit_length(x: Z3Term) -> Z3Term:
    """Return the term for the number of bits of ``x >= 0``."""
    length = z3.BitVecVal(0, WIDTH)
    for k in range(WIDTH - 1):
        length = z3.If(x >= 1 << k, z3.BitVecVal(k + 1, WIDTH), length)
    return length


EXACT: Mapping[str, Callable[..., list[Z3Term]]] = {
    "+": lambda a, b: [z3.BVAddNoOverflow(a, b, True), z3.BVAddNoUnderflow(a, b)],
    "-": lambda a, b: [z3.BVSubNoOverflow(a, b), z3.BVSubNoUnderflow(a, b, True)],
    "*": lambda a, b: [z3.BVMulNoOverflow(a, b, True), z3.BVMulNoUnderflow(a, b)],
    "//": lambda a, b: [a >= 0],  # bits are divided towards zero, Python's integers downwards
    "<<": lambda a, b: [b >= 0, b < WIDTH, (a << b) >> b == a],
    ">>": lambda a, b: [b >= 0],
    "bit_length": lambda a: [a >= 0],
    "reverse": lambda a, b: [b >= 0, b < WIDTH],
}
"""When the operators below, and those of integers, give the number that Python gives."""

MEANING: Mapping[str, Callable[..., Z3Term]] = {
    "^": lambda a, b: a ^ b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,  # by 40 or more, what is left is the sign, as in Python
    "reverse": lambda a, b: z3.LShR(z3.Concat(*(z3.Extract(k, k, a) for k in range(WIDTH))), WIDTH - b),
}
