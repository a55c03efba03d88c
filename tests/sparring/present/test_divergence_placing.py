"""Which arrow is wrong, where it stands, and what is told of the others."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import pytest

from sparring.errors import InputError
from sparring.present.divergence.placing import observed
from sparring.present.divergence.scene import scene
from sparring.present.spacetime.history import Hop, Look, hops
from sparring.spec.core.model import Page
from sparring.trace.divergence import Divergence
from sparring.trace.events import Trace

Cases = Callable[..., Any]


def wanted(page: Page, p: int) -> list[Hop]:
    """The page's messages in their order."""
    return [hop for step in hops(page, p) for hop in step]


def arrows(case: Any, empty: Collection[tuple[int, int, int]] = ()) -> list[Any]:
    """The observed arrows, all of them."""
    return list(observed(wanted(case.page, case.trace.ranks), case.trace, case.divergence, empty))


def wrong(found: list[Any]) -> list[tuple[int, int, int, Look]]:
    """Those that are marked, with their places."""
    return [(one.t, one.src, one.dst, one.look) for one in found if one.look.differs]


def places(found: list[Any]) -> list[tuple[int, int, int]]:
    """Step, source and destination of each."""
    return [(one.t, one.src, one.dst) for one in found]


@pytest.mark.parametrize("t", range(6))
@pytest.mark.parametrize("r", range(4))
@pytest.mark.parametrize("fault", ["chunk", "peer"])
def test_the_faulty_message_is_marked(fault: str, r: int, t: int, case: Cases) -> None:
    """Whatever rank and step have the fault, their arrow and no other is wrong, and it goes where it really went."""
    found = arrows(case(fault, t, r))
    assert wrong(found) == [(t, r, (r + (-1 if fault == "peer" else 1)) % 4, Look.WRONG)]


@pytest.mark.parametrize("t", range(6))
def test_a_wrong_neighbour_displaces_nothing_else(t: int, case: Cases) -> None:
    """But for the one arrow that goes elsewhere, every message stands in the step of the page's."""
    found = places(arrows(made := case("peer", t, 2)))
    ring = places(wanted(made.page, 4))
    assert sorted(set(ring).symmetric_difference(found)) == [(t, 2, 1), (t, 2, 3)]


def test_up_to_the_divergence_arrows_are_the_pages(case: Cases) -> None:
    """What was compared is the page's message; what comes later tells how many entries it has, and no chunk."""
    found = arrows(made := case("chunk", 2, 1))
    before = [hop for hop in wanted(made.page, 4) if (hop.t, hop.src) < (2, 1)]
    assert [one for one in found if isinstance(one, Hop)] == before
    later = [one for one in found if one.look is Look.OTHER]
    assert len(later) == 24 - len(before) - 1
    assert {one.label for one in later} == {"[9]", "[10]"}
    assert all(one.chunk is None and one.label[1:-1] in str(one) for one in later)


def test_a_missing_message_is_drawn_as_missing(case: Cases) -> None:
    """Where the run has nothing, an arrow stands that says so; every other arrow is a message that was sent."""
    found = arrows(made := case("missing", 1, 1, p=2))
    assert wrong(found) == [(1, 1, 0, Look.MISSING)]
    assert len(found) - 1 == len(list(made.trace.sends())) == 3


def test_a_message_too_many_stands_where_it_was_sent(case: Cases) -> None:
    """It is the fourth of its sender, so it stands in step 3; all the others are the page's."""
    found = arrows(made := case("extra", 3, 1))
    assert wrong(found) == [(4, 1, 3, Look.WRONG)]
    assert [one for one in found if isinstance(one, Hop)] == wanted(made.page, 4)


def test_a_known_step_is_believed(case: Cases) -> None:
    """A message that the page does not have stands in its own step where the trace tells it."""
    made = case("extra", 3, 1)
    events = [event._replace(step=2) if event.peer == 3 and event.rank == 1 else event for event in made.trace.events]
    assert wrong(arrows(made._replace(trace=Trace(4, events)))) == [(2, 1, 3, Look.WRONG)]


def test_a_library_call_sends_nothing(case: Cases) -> None:
    """With no message at all the first of the page's is missing, and the heading says why nothing is drawn."""
    made = case("library")
    assert wrong(arrows(made)) == [(0, 0, 1, Look.MISSING)]
    assert len(arrows(made)) == 1
    shown = scene(*made, empty=(), most=8)
    assert shown.observed.heading == "observed: no messages"
    assert scene(*case("chunk", 1, 1), empty=(), most=8).observed.heading == "observed"


def test_a_wrong_volume_marks_the_whole_rank(case: Cases) -> None:
    """All that the rank sends is marked, as no message alone is wrong; if it sends nothing, all that is missing."""
    found = arrows(case("extra", 3, 1, level="volume"))
    assert {src for _, src, _, _ in wrong(found)} == {1}
    assert len(wrong(found)) == 7
    assert not any(isinstance(one, Hop) for one in found)
    silent = arrows(case("library", level="volume"))
    assert wrong(silent) == [(t, 0, 1, Look.MISSING) for t in range(6)]


def test_left_out_messages_shift_nothing(case: Cases) -> None:
    """A run may leave out empty messages: where these are known, its others keep their steps."""
    made = case("lazy chunk", 3, 1, n=3)
    ring = wanted(made.page, 4)
    found = arrows(made, {hop[:3] for hop in ring if hop.chunk == 0})
    assert wrong(found) == [(3, 1, 2, Look.WRONG)]
    assert places(found) == places([hop for hop in ring if hop.chunk != 0])
    assert [one for one in found if isinstance(one, Hop)] == [h for h in ring if h.chunk and (h.t, h.src) < (3, 1)]
    assert places(arrows(made)) != places(found)


def test_one_too_many_after_one_left_out(case: Cases) -> None:
    """A message too many is the last of its channel, also where the run has left out an empty one there.

    It stands in step 5, being the sixth of its sender.
    """
    made = case("lazy chunk", 3, 1, n=3)
    ring = wanted(made.page, 4)
    last = [event for event in made.trace.sends() if event.rank == 2][-1]
    trace = Trace(4, [*made.trace.events, last._replace(seq=last.seq + 1)])
    late = Divergence(6, 2, 3, None, "sends rank 3 nothing more", "sends 1 entry to rank 3", "")
    found = arrows(made._replace(trace=trace, divergence=late), {hop[:3] for hop in ring if hop.chunk == 0})
    assert wrong(found) == [(5, 2, 3, Look.WRONG)]


def test_strange_divergence(case: Cases) -> None:
    """A divergence that neither the page nor the trace knows is bad input, not a picture without a mark."""
    made = case("chunk", 1, 1)
    stranger = Divergence(99, 0, 2, None, "sends nothing", "sends 1 entry to rank 2", "")
    with pytest.raises(InputError, match="neither the page nor the trace has the message of this divergence: rank 0"):
        scene(made.page, made.trace, stranger, empty=(), most=8)


@pytest.mark.parametrize(
    ("t", "r", "steps", "ranks"),
    [
        (0, 0, "steps 6 to 21", "ranks 5 to 8"),
        (7, 5, "steps 0 to 4, as in the page; steps 11 to 21", "ranks 0, 1, 10, 11"),
        (21, 11, "steps 0 to 15, as in the page", "ranks 4 to 7"),
    ],
)
def test_a_part_is_drawn_and_the_rest_told(t: int, r: int, steps: str, ranks: str, case: Cases) -> None:
    """Of many ranks and steps those around the divergence are drawn, in the ring's order; a sentence says which."""
    shown = scene(*case("chunk", t, r, p=12), empty=(), most=8)
    assert shown.omitted == f"Not drawn: {steps}; {ranks}, with all messages from and to them."
    assert t in shown.steps and len(shown.steps) == 6
    place = {rank: i for i, rank in enumerate(shown.ranks)}
    assert len(place) == 8 and place[(r + 1) % 12] == place[r] + 1
    for side in (shown.page, shown.observed):
        assert [(one.t, one.src) for step in side.arrows for one in step] == [
            (step, rank) for step in shown.steps for rank in sorted(shown.ranks) if (rank + 1) % 12 in place
        ]


def test_steps_that_differ_are_not_called_the_pages(case: Cases) -> None:
    """Steps that are left out are called the page's only where they have the same arrows."""
    made = case("peer", 0, 0)
    late = Divergence(5, 2, 3, range(1, 2), "sends 1 entry", "sends 2 entries to rank 3", "")
    assert "as in the page" not in scene(made.page, extended(made.trace, 12), late, empty=(), most=8).omitted


def extended(trace: Trace, more: int) -> Trace:
    """The trace with so many more messages from rank 0 to 1."""
    last = next(event for event in reversed(trace.events) if (event.rank, event.peer) == (0, 1))
    return Trace(trace.ranks, [*trace.events, *([last] * more)])
