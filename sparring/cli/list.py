"""``sparring list``: all algorithms."""

from __future__ import annotations

import time

import click

from sparring.cli import _options


@click.command("list")
@_options.as_json
def command(json_: bool) -> None:
    """List all algorithms."""
    from rich.table import Table

    from sparring import api
    from sparring.report import Report

    start = time.perf_counter()
    pages = [api.page(name) for name in api.pages()]
    table = Table(box=None, padding=(0, 3, 0, 0))
    for column in ("algorithm", "kind", "title"):
        table.add_column(column)
    for page in pages:
        table.add_row(page.name, page.kind, page.title)
    if not json_:
        _options.console().print(table)
    algorithms = [{"name": page.name, "kind": page.kind, "title": page.title} for page in pages]
    report = Report("list", seconds=time.perf_counter() - start, extra={"algorithms": algorithms})
    _options.finish(report, json_)
