"""The directive ``timings``: tables and pictures of what ``benchmarks/allreduce.py`` measured.

Each file of ``benchmarks/results`` is one MPI library; its numbers stand nowhere else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import timeplot
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

Cell = Mapping[str, Any]

LIBRARY, SELECTION = "comm.Allreduce", "selection"
FOLDER = "timings"


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx when the extension is loaded."""
    app.add_config_value("timings_results", "../benchmarks/results", "env", [str])
    app.add_directive("timings", Timings)
    app.connect("builder-inited", draw_all)
    return {"parallel_read_safe": True}


def files(app: Sphinx) -> list[Path]:
    """The results, one file an MPI library, by name."""
    return sorted((Path(app.srcdir) / app.config.timings_results).glob("*.json"))


def read(path: Path) -> dict[str, Any]:
    """What one file holds."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def draw_all(app: Sphinx) -> None:
    """Draw a picture of each file's times into ``timings/`` in the sources."""
    folder = Path(app.srcdir) / FOLDER
    folder.mkdir(exist_ok=True)
    paths = files(app)
    for old in {*folder.iterdir()} - {folder / f"{path.stem}.svg" for path in paths}:
        old.unlink()
    for path in paths:
        timeplot.draw(read(path)["cells"], folder / f"{path.stem}.svg")


class Timings(SphinxDirective):
    """A section an MPI library."""

    def run(self) -> list[nodes.Node]:
        paths = files(self.env.app)
        if not paths:
            raise self.error(f"no results in {self.config.timings_results}")
        for path in paths:
            self.env.note_dependency(path)
        text = "\n\n".join(section(read(path), path.stem) for path in paths)
        return self.parse_text_to_nodes(text, allow_section_headings=True)


def section(found: Mapping[str, Any], stem: str) -> str:
    """One library's machine, picture and tables, as Markdown."""
    picture = f"```{{image}} {FOLDER}/{stem}.svg\n:class: timings\n:alt: {alt(found)}\n```"
    parts = [f"## {found['versions']['mpi']}", facts(found), picture]
    for ranks, cells in groupby(found["cells"], key=lambda cell: cell["ranks"]):
        parts += [f"### {title(ranks, found)}", f"```{{table}}\n:class: timings\n\n{table([*cells])}\n```"]
    return "\n\n".join(parts)


def alt(found: Mapping[str, Any]) -> str:
    """What the picture shows, in words."""
    return f"Median times against the length of the vector, {found['versions']['mpi']}; the numbers stand in the tables"


def facts(found: Mapping[str, Any]) -> str:
    """Where it was measured, and how often."""
    machine, versions = found["machine"], found["versions"]
    rounds = [cell["rounds"] for cell in found["cells"]]
    tuned = ", ".join(f"`{name}={value}`" for name, value in found["environment"].items())
    told = {
        "Machine": f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}; all ranks on this one machine",
        "Software": ", ".join(f"{name} {release}" for name, release in versions.items() if name != "mpi"),
        "MPI library": f"{versions['mpi']}, {tuned or 'nothing set in its environment'}",
        "Rounds": f"{min(rounds)} to {max(rounds)} a cell",
        "Command": f"`{found['command']}`",
    }
    return "\n".join(f"- **{name}**: {text}" for name, text in told.items())


def title(ranks: int, found: Mapping[str, Any]) -> str:
    """The heading of a table."""
    cores = found["machine"]["cores"]
    crowd = f", oversubscribed: {cores} cores" if ranks > cores else ""
    return f"{ranks} rank{'s' * (ranks > 1)}{crowd}"


def table(cells: Sequence[Cell]) -> str:
    """A row a cell: milliseconds, and how many times as fast as ``comm.Allreduce``; the largest ratio is bold.

    >>> seconds = {"comm.Allreduce": [1e-3, 2e-3, 3e-3], "selection": [5e-4] * 3, "ring": [4e-3, 5e-3, 6e-3]}
    >>> ratios = {"comm.Allreduce": [1, 1, 1], "ring": [0.3, 0.4, 0.5]}
    >>> print(table([{"size": 10000, "density": 0.001, "seconds": seconds, "ratios": ratios}]))
    | n | density | comm.Allreduce | ring | selection |
    |--:|--:|--:|--:|--:|
    | 10⁴ | 0.1 % | **2** | 5 ×0.40 | 0.5 |
    """
    names = [name for name in columns(cells) if name != SELECTION]
    head = ["n", "density", *names, SELECTION]
    rows = [[power(cell["size"]), percent(cell["density"]), *entries(cell, names)] for cell in cells]
    return "\n".join([row(head), f"|{'--:|' * len(head)}", *map(row, rows)])


def columns(cells: Iterable[Cell]) -> list[str]:
    """The names of all that was timed, in the order of the file."""
    return [*dict.fromkeys(name for cell in cells for name in cell["seconds"])]


def entries(cell: Cell, names: Sequence[str]) -> list[str]:
    """The entries of one row: an algorithm each, empty where it was not measured, and the selection."""
    seconds, ratios = ({name: q[1] for name, q in cell[key].items()} for key in ("seconds", "ratios"))
    told = {name: f"{number(seconds[name])} ×{ratio:.2f}" for name, ratio in ratios.items()}
    told[LIBRARY] = number(seconds[LIBRARY])
    fastest = max(ratios, key=ratios.__getitem__)
    told[fastest] = f"**{told[fastest]}**"
    return [*(told.get(name, "") for name in names), number(seconds[SELECTION])]


def number(seconds: float) -> str:
    """Milliseconds to three digits.

    >>> [number(s) for s in (4.567e-5, 0.02, 1.2345)]
    ['0.0457', '20', '1230']
    """
    return np.format_float_positional(1e3 * seconds, precision=3, fractional=False, trim="-")


def percent(density: float) -> str:
    """A density as one asks for it.

    >>> percent(0.07)
    '7 %'
    """
    return f"{100 * density:g} %"


def power(size: int) -> str:
    """A power of ten as such, other sizes in full.

    >>> power(10_000), power(1500)
    ('10⁴', '1500')
    """
    text = str(size)
    plain = text.rstrip("0") != "1" or size == 1
    return text if plain else "10" + str(len(text) - 1).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def row(cells: Iterable[str]) -> str:
    """One line of a Markdown table."""
    return f"| {' | '.join(cells)} |"
