"""``sparring list``: all algorithms, and all selectors."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from sparring.cli import _options

if TYPE_CHECKING:
    from rich.table import Table


@click.command("list")
@_options.as_json
def command(json_: bool) -> None:
    """List all algorithms, and the selectors that say what of a vector is sent."""
    from sparring import api
    from sparring.report import Report
    from sparring.spec.core.selectors import find

    start = time.perf_counter()
    pages = [api.page(name) for name in api.pages()]
    algorithms = [{"algorithm": page.name, "kind": page.kind, "title": page.title} for page in pages]
    found = [find(name) for name in api.selectors()]
    selectors = [{"selector": one.name, "parameters": ", ".join(one.params), "title": one.title} for one in found]
    if not json_:
        _options.console().print(table(algorithms), "", table(selectors), sep="\n")
    told = {
        "algorithms": [{"name": page.name, "kind": page.kind, "title": page.title} for page in pages],
        "selectors": [{"name": one.name, "parameters": [*one.params], "title": one.title} for one in found],
    }
    report = Report("list", seconds=time.perf_counter() - start, extra=told)
    _options.finish(report, json_)


def table(rows: Sequence[Mapping[str, str]]) -> Table:
    """Return a table with the rows, and what they have in common as columns."""
    from rich.table import Table

    shown = Table(box=None, padding=(0, 3, 0, 0))
    for column in rows[0]:
        shown.add_column(column, no_wrap=column != "title")  # a name stays whole
    for row in rows:
        shown.add_row(*row.values())
    return shown
