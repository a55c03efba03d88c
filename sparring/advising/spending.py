"""Evaluates what one allreduce of measured gradients sends, and how long it takes at a place.

Seconds are those of the derived formulas, in lock step; where ranks share links, they are counted.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple, get_args

from sparring.advising.growing import growing
from sparring.advising.measuring import Measured
from sparring.costs import union_cost
from sparring.costs.costs import Cost, Point
from sparring.costs.derivation.whole_vectors import SHARED
from sparring.costs.formulas.hypotheses import holds
from sparring.costs.formulas.symbols import exact
from sparring.costs.links.levels import Network, Nodes, counted
from sparring.costs.links.machines import Kind, Machine, work
from sparring.costs.union_cost import UnionCost, UnionPoint
from sparring.errors import Undecided
from sparring.proofs.contention import networks
from sparring.spec.core.model import Page, chunk_words
from sparring.spec.core.schedule import number

WHOLE = ("vector", "dense")
"""The data of pages that sum all entries, as far as they are told in words."""
FREE = "crossbar"
"""The topology on which the messages of a step of no page share a link but those of one rank."""
Derived = Cost | UnionCost


class Place(NamedTuple):
    """The machine, topology and nodes on which an allreduce runs."""

    machine: Machine
    topology: str = FREE
    """The network whose links messages share, and on which they could meet."""
    nodes: Nodes | None = None
    """The nodes, if ranks sit in nodes; ``machine`` is then the network between them."""


class Spent(NamedTuple):
    """A time in seconds, and the part of it that depends on the number of messages alone."""

    time: Fraction
    startup: Fraction


def spent(derived: Derived, what: Measured, p: int, width: int, place: Place, case: str, full: Fraction) -> Spent:
    """Return the time of one allreduce of ``what``; ``case`` and ``full`` as for :func:`needed`."""
    machine, nodes, page = place.machine, place.nodes, derived.page
    found = needed(derived, what, p, width, case, full)
    handled = handling(found, page, what, p, case, nodes.inside if nodes else machine)
    if nodes is None and place.topology == FREE:
        startup = machine.alpha * found.messages
        return Spent(startup + machine.beta * found.nbytes + machine.gamma * found.added + handled, startup)
    n = what.size if isinstance(derived, UnionCost) else known(derived, what.size, p)
    union = crowded(what, case, full) if isinstance(derived, UnionCost) else None
    links = nodes or Network(networks.find(place.topology), machine)
    shared = counted(page, links, p=p, n=n, k=count_kept(what, case), width=width, union=union)
    return Spent(shared.time + handled, shared.startup)


def handling(found: Needed, page: Page, what: Measured, p: int, case: str, machine: Machine) -> Fraction:
    """Return the seconds for selecting, merging and packing entries; 0 if the machine does not tell what these take."""
    if (not page.sparse and page.data != "selected") or {*get_args(Kind)} - machine.work.keys():
        return Fraction(0)
    selecting = machine.seconds("select", what.size) if page.sparse else Fraction(0)  # else it is the page's own
    return selecting + work(machine, page, found.point, p, what.size, count_kept(what, case))


class Needed(NamedTuple):
    """The messages and bytes that a rank sends, and the entries that it adds."""

    messages: int
    nbytes: Fraction
    added: Fraction
    point: Point | UnionPoint
    """All that the derived cost says at this point."""


def needed(derived: Derived, what: Measured, p: int, width: int, case: str, full: Fraction) -> Needed:
    """Return what one allreduce of ``what`` needs; raise Undecided if no closed form says what is sent.

    ``case``: a field of Range; ``full``: the fullest chunk against the mean.
    """
    page, n = derived.page, what.size
    if isinstance(derived, UnionCost):
        found = union_cost.measured(page, p, n, crowded(what, case, full), width)
        return Needed(found.messages, found.nbytes, found.added, found)
    k, length = in_parts(derived, count_kept(what, case), p), known(derived, n, p)
    point = derived.at(p=p, n=length, **({} if page.data in WHOLE else {"k": k}), width=width)
    if point.critical is None:
        raise Undecided(f"{page.name}: no closed form of what is sent: {'; '.join(derived.gaps)}")
    if page.once:
        nbytes = step_by_step(derived, p, length, k, width)
    else:
        entries = point.critical if page.data in WHOLE else point.critical // 2
        nbytes = Fraction(number(page.octets(entries, length, width)))
    return Needed(point.messages, nbytes, Fraction(point.added or 0), point)


def step_by_step(derived: Cost, p: int, n: int, k: int, width: int) -> Fraction:
    """Return the bytes of the largest message of each step, that with the last chunk, summed; some have indices."""
    page, last, nbytes = derived.page, p - 1, 0
    for span, *_ in derived.derived.pieces:
        first, end = (int(exact(t, {"p": p})) for t in span)
        many = number(page.added(0, first, last, p, n, k))
        nbytes += (end - first) * number(page.octets(many, number(chunk_words(last, p, n)), width))
    return Fraction(nbytes)


def count_kept(what: Measured, case: str) -> int:
    """Return how many entries a rank keeps: the fewest of a worker in the low case, else the most."""
    return min(what.growth.k) if case == "low" else max(what.growth.k)


def crowded(what: Measured, case: str, full: Fraction) -> Callable[[int], Fraction]:
    """Return the sizes of unions as a function, as if all chunks were as full as the fullest."""
    union = growing(what, case)
    return lambda s: min(Fraction(what.size), full * union(s))


def known(derived: Cost, n: int, p: int) -> int:
    """Return ``n``, or the next length for which the formulas hold, if they require halves without a remainder."""
    power = 1 << p.bit_length() - 1
    longer = -(-n // power) * power
    here, there = (
        holds(derived.given, {"n": length, "p": p, "k": 0, **derived.derived.letters}) for length in (n, longer)
    )
    return longer if there and not here else n


def in_parts(derived: Cost, k: int, p: int) -> int:
    """Return ``k``, or the next number of entries for which the formulas hold, if they require equal parts of it."""
    return -(-k // p) * p if derived.given == SHARED else k
