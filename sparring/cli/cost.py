"""``sparring cost``: what an algorithm costs, as formulas and at a point."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from sparring.cli import _options
from sparring.errors import InputError, Undecided

if TYPE_CHECKING:
    from fractions import Fraction

    from sparring.proofs.cost.costs import Cost

LEGEND = (
    "A word is one value; an index counts as one word. alpha: seconds a message, beta: seconds a byte, "
    "gamma: seconds an addition (default 0), width: bytes a word (default 4), k: entries of a list, or entries kept. "
    "Time is that of lock step, an upper bound where ranks do not wait for the step to end."
)


class At(click.ParamType[dict[str, Any]]):
    """A point: ``p=8,n=1000000,alpha=5us,beta=0.1ns``."""

    name = "LETTER=VALUE,..."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, Any]:
        from sparring.proofs.cost.units import parse

        try:
            return value if isinstance(value, dict) else parse(str(value))
        except InputError as error:
            self.fail(str(error), param, ctx)


@click.command("cost")
@_options.algorithms
@_options.parameters
@click.option("--format", "format_", type=click.Choice(["text", "markdown", "latex", "json"]), default="text",
              show_default=True, help="Tables for a page or a paper, or one JSON object.")  # fmt: skip
@click.option("--at", type=At(), help="Numbers too: p=8,n=1000000,alpha=5us,beta=0.1ns; also k, gamma, width.")
def command(
    algorithms: tuple[str, ...], params: tuple[tuple[str, Any], ...], format_: str, at: dict[str, Any] | None
) -> None:
    """Derive what ALGO (by default all) sends: closed forms, checked by counting and by proof.

    Published formulas are judged equal, bound or different; lower bounds stand beside.
    """
    from sparring import api
    from sparring.proofs.cost import tables

    start = time.perf_counter()
    costs, undecided = [], {}
    with _options.console(json_=True).status("deriving …"):
        for name in algorithms or api.pages():
            try:
                costs.append(api.cost(name, **dict(params)))
            except Undecided as why:
                undecided[name] = str(why)
        points = [evaluated(cost, at) for cost in costs] if at else []
        report = api.cost_report(costs, undecided, time.perf_counter() - start)
    report.extra = {**report.extra, "at": dict(zip((c.page.name for c in costs), map(numbers, points)))}
    if format_ == "text":
        for line in (*text(costs, points), *(f"{name}: undecided: {why}" for name, why in undecided.items()), LEGEND):
            click.echo(line)
    elif format_ != "json":
        values = [{name: shown(name, x) for name, x in point.items()} for point in points]
        click.echo({"markdown": tables.markdown, "latex": tables.latex}[format_](costs, values))
    _options.finish(report, format_ == "json")


def evaluated(cost: Cost, at: dict[str, Any]) -> dict[str, Fraction | None]:
    """The cost at a point, by form."""
    return {name: value for name, value in cost.at(**at)._asdict().items() if value is not None}


def numbers(point: dict[str, Any]) -> dict[str, int | float | str]:
    """A point for the envelope: integers as they are, seconds as a number and as an exact fraction."""
    exact = {} if "time" not in point else {"time": float(point["time"]), "time_exact": str(point["time"])}
    return {**point, **exact}


def text(costs: list[Cost], points: list[dict[str, Any]]) -> Iterator[str]:
    """Everything about each algorithm, line by line."""
    for number, cost in enumerate(costs):
        yield f"{cost.page.name}: {cost.page.title}"
        yield from formulas(cost)
        if points:
            yield "  at this point: " + ", ".join(f"{name} {shown(name, x)}" for name, x in points[number].items())
        for name, verdict, detail in cost.checks:
            yield f"  {name}: {verdict} ({detail})"
        for judged in cost.claims:
            claim = judged.claim
            yield f"  {claim.source}, {claim.name} ({claim.quantity}): {judged.verdict}, {judged.detail}"
            if judged.difference:
                yield f"    claimed minus derived: {judged.difference}"
        yield from (f"  not covered: {gap}" for gap in cost.gaps)
        yield ""


def formulas(cost: Cost) -> Iterator[str]:
    """Each form, what it becomes where no chunk is rounded, and its lower bound."""
    from sparring.proofs.cost.tables import FORMS, rows

    for name, exact, divided, bound, gap in rows(cost, tuple(FORMS)):
        if exact is None:
            continue
        yield f"  {name:<9} {exact}    ({FORMS[name]})"
        if divided not in (None, exact):
            yield f"  {'':<9} where {cost.even}: {divided}"
        if bound is not None:
            missing = "reached" if gap == 0 else f"{gap} above it"
            where = f" where {cost.even}" if divided != exact else ""
            yield f"  {'':<9} at least {bound} ({cost.bounds[name].source}): {missing}{where}"


def shown(name: str, x: Any) -> str:
    """A number; seconds rounded."""
    return f"{float(x):.6g} s" if name == "time" else str(x)
