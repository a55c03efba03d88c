"""Tables of costs, for a page or a spreadsheet."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from io import StringIO

from sparring.costs.forms import Forms
from sparring.costs.formulas.hypotheses import HYPOTHESES, parts
from sparring.costs.rows import Row, rows
from sparring.costs.shared_links import SharedCost
from sparring.present.costs.code import conditions

HEAD = ("Algorithm", "Quantity", "Exact", "Where {}", "At least", "Gap", "Times")
HERE = "Here"
COLUMNS = ("algorithm", "quantity", "exact", "where", "then", "at least", "gap", "times", "if")
"""The columns of a spreadsheet, but for the values, which come last."""
Points = Sequence[Mapping[str, str]]
"""The values of each cost's forms at a point."""


def markdown(costs: Sequence[Forms], points: Points = ()) -> str:
    """Return a Markdown table, with values where there are ``points``; a bar would end a cell, so it is escaped."""
    head = [cell.format(even(costs) or "nothing is rounded") for cell in (*HEAD, *([HERE] if points else []))]
    lines: list[Sequence[str]] = [head, ("---",) * len(head)]
    for number, cost in enumerate(costs):
        for row in rows(cost):
            cells = [f"`{x}`" if x is not None else "" for x in row[1:]]
            lines.append(
                (label(cost), row.quantity, cells[0] or "no closed form", *cells[1:], *here(points, number, row))
            )
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines)


def comma_separated(costs: Sequence[Forms], points: Points = ()) -> str:
    """Return the table for a spreadsheet: a line for each form, formulas as text."""
    file = StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([*COLUMNS, *([HERE.lower()] if points else [])])
    for number, cost in enumerate(costs):
        bounds = cost.bounds
        for row in rows(cost):
            exact, *others = ["" if x is None else str(x) for x in row[1:]]
            scope = bounds[row.quantity].scope if row.quantity in bounds else ""
            cells = [label(cost), row.quantity, exact, cost.plainest, *others, scope]
            writer.writerow([*cells, *here(points, number, row)])
    return file.getvalue().rstrip("\n")


def label(cost: Forms) -> str:
    """Return the name of an algorithm, whether its formulas are bounds, and where they hold."""
    said = isinstance(cost, SharedCost)  # whose label says where
    return cost.label if said else f"{cost.label}{conditions(cost)}"


def even(costs: Sequence[Forms]) -> str:
    """Return the hypothesis under which nothing in any of the costs is rounded."""
    found = {given for cost in costs for given in parts(cost.plainest)}
    return ", ".join(given for given in (*HYPOTHESES, *sorted(found - {*HYPOTHESES})) if given in found)


def here(points: Points, number: int, row: Row) -> list[str]:
    """Return the cell with the row's value at the point, if there is one."""
    return [points[number].get(row.quantity, "")] if points else []
