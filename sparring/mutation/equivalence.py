"""Certificates that a planted fault is none: both solvers prove what is changed to be what it was."""

from __future__ import annotations

import ast
import copy
import inspect
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from types import ModuleType
from typing import Any

from sparring.proofs.logic import obligations
from sparring.proofs.logic.obligations import Obligation, always, iff, p, t, within
from sparring.proofs.logic.queries import Memory, answered
from sparring.proofs.mutants.planting import built
from sparring.proofs.mutants.syntax import Mutant
from sparring.proofs.reading.annotations import Subject
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, Sym, Truth, both
from sparring.spec.core.vocabulary import LETTERS

RUN_ALONE = ("selects", "sends", "encoded")
"""What pages say of entries and of names, which does not run on symbols."""
FORMULAS = {f: LETTERS["block" if f == "count" else f] for f in (*LETTERS, "count") if f not in (*RUN_ALONE, "block")}
"""The letters of the formulas that do."""
LENGTHS = ("words", "added")
"""How long messages are, which follows from the others where a page does not say it."""
WIDTHS = (4, 8)
"""Bytes of a value: those of the four dtypes."""


def same_function(
    mutant: Mutant, module: ModuleType, encoding: str, memory: Memory, given: tuple[Bool, ...] = ()
) -> str:
    """Return a sentence if both solvers prove the changed function equal to the old one for all arguments; else empty.

    ``given``: hypotheses on the page's parameters.
    """
    before = ast.parse(inspect.getsource(module))
    old, new = (vars(symbolic(module, tree)).get(mutant.function) for tree in (before, mutant.tree))
    return "the same function for all arguments" if proved(lambda: twins(old, new, given), encoding, memory) else ""


def same_expression(mutant: Mutant, module: ModuleType, encoding: str, memory: Memory) -> str:
    """Return a sentence if both solvers prove a changed expression, of numbers alone, equal to the old; else empty."""
    pair = [e for e in (mutant.old, mutant.new) if isinstance(e, ast.expr)]
    found = [speaks for e in pair if (speaks := letters(module, e)) is not None]
    if len(found) < 2:
        return ""
    here, names = vars(symbolic(module, ast.parse(inspect.getsource(module)))), ", ".join(sorted({*chain(*found)}))
    texts = (ast.unparse(Branching().visit(copy.deepcopy(e))) for e in pair)
    a, b = (eval(f"lambda {names}: {text}", here) for text in texts)  # noqa: S307 - our own source with one fault
    return "the same number or truth in every case" if proved(lambda: twins(a, b), encoding, memory) else ""


NUMERIC = ("int", "bool", "Int", "Bool", int, bool, Int, Bool)
"""How what is a number or a truth is annotated."""
NUMBERS = frozenset("cikmnprt")
"""What implementations call chunks, hops, lengths, numbers of ranks and ranks."""


def letters(module: ModuleType, expression: ast.expr) -> frozenset[str] | None:
    """Return the letters of the numbers in an expression; None if it uses anything but numbers and their functions."""
    names = {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}
    others = (getattr(module, name, None) for name in names - NUMBERS)
    known = all({*getattr(f, "__annotations__", {"": ""}).values()} == {"int"} for f in others)
    return frozenset(names & NUMBERS) if known else None


class Branching(ast.NodeTransformer):
    """A transformer that writes ``a if c else b`` as ``where(c, a, b)``, which runs on symbols."""

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:  # its name in ast
        self.generic_visit(node)
        return ast.Call(ast.Name("where", ast.Load()), [node.test, node.body, node.orelse], [])


def symbolic(module: ModuleType, tree: ast.Module) -> ModuleType:
    """Return the module with code that runs on symbols, too; where it asks for types, it raises TypeError."""
    new = built(module, ast.fix_missing_locations(Branching().visit(copy.deepcopy(tree))))
    vars(new).update(dict.fromkeys(("isinstance", "hasattr", "type"), None))
    return new


def same_page(whole: Subject, changed: Page, memory: Memory) -> str:
    """Return a sentence if both solvers prove all formulas of the changed page equal to the old ones; else empty."""
    if any(hasattr(whole.page.module, formula) for formula in RUN_ALONE):
        return ""
    same = proved(lambda: formulas(whole, changed, memory), changed.encoding, memory)
    return "the same formulas for all ranks, chunks and steps" if same else ""


def proved(claims: Callable[[], Iterable[Obligation]], encoding: str, memory: Memory) -> bool:
    """Return whether both solvers prove all claims; claims that raise an error on symbols have no proof."""
    try:
        return all(answer.holds for answer in answered([*claims()], True, encoding, memory))
    except Exception:  # noqa: BLE001 - whatever a function of other things than numbers raises on symbols
        return False


def twins(old: Any, new: Any, given: tuple[Bool, ...] = ()) -> Iterator[Obligation]:
    """Yield the obligations that two functions of numbers have the same values."""
    names = list(inspect.signature(old).parameters)
    if not {*old.__annotations__.values()} <= {*NUMERIC}:
        raise TypeError("of things that are no numbers, symbols say nothing")
    for w in WIDTHS if "w" in names else (None,):
        at = {name: w if name == "w" else Sym.var(name) for name in names}
        box = (h for name in names if name != "w" for h in domain(name))
        yield equal((p >= 1, *given, *box), old(**at), new(**at))


def domain(letter: str) -> Iterator[Bool]:
    """Yield the hypotheses on a variable of that name."""
    x: Int = Sym.var(letter)
    if letter in "qrsv":
        yield within(x)
    elif letter == "m":
        yield both(x >= 0, x <= Sym.var("size"))
    elif letter != "p":
        yield x >= 0


def picked(page: Page) -> tuple[str, ...]:
    """Return the formulas that a page lacks because it picks the chunks of a message one by one, or does not."""
    if not page.carries:
        return "carries", "below"
    return ("chunk",) if page.below else ("chunk", "count", "below")


def formulas(whole: Subject, changed: Page, memory: Memory) -> Iterator[Obligation]:
    """Yield the obligations that all formulas that differ in their wording have the same values."""
    page = whole.page
    for formula, known in FORMULAS.items():
        if formula in LENGTHS and not hasattr(page.module, formula):
            continue
        if formula in picked(page):
            continue
        letters = [letter for letter in known if letter != "j" or page.several]
        end = page.steps(p) + 1 if formula in ("holds", "live") else page.steps(p)
        step = (*((within(t, end),) if "t" in letters else ()), *(obligations.letters(page) if "j" in letters else ()))
        sizes = (h for letter in letters if letter not in "qrsctpwj" for h in domain(letter))
        for w in WIDTHS if "w" in letters else (None,):
            at = [w if letter == "w" else p if letter == "p" else Sym.var(letter) for letter in letters]
            a, b = (getattr(one, formula)(*at) for one in (page, changed))
            if memory.identity(a) != memory.identity(b):
                yield equal((*whole.given, *always(page), *step, *sizes), a, b)


def equal(box: tuple[Bool, ...], a: Int | Bool, b: Int | Bool) -> Obligation:
    """Return the obligation that both are the same number or the same truth; raises TypeError if they are neither."""
    if isinstance(a, bool | Truth) and isinstance(b, bool | Truth):
        return Obligation("the same", box, iff(a, b))
    if isinstance(a, int | Sym) and isinstance(b, int | Sym):
        return Obligation("the same", box, a == b)
    raise TypeError(f"{a!r} and {b!r} are not two numbers, and not two truths")
