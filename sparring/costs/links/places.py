"""Places where messages share links: nodes, or a topology; what a step takes there, and how it is counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple, TypeAlias

import sympy

from sparring.costs.derivation.partners import Pattern
from sparring.costs.formulas import symbols
from sparring.costs.formulas.symbols import Expr
from sparring.costs.links.cuts import PORTS
from sparring.costs.links.levels import RANKS, Network, Nodes
from sparring.costs.links.machines import Machine
from sparring.costs.links.sharing import Run, Sharing, between_nodes, on_links
from sparring.errors import InputError
from sparring.proofs.contention import networks
from sparring.proofs.contention.networks import Topology

LETTER = "node"
"""The letter that stands for the ranks of a node."""
FEW = 64
"""The number of ranks up to which all costs are counted."""
COUNTED = (*range(2, 13), 16, 27, 32, FEW)
"""The numbers of ranks on which costs are counted message by message."""


Of = Callable[[Run, Any], Any]
"""A function of a run and the bytes of each message: an amount in one step."""
OF: Mapping[str, Of] = {
    "steps": lambda run, nbytes: sympy.Integer(1),
    "inside": lambda run, nbytes: sympy.Integer(run.load == 0),
    "outside": lambda run, nbytes: sympy.Integer(run.load != 0),
    "carried": lambda run, nbytes: run.load * nbytes,
}
"""The forms that are sums over all steps, but for time."""


class Rates(NamedTuple):
    """The seconds of a message and of a byte on a shared link, and within a node: symbols, or numbers."""

    alpha: Any
    beta: Any
    alpha_in: Any = 0
    beta_in: Any = 0

    def step(self, run: Run, nbytes: Any) -> Any:
        """Return the time of a step in which every message has ``nbytes`` bytes."""
        within = run.near * (self.alpha_in + self.beta_in * nbytes)
        shared = run.far * self.alpha + self.beta * run.load * nbytes
        if not run.inside:
            return shared
        if run.load == 0:
            return within
        return max(within, shared) if isinstance(shared, Fraction) else sympy.Max(within, shared)


class SharedPoint(NamedTuple):
    """A cost where links are shared, at a point, exact; None where it is not asked for."""

    steps: int | None
    """Steps on a topology."""
    inside: int | None
    """Steps in which no message leaves its node."""
    outside: int | None
    """Steps in which some messages leave their node."""
    sharing: int
    """The most messages of a step on one link that they share."""
    carried: Fraction
    """Bytes over the fullest such link of each step, summed."""
    time: Fraction | None
    """Seconds; None unless every alpha and beta is given."""


@dataclass(frozen=True)
class InNodes:
    """Nodes of ``size`` neighbouring ranks; with None the size stays a letter."""

    size: int | None = None

    steps: ClassVar[tuple[str, ...]] = ("inside", "outside")
    """The forms that count steps: those in which nothing leaves a node, and the others."""
    rates: ClassVar[Rates] = Rates(symbols.alpha_out, symbols.beta_out, symbols.alpha_in, symbols.beta_in)
    """Letters for both levels."""

    @property
    def least(self) -> Expr | None:
        """The least that the fullest link of each step carries, all steps together, in times a vector's bytes.

        See ``cuts`` for why nodes, or ranks, send ``2 (nodes - 1)`` vectors in all; here each over one link.
        """
        nodes = symbols.p / (symbols.node if self.size is None else self.size)
        return 2 * (nodes - 1) / nodes

    def __str__(self) -> str:
        return f"in nodes of {LETTER if self.size is None else self.size} ranks"

    def sharing(self, pattern: Pattern) -> Sharing:
        """Return how messages share the links out of a node; raise Undecided where no form is found."""
        return between_nodes(pattern, self.size)

    def filled(self, at: Mapping[str, Fraction]) -> dict[str, Fraction]:
        """Return the point with ``alpha`` and ``beta`` as those between nodes, where nothing else is said."""
        outside = {f"{letter}_out": at[letter] for letter in ("alpha", "beta") if letter in at}
        return {**outside, **at, **({} if self.size is None else {LETTER: Fraction(self.size)})}

    def points(self, base: int) -> Iterator[tuple[int, dict[str, Fraction]]]:
        """Yield ranks and node sizes at which costs are counted.

        Sizes divide the ranks; for a shift, all sizes are tried up to 8 ranks.  With large nodes there are two, or
        as many as the pattern's base.
        """
        more = (self.size or 0) * max(base, 2)
        for ranks in (*COUNTED, *([more] if FEW < more <= RANKS else [])):
            for size in [self.size] if self.size else range(1, ranks):
                if ranks % size == 0 or (ranks <= 8 and not base):
                    yield ranks, {LETTER: Fraction(size)}

    def links(self, at: Mapping[str, Fraction]) -> Nodes:
        """Return the links at a point, with which messages are counted."""
        inside = Machine(at["alpha_in"], at["beta_in"], at["gamma"])
        return Nodes(int(at[LETTER]), inside, Machine(at["alpha_out"], at["beta_out"]))


@dataclass(frozen=True)
class OnTopology:
    """The links of a topology."""

    topology: Topology

    steps: ClassVar[tuple[str, ...]] = ("steps",)
    """The form that counts steps: on a topology all are alike."""
    rates: ClassVar[Rates] = Rates(symbols.alpha, symbols.beta)
    """The letters of every cost."""

    @property
    def least(self) -> Expr | None:
        """The least that the fullest link carries, as in nodes; None where a rank's number of links is unknown."""
        many = PORTS.get(self.topology.name)
        return None if many is None else 2 * (symbols.p - 1) / (many * symbols.p)

    def __str__(self) -> str:
        return f"on {self.topology.name}"

    def sharing(self, pattern: Pattern) -> Sharing:
        """Return how the messages of ``pattern`` share the topology's links."""
        return on_links(pattern, self.topology)

    def filled(self, at: Mapping[str, Fraction]) -> dict[str, Fraction]:
        """Return a copy of the point with nothing added."""
        return dict(at)

    def points(self, base: int) -> Iterator[tuple[int, dict[str, Fraction]]]:
        """Yield the numbers of ranks at which costs are counted, with no other letters."""
        yield from ((ranks, {}) for ranks in COUNTED)

    def links(self, at: Mapping[str, Fraction]) -> Network:
        """Return the links at a point, with which messages are counted."""
        return Network(self.topology, Machine(at["alpha"], at["beta"], at["gamma"]))


Place: TypeAlias = InNodes | OnTopology


def find_place(nodes: int | str | None, topology: str | None) -> Place:
    """Return nodes of so many ranks, or of LETTER, or a topology; raise InputError for both, or for what is neither."""
    if nodes is not None and topology is not None:
        raise InputError(
            f"nodes={nodes} and topology={topology}: links are those of nodes or of a topology, not of both"
        )
    if topology is not None:
        return OnTopology(networks.find(topology))
    if nodes == LETTER:
        return InNodes()
    if not str(nodes).isdecimal() or int(str(nodes)) < 1:
        raise InputError(f"nodes={nodes}: how many ranks a node has, at least 1, or {LETTER}, which leaves it a letter")
    return InNodes(int(str(nodes)))
