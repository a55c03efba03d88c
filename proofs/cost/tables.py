"""Costs as tables, for a page or a spreadsheet."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import TYPE_CHECKING, NamedTuple

import sympy

from sparring.proofs.cost.claims import Floor
from sparring.proofs.cost.simplified import HYPOTHESES, simplified, tidy
from sparring.proofs.cost.symbols import Expr

if TYPE_CHECKING:
    from sparring.proofs.cost.forms import Forms

FORMS = {
    "messages": "messages that each rank sends",
    "steps": "steps, one after the other",
    "inside": "steps in which no message leaves its node",
    "outside": "steps in which some do",
    "sharing": "the most messages of a step on one link that they share",
    "carried": "bytes over the fullest such link of each step, summed",
    "sent": "words that rank r sends",
    "words": "V_max, the most words that one rank sends",
    "path": "V_path, the most words along a path of messages",
    "critical": "V_crit, the largest message of each step, summed",
    "added": "the most words that one rank adds",
    "time": "seconds in lock step",
    "pairs": "words, were every entry sent as an index and a value",
    "octets": "bytes of a message with m entries of a chunk of that size",
    "bytes": "bytes that a rank sends, those of the largest message of each step",
}
"""The closed forms of a cost, in the order in which they are shown, with what they mean."""

HEAD = ("Algorithm", "Quantity", "Exact", "Where {}", "At least", "Gap")
HERE = "Here"
Points = Sequence[Mapping[str, str]]
"""For each cost, its forms' values at a point."""
SHOWN = ("messages", "words", "path", "critical", "added", "time")


class Row(NamedTuple):
    """A closed form, the same where nothing is rounded, and a lower bound; None where there is none."""

    quantity: str
    exact: Expr | None
    divided: Expr | None
    bound: Expr | None
    gap: Expr | None
    """What it is above the bound, where nothing is rounded."""


def rows(cost: Forms, names: Sequence[str] = ()) -> list[Row]:
    """A row for each form of that name, by default for the cost's main ones."""
    divided = cost.simplify(cost.even)
    return [row(name, cost.form(name), divided.form(name), cost.bounds, cost.even) for name in names or cost.shown]


def row(name: str, exact: Expr | None, divided: Expr | None, bounds: Mapping[str, Floor], given: str) -> Row:
    """One form and its bound, above which it is so much under the hypothesis ``given``."""
    bound = bounds[name].formula if name in bounds else None
    gap = None if bound is None or divided is None else tidy(sympy.simplify(divided - simplified(bound, given)))
    return Row(name, exact, divided, bound, gap)


def markdown(costs: Sequence[Forms], points: Points = ()) -> str:
    """A Markdown table, with values where there are ``points``; a bar within a cell would end it."""
    head = [cell.format(even(costs) or "nothing is rounded") for cell in (*HEAD, *([HERE] if points else []))]
    lines: list[Sequence[str]] = [head, ("---",) * len(head)]
    for number, cost in enumerate(costs):
        for row in rows(cost):
            cells = [f"`{x}`" if x is not None else "" for x in row[1:]]
            lines.append(
                (cost.label, row.quantity, cells[0] or "no closed form", *cells[1:], *here(points, number, row))
            )
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines)


def comma_separated(costs: Sequence[Forms], points: Points = ()) -> str:
    """The table for a spreadsheet: a line for each form, formulas as text."""
    file = StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(
        ["algorithm", "quantity", "exact", "where", "then", "at least", "gap", *(["here"] if points else [])]
    )
    for number, cost in enumerate(costs):
        for row in rows(cost):
            exact, *others = ["" if x is None else str(x) for x in row[1:]]
            writer.writerow([cost.label, row.quantity, exact, cost.even, *others, *here(points, number, row)])
    return file.getvalue().rstrip("\n")


def even(costs: Sequence[Forms]) -> str:
    """The hypothesis under which nothing in any of these is rounded."""
    found = {given for cost in costs for given in cost.even.split(", ")}
    return ", ".join(given for given in HYPOTHESES if given in found)


def here(points: Points, number: int, row: Row) -> list[str]:
    """The cell with the row's value at the point, if there is one."""
    return [points[number].get(row.quantity, "")] if points else []
