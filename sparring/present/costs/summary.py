"""Writes one algorithm's cost as a paper has it: closed forms typeset, their conditions, their sources.

A sheet is plain data: it can be kept in a file, and made in another process.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import msgspec
import sympy

from sparring.costs.costs import Cost
from sparring.costs.derivation.proof import Checked
from sparring.costs.forms import Forms
from sparring.costs.formulas.hypotheses import parts
from sparring.costs.formulas.symbols import Expr
from sparring.costs.rows import rows
from sparring.costs.shared_links import SharedCost
from sparring.costs.union_cost import UnionCost
from sparring.present.costs.typeset import formula


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One closed form; formulas in LaTeX without dollar signs, empty where there is none."""

    quantity: str
    exact: str
    simple: str
    """The form under ``conditions``, simplified as far as it gets."""
    conditions: tuple[str, ...]
    """Hypotheses that ``simple`` needs."""
    given: tuple[str, ...]
    """Hypotheses that ``exact`` needs, too."""
    bound: str
    source: str
    """The source of the lower bound."""
    letters: tuple[str, ...]
    """The letters of ``exact`` and ``simple``, functions included."""
    scope: str = ""
    """The algorithms and inputs that the lower bound is of."""
    ratio: str = ""
    """The quotient of ``simple`` and the bound, where that is a number other than 1."""


class Sheet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The cost of the page ``name``; ``undecided`` says why there is none."""

    name: str
    lines: tuple[Line, ...] = ()
    judged: tuple[Checked, ...] = ()
    gaps: tuple[str, ...] = ()
    undecided: str = ""
    supposed: str = ""
    """The hypothesis about supports, in LaTeX, where ``u`` does not say it."""


def sheet(cost: Forms) -> Sheet:
    """Return the sheet of a cost, as it is typeset; nothing is checked."""
    return Sheet(cost.page.name, tuple(lines(cost)), supposed=cost.supposed)


def checked_sheet(cost: Cost | UnionCost | SharedCost) -> Sheet:
    """Return the sheet of a cost with the results of its checks and of comparing it with published formulas."""
    judged = (Checked(j.claim.name, j.checked, f"{j.claim.source}: {j.detail}") for j in cost.claims)
    return msgspec.structs.replace(sheet(cost), judged=(*cost.checks, *judged), gaps=tuple(cost.gaps))


def lines(cost: Forms) -> Iterator[Line]:
    """Yield a line for each main form of the cost."""
    given, ratios = tuple(parts(cost.given)), {row.quantity: row.ratio for row in rows(cost)}
    for name in cost.shown:
        exact = cost.form(name)
        if exact is None:
            yield Line(name, "", "", (), (), "", "", ())
            continue
        conditions, simple = simplest(cost, name)
        bound = cost.bounds.get(name)
        own = given if exact == simple or name != "messages" else ()
        ratio = ratios[name]
        yield Line(
            name, formula(exact), formula(simple), shorter((*own, *conditions)), shorter(own),
            formula(bound.formula) if bound else "", bound.source if bound else "", letters(exact, simple),
            bound.scope if bound else "",
            formula(ratio) if ratio is not None and ratio.is_number and ratio != 1 else "",
        )  # fmt: skip


def simplest(cost: Forms, name: str) -> tuple[tuple[str, ...], Expr]:
    """Return the form where nothing is rounded, and the fewest hypotheses that make it so."""
    wanted, every = cost.simplify(cost.plainest).form(name), tuple(parts(cost.plainest))
    choices = (some for size in range(len(every)) for some in combinations(every, size))
    enough = (some for some in choices if cost.simplify(", ".join(some)).form(name) == wanted)
    return next(enough, every), wanted


def shorter(hypotheses: Sequence[str]) -> tuple[str, ...]:
    """Return the hypotheses without repetition; ``2^floor(log2 p)`` is ``p`` where that is a power of two.

    >>> shorter(("2^floor(log2 p) | n", "p = 2^m"))
    ('p | n', 'p = 2^m')
    """
    power = "p = 2^m" in hypotheses
    told = ("p | n" if power and one == "2^floor(log2 p) | n" else one for one in hypotheses)
    return tuple(dict.fromkeys(told))


def letters(*formulas: Expr) -> tuple[str, ...]:
    """Return the names of all letters and functions in ``formulas``, but for those that a sum runs over."""
    symbols = {s.name for x in formulas for s in x.free_symbols}
    functions = {f.func.__name__ for x in formulas for f in x.atoms(sympy.core.function.AppliedUndef)}
    return tuple(sorted(symbols | functions))
