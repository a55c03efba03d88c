"""Draws and tabulates the union growth of the shipped gradients whenever the documentation is built."""

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
from sparring.inputs import digits
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
def measures(density: Fraction) -> dict[str, Growth]:
    """The measure of each snapshot, by name."""
    return {f"step {t}": union_growth(digits(RANKS, f"step{t}"), density=density) for t in STEPS}


def draw(app: Sphinx) -> None:
    """Write ``generated/union-growth.svg`` in the sources."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # that it looks for fonts the first time is no fault here
    panels = {}
    for density in DENSITIES:
        curves = measures(density)
        one = curves["step 0"]
        panels[f"each rank keeps {float(100 * density):g} % ({one.k[0]} of {one.n} entries)"] = curves
    path = Path(app.srcdir) / "generated" / "union-growth.svg"
    path.parent.mkdir(exist_ok=True)
    path.write_text(growth.svg(panels), encoding="utf-8")


class UnionGrowth(SphinxDirective):
    """The union of all ranks as a table: a row a density; models at the sides, measures between them."""

    def run(self) -> list[nodes.Node]:
        head = ("kept", "identical", *(f"step {t}" for t in STEPS), "independent", "disjoint")
        return self.parse_text_to_nodes(table(head, map(row, DENSITIES), "sizes"))


def row(density: Fraction) -> list[str]:
    """The cells of one density, in entries.

    >>> row(Fraction(1))
    ['100 %', '9610', '9610', '9610', '9610', '9610', '9610']
    """
    curves = measures(density)
    one = curves["step 0"]
    sizes = (one.identical(), *(curve.mean for curve in curves.values()), one.independent(), one.disjoint())
    return [f"{float(100 * density):g} %", *(f"{float(union[-1]):.0f}" for union in sizes)]
