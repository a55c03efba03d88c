"""The directive ``libraries``: what `sparring check --library` says of each MPI library.

Each file of ``docs/libraries`` is one library, written by ``docs/libraries/keep.py``; its numbers stand nowhere else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from docutils import nodes
from mutants import table
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from sparring.libraries.audit import spelled, where
from sparring.libraries.selection import NAMES

Told = Mapping[str, Any]

RANKS, SIZE = 8, 1003
"""The run whose messages have a column."""
COLUMNS = ("sum", "bits", "in place", "messages")


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx when the extension is loaded."""
    app.add_config_value("libraries", "libraries", "env", [str])
    app.add_directive("libraries", Libraries)
    return {"parallel_read_safe": True}


class Libraries(SphinxDirective):
    """A section a library, a table a collective."""

    def run(self) -> list[nodes.Node]:
        paths = [Path(self.env.app.srcdir) / self.config.libraries / f"{name}.json" for name in NAMES]
        for path in paths:
            self.env.note_dependency(path)
        found = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
        text = "\n\n".join(f"## {one['version']}\n\n{section(one)}" for one in found)
        return self.parse_text_to_nodes(text, allow_section_headings=True)


def section(library: Told) -> str:
    """All collectives of a library; what it does not tell has no columns."""
    tells = any(one["runs"] for one in library["algorithms"])
    parts = []
    for collective, some in groupby(library["algorithms"], key=lambda one: one["collective"]):
        lines = list(some)
        heads = ["algorithm", *COLUMNS[: 4 if tells else 3]]
        heads += ["pages", f"sent at p = {RANKS}, n = {SIZE:,}, in all"] if tells else []
        rows = [cells(one, tells) for one in lines]
        parts.append(f"### {collective}\n\n{table(heads, rows if tells else together(rows))}")
        parts += [f"`{one['algorithm']}` is refuted in {why}." for one in lines for why in one["refuted"][:1]]
    return "\n\n".join(parts)


def together(rows: Sequence[list[str]]) -> list[list[str]]:
    """One row for all algorithms of which the same is said.

    >>> together([["`a`", "tested"], ["`b`", "refuted"], ["`c`", "tested"]])
    [['`a`, `c`', 'tested'], ['`b`', 'refuted']]
    """
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, *verdicts in rows:
        alike.setdefault(tuple(verdicts), []).append(name)
    return [[", ".join(names), *verdicts] for verdicts, names in alike.items()]


def cells(one: Told, tells: bool) -> list[str]:
    """The row of an algorithm."""
    verdicts = [one["verdicts"].get(name, "") for name in COLUMNS[: 4 if tells else 3]]
    refused = sorted({run["ranks"] for run in one["runs"] if "refused" in run})
    pages = [page(each) for each in one["pages"]]
    pages += [f"none at {one['unlike'].partition(':')[0]}"] * bool(one["unlike"])
    pages += [f"refused at p = {spelled(refused)}"] * bool(refused)
    return [f"`{one['algorithm']}`", *verdicts, *(["; ".join(pages), sent(one["runs"])] if tells else [])]


def page(each: Told) -> str:
    """A page, and the runs in which it sends the same."""
    cut = f", in up to {each['segments']} segments" if each["segments"] > 1 else ""
    return f"{each['name']}{cut}: {where([tuple(run) for run in each['runs']])}"


def sent(runs: Sequence[Told]) -> str:
    """Messages and bytes of one run, and what the page plans where that is something else.

    >>> run = {"ranks": 8, "size": 1003, "sent": {"messages": 14, "nbytes": 112}, "planned": None}
    >>> sent([run]), sent([run | {"planned": {"messages": 7, "nbytes": 112}}])
    ('14 messages, 112 B', '14 messages, 112 B; by the page 7, 112 B')
    """
    one = next((run for run in runs if (run["ranks"], run["size"]) == (RANKS, SIZE) and "sent" in run), None)
    if one is None:
        return ""
    said, planned = one["sent"], one["planned"]
    more = f"; by the page {planned['messages']}, {planned['nbytes']:,} B" if planned and planned != said else ""
    return f"{said['messages']} messages, {said['nbytes']:,} B{more}"
