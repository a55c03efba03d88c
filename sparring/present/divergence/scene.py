"""Chooses what both pictures show: the steps and the ranks around a divergence, and what is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from sparring.errors import InputError
from sparring.present.divergence.placing import Empty, Seen, meant, observed
from sparring.present.spacetime.history import Arrow, Hop, Look, hops
from sparring.spec.core.model import Page
from sparring.trace.divergence import Divergence
from sparring.trace.events import Trace

STEPS = 6  # at most so many are drawn
BEFORE = 2  # of them before the divergence, where there are more
MEANS = {
    Look.ADDS: "the receiver adds this chunk to its copy",
    Look.OVERWRITES: "the receiver overwrites its copy of this chunk",
    Look.EXPECTED: "the page's message, from which the run differs",
    Look.OTHER: "a message of so many entries, not compared with the page",
    Look.WRONG: "where the run differs: a message of so many entries",
    Look.MISSING: "where the run differs: no message",
}


class Side(NamedTuple):
    """One picture: its heading, and its arrows by step."""

    heading: str
    arrows: Sequence[Sequence[Arrow]]


class Scene(NamedTuple):
    """The contents of both pictures: ``ranks`` of all ``p``, and ``steps``; ``omitted`` says what is not drawn."""

    p: int
    ranks: Sequence[int]
    steps: range
    page: Side
    observed: Side
    omitted: str

    @property
    def legend(self) -> list[tuple[Arrow, str]]:
        """The first arrow of each look that occurs, with its meaning."""
        arrows = [one for side in (self.page, self.observed) for step in side.arrows for one in step]
        first = {one.look: one for one in reversed(arrows)}
        return [(first[look], means) for look, means in MEANS.items() if look in first]


def scene(page: Page, trace: Trace, divergence: Divergence, empty: Empty, most: int) -> Scene:
    """Return the scene of ``divergence``, with at most ``most`` ranks; a run may leave out the ``empty`` messages.

    Raises ScheduleFault where the page makes no schedule, InputError for another run's divergence.
    """
    wanted, p = [hop for step in hops(page, trace.ranks) for hop in step], trace.ranks
    ran, planned = observed(wanted, trace, divergence, empty), [expect(hop, divergence) for hop in wanted]
    culprit = next((one for one in ran if one.look.differs), None)
    if culprit is None:
        raise InputError(f"neither the page nor the trace has the message of this divergence: {divergence}")
    ranks, total = around(culprit, p, most), 1 + max(one.t for one in (*wanted, *ran))
    start = max(0, min(culprit.t - BEFORE, total - STEPS))
    steps = range(start, min(total, start + STEPS))
    same = before(start, planned) == before(start, ran)
    omitted = "; ".join(left_out(p, ranks, steps, total, same))
    heading = "observed" if any(trace.sends()) else "observed: no messages"
    sides = Side("the page", drawn(planned, ranks, steps)), Side(heading, drawn(ran, ranks, steps))
    return Scene(p, ranks, steps, *sides, f"Not drawn: {omitted}." if omitted else "")


def around(culprit: Arrow, p: int, most: int) -> Sequence[int]:
    """Return the ``most`` ranks nearest to the two ends of an arrow, in the order of a ring, the largest gap last."""

    def far(r: int) -> int:
        return min(min((r - end) % p, (end - r) % p) for end in (culprit.src, culprit.dst))

    near = sorted(sorted(range(p), key=far)[:most])
    first = max(range(len(near)), key=lambda i: (near[i] - near[i - 1]) % p)
    return (*near[first:], *near[:first])


def expect(hop: Hop, divergence: Divergence) -> Hop | Seen:
    """Return a page's message, emphasised where the run differs from it."""
    if not meant(hop, divergence):
        return hop
    return Seen(*hop[:3], Look.EXPECTED, hop.label, str(hop), hop.chunk, hop.adds)


def drawn(arrows: Sequence[Arrow], ranks: Sequence[int], steps: range) -> Sequence[Sequence[Arrow]]:
    """Return the arrows between these ranks, by step."""
    return [[one for one in arrows if one.t == t and one.src in ranks and one.dst in ranks] for t in steps]


def before(step: int, arrows: Sequence[Arrow]) -> Counter[tuple[int, int, int]]:
    """Count the messages before ``step``, by step, source and destination."""
    return Counter((one.t, one.src, one.dst) for one in arrows if one.t < step)


def left_out(p: int, ranks: Sequence[int], steps: range, total: int, same: bool) -> Iterator[str]:
    """Yield in words what is not drawn; ``same``: the steps before ``steps`` have the page's messages."""
    if steps.start:
        yield f"{listed('step', [range(steps.start)])}{', as in the page' if same else ''}"
    if steps.stop < total:
        yield listed("step", [range(steps.stop, total)])
    others = [r for r in range(p) if r not in ranks]
    if others:
        runs = groupby(enumerate(others), key=lambda pair: pair[1] - pair[0])
        yield f"{listed('rank', [[r for _, r in run] for _, run in runs])}, with all messages from and to them"


def listed(thing: str, runs: Sequence[Sequence[int]]) -> str:
    """Return runs of consecutive numbers, in prose.

    >>> listed("step", [range(3)]), listed("rank", [[5]]), listed("rank", [[0, 1, 2], [7], [9, 10]])
    ('steps 0 to 2', 'rank 5', 'ranks 0 to 2, 7, 9, 10')
    """
    spans = [f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs]
    return f"{thing}{'s' if sum(map(len, runs)) > 1 else ''} {', '.join(spans)}"
