"""``sparring check``: the verdict on somebody's implementation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from sparring.cli import _options, _schedules

if TYPE_CHECKING:
    from rich.table import Table

    from sparring.report import Report


class Expectation(click.ParamType[tuple[str, str]]):
    """A property that must fail and why: ``steps=sends in segments``."""

    name = "PROPERTY=REASON"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        prop, equals, reason = str(value).partition("=")
        if not equals or not reason:
            self.fail(f"{value!r}: write an expected failure as property=reason", param, ctx)
        return prop, reason


@click.command("check")
@click.argument("words", metavar="TARGET | -- COMMAND", nargs=-1, required=True)
@click.option(
    "--algorithm", default="allreduce", help="What it is said to be: ALGO; by default the sum is all that counts."
)
@click.option("--ranks", type=_options.Ranks(), default="1-8", show_default=True, help="Numbers of ranks to draw from.")
@click.option("--on", type=click.Choice(["simulated", "mpi", "both", "torch", "ddp"]), default="simulated",
              show_default=True, help="MPI, simulated or real; torch; a hook of its DDP.")  # fmt: skip
@click.option("--level", type=click.Choice(["result", "volume", "steps"]), default="result", show_default=True,
              help="Look at results, at what is sent in all, or at every message.")  # fmt: skip
@click.option("--sparse", is_flag=True, help="Give it sparring.Sparse where no algorithm says what it takes.")
@click.option("--max-examples", type=click.IntRange(1), default=None, show_default="100; of a command 30")
@click.option("--dtype", "dtypes", multiple=True, help="What it takes; may be repeated, by default all four.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed draws the same examples.")
@click.option("--xfail", "xfail", multiple=True, type=Expectation(), help="A property that must fail, and why.")
@click.option("--only", multiple=True, metavar="PROPERTY", help="Judge this property alone; may be repeated.")
@_schedules.options
@_options.parameters
@_options.as_json
def command(
    words: tuple[str, ...], algorithm: str, ranks: tuple[int, ...], on: str, level: str, sparse: bool,
    max_examples: int | None, dtypes: tuple[str, ...], seed: int, xfail: tuple[tuple[str, str], ...],
    only: tuple[str, ...], params: tuple[tuple[str, Any], ...], json_: bool,
) -> None:  # fmt: skip
    """Judge TARGET, pkg.mod:function or file.py:function (or :Class), property by property.

    TARGET may also be a schedule file, .xml (MSCCL), .json (ours), .goal or .0.et (Chakra).
    A program gets vectors and gives results by files: -- mpiexec -n {p} ./a.out {input} {output}.

    A :Class that selects entries and keeps the rest is played over several calls; how many it keeps, k, is
    drawn with each example, unless -P k=N gives it.

    What is wrong is shrunk to the smallest example, and written down as a script in sparring-failures/.
    """
    if len(words) == 1:
        _schedules.dispatch(words[0], json_)
    from rich.progress import Progress

    from sparring.checks.checking import check

    console = _options.console(json_)
    target = words[0] if len(words) == 1 else list(words)
    with Progress(console=console, transient=True) as progress:
        total = max_examples and max_examples * (2 if on == "both" else 1)
        task = progress.add_task(f"checking {' '.join(words)}", total=total)
        report = check(
            target, algorithm, ranks=ranks, on=on, level=level, seed=seed, max_examples=max_examples,
            dtypes=dtypes or None, xfail=dict(xfail), only=only or None, sparse=sparse,
            advance=lambda: progress.advance(task), **dict(params),
        )  # fmt: skip
    if not json_:
        console.print(table(report))
        if report.figure:
            console.print()
            console.print(report.figure(console.width))
        console.print(f"\n{_options.coverage(report)}", soft_wrap=True)
    _options.finish(report, json_)


def table(report: Report) -> Table:
    """A row a property: its verdict, and the example where it is refuted."""
    from rich.markup import escape
    from rich.table import Table

    grid = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("property", "verdict", ""):
        grid.add_column(column, overflow="fold")
    for result in report.results:
        grid.add_row(result.property, _options.coloured(str(result.verdict)), escape(result.detail))
    return grid
