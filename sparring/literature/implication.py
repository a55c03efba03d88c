"""Relations between published formulas, decided for all values of their letters.

z3 is asked over the real numbers, which are more than the integers: what holds there holds.
What it refutes or leaves open is looked for at points, in exact arithmetic; without a point where
it fails it is undecided.  What z3 proves is evaluated at all these points, too.
"""

from __future__ import annotations

import inspect
import itertools
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import sympy
import z3

from sparring.costs.claims import expected
from sparring.costs.derivation.counted import format_point
from sparring.costs.formulas.symbols import CeilLog2, Expr, Log2, exact
from sparring.errors import Undecided
from sparring.literature import relations
from sparring.literature.relations import Said
from sparring.literature.statements import Shown, Theorem
from sparring.proofs.logic.solvers import ask_z3, question
from sparring.proofs.logic.verdicts import PROVED, REFUTED, UNDECIDED, Settled, Verdict

VALUES = (0, 1, 2, 3, 4, 5, 8, 16, 32)
POINTS = 1000
"""At most so many are evaluated."""
POWERS = range(8)
"""Of a binary logarithm z3 is told where it takes or passes these, and that it is below its argument."""


class Decided(NamedTuple):
    """The verdict on a relation, *follows*, *false* or *undecided*, and its detail."""

    verdict: str
    detail: str
    checked: Verdict
    difference: str = ""


def decide(theorem: Theorem | Shown) -> Decided:
    """Decide whether a statement holds; a theorem that is known to fail is expected to."""
    return expected(shown(theorem) if isinstance(theorem, Shown) else attempted(theorem), theorem.xfail, "fail")


def shown(one: Shown) -> Decided:
    """Return the verdict of the statement's own proof, expected or not."""
    try:
        found = one.proof()
    except Undecided as why:
        return Decided("undecided", str(why), UNDECIDED)
    holds, detail, verdict = found if isinstance(found, Settled) else Settled(*found)
    return Decided("follows", detail, verdict) if holds else Decided("false", detail, REFUTED)


def attempted(theorem: Theorem) -> Decided:
    """Decide whether a theorem holds; of one that is known to fail, whether it does wherever it is said to."""
    says = of(theorem.relation) if theorem.relation else relations.told(theorem.says)
    given = of(theorem.given) if theorem.given else relations.supposed(theorem.hypotheses)
    found = followed(says, given)
    if not theorem.xfail or found.checked != REFUTED:
        return found
    exact = followed(relations.together(sympy.Equivalent, [says, alone(theorem)]), given)
    if exact.checked != PROVED:
        return Decided("undecided", f"{found.detail}; where alone it holds: {exact.detail}", UNDECIDED)
    where = f"only where {theorem.only}" if isinstance(theorem.only, str) else "where it is said to"
    return found._replace(detail=f"{found.detail}; it holds {where if theorem.only else 'nowhere'}: z3")


def alone(theorem: Theorem) -> Said:
    """Return where alone a theorem holds that is known to fail."""
    if callable(theorem.only):
        return of(theorem.only)
    return relations.read(theorem.only) if theorem.only else Said(sympy.false, [])


def followed(says: Said, supposed: Said) -> Decided:
    """Decide whether a relation holds wherever what is supposed does."""
    relation, given = says.relation, supposed.relation
    letters = sorted(dict.fromkeys((*says.letters, *supposed.letters)), key=lambda x: x != "p")
    points = [at for at in candidates(letters) if true_at(given, at)]
    decisive = [holds for at in points if (holds := true_at(relation, at)) is not None]
    if fails := next((at for at in points if true_at(relation, at) is False), None):
        return Decided("false", f"it fails at {format_point(fails)}", REFUTED)
    if not decisive:
        return Decided("undecided", "no point satisfies the hypotheses", UNDECIDED)
    least = (z3.Real(name) >= (1 if name == "p" else 0) for name in letters)
    facts = [*least, *logarithms(given, relation), in_z3(given)]
    if (answer := ask_z3(question(facts, in_z3(relation)))) != "unsat":
        return Decided("undecided", f"z3 says {answer}, and it holds at all {len(decisive)} points", UNDECIDED)
    many = f"{len(decisive)} point{'' if len(decisive) == 1 else 's'}"
    return Decided("follows", f"from its own formulas, for all {', '.join(letters)}: z3; evaluated at {many}", PROVED)


def of(function: Callable[..., Any]) -> Said:
    """Return what a function says of its letters."""
    letters = [*inspect.signature(function).parameters]
    return Said(sympy.sympify(function(*map(relations.letter, letters))), letters)


def candidates(letters: list[str]) -> Iterator[dict[str, int]]:
    """Yield points, the smallest first."""
    values = [[v for v in VALUES if v or name != "p"] for name in letters]
    for point in sorted(itertools.product(*values), key=sum)[:POINTS]:
        yield dict(zip(letters, point))


def true_at(x: Expr, at: Mapping[str, int]) -> bool | None:
    """Return whether ``x`` holds at this point; None where a logarithm is no integer, or a divisor is 0."""
    try:
        return evaluated(x, at)
    except (Undecided, ZeroDivisionError):
        return None


def evaluated(x: Expr, at: Mapping[str, int]) -> bool:
    """Return the truth of a relation at a point, in exact arithmetic."""
    if x in (sympy.true, sympy.false):
        return bool(x)
    if isinstance(x, sympy.core.relational.Relational):
        return bool(COMPARE[x.rel_op](*(exact(side, at) for side in x.args)))
    return bool(x.func(*(sympy.sympify(evaluated(a, at)) for a in x.args)))


COMPARE: Mapping[str, Callable[..., bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def logarithms(*relations: Expr) -> Iterator[z3.BoolRef]:
    """Yield facts of each logarithm of an integer ``x >= 1`` that occurs; of ``x = 2^m`` where it is exact."""
    last = POWERS[-1]
    for log in sorted(set().union(*(x.atoms(Log2, CeilLog2) for x in relations)), key=str):
        value, x = in_z3(log), in_z3(log.args[0])
        yield z3.And(value >= 0, value <= x - 1)
        if isinstance(log, Log2):
            powers = [z3.And(value == j, x == 2**j) for j in POWERS]
            yield z3.Or(*powers, z3.And(value > last, x > 2**last))
        else:
            yield from ((value >= j + 1) == (x > 2**j) for j in POWERS)


def in_z3(x: Expr) -> Any:
    """Translate a formula to z3, over the real numbers; a logarithm becomes a variable of which facts are known."""
    if x.is_Symbol:
        return z3.Real(x.name)
    if isinstance(x, (Log2, CeilLog2)):
        return z3.Real(str(x))
    if x.is_Rational:
        return z3.RealVal(f"{x.p}/{x.q}")
    if x.is_Pow and x.exp.is_Integer:
        power = in_z3(x.base) ** abs(int(x.exp))
        return power if x.exp > 0 else 1 / power
    if x.func not in MEANING and x not in CONSTANT:
        raise Undecided(f"{x}: {x.func.__name__} is not told to z3")
    return CONSTANT[x] if x in CONSTANT else MEANING[x.func](*map(in_z3, x.args))


CONSTANT: Mapping[Any, Any] = {sympy.true: z3.BoolVal(True), sympy.false: z3.BoolVal(False)}
MEANING: Mapping[Any, Any] = {
    sympy.Add: z3.Sum,
    sympy.Mul: z3.Product,
    sympy.Eq: lambda a, b: a == b,
    sympy.Ne: lambda a, b: a != b,
    sympy.Lt: lambda a, b: a < b,
    sympy.Le: lambda a, b: a <= b,
    sympy.Gt: lambda a, b: a > b,
    sympy.Ge: lambda a, b: a >= b,
    sympy.And: z3.And,
    sympy.Or: z3.Or,
    sympy.Not: z3.Not,
    sympy.Implies: z3.Implies,
    sympy.Equivalent: lambda a, b: a == b,
}
