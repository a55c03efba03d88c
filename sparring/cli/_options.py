"""What several commands share: options, their types, and how a report is told."""

from __future__ import annotations

import json
from typing import Any, NoReturn

import click
from rich.console import Console

from sparring.report import Report

as_json = click.option("--json", "json_", is_flag=True, help="Print one JSON object and nothing else.")
algorithms = click.argument("algorithms", nargs=-1, metavar="[ALGO]...")
algorithm = click.argument("algorithm", metavar="ALGO")


class Ranks(click.ParamType[tuple[int, ...]]):
    """Numbers of ranks: ``8``, ``1-8``, ``1-4,7``."""

    name = "RANKS"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        ranks: set[int] = set()
        for part in str(value).split(","):
            low, dash, high = part.partition("-")
            if not low.isdigit() or (dash and not high.isdigit()):
                self.fail(f"{value!r} names no numbers of ranks; write 8, 1-8 or 1-4,7", param, ctx)
            ranks.update(range(int(low), int(high or low) + 1))
        if not ranks or min(ranks) < 1 or max(ranks) > LARGEST:
            self.fail(f"{value!r}: ranks go from 1 to {LARGEST}", param, ctx)
        return tuple(sorted(ranks))


LARGEST = 1024
"""The most ranks that a command simulates."""


class Parameter(click.ParamType[tuple[str, Any]]):
    """A page's parameter, ``name=value``; the value is JSON or else text."""

    name = "NAME=VALUE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Any]:
        name, equals, text = str(value).partition("=")
        if not equals or not name.isidentifier():
            self.fail(f"{value!r}: write a parameter as name=value", param, ctx)
        try:
            return name, json.loads(text)
        except ValueError:
            return name, text


parameters = click.option("-P", "params", multiple=True, type=Parameter(), help="A parameter of the page.")


def console(json_: bool = False) -> Console:
    """Where people read; with ``--json`` that is standard error, so that standard output stays data."""
    return Console(stderr=json_, highlight=False)


def finish(report: Report, json_: bool) -> NoReturn:
    """Print the envelope if it was asked for, and leave with the report's exit code."""
    if json_:
        click.echo(report.to_json())
    raise SystemExit(report.exit_code)
