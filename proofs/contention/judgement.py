"""One page on one topology at one p: how free it is of contention, and a timing in which messages meet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from sparring.errors import Undecided
from sparring.proofs.contention import networks, overlaps, timings
from sparring.proofs.contention.levels import LEVELS, Freedom, freedom, sentence
from sparring.proofs.contention.networks import Edge
from sparring.proofs.contention.timings import Timing
from sparring.proofs.contention.traffic import Routed, Traffic
from sparring.spec.core.model import Page

WITNESS = 16  # ranks up to which z3 is asked for a timing


class Judgement(NamedTuple):
    """The contention found for one page on one topology at one p."""

    page: Page
    routed: Routed
    freedom: Freedom
    meetings: Mapping[str, int]
    """How many (link, message, message) can meet, by kind of sends; empty where messages of one step meet."""
    timing: Timing | None
    """Where messages meet, a shortest timing in which they do; None too where there are more than 16 ranks."""

    @property
    def p(self) -> int:
        """The number of ranks."""
        return self.routed.traffic.p

    @property
    def busiest(self) -> tuple[Edge, int] | None:
        """The link that the most messages cross in the whole run, and how many; None where nothing is sent."""
        crossed = self.routed.crossed
        most = int(crossed.argmax()) if len(crossed) else 0
        return (self.routed.links[most], int(crossed[most])) if len(crossed) else None

    def sentences(self) -> list[str]:
        """Return the judgement in words."""
        level, name = self.freedom.level, self.routed.topology.name
        told = [f"{level} on {name} at p={self.p}: {LEVELS[level]}"]
        if self.busiest:
            link, crossed = self.busiest
            told.append(
                f"{len(self.routed.links)} links are used, by at most {self.freedom.load} "
                f"message{'' if self.freedom.load == 1 else 's'} a step; "
                f"the busiest, {networks.edge(link)}, by {crossed} in the whole run"
            )
        if self.meetings and level != "exclusive":
            told.append("pairs of messages that can meet: " + ", ".join(f"{n} {s}" for s, n in self.meetings.items()))
        return told + ([sentence(self.p, self.freedom)] if self.freedom.overlap else [])

    def as_dict(self) -> dict[str, Any]:
        """Return the judgement as a dictionary for a report."""
        overlap, timing = self.freedom.overlap, self.timing
        return {
            "topology": self.routed.topology.name, "level": self.freedom.level, "load": self.freedom.load,
            "links": len(self.routed.links), "meetings": dict(self.meetings), "sends": self.freedom.sends or None,
            "overlap": overlap and {
                "link": networks.edge(overlap.link),
                **{name: m._asdict() for name, m in (("first", overlap.first), ("second", overlap.second))},
            },
            "timing": timing and [
                {**m._asdict(), "begin": begin, "end": timing.ends[m]} for m, begin in timing.begins.items()
            ],
        }  # fmt: skip


def judge(page: Page, topology: str, p: int) -> Judgement:
    """Judge the page; raise InputError for an unknown topology, ScheduleFault where the page makes no schedule."""
    routed = Routed(Traffic.of(page, p), networks.find(topology))
    found = freedom(routed)
    counted = {} if found.level == "contended" else {sends: overlaps.total(routed, sends) for sends in overlaps.SENDS}
    timing = None
    if found.overlap and p <= WITNESS:
        timing = timings.timing(routed.traffic, found.overlap, found.sends)
        if timing is None or list(timings.broken(routed.traffic, timing, found.sends)):
            raise Undecided(f"z3 and the finder disagree on {sentence(p, found)}")
    return Judgement(page, routed, found, counted, timing)
