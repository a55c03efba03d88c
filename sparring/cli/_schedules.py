"""``sparring check`` on a schedule file: options of its own, and what is printed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from sparring.cli import _options

Command = TypeVar("Command", bound=Callable[..., Any])
ENDINGS = (".xml", ".json", ".goal", ".et")
GIVEN = "sparring.schedules.checking"
OPTIONS = ("words", "topology", "load", "depth", "json_", "junit", "fail_under", "html")
"""The options of ``check`` that count here."""


def keep(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    """Remember an option that only schedule files have."""
    if value:
        ctx.meta.setdefault(GIVEN, {})[str(param.name)] = value


def options(command: Command) -> Command:
    """Add the options that only schedule files have; the command does not get them as arguments."""
    for option in (
        click.option("--load", is_flag=True, expose_value=False, callback=keep,
                     help="A schedule file: RCCL must load it."),
        click.option("--depth", type=click.IntRange(1), expose_value=False, callback=keep,
                     help="A schedule file: how many messages a channel holds."),
    ):  # fmt: skip
        command = option(command)
    return command


def dispatch(target: str, json_: bool, junit: Path | None, fail_under: str | None, html: Path | None) -> None:
    """Judge TARGET and leave, if it is a schedule file."""
    ctx = click.get_current_context()
    given = ctx.meta.get(GIVEN, {})
    if not target.endswith(ENDINGS):
        if given:
            raise click.UsageError(f"--{next(iter(given))} is for schedule files ({', '.join(ENDINGS)}) alone")
        return
    _options.only(OPTIONS, "a schedule file, which says itself what it does on how many ranks")
    from sparring.schedules.checking import check_schedule

    console = _options.console(json_)
    with console.status("reading …"):
        report = check_schedule(
            Path(target),
            depth=given.get("depth"),
            topology=ctx.params["topology"] or None,
            load=given.get("load", False),
        )
    weak = _options.weak(report, fail_under, junit, html)
    if not json_:
        console.print(_options.property_table(report))
        console.print(f"\n{summary(report.extra)}", soft_wrap=True, markup=False)
        console.print(_options.coverage(report), soft_wrap=True, markup=False)
    _options.show_explorer(report, console, json_)
    _options.finish(report, json_, weak)


def summary(extra: Mapping[str, Any]) -> str:
    """Return what the schedule is, and what it costs, as text."""
    what = f"{extra['collective'] or 'messages'}: {extra['ranks']} ranks, {extra['steps']} steps"
    if not (cost := extra["cost"]):
        return what
    unit = " bytes" if cost["unit"] == "bytes" else " n"
    return (
        f"{what}, {extra['messages']} messages\ncost: the busiest rank sends {cost['messages']} messages, "
        f"{cost['volume']}{unit}; of messages that follow one from another, the most are {cost['path_messages']}, "
        f"the longest {cost['path_volume']}{unit} together"
    )
