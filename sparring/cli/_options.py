"""What several commands share: options, their types, and the printing of a report."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from sparring.cli._console import Console
from sparring.errors import InputError
from sparring.ranges import parse
from sparring.report import Report, Result

if TYPE_CHECKING:
    from rich.table import Table

as_json = click.option("--json", "json_", is_flag=True, help="Print one JSON object and nothing else.")
algorithms = click.argument("algorithms", nargs=-1, metavar="[ALGO]...")
algorithm = click.argument("algorithm", metavar="ALGO")


class Ranks(click.ParamType[tuple[int, ...]]):
    """Numbers of ranks: ``8``, ``1-8``, ``1-4,7``."""

    name = "RANKS"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        try:
            return parse(str(value))
        except InputError as error:
            self.fail(str(error), param, ctx)


class Parameter(click.ParamType[tuple[str, Any]]):
    """A page's parameter, ``name=value``; the value is JSON or else text."""

    name = "NAME=VALUE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Any]:
        if isinstance(value, tuple):
            return value
        name, equals, text = str(value).partition("=")
        if not equals or not name.isidentifier():
            self.fail(f"{value!r}: write a parameter as name=value", param, ctx)
        try:
            return name, json.loads(text)
        except (ValueError, RecursionError):
            return name, text


def once(ctx: click.Context, param: click.Parameter, value: tuple[tuple[str, Any], ...]) -> tuple[tuple[str, Any], ...]:
    """Refuse a parameter with two values, of which only one could count."""
    names = [name for name, _ in value]
    if twice := [name for name in names if names.count(name) > 1]:
        raise click.BadParameter(f"{twice[0]} has {names.count(twice[0])} values; right: one", ctx, param)
    return value


parameters = click.option(
    "-P", "params", multiple=True, type=Parameter(), callback=once, help="A parameter of the page."
)

perfetto = click.option("--perfetto", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
                        help="Write when ranks send and receive what to FILE, for ui.perfetto.dev.")  # fmt: skip

selector = click.option(
    "--selector",
    metavar="NAME",
    help="What of a rank's vector enters: threshold, sampled, … Its parameters, but for k, go by -P, too.",
)


def console(json_: bool = False) -> Console:
    """Return the console for people; with ``--json`` it is standard error, so that standard output has only data."""
    return Console(stderr=json_, highlight=False)


DETAILS = 12
"""The column in which details below a heading begin."""


def tell(console: Console, text: str) -> None:
    """Print lines; a terminal breaks long ones between words, and indents the rest."""
    wrap = textwrap.TextWrapper(console.width, break_long_words=False, break_on_hyphens=False)
    for line in text.splitlines() or [""]:
        wrap.subsequent_indent = " " * (DETAILS if line.startswith(" ") else 4)
        long = console.is_terminal and len(line) > console.width
        console.print(wrap.fill(line) if long else line, soft_wrap=True, markup=False, emoji=False)


jobs = click.option("--jobs", type=click.IntRange(1), help="Algorithms at a time; default as many as there are cores.")

no_cache = click.option(
    "--no-cache", "anew", is_flag=True, help="Judge also what an earlier run of the same code found."
)

fail_under = click.option("--fail-under", type=click.Choice(["proved", "tested"]), default=None,
                          help="Fail too where a property that is judged has a weaker verdict.")  # fmt: skip


as_html = click.option("--html", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
                       help="Write the results as a page for a browser, with counterexamples.")  # fmt: skip


def given() -> dict[str, str]:
    """Return the options on the command line as they are written, by their arguments' names."""
    ctx, line = click.get_current_context(), click.core.ParameterSource.COMMANDLINE
    return {str(p.name): p.opts[0] for p in ctx.command.params if ctx.get_parameter_source(str(p.name)) is line}


def only(allowed: Collection[str], with_: str) -> None:
    """Raise UsageError for an option on the command line that says nothing there; ``allowed``: arguments' names."""
    for name, option in given().items():
        if name not in allowed:
            raise click.UsageError(f"{option} does not go with {with_}")


def alone(names: Collection[str], others: str) -> None:
    """Raise UsageError for one of these on the command line: without ``others`` it says nothing."""
    for name, option in given().items():
        if name in names:
            raise click.UsageError(f"{option} goes with {others}, and says nothing here")


def weak(report: Report, floor: str | None, junit: Path | None, html: Path | None = None) -> list[Result]:
    """Return the results weaker than ``floor``; write all to the files that are given."""
    found = report.weaker(floor)
    if html:
        report.to_html(html)
    if junit:
        from sparring.present.junit import junit_xml

        write(junit, junit_xml(report, found))
    return found


def show_explorer(report: Report, console: Console, json_: bool) -> None:
    """Write the page that shows what was judged as a whole, where something is refuted, and tell people where it is."""
    from sparring.checks.reproducer import write_page

    if report.exit_code == 1 and "" in report.explorers:
        told = write_page(report.extra["check"]["target"], report.explorers[""])
        if not json_:
            console.print(told, soft_wrap=True, markup=False)


def finish(report: Report, json_: bool, weak: Sequence[Result] = ()) -> NoReturn:
    """Print the envelope if it was asked for, and leave with the report's exit code, or 1 for verdicts too weak."""
    if json_:
        click.echo(report.to_json())
    if weak:
        told = "; ".join(f"{r.property} is {r.verdict}" for r in weak)
        click.echo(f"sparring: weaker than --fail-under asks for: {told}", err=True)
    raise SystemExit(report.exit_code or bool(weak))


def write(file: Path, text: str) -> None:
    """Write the text; raise InputError where the file cannot be written."""
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}") from error


COLOURS = {"proved": "green", "tested": "cyan", "not covered": "dim", "refuted as": "yellow", "refuted": "bold red"}


def property_table(report: Report) -> Table:
    """Return a table with a row for each property: its verdict, and the example where it is refuted."""
    from rich.markup import escape
    from rich.table import Table

    grid = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("property", "verdict", ""):
        grid.add_column(column, overflow="fold", no_wrap=bool(column))
    for result in report.results:
        grid.add_row(result.property, coloured(str(result.verdict)), escape(result.detail))
    return grid


def coloured(verdict: str) -> str:
    """Return a verdict in its colour; the word says all that the colour does."""
    colour = next((c for word, c in COLOURS.items() if verdict.startswith(word)), "bold yellow")
    return f"[{colour}]{verdict}[/{colour}]"


def coverage(report: Report) -> str:
    """Return the last line: what was and what was not covered."""
    expected = "refuted as expected"
    told = ("proved", "tested", expected, "refuted", "undecided")
    words = [v if (v := str(r.verdict)) == expected else v.split(" ", maxsplit=1)[0] for r in report.results]
    counted = ", ".join(f"{words.count(w)} {w}" for w in told if w in words)
    missing = "; ".join(together(report.not_covered))
    gaps = f"not covered: {missing}" if missing else "nothing left out"
    said = f"{report.verdict}{': ' if counted else ''}{counted}; " if report.verdict != "not covered" else ""
    return f"{said}{gaps} ({report.seconds:.1f} s)"


def together(gaps: Sequence[str]) -> list[str]:
    """Return what was not covered, each reason once.

    >>> together(["result: no vectors", "steps: no page", "dtypes: no vectors"])
    ['result, dtypes: no vectors', 'steps: no page']
    """
    subjects: dict[str, list[str]] = {}
    for gap in gaps:
        subject, _, reason = gap.partition(": ")
        if subject not in subjects.setdefault(reason, []):
            subjects[reason].append(subject)
    return [f"{', '.join(names)}: {reason}" if reason else names[0] for reason, names in subjects.items()]
