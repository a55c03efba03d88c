"""Levels are told apart for each small p, and claims that are too good are refuted."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import pytest

import sparring
from sparring import page
from sparring.errors import InputError
from sparring.proofs.contention import judgement, levels, networks, overlaps, timings
from sparring.proofs.contention.traffic import Routed, Traffic
from sparring.proofs.logic.verdicts import REFUTED, proved_up_to
from sparring.proofs.proving import timing
from sparring.proofs.reading import annotations

RING, DOUBLING = page("ring"), page("recursive_doubling")


def level(page, topology, p) -> str:
    return levels.freedom(Routed(Traffic.of(page, p), networks.find(topology))).level


@pytest.mark.parametrize("topology", [*networks.names(), "torus:k=2", "torus:k=3", "tree:k=5", "fat_tree:k=3"])
@pytest.mark.parametrize("p", [1, 2, 3, 5, 8, 16, 27])
def test_the_ring_is_exclusive_everywhere(topology, p):
    """On every topology, ranks in their order."""
    assert level(RING, topology, p) == "exclusive"


EAGER = {1: 0, 2: 0, 3: 1, 4: 4, 5: 6, 6: 8, 7: 10, 8: 24, 9: 27, 12: 36, 16: 96}


@pytest.mark.parametrize("p", EAGER)
def test_recursive_doubling_on_the_crossbar(p):
    """The fold included: what eager sends let meet, synchronous ones keep apart.

    Without a fold every two messages to a rank can meet: p log p (log p - 1) / 2.  The other figures
    are what the finder and z3 once agreed on for p <= 7.
    """
    routed = Routed(Traffic.of(DOUBLING, p), networks.find("crossbar"))

    assert level(DOUBLING, "crossbar", p) == ("rendezvous" if p > 2 else "exclusive")
    assert (overlaps.total(routed, "eager"), overlaps.total(routed, "rendezvous")) == (EAGER[p], 0)
    if p & (p - 1) == 0:
        log = p.bit_length() - 1
        assert EAGER[p] == p * log * (log - 1) // 2


def test_every_level_occurs():
    """Recursive doubling has all of them, and the hypercube is its own."""
    assert [level(DOUBLING, "torus:k=2", p) for p in (8, 6, 5, 9, 10)] == list(levels.LEVELS)
    assert {level(DOUBLING, "torus:k=2", p) for p in (1, 2, 4, 8, 16, 32, 64)} == {"exclusive"}


@pytest.mark.parametrize(
    ("step", "found", "load"),
    [([(0, 1), (0, 2)], "eager", 2), ([(1, 0), (2, 0)], "contended", 2), ([(0, 1), (1, 2)], "exclusive", 1),
     ([(0, 1), (0, 2), (1, 2)], "contended", 2)],
    ids=["hands out", "gathers", "passes on", "both"],
)  # fmt: skip
def test_a_source_parts_its_own_messages(step, found, load):
    """Two messages leave one port one after the other; two that come to one port can meet."""
    free = levels.freedom(Routed(Traffic.made(3, [step]), networks.find("crossbar")))
    assert (free.level, free.load) == (found, load)
    assert not free.overlap or free.overlap.first.src != free.overlap.second.src


@pytest.mark.parametrize(
    ("topology", "p", "load"), [("ring", 8, 4), ("ring", 16, 8), ("tree", 16, 8), ("torus", 16, 2)]
)
def test_the_load_of_recursive_doubling(topology, p, load):
    """In the last round p / 2 messages cross the middle of a ring or a tree; a torus has a ring of 4 in each line."""
    assert Routed(Traffic.of(DOUBLING, p), networks.find(topology)).load == load


def timed(page, **contention):
    """The kernel's attempt, for a page that claims this."""
    module = ModuleType("mine")
    vars(module)["contention"] = contention
    return timing.under_any_timing(annotations.subject(replace(page, name="mine", module=module)))


TWO_ON = replace(
    RING,
    dst=lambda r, t, p: (r + 2) % p if p > 2 else (r + 1) % p,
    src=lambda r, t, p: (r - 2) % p if p > 2 else (r - 1) % p,
)


def test_claims_that_hold():
    """Proved for every p that was looked at, with what was found."""
    attempt = timed(DOUBLING, crossbar="rendezvous", ring="contended")

    assert attempt.verdict == proved_up_to(timing.TIMED)
    assert timed(TWO_ON, crossbar="exclusive").verdict == proved_up_to(timing.TIMED)
    assert attempt.detail == (
        "crossbar: rendezvous, 24 eager meetings at p = 8; ring: contended at p = 4 first, up to 16 messages on a link"
    )


TOO_GOOD = [
    (DOUBLING, "crossbar", "exclusive", 3, "with eager sends rank 0's message to 1 of step 0 and rank 2's to 1 of"),
    (DOUBLING, "crossbar", "eager", 3, "can meet on crossbar->1"),
    (DOUBLING, "tree", "lock step", 4, "with synchronous sends rank 0's message to 2 of step 1 and rank 1's to 3 of"),
    (DOUBLING, "fat_tree:k=2", "rendezvous", 6, "of step 2 can meet on leaf 2->spine 1"),
    (TWO_ON, "ring", "exclusive", 4, "contended at p = 4 first, up to 2 messages on a link"),
    (RING, "torus", "contended", 1, "claimed: contended"),
    (replace(RING, dst=lambda r, t, p: 0), "ring", "exclusive", None, "p=2 step 0"),
]


@pytest.mark.parametrize(("page", "topology", "claimed", "p", "told"), TOO_GOOD)
def test_claims_that_are_too_good(page, topology, claimed, p, told):
    """Refuted at the fewest ranks that have the worst level, with the messages that meet; so is what is no schedule."""
    attempt = timed(page, **{topology: claimed})

    assert attempt.verdict == REFUTED
    assert told in attempt.detail
    if p:
        assert attempt.witness == {"p": p}
        assert f"claimed: {claimed}" in attempt.detail


def test_unknown_topologies_and_levels():
    """Told when the page is read."""
    with pytest.raises(InputError, match="no topology 'mesh'"):
        timed(RING, mesh="exclusive")
    with pytest.raises(InputError, match="levels are exclusive, eager, rendezvous, lock step, contended"):
        timed(RING, ring="free")


@pytest.mark.parametrize(
    ("name", "topology", "p", "sends"),
    [("recursive_doubling", "crossbar", 8, "eager"), ("recursive_doubling", "ring", 8, "rendezvous"),
     ("recursive_doubling", "fat_tree", 14, "rendezvous"), ("recursive_doubling", "torus:k=2", 9, "rendezvous"),
     ("recursive_multiplying", "crossbar", 5, "rendezvous")],
)  # fmt: skip
def test_a_judgement_has_a_timing_that_obeys_the_rules(name, topology, p, sends):
    """Its two messages overlap and share the link that is named."""
    judged = sparring.contention(name, topology, p)
    overlap, timing, traffic = judged.freedom.overlap, judged.timing, judged.routed.traffic

    assert judged.freedom.sends == sends
    assert timings.meet(timing, overlap.first, overlap.second)
    assert not list(timings.broken(traffic, timing, sends))
    for m in (overlap.first, overlap.second):
        assert overlap.link in judged.routed.topology.route(m.src, m.dst, p)


def test_a_finder_that_is_wrong_stops_the_judgement(monkeypatch):
    """A planted fault: two messages that are ordered are called an overlap."""
    found = levels.freedom(Routed(Traffic.of(DOUBLING, 4), networks.find("crossbar")))
    lie = found._replace(sends="rendezvous")
    monkeypatch.setattr(judgement, "freedom", lambda routed: lie)

    with pytest.raises(sparring.Undecided, match="z3 and the finder disagree"):
        sparring.contention("recursive_doubling", "crossbar", 4)


def test_many_ranks_have_no_timing():
    """Beyond 16 ranks nobody would read it; the meeting is still named."""
    judged = sparring.contention("recursive_doubling", "crossbar", 64)

    assert judged.timing is None
    assert judged.meetings == {"eager": 64 * 6 * 5 // 2, "rendezvous": 0}
    assert judged.sentences()[-1].startswith("p=64: with eager sends rank ")


def test_no_ranks():
    """At least one."""
    with pytest.raises(InputError, match="ranks=0; right: at least 1"):
        sparring.contention("ring", "ring", 0)
