"""``sparring cost --nodes SIZE`` or ``--topology NAME``: where messages share links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sparring.errors import InputError, Undecided

if TYPE_CHECKING:
    from sparring.present.costs.summary import Sheet

ALONE = ("--versus", "--phase", "--plot", "--format python", "--format c", "--format bibtex")
"""The options that are only for costs without shared links."""
NODES = (
    "node: ranks of a node; alpha_in, beta_in: within a node, where each pair of ranks has its own link; alpha_out, "
    "beta_out: between nodes, where all that a node sends in a step goes through one link."
)
LINKS = "A step takes as long as its fullest link needs for all bytes that cross it."


class Where(NamedTuple):
    """The shared links that were asked for."""

    nodes: str | None
    topology: str | None
    inside: str

    @property
    def asked(self) -> dict[str, Any]:
        """The arguments for ``api.cost``; empty where no links are shared."""
        return {
            name: value for name, value in (("nodes", self.nodes), ("topology", self.topology)) if value is not None
        }

    def without(self, options: Mapping[str, Any]) -> None:
        """Raise InputError where one of these options, all for other costs, is given too."""
        for name in ALONE:
            if self.nodes and name == "--phase" and options.get(name):
                raise InputError("--phase has nodes as letters, such as --phase nodes,node; leave out --nodes")
            if self.asked and options.get(name):
                raise InputError(f"{name} is for costs without shared links; leave out --{next(iter(self.asked))}")

    def letters(self, machine: Mapping[str, Any]) -> dict[str, Any]:
        """Return the letters of a machine.

        With nodes they are those of the links between nodes, and ``inside`` gives those of a node.
        """
        if self.nodes is None:
            return dict(machine)
        from sparring.costs.links import machines

        node = machines.machine(self.inside)
        return {**machine, "alpha_in": node.alpha, "beta_in": node.beta, "gamma": node.gamma}

    @property
    def legend(self) -> str:
        """The meaning of the letters that not all costs have."""
        return NODES if self.nodes else LINKS

    @property
    def caption(self) -> str:
        """The caption of a table."""
        from sparring.costs.links.places import find_place
        from sparring.present.costs.typeset import spelt

        told = str(find_place(self.nodes, self.topology)).replace("node ranks", f"${spelt('node')}$ ranks")
        return f"What messages that share links take {told.replace('_', ' ')}, at most"


def sheets(algos: Sequence[str], support: str, where: Where, **params: Any) -> list[Sheet]:
    """Return the sheet of each page, checked; nothing of it is cached."""
    from sparring import api
    from sparring.costs import unchecked
    from sparring.present.costs.summary import Sheet, checked_sheet

    found = []
    for algo in algos:
        try:
            found.append(checked_sheet(unchecked.cost(api.page(algo, **params), support, **where.asked)))
        except Undecided as why:
            found.append(Sheet(algo, undecided=str(why)))
    return found
