"""The directive ``planted``: what `sparring check` says of each wrong allreduce of the catalogue.

Each file of ``docs/planted`` is one kind, written by ``docs/planted/judge.py``; its numbers stand nowhere else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from docutils import nodes
from mutants import table
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

Told = Mapping[str, Any]

KINDS = {
    "dense": "Dense vectors",
    "nonblocking": "Messages that are waited for later",
    "sparse": "Sparse vectors",
    "stateful": "Selections with a residual",
    "contracts": "Reducers that are judged by a contract",
    "torch": "torch.distributed and hooks of DDP",
    "C": "C",
}
"""The files, in their order, and their headings."""


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx when the extension is loaded."""
    app.add_config_value("planted_results", "planted", "env", [str])
    app.add_directive("planted", Planted)
    return {"parallel_read_safe": True}


class Planted(SphinxDirective):
    """The numbers, what is not found, and a table a kind."""

    def run(self) -> list[nodes.Node]:
        paths = {kind: Path(self.env.app.srcdir) / self.config.planted_results / f"{kind}.json" for kind in KINDS}
        for path in paths.values():
            self.env.note_dependency(path)
        found = {kind: json.loads(path.read_text(encoding="utf-8")) for kind, path in paths.items()}
        sections = [f"## {KINDS[kind]}\n\n{rows(one['defects'])}" for kind, one in found.items()]
        text = "\n\n".join(["## The numbers", overview(found), "## Not found", missed(found), *sections])
        return self.parse_text_to_nodes(text, allow_section_headings=True)


def overview(found: Mapping[str, Told]) -> str:
    """How many of each kind, how long it took, and where."""
    lines = [[KINDS[kind], *numbers([one])] for kind, one in found.items()]
    lines.append(["**all**", *numbers([*found.values()])])
    machines = " Or: ".join(dict.fromkeys(one["machine"] for one in found.values()))
    head = [
        "kind",
        "planted",
        "found",
        "twins that pass",
        "told, median",
        "told, worst",
        "ended, median",
        "ended, worst",
    ]
    return f"{table(head, lines)}\n\nMeasured on: {machines}."


def numbers(found: Sequence[Told]) -> list[str]:
    """Planted, found, twins that pass, and seconds until it is told and until the command ends.

    >>> one = {"name": "a", "refuted": ["result"], "first": 1.0, "seconds": 4.0}
    >>> numbers([{"defects": [one, one | {"refuted": []}], "twins": [{"refuted": []}]}])
    ['2', '1', '1 of 1', '1 s', '1 s', '4 s', '4 s']
    """
    wrong = [one for each in found for one in each["defects"]]
    caught = [one for one in wrong if one["refuted"]]
    twins = [one for each in found for one in each["twins"]]
    passed = sum(not one["refuted"] for one in twins)
    times = [[one[key] for one in caught] for key in ("first", "seconds")]
    return [str(len(wrong)), str(len(caught)), f"{passed} of {len(twins)}",
            *(f"{number:.3g} s" for each in times for number in (median(each), max(each)))]  # fmt: skip


def missed(found: Mapping[str, Told]) -> str:
    """Those that no option finds."""
    lines = [
        f"- {KINDS[kind]}: {one['name']}"
        for kind, each in found.items()
        for one in each["defects"]
        if not one["refuted"]
    ]
    return "\n".join(lines) or "All are found."


def rows(wrong: Sequence[Told]) -> str:
    """A row each of those that are found.

    >>> print(rows([{"name": "a", "options": "--sparse", "refuted": ["result"], "first": 1.0, "seconds": 4.0}]))
    | what is wrong | options | refuted | told after | ended after |
    | --- | --- | --- | --- | --- |
    | a | `--sparse` | result | 1 s | 4 s |
    """
    lines = [
        [one["name"], f"`{one['options']}`" if one["options"] else "", ", ".join(one["refuted"]),
         f"{one['first']:g} s", f"{one['seconds']:g} s"]
        for one in wrong if one["refuted"]
    ]  # fmt: skip
    return table(["what is wrong", "options", "refuted", "told after", "ended after"], lines)
