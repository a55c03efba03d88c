"""Judges how free of contention a finite run is, and whether a page is as free as it claims for all small p.

Each p is decided by enumeration and by the criterion of ``overlaps``, which speaks of every timing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from sparring.proofs.contention import networks, overlaps
from sparring.proofs.contention.networks import Topology, edge
from sparring.proofs.contention.overlaps import Overlap
from sparring.proofs.contention.traffic import Routed, Traffic, Transfer
from sparring.spec.core.model import Page

LEVELS: Mapping[str, str] = {
    "exclusive": "each link serves one pair of ranks: free under any timing",
    "eager": "no two messages of different sources meet on a link, even with eager sends",
    "rendezvous": "no two messages meet on a link with synchronous sends, some can with eager ones",
    "lock step": "no two messages of one step cross a link, some of different steps can meet there under any sends",
    "contended": "messages of one step cross one link",
}
"""The levels from the best on, for messages of different sources, since a source's port serialises its own."""


class Freedom(NamedTuple):
    """The freedom from contention of one run on one topology."""

    level: str
    """One of ``LEVELS``."""
    load: int
    """The most messages of one step on one link."""
    sends: str
    """The strongest kind of sends under which messages meet; empty where they never do."""
    overlap: Overlap | None
    """The first two transfers that meet under these sends."""


def freedom(routed: Routed) -> Freedom:
    """Return the freedom of a run."""
    load = routed.load
    if routed.exclusive:  # and so one message a step, as no two of a step have both ranks in common
        return Freedom("exclusive", load, "", None)
    if routed.crowd > 1:
        return Freedom("contended", load, "rendezvous", crowded(routed))
    if (overlap := first(routed, "eager")) is None:
        return Freedom("eager", load, "", None)
    if (closer := first(routed, "rendezvous")) is None:
        return Freedom("rendezvous", load, "eager", overlap)
    return Freedom("lock step", load, "rendezvous", closer)


def first(routed: Routed, sends: str) -> Overlap | None:
    """Return the first two transfers that can meet, or None."""
    return next(overlaps.overlaps(routed, sends), None)


def crowded(routed: Routed) -> Overlap:
    """Return two transfers of different sources on one link in one step.

    It is the first step in which two cross one link, and the link that most sources cross there.
    """
    t = next(t for t in range(len(routed.ids)) if routed.crowds(t).max(initial=0) > 1)
    link = int(routed.crowds(t).argmax())
    which, crossed = routed.ways.of_all(routed.ids[t])
    crossing = routed.pairs[routed.ids[t][which[crossed == link]]].tolist()
    one, other = crossing[0], next(pair for pair in crossing if pair[0] != crossing[0][0])
    return Overlap(routed.links[link], Transfer(t, *one), Transfer(t, *other))


def rank(level: str) -> int:
    """Return the place of a level in ``LEVELS``, 0 for the best."""
    return list(LEVELS).index(level)


class Finding(NamedTuple):
    """The result of checking one claim for small p: the worst freedom and the fewest ranks that have it."""

    topology: str
    claimed: str
    p: int
    found: Freedom
    load: int
    """The most messages of one step on one link, of all p."""
    meetings: int
    """The meetings with eager sends at p = 8, which is what publications count."""

    @property
    def holds(self) -> bool:
        """Whether the level is no worse than claimed, or contended where contention was claimed."""
        worst, claimed = rank(self.found.level), rank(self.claimed)
        return worst == claimed if self.claimed == "contended" else worst <= claimed

    def __str__(self) -> str:
        told = f"{self.topology}: {self.found.level}"
        if self.found.level == "contended":
            return f"{told} at p = {self.p} first, up to {self.load} messages on a link"
        return f"{told}, {self.meetings} eager meetings at p = {COUNTED}" if self.meetings else told


COUNTED = 8


def findings(
    page: Page, claims: Mapping[str, str], ranks: Iterable[int], find: Callable[[str], Topology] = networks.find
) -> list[Finding]:
    """Return a finding for each topology that the page names; raise ScheduleFault where it makes no schedule."""
    traffics = [Traffic.of(page, p) for p in ranks]
    return [finding(page, traffics, find(name), name, level) for name, level in claims.items()]


def finding(page: Page, traffics: list[Traffic], topology: Topology, name: str, claimed: str) -> Finding:
    """Return the worst level on one topology."""
    found = [(traffic.p, freedom(Routed(traffic, topology))) for traffic in traffics]
    p, worst = max(found, key=lambda one: (rank(one[1].level), -one[0]))
    load = max(freedom.load for _, freedom in found)
    known = Routed(Traffic.of(page, COUNTED), topology)
    return Finding(name, claimed, p, worst, load, 0 if worst.level == "contended" else overlaps.total(known, "eager"))


WITH = {"eager": "with eager sends", "rendezvous": "even with synchronous sends"}


def sentence(p: int, found: Freedom) -> str:
    """Return a meeting in words."""
    if found.overlap is None:
        return f"p={p}: {LEVELS[found.level]}"
    link, one, other = found.overlap
    return (
        f"p={p}: {WITH[found.sends]} rank {one.src}'s message to {one.dst} of step {one.t} and "
        f"rank {other.src}'s to {other.dst} of step {other.t} can meet on {edge(link)}"
    )
