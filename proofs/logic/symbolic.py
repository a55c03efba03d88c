"""Reads terms in z3.  ``x % p`` becomes the fewest linear cases that its range allows.

With ``a p <= x < b p`` the remainder of ``x`` by ``p`` is ``x - k p`` for one ``k`` of
``a .. b-1``: linear arithmetic, which solvers decide in milliseconds, where a remainder by a
variable would leave every decidable fragment.  That ``x`` has this range is itself proved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from typing import Any, TypeAlias, TypeVar

import z3

from sparring.errors import InputError, Undecided
from sparring.proofs.logic import small_points
from sparring.spec.core.numbers import Bool, Int, Node, Reader, Sym

WIDEST = 8  # laps that a remainder may span; real schedules stay below 4
EFFORT = 20_000_000  # z3's resource limit for one question; a limit on time would depend on the machine

Z3Term: TypeAlias = Any  # z3's own hints do not know its operators
Fact = TypeVar("Fact")
MOST = 100_000  # facts that are remembered


def remembered(fact: Callable[..., Fact]) -> Callable[..., Fact]:
    """Make a fact about the same terms only once, since questions about one page share most facts.

    Terms are the same if z3 numbers them alike; no other gets a kept term's number.  ``==`` of terms is a claim.
    All are integers of z3's main context, the only one that readers use.  ``fact`` is called once, with variables for
    which z3 then substitutes the terms: z3 does in one call what takes Python many.
    """
    known = dict[tuple[int, ...], tuple[tuple[Z3Term, ...], Any]]()
    written: list[Any] = []

    def about(*terms: Z3Term) -> Fact:
        key = tuple([term.get_id() for term in terms])
        if key not in known:
            if len(known) >= MOST:
                known.clear()
            if not written:
                written.append(fact(*(z3.Var(i, z3.IntSort()) for i in range(len(terms)))))
            (form,) = written
            several = isinstance(form, tuple)
            made = [z3.substitute_vars(one, *terms) for one in (form if several else [form])]
            known[key] = terms, (tuple(made) if several else made[0])
        found: Fact = known[key][1]
        return found

    return about


class Z3Reader(Reader[Z3Term]):
    """Reads terms under ``hypotheses``; ``modulus`` is what ``%`` is unfolded for."""

    def __init__(self, hypotheses: Sequence[Bool], modulus: Node) -> None:
        super().__init__()
        self.modulus = modulus
        self.solver = self.new_solver()
        self.solver.set("rlimit", EFFORT)
        self.wraps: dict[str, tuple[int, int]] = {}
        self.facts: list[Z3Term] = []
        self.at: Mapping[str, int] = {}  # numbers of ranks, and parameters, at which a counterexample is looked for
        self.given, self.hypotheses = hypotheses, []
        for hypothesis in hypotheses:
            self.hypotheses.append(self(hypothesis))
            self.solver.add(self.hypotheses[-1])

    def new_solver(self) -> z3.Solver:
        return z3.Solver()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Forget afterwards what is read meanwhile, and the facts that became known by it."""
        before = {name: copy(x) if isinstance(x, (dict, list)) else x for name, x in vars(self).items()}
        self.solver.push()
        try:
            yield
        finally:
            self.solver.pop()
            vars(self).update(before)

    def constant(self, x: int | bool) -> Z3Term:
        if isinstance(x, bool):
            return z3.BoolVal(x)
        if not isinstance(x, int):
            raise InputError(f"a schedule formula holds {x!r}; formulas hold integers and truths")
        return self.number(x)

    def number(self, x: int) -> Z3Term:
        return z3.IntVal(x)

    def variable(self, name: str) -> Z3Term:
        return z3.Int(name)

    def operator(self, x: Node, args: list[Z3Term]) -> Z3Term:
        if x.op == "%":
            return self.remainder(x, args)
        if x.op == "//" and not positive(x.args[1], self.modulus):
            raise Undecided(f"{x!r}: only // by p or by a positive constant can be read")
        if x.op not in OPERATORS:
            raise Undecided(f"{x!r}: integers have no {x.op}; a page that needs it says: encoding = 'bits'")
        try:
            return OPERATORS[x.op](*args)
        except z3.Z3Exception as why:
            raise InputError(f"{x!r} has a number where a truth is meant, or a truth for a number") from why

    def remainder(self, x: Node, args: list[Z3Term]) -> Z3Term:
        if x.args[1] is self.modulus:
            rest = without_multiples(x.args[0], self.modulus)
            return self.wrap(x, *args) if rest is x.args[0] else self(Sym("%", rest, self.modulus))
        if positive(x.args[1], self.modulus):
            return args[0] % args[1]
        raise Undecided(f"{x!r}: only % by p or by a positive constant can be read")

    def wrap(self, remainder: Node, x: Z3Term, p: Z3Term) -> Z3Term:
        """Return ``x % p`` unfolded over the smallest proved range of laps; as it stands where ``p`` is given."""
        if str(p) in self.at:
            return x % self.at[str(p)]
        key = f"{x.sexpr()} % {p.sexpr()}"
        if key not in self.wraps:
            self.wraps[key] = self.laps(remainder, x, p)
        low, high = self.wraps[key]
        unfolded = x - (high - 1) * p
        for k in range(high - 2, low - 1, -1):
            unfolded = z3.If(x < (k + 1) * p, x - k * p, unfolded)
        return unfolded

    def laps(self, remainder: Node, x: Z3Term, p: Z3Term) -> tuple[int, int]:
        """Return the largest ``a`` and smallest ``b`` with ``a p <= x < b p``, none of them far from 0.

        No range is smaller than that of the values at small points: there the search begins.

        Raises Undecided where no range of at most ``WIDEST`` laps can be proved.
        """
        least, most = small_points.laps(remainder.args[0], remainder.args[1], self.given)
        low = next((a for a in range(min(least, WIDEST), -WIDEST, -1) if self.sure(a * p <= x)), None)
        above = range(0) if low is None else range(max(low, most) + 1, low + 1 + WIDEST)
        high = next((b for b in above if self.sure(x < b * p)), None)
        if low is None or high is None:
            raise Undecided(f"({x}) % p: no range within {WIDEST} laps of p could be proved")
        return low, high

    def sure(self, claim: Z3Term) -> bool:
        """Return whether the hypotheses imply ``claim``."""
        self.solver.push()
        self.solver.add(z3.Not(claim))
        answer = self.solver.check()
        self.solver.pop()
        return bool(answer == z3.unsat)


def without_multiples(x: Int, p: Node) -> Int:
    """Return ``x`` without summands ``p k``, which change no remainder by ``p``; ``x`` itself where there are none.

    ``k`` is a term: with a number in its place the range is found as for any ``x``.

    >>> p, k, r = (Sym.var(name) for name in "pkr")
    >>> without_multiples(p * k + r, p), without_multiples(r - k * p - 1, p), without_multiples(r + 2 * p, p)
    ((0 + r), ((r - 0) - 1), (r + (2 * p)))
    """
    if not isinstance(x, Sym) or x.op not in ("+", "-", "*"):
        return x
    one, other = x.args
    if x.op == "*":
        terms = isinstance(one, Node) and isinstance(other, Node)
        return 0 if terms and (one is p or other is p) else x
    left, right = without_multiples(one, p), without_multiples(other, p)
    return x if left is one and right is other else Sym(x.op, left, right)


def positive(x: Int | Bool, modulus: Node) -> bool:
    """Return whether ``x`` is a divisor that every hypothesis makes positive: ``p`` or a constant."""
    return x is modulus or (isinstance(x, int) and x > 0)


OPERATORS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: a / b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    "==": lambda a, b: a == b,
    "not": z3.Not,
    "and": z3.And,
    "or": z3.Or,
    "where": z3.If,
}
