"""Draws which algorithm is the cheapest where, for the model and for the shipped gradients, with the documentation."""

from __future__ import annotations

import logging
from fractions import Fraction
from functools import partial
from pathlib import Path

from docutils import nodes
from markup import table
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import sparring
from sparring import api
from sparring.cli._shared import Where
from sparring.costs import node_regions
from sparring.costs.costs import Cost
from sparring.costs.links import machines
from sparring.costs.regions import Phases, bands, phases
from sparring.costs.union_cost import UnionCost
from sparring.inputs import SHIPPED, digits, shipped
from sparring.present import phases as picture
from sparring.support_growth import measured_sizes

NAMES = ("ring", "ring_allgather", "ring_sparse")
NODES = ("ring", "hierarchical", "rabenseifner")
RANKS, STEPS = 8, ("step0", "step30", "step300")
DRAWN = (("digits", "step30"), ("transformer", "step30"), ("transformer", "step300"))
WITHIN = Fraction(1, 20)


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx when the extension is loaded."""
    app.connect("builder-inited", draw)
    app.add_directive("cheapest-from", CheapestFrom)
    return {"parallel_read_safe": True}


def costs() -> list[Cost | UnionCost]:
    """What is compared."""
    return [sparring.cost(name, support="independent") for name in NAMES]


def independent() -> Phases:
    """Under the model of independent supports."""
    return phases(costs(), ("rho", "p"), {"n": digits(1)[0].size}, end=(None, str(RANKS)))


def in_nodes() -> Phases:
    """Seconds in nodes, with the machines that the text names."""
    where = Where("node", None, "nvlink")
    at = {**where.letters(machines.machine("eth-25g").letters), "n": 10**6}
    pages = [partial(api.in_nodes, sparring.page(name)) for name in NODES]
    return node_regions.phases(pages, ("nodes", "node"), at)


def measured(name: str, step: str) -> Phases:
    """With the unions of shipped gradients."""
    vectors = shipped(name, RANKS, step)
    sizes = measured_sizes(vectors)
    return phases(costs(), ("rho", "p"), {"n": vectors[0].size}, "measured", sizes, end=(None, str(RANKS)))


def told(name: str, step: str) -> str:
    """Whose gradients, and when."""
    return f"{name}, {step.replace('step', 'step ')}"


def draw(app: Sphinx) -> None:
    """Write ``generated/phases.svg`` in the sources."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # that it looks for fonts the first time is no fault here
    model = independent()
    panels = {"independent supports": model, **{told(*one): measured(*one) for one in DRAWN}}
    path = Path(app.srcdir) / "generated" / "phases.svg"
    path.parent.mkdir(exist_ok=True)
    picture.save(panels, WITHIN, bands(costs(), model, 4), path)
    picture.save({"10^6 entries, Ethernet between nodes": in_nodes()}, WITHIN, {}, path.with_name("phases-nodes.svg"))


class CheapestFrom(SphinxDirective):
    """A row for each number of ranks: the least density of the grid at which the sparse ring is the cheapest."""

    def run(self) -> list[nodes.Node]:
        moments = [(name, step) for name in SHIPPED for step in STEPS]
        grids = [independent(), *(measured(*one) for one in moments)]
        head = ("ranks", "independent", *(told(*one) for one in moments))
        rows = [[str(p), *(least(grid, j) for grid in grids)] for j, p in enumerate(grids[0].up)]
        return self.parse_text_to_nodes(table(head, rows, "sizes"))


def least(grid: Phases, j: int) -> str:
    """The cell of a row."""
    found = next((run.first for run in grid.runs(j) if run.name == "ring_sparse"), None)
    if found is None:
        return "nowhere"
    return f"{'at most ' if found == 0 else ''}{100 * float(grid.along[found]):.2g} %"
