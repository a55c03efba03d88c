"""The directive ``stragglers``: a table and a picture of what ``benchmarks/stragglers.py`` measured, and the model."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from docutils import nodes
from markup import table
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from timeplot import COLOURS, MARKERS

Row = Mapping[str, Any]

PICTURE = "stragglers.svg"
ALT = (
    "On the left the time of an iteration against tau, on the right the effective speed-up; a row for each number of "
    "ranks, a colour for each rule, marks where it was measured and lines where exact clocks would have it."
)


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx when the extension is loaded."""
    app.add_config_value("straggler_results", "../benchmarks/results/stragglers/mpich.json", "env", [str])
    app.add_directive("stragglers", Stragglers)
    app.connect("builder-inited", draw)
    return {"parallel_read_safe": True}


def results(app: Sphinx) -> Path:
    """The file of results."""
    return Path(app.srcdir) / str(app.config.straggler_results)


def read(path: Path) -> dict[str, Any]:
    """What it holds."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


class Stragglers(SphinxDirective):
    """The picture, how far it is from the model, a table of the largest speed-ups, and how it was made."""

    def run(self) -> list[nodes.Node]:
        path = results(self.env.app)
        self.env.note_dependency(path)
        found = read(path)
        picture = f".. image:: generated/{PICTURE}\n   :class: curves\n   :alt: {ALT}".replace(
            "generated", "/generated"
        )
        head = ("ranks", "rule", "best tau", "measured", "of the drawn times", "the formula's")
        best = table(head, [*map(cells, largest(found["rows"]))], "sizes")
        return self.parse_text_to_nodes("\n\n".join([picture, apart(found["rows"]), best, facts(found)]))


def dropping(rows: Sequence[Row], ranks: int | None = None, rule: str | None = None) -> list[Row]:
    """The rows in which something may be dropped, of these ranks and this rule."""
    return [row for row in rows if row["rule"] and ranks in (None, row["ranks"]) and rule in (None, row["rule"])]


def apart(rows: Sequence[Row]) -> str:
    """How far what was measured is from the model."""
    gaps = sorted(abs(row["measured"]["seconds"][0] / row["drawn"]["seconds"][0] - 1) for row in rows)
    middle, worst = gaps[len(gaps) // 2], gaps[-1]
    return (
        f"Of {len(rows)} mean times of an iteration, half are within {100 * middle:.1f} % of what the drawn times "
        f"make with exact clocks; the one that is furthest off is {100 * worst:.1f} % from it."
    )


def largest(rows: Sequence[Row]) -> Iterator[Row]:
    """Of each number of ranks and rule, the row with the largest speed-up that was measured."""
    for ranks, rule in dict.fromkeys((row["ranks"], row["rule"]) for row in dropping(rows)):
        yield max(dropping(rows, ranks, rule), key=lambda row: float(row["measured"]["speedup"]))


def cells(row: Row) -> list[str]:
    """One rule's best."""
    formula = f"{row['formula']['speedup']:.3f}" if row["formula"] else ""
    return [
        str(row["ranks"]), f"``{row['rule']}``", f"{1e3 * row['tau']:.0f} ms", f"{row['measured']['speedup']:.3f}",
        f"{row['drawn']['speedup']:.3f}", formula,
    ]  # fmt: skip


def facts(found: Mapping[str, Any]) -> str:
    """How it can be repeated."""
    made = ", ".join(f"{name} {release}" for name, release in found["versions"].items())
    asked = found["settings"]
    return (
        f"{asked['iterations']} iterations for each mark, {asked['micro_batches']} micro-batches of "
        f"{1e3 * asked['mean']:g} ms on average and a deviation of {asked['spread']:g} times that, on "
        f"{asked['cores']} cores, which other programs used, too. Made with {made}, by "
        f"``{found['command']}``."
    )


def draw(app: Sphinx) -> None:
    """Write the picture into ``generated/`` in the sources."""
    path = Path(app.srcdir) / "generated" / PICTURE
    path.parent.mkdir(exist_ok=True)
    rows = read(results(app))["rows"]
    ranks = [*dict.fromkeys(row["ranks"] for row in rows)]
    with mpl.rc_context({"font.size": 8, "svg.hashsalt": "sparring", "svg.fonttype": "none"}):
        figure = Figure(figsize=(7.2, 2.4 * len(ranks) + 0.7), layout="constrained")
        grid = figure.subplots(len(ranks), 2, sharex=True, squeeze=False)
        for p, (left, right) in zip(ranks, grid):
            times(left, rows, p)
            speedups(right, rows, p)
        for axes in grid[-1]:
            axes.set_xlabel("tau in ms")
        handles, labels = grid[0][1].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
        figure.savefig(path, metadata={"Date": None})


def times(axes: Axes, rows: Sequence[Row], ranks: int) -> None:
    """Milliseconds of an iteration."""
    curves(axes, rows, ranks, "seconds", 1e3)
    axes.set_ylabel(f"{ranks} ranks\nms of an iteration")


def speedups(axes: Axes, rows: Sequence[Row], ranks: int) -> None:
    """The effective speed-up; above 1 it pays."""
    curves(axes, rows, ranks, "speedup", 1)
    axes.axhline(1, color="#666666", linewidth=0.8)
    axes.set_ylabel("effective speed-up")


def curves(axes: Axes, rows: Sequence[Row], ranks: int, what: str, scale: float) -> None:
    """A line for what exact clocks make, a mark with two standard errors for what was measured, and the formula."""
    waits = next(row for row in rows if row["ranks"] == ranks and not row["rule"])
    formulas: list[tuple[float, float]] = []
    for rule, colour, marker in zip(dict.fromkeys(row["rule"] for row in dropping(rows)), COLOURS, MARKERS):
        mine = dropping(rows, ranks, rule)
        taus = [1e3 * row["tau"] for row in mine]
        drawn, seen = ([scale * value(row[kind][what]) for row in mine] for kind in ("drawn", "measured"))
        axes.plot(taus, drawn, color=colour, linewidth=1.1)
        part = [off(row) if what == "seconds" else (off(row) ** 2 + off(waits) ** 2) ** 0.5 for row in mine]
        errors = [2 * x * error for x, error in zip(seen, part)]
        axes.errorbar(taus, seen, errors, fmt="none", ecolor=colour, elinewidth=0.7)
        axes.plot(taus, seen, marker, color=colour, markersize=4, label=rule)
        formulas += [(tau, scale * row["formula"][what]) for tau, row in zip(taus, mine) if row["formula"]]
    axes.plot(*zip(*formulas), color="#444444", linestyle=(0, (3, 2)), linewidth=0.9, label="formula")
    axes.grid(color="#cccccc", linewidth=0.4)
    axes.set_axisbelow(True)


def off(row: Row) -> float:
    """The standard error of a mean time by what programs and clocks add to the drawn ones, as a part of it."""
    return float(row["measured"]["noise"] / row["measured"]["seconds"][0])


def value(x: Any) -> float:
    """A number, or the mean of those that stand with their error."""
    return float(x[0] if isinstance(x, list) else x)
