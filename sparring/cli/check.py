"""``sparring check``: the verdict on somebody's implementation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from sparring.cli import _libraries, _options, _schedules
from sparring.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from rich.console import Console

    from sparring.report import Report


SHOWN = ("words", "json_", "junit", "html", "fail_under")
OF_SELECTORS = (*SHOWN, "algorithm", "params")
OF_RECORDS = (*SHOWN, "perfetto")
"""The options that count for such a target; of what was recorded, besides those that ``check`` takes."""
CALLED = {"algorithm": "page", "selector": "params"}
"""What options are called as arguments of ``check``, if not by their own names."""


class Pair(click.ParamType[tuple[str, str]]):
    """A name and its value: ``steps=sends in segments``, ``n=1-64``."""

    def __init__(self, name: str, what: str) -> None:
        self.name, self.what = name, what

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value
        name, equals, said = str(value).partition("=")
        if not equals or not said:
            self.fail(f"{value!r}: write {self.what} as {self.name.lower()}", param, ctx)
        return name, said


class Configured(click.Command):
    """A command whose options pyproject.toml may set."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        from sparring.checks import configuration

        defaults = configuration.load(Path.cwd())
        return super().make_context(info_name, args, parent, default_map=defaults, **extra)


@click.command("check", cls=Configured)
@click.argument("words", metavar="TARGET | -- COMMAND", nargs=-1)
@_libraries.options
@click.option(
    "--algorithm", default="allreduce", help="What it is said to be: ALGO; by default the sum is all that counts."
)
@click.option("--ranks", type=_options.Ranks(), default=None, show_default="1-8, and simulated a few up to 33",
              help="Numbers of ranks to draw from.")  # fmt: skip
@click.option("--on", type=click.Choice(["simulated", "mpi", "both", "torch", "ddp"]), default="simulated",
              show_default=True, help="MPI, simulated or real; torch; a hook of its DDP.")  # fmt: skip
@click.option("--level", type=click.Choice(["result", "volume", "steps"]), default="result", show_default=True,
              help="Look at results, at what is sent in all, or at every message.")  # fmt: skip
@click.option("--sparse", is_flag=True, help="Give it sparring.Sparse where no algorithm says what it takes.")
@click.option("--topology", default="", metavar="NAME", help="Judge whether messages meet on its links: torus:k=4.")
@click.option("--bad-input", is_flag=True, help="Judge too whether vectors that do not fit together are refused.")
@click.option(
    "--max-examples", type=click.IntRange(1), default=None, show_default="100; of a command without {batch} 30"
)
@click.option("--dtype", "dtypes", multiple=True, help="What it takes; may be repeated, by default all four.")
@click.option(
    "--seed", type=int, default=0, show_default=True, help="The same seed draws the same examples for the same code."
)
@click.option("--timeout", type=click.FloatRange(0, min_open=True), default=None,
              show_default="10; more where it needs more", help="Seconds for one example on real ranks.")  # fmt: skip
@click.option("--against", default=None, metavar="TARGET|NAME=VALUE",
              help="Must give the same bits: another target, or this one where real ranks have that set.")  # fmt: skip
@click.option("--contract", default="", metavar="NAME[:SETTING=VALUE]", help="What it promises instead of the sum: "
              "mean, sparse-sum, error-feedback, unbiased, contraction or bounded-error.")  # fmt: skip
@click.option("--draw", multiple=True, type=Pair("NAME=SPAN", "a bound"),
              help="Bounds for a contract: n=1-64, k=1-8, calls=33-40, warm-up=32; may be repeated.")  # fmt: skip
@click.option("--budget", type=click.FloatRange(0, min_open=True), default=None, metavar="SECONDS",
              help="End after so long with what is known.")  # fmt: skip
@click.option(
    "--xfail",
    multiple=True,
    type=Pair("PROPERTY=REASON", "an expected failure"),
    help="A property that must fail, and why.",
)
@click.option("--only", multiple=True, metavar="PROPERTY", help="Judge this property alone; may be repeated.")
@_schedules.options
@click.option("--junit", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write the results as JUnit XML, a test case a property.")  # fmt: skip
@_options.as_html
@_options.perfetto
@_options.fail_under
@_options.selector
@_options.parameters
@_options.as_json
def command(
    words: tuple[str, ...], dtypes: tuple[str, ...], xfail: tuple[tuple[str, str], ...], only: tuple[str, ...],
    draw: tuple[tuple[str, str], ...],
    params: tuple[tuple[str, Any], ...], junit: Path | None, html: Path | None, perfetto: Path | None,
    fail_under: str | None, selector: str | None, json_: bool, **asked: Any,
) -> None:  # fmt: skip
    """Judge TARGET, pkg.mod:function or file.py:function (or :Class), property by property.

    TARGET may also be a schedule file, .xml (MSCCL, ForestColl), .json (ours, MSCCL++, TE-CCL), .goal or
    .0.et (Chakra), or a recorded trace, a folder or a .jsonl file; or a folder of flight-recorder dumps of
    torch, which say why a job hangs: --ranks is then how many it had.
    With --on torch or --on ddp it may be one of torch's own, a collective torch:all_reduce or a hook
    torch:powerSGD_hook.
    A program gets vectors and gives results by files: -- mpiexec -n {p} ./a.out {input} {output}; or with
    {batch}, a folder of many such examples, which it plays in one launch.

    A :Class that selects entries and keeps the rest is played over several calls; how many it keeps, k, is
    drawn with each example, unless -P k=N gives it.  With --selector it is given that name as selector, and
    judged by the algorithm's page with that selector.

    With a selector's name for ALGO, a :Class made with k=... whose instances take a vector and give a Sparse
    is judged as selectors are, on vectors of its own choice; of the other options only -P goes with that.

    With --library, TARGETs are names of MPI collectives, allreduce, and each algorithm that the MPI library lets one
    choose is judged on real ranks; Open MPI's messages are compared with pages, pair by pair.  With --selection, the
    question is which algorithm the library chooses by itself, whether derived costs choose another, and what is lost.

    What is wrong is shrunk to the smallest example, and written down in sparring-failures/: as a script, and as a page
    for a browser, which opens at the first message that is wrong.

    Options may stand in pyproject.toml under [tool.sparring]; the command line outweighs them.
    """
    from sparring.spec.core import pages, selectors

    if perfetto:
        from sparring.checks import timelines

        timelines.write(words[0] if len(words) == 1 else " ".join(words), asked["ranks"], perfetto)
    _libraries.dispatch(asked, words, json_, junit, fail_under)
    _schedules.dispatch(words[0] if len(words) == 1 else "", json_, junit, fail_under, html)
    if len(words) == 1 and asked["algorithm"] in selectors.names():
        selecting(words[0], asked["algorithm"], dict(params), json_, junit, fail_under, html)
    from rich.progress import Progress

    from sparring.checks.checking import check
    from sparring.checks.clock import INTERRUPTED
    from sparring.checks.contracts import ALLREDUCE
    from sparring.checks.ranks.watcher import watching

    asked |= {"dtypes": dtypes or None, "draw": dict(draw), "params": params}
    asked = {name: value for name, value in asked.items() if name not in about_records(words)}
    params, page = asked.pop("params", ()), asked.pop("algorithm", ALLREDUCE)
    if selector:
        found = pages.find(page) if page != ALLREDUCE else None
        if found is None or not found.stateful:
            raise InputError("--selector: only an algorithm that selects takes one; right: with --algorithm ring_topk")
        params = (*params, ("selector", selector))
    console = _options.console(json_)
    target = words[0] if len(words) == 1 else list(words)
    with watching(), Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        number = asked.get("max_examples")
        total = number and number * (2 if asked["on"] == "both" else 1)
        task = progress.add_task(f"checking {' '.join(words)}", total=total)

        def advance(said: Sequence[str]) -> None:
            progress.advance(task)
            for sentence in said if not json_ else ():
                progress.console.print(f"refuted: {sentence}", style="red", markup=False, soft_wrap=True)

        report = check(
            target, page, xfail=dict(xfail), only=only or None, advance=advance, **asked, **dict(params),
        )  # fmt: skip
    weak = _options.weak(report, fail_under, junit, html)
    if not json_:
        print_report(report, console)
    _options.show_explorer(report, console, json_)
    if report.extra["check"].get("ended") == INTERRUPTED:
        raise KeyboardInterrupt
    _options.finish(report, json_, weak)


def about_records(words: Sequence[str]) -> Collection[str]:
    """Return the options that say nothing of what was recorded, if that is the TARGET.

    Raises UsageError for one on the command line.
    """
    from sparring.checks import records

    found = records.kept(words[0]) if len(words) == 1 else None
    if found is None:
        return ()
    allowed, what = found
    names = [str(param.name) for param in click.get_current_context().command.params]
    odd = {name for name in names if name not in OF_RECORDS and CALLED.get(name, name) not in allowed}
    _options.only({*names} - odd, f"{what}, of which it says nothing")
    return odd


def selecting(
    target: str, name: str, params: dict[str, Any], json_: bool, junit: Path | None, fail_under: str | None,
    html: Path | None,
) -> NoReturn:  # fmt: skip
    """Judge a selector, and leave with the report's exit code."""
    _options.only(OF_SELECTORS, "a selector, which is judged on vectors of its own choice")
    from sparring.verification.selector import check_selector

    report = check_selector(target, name, **params)
    weak = _options.weak(report, fail_under, junit, html)
    if not json_:
        print_report(report, _options.console())
    _options.finish(report, json_, weak)


def print_report(report: Report, console: Console) -> None:
    """Print the results for people: a table, the nearest page, the first divergence, what was not covered."""
    console.print(_options.property_table(report))
    if near := report.extra["check"].get("nearest"):
        console.print(f"\nnearest page: {near['text']}", soft_wrap=not console.is_terminal, markup=False)
    if report.figure:
        console.print()
        console.print(report.figure(console.width))
    console.print(f"\n{_options.coverage(report)}", soft_wrap=not console.is_terminal)
