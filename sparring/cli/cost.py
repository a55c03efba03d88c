"""``sparring cost``: what an algorithm costs, as formulas and at a point."""

from __future__ import annotations

import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from sparring.cli import _bounds, _options, _papers, _phases, _plotted, _versus
from sparring.cli._shared import Where
from sparring.errors import InputError, Undecided

if TYPE_CHECKING:
    from sparring.costs.costs import Cost
    from sparring.costs.shared_links import SharedCost
    from sparring.costs.union_cost import UnionCost
    from sparring.report import Report

LEGEND = (
    "A word is one value; an index counts as one word. alpha: seconds a message, beta: seconds a byte, "
    "gamma: seconds an addition (default 0), width: bytes a word (default 4), k: entries of a list, or entries kept. "
    "Time is that of lock step, an upper bound where ranks do not wait for the step to end."
)
UNIONS = (
    "u(s): entries of the union of s neighbouring ranks' supports of k entries each, lying evenly in the chunks; "
    "identical and disjoint are its bounds, independent is its expected size, at which expected bytes are no more. "
    "deviation: at most the standard deviation of the entries that a chunk of all ranks' union has."
)
FORMATS = ("markdown", "csv", "python", "c")
Derived: TypeAlias = "Cost | UnionCost | SharedCost"
BESIDE = ("ring_allgather", "ring")  # what a sparse ring is compared with
Points = dict[str, dict[str, Any]]
"""A cost at a point, by model of supports and by form; the model is "" where there is none."""


class At(click.ParamType[dict[str, Any]]):
    """A point: ``p=8,n=1000000,alpha=5us,beta=0.1ns``."""

    name = "LETTER=VALUE,..."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, Any]:
        from sparring.costs.formulas.units import parse

        try:
            return value if isinstance(value, dict) else parse(str(value))
        except InputError as error:
            self.fail(str(error), param, ctx)


class Support(click.ParamType[str]):
    """A model of supports: ``independent``, ``blocks:64``, ``zipf:1.1``."""

    name = "MODEL"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from sparring.costs.supports import models

        try:
            if value != "union":
                models.find(str(value))
        except InputError as error:
            self.fail(str(error), param, ctx)
        return str(value)


@click.command("cost")
@_options.algorithms
@_options.parameters
@click.option("--format", "format_", type=click.Choice(["text", *FORMATS, *_papers.FORMATS, "json"]), default="text",
              show_default=True,
              help="Tables for pages, spreadsheets; functions; a paper's tables, as a document and to \\input, and "
              "what they cite; one JSON object.")  # fmt: skip
@click.option("--support", type=Support(), default="union", show_default=True,
              help="What stands for u(s), the union of s ranks' supports: identical, independent, disjoint, "
              "blocks:64, zipf:1.1.")  # fmt: skip
@click.option("--at", type=At(), help="Numbers too: p=8,n=1000000,alpha=5us,beta=25Gbit/s; also k, gamma, width.")
@click.option("--machine", metavar="NAME|FILE", help="alpha, beta and gamma: eth-25g, ib-hdr, nvlink, or ./file.json.")
@click.option(
    "--nodes",
    metavar="SIZE|node",
    help="So many neighbouring ranks sit in a node and share its link out; or node, a letter.",
)
@click.option("--inside", default="nvlink", show_default=True, metavar="NAME|FILE",
              help="With --machine and nodes: the machine that a node is.")  # fmt: skip
@click.option("--topology", metavar="NAME|FILE", help="Whose links messages share: ring, torus:k=2, …")
@click.option("--versus", metavar="ALGO", help="Where does ALGO become cheaper than this one?")
@click.option("--over", type=click.Choice(["rho", "n", "p"]), default="n", show_default=True,
              help="With --versus or --plot: what grows; rho is k/n, the density.")  # fmt: skip
@click.option(
    "--phase", metavar="X,Y", help="Which of several is the cheapest where, over two letters: rho,p; n,p; nodes,node; …"
)
@click.option("--from", "start", metavar="VALUE", help="From where it grows; with --phase two values, such as 0.01,2.")
@click.option("--to", "end", metavar="VALUE", help="To where it grows.")
@click.option(
    "--input",
    "file",
    metavar="FILE|digits|transformer",
    help="With --phase: beside the model, what these vectors give.",
)
@click.option(
    "--within", default="5%", show_default=True, metavar="SHARE", help="With --phase: how much more is hardly more."
)
@click.option("--plot", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Draw the costs, or the diagram of --phase; a .svg, .png or .pdf.")  # fmt: skip
def command(
    algorithms: tuple[str, ...], params: tuple[tuple[str, Any], ...], format_: str, support: str,
    at: dict[str, Any] | None, machine: str | None, nodes: str | None, inside: str, topology: str | None,
    versus: str | None, over: str, phase: str | None, start: str | None, end: str | None, file: str | None,
    within: str, plot: Path | None,
) -> None:  # fmt: skip
    """Derive what ALGO (by default all) sends: closed forms, checked by counting and by proof.

    Published formulas are judged equal, bound or different; lower bounds stand beside.
    """
    where = Where(nodes, topology, inside)
    where.without({"--versus": versus, "--phase": phase, "--plot": plot, f"--format {format_}": True})
    asked = _phases.read_options(phase, start, end, support, file, within, plot) if phase else None
    in_nodes = where._replace(nodes="node") if asked and asked.in_nodes else where
    at, json_ = on_machine(at, machine, in_nodes), format_ == "json"
    fitting(asked=phase, grows=versus or (plot and not phase), inside=machine and in_nodes.nodes)
    if versus and phase:
        raise InputError("--versus and --phase exclude each other: one compares two algorithms, the other any number")
    if versus:
        growing = (over, (start, end))
        report = _versus.print_crossover(algorithms, versus, *growing, support, at or {}, dict(params), plot, json_)
        _options.finish(report, json_)
    if asked:
        _options.finish(_phases.print_regions(algorithms or every(), at or {}, dict(params), asked, json_), json_)
    if plot:
        _plotted.draw(algorithms or every(), over, (start, end), support, at or {}, dict(params), plot)
        at = None  # a point lacks the letter that grows
    if format_ in _papers.FORMATS:
        _options.finish(on_paper(algorithms, params, format_, support, at, where), json_=False)
    print_costs(algorithms, params, format_, support, at, where)


def fitting(*, asked: Any, grows: Any, inside: Any) -> None:
    """Raise UsageError for an option that says nothing: of a diagram, of what grows, of a machine that a node is."""
    if not asked:
        _options.alone(("file", "within"), "--phase")
    if not grows:
        _options.alone(("over",), "--versus or --plot")
    if not (asked or grows):
        _options.alone(("start", "end"), "--versus, --phase or --plot")
    if not inside:
        _options.alone(("inside",), "--machine and --nodes, or letters for nodes in --phase")


def on_paper(
    algorithms: tuple[str, ...], params: tuple[tuple[str, Any], ...], format_: str, support: str,
    at: dict[str, Any] | None, where: Where,
) -> Report:  # fmt: skip
    """Print the tables of a paper, and the report of them."""
    from sparring import api
    from sparring.costs import unchecked

    algos = algorithms or every()
    costs = (unchecked.cost(api.page(algo, **dict(params)), support, **where.asked) for algo in algos if at)
    values = {algo: cells(evaluations(one, at)) for algo, one in zip(algos, costs)} if at else {}
    point = ", ".join(f"{letter} = {_versus.shown(letter, value)}" for letter, value in (at or {}).items())
    return _papers.print_tables(format_, algos, support, where, dict(params), values, point)


def every() -> tuple[str, ...]:
    """Return all algorithms that have formulas."""
    from sparring import api

    return tuple(api.regular())


def on_machine(at: dict[str, Any] | None, machine: str | None, where: Where) -> dict[str, Any] | None:
    """Return the point with the machine's letters; those given in the point win."""
    if machine is None:
        return at
    from sparring.costs.links import machines

    return {**where.letters(machines.machine(machine).letters), **(at or {})}


def print_costs(
    algorithms: tuple[str, ...], params: tuple[tuple[str, Any], ...], format_: str, support: str,
    at: dict[str, Any] | None, where: Where,
) -> None:  # fmt: skip
    """Derive, print, and leave."""
    from sparring import api
    from sparring.cost_reports import cost_report
    from sparring.costs import unchecked

    start = time.perf_counter()
    costs: list[Derived] = []
    undecided = {}
    asked = {name: api.uncosted(api.page(name, **dict(params))) for name in algorithms or api.pages()}
    uncovered = {name: why for name, why in asked.items() if why}
    with _options.console(json_=True).status("deriving …"):
        for name in (name for name in algorithms or asked if name not in uncovered):
            try:
                costs.append(unchecked.cost(api.page(name, **dict(params)), support, **where.asked))
            except Undecided as why:
                undecided[name] = str(why)
        points = [evaluations(cost, at) for cost in costs] if at else []
        report = cost_report(costs, undecided, time.perf_counter() - start)
        report.not_covered = [*report.not_covered, *(f"{name}: {why}" for name, why in uncovered.items())]
    names = [cost.page.name for cost in costs]
    report.extra = {
        **report.extra,
        "at": dict(zip(names, map(enveloped, points))),
        "least": dict(zip(names, (_bounds.enveloped(cost, found, at or {}) for cost, found in zip(costs, points)))),
    }
    if format_ == "text":
        console = _options.console(json_=False)
        told = [f"{name}: undecided: {why}" for name, why in undecided.items()]
        told += [f"{name}: not covered: {why}" for name, why in uncovered.items()]
        unions = [UNIONS, *_versus.supposed(support)] if any(cost.page.data == "sparse" for cost in costs) else []
        for line in (*text(costs, points, at or {}), *told, LEGEND, *([where.legend] if where.asked else []), *unions):
            _options.tell(console, line)
    elif format_ != "json":
        values = [cells(point) for point in points]
        click.echo(format_costs(format_, costs, values))
        for line in (*_versus.supposed(support), *_bounds.scopes(costs)) if format_ == "markdown" else ():
            click.echo(f"\n{line}")
    _options.finish(report, format_ == "json")


def format_costs(format_: str, costs: list[Any], values: list[dict[str, str]]) -> str:
    """Return the costs in one of ``FORMATS``; functions take any point."""
    from sparring.present.costs import code, tables

    formats: dict[str, Any] = {"markdown": tables.markdown, "csv": tables.comma_separated}
    if format_ in formats:
        text: str = formats[format_](costs, values)
        return text
    return {"python": code.python, "c": code.c}[format_](costs)


def evaluations(cost: Derived, at: dict[str, Any]) -> Points:
    """Return the cost at a point; of sparse chunks under each model that is asked for, with the algorithms compared."""
    from sparring import api
    from sparring.costs.shared_links import SharedCost
    from sparring.costs.union_cost import UnionCost
    from sparring.spec.library.support_models import MODELS

    if not isinstance(cost, UnionCost | SharedCost) or not cost.support:
        return {"": evaluated(cost, at)}
    supports = MODELS if cost.support == "union" else [cost.support]
    points = {support: evaluated(cost.under(support), at) for support in supports}
    beside = () if isinstance(cost, SharedCost) else BESIDE
    return points | {name: {"bytes": evaluated(api.cost(name), at)["bytes"]} for name in beside}


def evaluated(cost: Derived, at: dict[str, Any]) -> dict[str, Any]:
    """Return the cost at a point, by form."""
    found = {name: value for name, value in cost.at(**at)._asdict().items() if value is not None}
    return {"bytes" if name == "nbytes" else name: value for name, value in found.items()}


def enveloped(points: Points) -> dict[str, Any]:
    """Return a point for the envelope, by model where there is one."""
    return numbers(points[""]) if "" in points else {label: numbers(point) for label, point in points.items()}


def numbers(point: dict[str, Any]) -> dict[str, int | float | str]:
    """Return integers as they are, fractions rounded, and seconds rounded and as an exact fraction."""
    told: dict[str, int | float | str] = {name: int(x) if x == int(x) else float(x) for name, x in point.items()}
    if "time" in point:
        told |= {"time": float(point["time"]), "time_exact": str(point["time"])}
    return told


def cells(points: Points) -> dict[str, str]:
    """Return what a table says of each form at a point; with the model where models differ."""
    told: dict[str, dict[str, str]] = {}
    for label, point in points.items():
        for name, x in point.items():
            told.setdefault(name, {})[label] = shown(name, x)
    return {name: "; ".join(different(found)) for name, found in told.items()}


def different(found: dict[str, str]) -> list[str]:
    """Return one value if all are alike, else each with its label.

    >>> different({"identical": "7", "disjoint": "9"}), different({"": "7"})
    (['identical 7', 'disjoint 9'], ['7'])
    """
    return [*found.values()][:1] if len({*found.values()}) == 1 else [f"{label} {x}" for label, x in found.items()]


def text(costs: list[Derived], points: list[Points], at: dict[str, Any]) -> Iterator[str]:
    """Yield everything about each algorithm, line by line."""
    from sparring.costs.shared_links import SharedCost

    for number, cost in enumerate(costs):
        yield f"{cost.page.name}: {cost.page.title}"
        if isinstance(cost, SharedCost):
            yield f"  {cost.place}, where {cost.given}"
        yield from (f"  {line}" for line in cost.qualified)
        yield from formulas(cost)
        for label, point in points[number].items() if points else ():
            told = ", ".join(f"{name} {shown(name, x)}" for name, x in point.items())
            yield f"  at this point{label and ', '}{label}: {told}"
            if least := _bounds.reached(cost, label, point, at):
                there = (f"{name} {shown(name, x)} ({times})" for name, (x, times) in least.items())
                yield f"    at least {', '.join(there)}"
        for name, verdict, detail in cost.checks:
            yield f"  {name}: {verdict} ({detail})"
        for judged in cost.claims:
            claim = judged.claim
            yield f"  {claim.source}, {claim.name} ({claim.quantity}): {judged.verdict}, {judged.detail}"
            if judged.difference:
                yield f"    claimed minus derived: {judged.difference}"
        yield from (f"  not covered: {gap}" for gap in cost.gaps)
        yield ""


def formulas(cost: Derived) -> Iterator[str]:
    """Yield each form, what it becomes where nothing is rounded, and its lower bound."""
    from sparring.costs.derivation.message_bytes import worth
    from sparring.costs.rows import FORMS, rows

    for row in rows(cost, tuple(FORMS)):
        if row.exact is None:
            continue
        yield f"  {row.quantity:<9} {cost.relation}{row.exact}    ({FORMS[row.quantity]})"
        if row.divided not in (None, row.exact):
            yield f"  {'':<9} where {cost.plainest}: {row.divided}"
        if row.bound is not None:
            floor = cost.bounds[row.quantity]
            where = f" where {cost.plainest}" if row.divided != row.exact else ""
            yield f"  {'':<9} at least {row.bound} ({floor.source or 'counted'}): {_bounds.above(row)}{where}"
            if floor.scope:
                yield f"  {'':<9} if {floor.scope}"
    if cost.encoded is not None:
        yield f"  encoded   {cost.encoded}    (bytes of a message with m entries of size; {worth(cost.page)})"


def shown(name: str, x: Any) -> str:
    """Return a number as text; seconds and fractions rounded.

    >>> shown("words", Fraction(10**18 + 1, 2)), shown("time", Fraction(1, 3))
    ('500000000000000000.5', '0.333333 s')
    """
    if name == "time":
        return f"{float(x):.6g} s"
    if x == int(x):
        return str(x)
    tenths = round(10 * Fraction(x))  # a float has no more than 17 digits
    return f"{tenths // 10}.{tenths % 10}"
