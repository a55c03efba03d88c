"""The directive ``timings``: tables and pictures of what ``benchmarks/allreduce.py`` measured.

Each file of ``benchmarks/results`` is one MPI library; its numbers stand nowhere else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
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
    for ranks, cells in groupby(found["cells"], key=itemgetter("ranks")):
        parts.append(f"### {title(ranks, found)}")
        for size, same in groupby(sorted(cells, key=itemgetter("size")), key=itemgetter("size")):
            head = f"```{{table}} Vectors of {power(size)} entries, by density\n:class: timings\n\n"
            parts.append(f"{head}{table([*same])}\n```")
    return "\n\n".join(parts)


def alt(found: Mapping[str, Any]) -> str:
    """What the picture shows, in words."""
    return f"How fast each algorithm is beside {LIBRARY}, {found['versions']['mpi']}; the numbers stand in the tables"


def facts(found: Mapping[str, Any]) -> str:
    """Where it was measured, and how often."""
    machine, versions = found["machine"], found["versions"]
    rounds = sorted({cell["rounds"] for cell in found["cells"]})
    tuned = ", ".join(f"`{name}={value}`" for name, value in found["environment"].items())
    told = {
        "Machine": f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}; all ranks on this one machine",
        "Software": ", ".join(f"{name} {release}" for name, release in versions.items() if name != "mpi"),
        "MPI library": f"{versions['mpi']}, {tuned or 'nothing set in its environment'}",
        "Rounds": f"{' to '.join(map(str, rounds[:1] + rounds[1:][-1:]))} a cell",
        "Command": f"`{found['command']}`",
    }
    return "\n".join(f"- **{name}**: {text}" for name, text in told.items())


def title(ranks: int, found: Mapping[str, Any]) -> str:
    """The heading of a table."""
    cores = found["machine"]["cores"]
    crowd = f", oversubscribed: {cores} cores" if ranks > cores else ""
    return f"{ranks} rank{'s' * (ranks > 1)}{crowd}"


def table(cells: Sequence[Cell]) -> str:
    """A row an algorithm, a column a density: milliseconds, and how many times as fast as ``comm.Allreduce``.

    In parentheses what it takes without other ranks.  The largest ratio of a column is bold.

    >>> seconds = {"comm.Allreduce": [1e-3, 2e-3, 3e-3], "selection": [5e-4] * 3, "topk": [4e-3, 5e-3, 6e-3]}
    >>> ratios = {"comm.Allreduce": [1, 1, 1], "topk": [0.3, 0.4, 0.5]}
    >>> print(table([{"density": 0.001, "seconds": seconds, "ratios": ratios, "alone": {"topk": [0, 2e-3, 1]}}]))
    |  | 0.1 % |
    |:--|--:|
    | comm.Allreduce | **2** |
    | topk | 5 (2) ×0.40 |
    | *selection* | 0.5 |
    """
    names = [*dict.fromkeys(name for cell in cells for name in cell["ratios"])]
    told = [entries(cell) for cell in cells]
    rows = [[name, *(one.get(name, "") for one in told)] for name in names]
    rows.append([f"*{SELECTION}*", *(number(cell["seconds"][SELECTION][1]) for cell in cells)])
    head = ["", *(percent(cell["density"]) for cell in cells)]
    return "\n".join([row(head), f"|:--|{'--:|' * len(cells)}", *map(row, rows)])


def entries(cell: Cell) -> dict[str, str]:
    """By algorithm what stands in a cell's column."""
    seconds, ratios, alone = (
        {name: q[1] for name, q in cell.get(key, {}).items()} for key in ("seconds", "ratios", "alone")
    )
    told = {name: f"{total(seconds, alone, name)} ×{ratio:.2f}" for name, ratio in ratios.items()}
    told[LIBRARY] = number(seconds[LIBRARY])
    fastest = max(ratios, key=ratios.__getitem__)
    told[fastest] = f"**{told[fastest]}**"
    return told


def total(seconds: Mapping[str, float], alone: Mapping[str, float], name: str) -> str:
    """The time of all, and that of a rank by itself."""
    return number(seconds[name]) + (f" ({number(alone[name])})" if name in alone else "")


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
