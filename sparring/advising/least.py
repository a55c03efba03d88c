"""The time that no allreduce of all entries goes below, by the links that words must cross."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from sparring.advising.spending import Place
from sparring.costs.links.cuts import Cut, ports, tightest
from sparring.proofs.contention import networks


class Least(NamedTuple):
    """A time in seconds, and the cut that forces it."""

    time: Fraction
    cut: Cut


def least(place: Place, n: int, p: int, width: int) -> Least | None:
    """Return the least time for ``n`` entries of ``width`` bytes on ``p`` ranks.

    None where no cut is known, or no word must cross one.
    """
    cut = found(place, p)
    if cut is None or not cut.words:
        return None
    return Least(place.machine.beta * width * n * cut.share, cut)  # the machine is what lies between nodes


def found(place: Place, p: int) -> Cut | None:
    """Return the cut: of nodes, each with one link out and one in; else of the topology."""
    if place.nodes is not None:
        return ports(-(-p // place.nodes.size), name="node")
    return tightest(networks.find(place.topology), p)
