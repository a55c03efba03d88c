"""Draws and tabulates the union growth of all shipped gradients whenever the documentation is built."""

from __future__ import annotations

import logging
from fractions import Fraction
from functools import cache
from pathlib import Path

from docutils import nodes
from markup import table
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from sparring import Growth, union_growth
from sparring.inputs import SHIPPED, shipped
from sparring.present import growth

RANKS = 8
STEPS = (0, 30, 300)
DENSITIES = tuple(Fraction(share, 1000) for share in (1, 10, 100, 300))


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx when the extension is loaded."""
    app.connect("builder-inited", draw)
    app.add_directive("union-growth", UnionGrowth)
    return {"parallel_read_safe": True}


@cache
def measures(name: str, density: Fraction) -> dict[str, Growth]:
    """The measure of each moment of training, by name."""
    return {f"step {t}": union_growth(shipped(name, RANKS, f"step{t}"), density=density) for t in STEPS}


def draw(app: Sphinx) -> None:
    """Write ``generated/union-growth.svg`` in the sources: a row a density."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # that it looks for fonts the first time is no fault here
    panels = {}
    for density in DENSITIES:
        for name in SHIPPED:
            curves = measures(name, density)
            one = curves["step 0"]
            panels[f"{name}: {float(100 * density):g} % kept, {one.k[0]} of {one.n} entries"] = curves
    path = Path(app.srcdir) / "generated" / "union-growth.svg"
    path.parent.mkdir(exist_ok=True)
    path.write_text(growth.svg(panels), encoding="utf-8")


class UnionGrowth(SphinxDirective):
    """The union of all ranks, of the gradients of a name: a table with a row a density, and what it comes to.

    Models stand at the sides, measures between them.
    """

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        head = ("kept", "identical", *(f"step {t}" for t in STEPS), "independent", "disjoint")
        name = self.arguments[0]
        rows = [row(name, density) for density in DENSITIES]
        return [
            *self.parse_text_to_nodes(table(head, rows, "sizes")),
            *self.parse_text_to_nodes(f"{compared(name)}  {empty(name)}"),
        ]


def row(name: str, density: Fraction) -> list[str]:
    """The cells of one density, in entries.

    >>> row("digits", Fraction(1))
    ['100 %', '9610', '9610', '9610', '9610', '9610', '9610']
    """
    curves = measures(name, density)
    one = curves["step 0"]
    sizes = (one.identical(), *(curve.mean for curve in curves.values()), one.independent(), one.disjoint())
    return [f"{float(100 * density):g} %", *(f"{float(union[-1]):.0f}" for union in sizes)]


def compared(name: str) -> str:
    """Between which parts of what independent supports would have all unions of the table lie."""
    curves = [curve for density in DENSITIES for curve in measures(name, density).values()]
    parts = [curve.mean[-1] / curve.independent()[-1] for curve in curves]
    return f"These unions have {share(min(parts))} to {share(max(parts))} of the entries of independent supports."


def empty(name: str) -> str:
    """How many entries no worker has anything in."""
    parts = []
    for t in STEPS:
        vectors = shipped(name, RANKS, f"step{t}")
        parts.append(Fraction(int((sum(x != 0 for x in vectors) == 0).sum()), vectors[0].size))
    return f"Of all entries {share(min(parts))} to {share(max(parts))} are zero on every worker."


def share(part: Fraction) -> str:
    """In percent."""
    return f"{float(100 * part):.0f} %"
