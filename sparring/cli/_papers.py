"""``sparring cost --format latex``: tables for a paper, and the entries of what they cite."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from sparring.cli import _options, _shared

if TYPE_CHECKING:
    from sparring.cli._shared import Where
    from sparring.report import Report

FORMATS = ("latex", "latex-table", "latex-wide", "bibtex")


def print_tables(format_: str, algos: Sequence[str], support: str, where: Where, params: Mapping[str, Any],
         values: Mapping[str, Mapping[str, str]], at: str) -> Report:  # fmt: skip
    """Print it, and the report of how it was checked; ``values``: by algorithm and form, at the point ``at``."""
    from sparring import api
    from sparring.cost_summaries import sheets
    from sparring.present.costs import citations, papers
    from sparring.proofs.logic.verdicts import UNDECIDED
    from sparring.report import Report, Result

    start = time.perf_counter()
    with _options.console(json_=True).status("deriving …"):
        found = _shared.sheets(algos, support, where, **params) if where.asked else sheets(algos, support, **params)
    all_ = [papers.Told(api.page(algo, **params), one, values.get(algo, {})) for algo, one in zip(algos, found)]
    caption = where.caption if where.asked else papers.CAPTION
    if format_ == "bibtex":
        click.echo(citations.bibtex(papers.citations(all_)))
    else:
        written = {"latex": papers.document, "latex-table": papers.table, "latex-wide": papers.wide}
        click.echo(written[format_](all_, at, caption))
    results = [Result(one.name, judged.name, judged.verdict, judged.detail) for one in found for judged in one.judged]
    results += [Result(one.name, "derivation", UNDECIDED, one.undecided) for one in found if one.undecided]
    return Report("cost", results, seconds=time.perf_counter() - start)
