"""Faults on syntax: every place in a source at which an operator fits makes a mutant.

The operators are those of schedules: a wrong peer or chunk, a step too many or dropped or in the
wrong order, adding where one should overwrite, a bound off by one, a lost residual, a fold left out.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

Fault: TypeAlias = Callable[[ast.AST], Iterator[ast.AST]]
"""What a node may become; nothing where the operator does not fit."""


class Mutant(NamedTuple):
    """A source with one fault: which operator made it, in which function and line, what it says now.

    ``tree``: all of the source; ``old`` and ``new``: what was changed; ``text``: that line of the source.
    """

    operator: str
    function: str
    line: int
    told: str
    tree: ast.Module
    old: ast.AST | None = None
    new: ast.AST | None = None
    text: str = ""

    def __str__(self) -> str:
        return f"line {self.line}, {self.function}: {self.told}"


def constant(node: ast.AST) -> Iterator[ast.AST]:
    """Put a number off by one."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield ast.Constant(node.value + 1)
        yield ast.Constant(node.value - 1)


def value(node: ast.AST) -> Iterator[ast.AST]:
    """Put a peer, a chunk, a number of steps off by one: what a function returns, one integer or several."""
    if isinstance(node, ast.FunctionDef) and node.returns and ast.unparse(node.returns) in INTEGERS:
        for i, last in enumerate(node.body):
            if isinstance(last, ast.Return) and last.value is not None:
                for changed in _off_by_one(last.value):
                    yield _with(node, body=[*node.body[:i], ast.Return(changed), *node.body[i + 1 :]])


INTEGERS = ("Int", "int", "tuple[Int, Int]", "tuple[int, int]")


def _off_by_one(x: ast.expr) -> Iterator[ast.expr]:
    """Return one more and one less; of several values, of each."""
    if isinstance(x, ast.Tuple):
        for i, part in enumerate(x.elts):
            yield from (ast.Tuple([*x.elts[:i], other, *x.elts[i + 1 :]], x.ctx) for other in _off_by_one(part))
    else:
        yield from (ast.BinOp(x, sign, ast.Constant(1)) for sign in (ast.Add(), ast.Sub()))


OPPOSITE: Mapping[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
    ast.And: ast.Or, ast.Or: ast.And,
}


def comparison(node: ast.AST) -> Iterator[ast.AST]:
    """Put strict for non-strict, equal for unequal."""
    if isinstance(node, ast.Compare):
        for i, op in enumerate(node.ops):
            if type(op) in OPPOSITE:
                yield _with(node, ops=[*node.ops[:i], OPPOSITE[type(op)](), *node.ops[i + 1 :]])


def arithmetic(node: ast.AST) -> Iterator[ast.AST]:
    """Put plus for minus, left shift for right shift; leave out a remainder, a flipped bit or a rounding division."""
    if isinstance(node, ast.BinOp) and type(node.op) in OPPOSITE:
        yield _with(node, op=OPPOSITE[type(node.op)]())
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod | ast.BitXor | ast.FloorDiv):
        yield node.left


FULL = ("full", 1)
"""What makes a piece full where a condition holds, by name and number of arguments."""


def branch(node: ast.AST) -> Iterator[ast.AST]:
    """Take one of two cases always, so that a fold, say, is missing."""
    if isinstance(node, ast.Call) and _name(node) in ("where", "least") and len(node.args) >= 2:
        yield from node.args[-2:]
    if isinstance(node, ast.IfExp):
        yield from (node.body, node.orelse)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and (node.func.attr, len(node.args)) == FULL:
        yield from (_with(node, args=[]), node.func.value)
    if isinstance(node, ast.If):
        yield _with(node, test=ast.Constant(True))
        yield _with(node, test=ast.Constant(False))


def logic(node: ast.AST) -> Iterator[ast.AST]:
    """Put and for or, no negation for one, true for false."""
    swapped = {"both": "either", "either": "both"}
    if isinstance(node, ast.Call) and _name(node) in swapped:
        yield _with(node, func=ast.Name(swapped[_name(node)], ast.Load()))
    if isinstance(node, ast.Call) and _name(node) == "negate":
        yield node.args[0]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield node.operand
    if isinstance(node, ast.BoolOp):
        yield _with(node, op=OPPOSITE[type(node.op)]())
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)


def overwrite(node: ast.AST) -> Iterator[ast.AST]:
    """Overwrite where something should be added."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "np.add" and len(node.args) >= 2:
        yield node.args[0] if not (out := _keyword(node, "out")) else _call("np.copyto", out, node.args[0])
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
        yield ast.Assign([node.target], node.value)


def dropped(node: ast.AST) -> Iterator[ast.AST]:
    """Leave out a step, a wait, a kept residual."""
    if _acts(node) and not isinstance(node, ast.For):
        yield ast.Pass()


def swapped(node: ast.AST) -> Iterator[ast.AST]:
    """Put two neighbouring steps in the other order."""
    body = node.body if isinstance(node, ast.FunctionDef | ast.For | ast.If | ast.With) else []
    for i, (one, other) in enumerate(pairwise(body)):
        if _acts(one) and _acts(other):
            yield _with(node, body=[*body[:i], other, one, *body[i + 2 :]])


def tag(node: ast.AST) -> Iterator[ast.AST]:
    """Let a receive wait for a tag that nobody sends."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("Recv", "Irecv"):
        yield _with(node, keywords=[*node.keywords, ast.keyword("tag", ast.Constant(1))])


def unsent(node: ast.AST) -> Iterator[ast.AST]:
    """Leave out an exchange: a rank goes on with what it brought."""
    if isinstance(node, ast.Yield) and isinstance(node.value, ast.Call) and node.value.args:
        yield node.value.args[0]


def exchanged(node: ast.AST) -> Iterator[ast.AST]:
    """Put two neighbouring arguments in each other's place: another rank's, another step's, another vector."""
    if isinstance(node, ast.Call) and _name(node) not in SYMMETRIC:
        for i, (one, other) in enumerate(pairwise(node.args)):
            if ast.unparse(one) != ast.unparse(other):
                yield _with(node, args=[*node.args[:i], other, one, *node.args[i + 2 :]])


SYMMETRIC = ("both", "either", "min", "max")
"""Functions of which the order of arguments means nothing."""


def summand(node: ast.AST) -> Iterator[ast.AST]:
    """Keep one of two that are added or subtracted, without the other: a residual that is forgotten, say."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        yield node.left
        yield node.right


def omitted(node: ast.AST) -> Iterator[ast.AST]:
    """Leave out a line that gives a name another value: what was there before stays."""
    if isinstance(node, ast.FunctionDef | ast.For | ast.If):
        known = {arg.arg for arg in node.args.args} if isinstance(node, ast.FunctionDef) else set[str]()
        for i, line in enumerate(node.body):
            if isinstance(line, ast.Assign) and isinstance(name := line.targets[0], ast.Name):
                if name.id in known or not isinstance(node, ast.FunctionDef):
                    yield _with(node, body=[*node.body[:i], ast.Pass(), *node.body[i + 1 :]])
                known.add(name.id)


OPERATORS: Mapping[str, Fault] = {
    f.__name__: f
    for f in (constant, value, comparison, arithmetic, branch, logic, overwrite, dropped, swapped, tag)
}
"""What is planted in implementations."""
IN_PAGES: Mapping[str, Fault] = {**OPERATORS, **{f.__name__: f for f in (unsent, exchanged, summand, omitted)}}
"""What is planted in pages, whose texts proofs read."""


def letter(node: ast.AST) -> Iterator[ast.AST]:
    """Put another letter, or none: another rank, step or chunk is meant."""
    if isinstance(node, ast.Name) and node.id in EXCHANGED:
        yield ast.Constant(0)
        yield from (ast.Name(other, ast.Load()) for other in EXCHANGED if other != node.id)


def opposite(node: ast.AST) -> Iterator[ast.AST]:
    """Give a number the other sign, put false for true: what a function returns."""
    if isinstance(node, ast.FunctionDef) and node.returns and isinstance(last := node.body[-1], ast.Return):
        said, x = ast.unparse(node.returns), last.value
        if x and said in ("Int", "int"):
            yield _with(node, body=[*node.body[:-1], ast.Return(ast.UnaryOp(ast.USub(), x))])
        if x and said in ("Bool", "bool"):
            other = _call("where", x, ast.Constant(False), ast.Constant(True))
            yield _with(node, body=[*node.body[:-1], ast.Return(other)])


def factor(node: ast.AST) -> Iterator[ast.AST]:
    """Keep one of two that are multiplied, without the other."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        yield node.left
        yield node.right


def twice(node: ast.AST) -> Iterator[ast.AST]:
    """Add entries up twice: what a function returns."""
    if isinstance(node, ast.FunctionDef) and node.returns and isinstance(last := node.body[-1], ast.Return):
        entries = last.value if ast.unparse(node.returns) == "SparseVector" else None
        if entries:
            yield _with(node, body=[*node.body[:-1], ast.Return(ast.BinOp(entries, ast.Add(), entries))])


EXCHANGED = "rtpcq"
FURTHER: Mapping[str, Fault] = {f.__name__: f for f in (letter, opposite, factor, twice)}
"""What else is planted where these refute no obligation of some theorem; counts of mutants have none of these."""


def mutants(source: str, operators: Mapping[str, Fault] = OPERATORS) -> Iterator[Mutant]:
    """Yield all mutants of the functions in ``source``, in the order of its lines; trees share what is the same."""
    tree, lines = ast.parse(source), source.splitlines()
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for operator, function, node, new in changes(tree, operators):
        ast.fix_missing_locations(ast.copy_location(new, node))
        changed = _replaced(parents, node, new)
        text = lines[node.lineno - 1].strip()
        yield Mutant(operator, function, node.lineno, _told(node, new), changed, node, new, text)


def changes(
    tree: ast.Module, operators: Mapping[str, Fault] = OPERATORS
) -> Iterator[tuple[str, str, ast.expr | ast.stmt, ast.AST]]:
    """Yield, of all mutants of ``tree``, the operator, the function, which node goes and what comes in its place."""
    for function, node in _sites(tree):
        for operator, fault in operators.items():
            yield from ((operator, function, node, new) for new in fault(node))


def _sites(tree: ast.Module) -> Iterator[tuple[str, ast.expr | ast.stmt]]:
    """Yield the expressions and statements of functions and methods, but for annotations, texts and errors raised."""
    scopes = [node for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef)]
    functions = (node for scope in scopes for node in scope.body if isinstance(node, ast.FunctionDef))
    for function in sorted(functions, key=lambda f: f.lineno):
        yield function.name, function
        for node in _below(function.body):
            if isinstance(node, ast.expr | ast.stmt):
                yield function.name, node


def _below(nodes: list[ast.stmt] | list[ast.AST]) -> Iterator[ast.AST]:
    for node in nodes:
        if not isinstance(node, ast.Raise) and not _is_text(node):
            yield node
            children = (c for name, field in ast.iter_fields(node) if name != "annotation" for c in _listed(field))
            yield from _below([c for c in children if isinstance(c, ast.AST)])


def _listed(field: object) -> list[object]:
    return field if isinstance(field, list) else [field]


def _replaced(parents: Mapping[ast.AST, ast.AST], old: ast.AST, new: ast.AST) -> Any:
    """Return the whole tree with ``new`` for ``old``: what is above it is copied, all else is shared."""
    while old in parents:
        above = parents[old]
        fields = {name: [new if x is old else x for x in _listed(field)] for name, field in ast.iter_fields(above)}
        changed = {name: xs if isinstance(getattr(above, name), list) else xs[0] for name, xs in fields.items()}
        old, new = above, _with(above, **changed)
    return new


def _told(old: ast.AST, new: ast.AST) -> str:
    """Tell what changes, in the source's words: of statements with a body, the first line that differs."""
    before, after = ast.unparse(old).splitlines(), ast.unparse(new).splitlines()
    pairs = [(a.strip(), b.strip()) for a, b in zip(before, after) if a != b]
    a, b = pairs[0] if pairs else (before[0].strip(), "nothing")
    return f"{a} becomes {'nothing' if b == 'pass' else b}"


def _with(node: ast.AST, **fields: object) -> ast.AST:
    new = copy.copy(node)
    vars(new).update(fields)
    return new


def _name(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _call(function: str, *args: ast.expr) -> ast.Call:
    return ast.Call(ast.parse(function, mode="eval").body, list(args), [])


def _keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((k.value for k in call.keywords if k.arg == name), None)


def _acts(node: ast.AST) -> bool:
    """Return whether a statement does something, and does not only name a value."""
    stores = isinstance(node, ast.Assign) and not isinstance(node.targets[0], ast.Name | ast.Tuple)
    calls = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    return stores or calls or isinstance(node, ast.AugAssign | ast.For)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
