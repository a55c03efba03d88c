"""Where a rank sends several messages in a step: its own port parts its own, others' can meet them."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sparring
from sparring import page
from sparring.proofs.contention import claims, levels, networks, overlaps, timings
from sparring.proofs.contention.overlaps import SENDS, Overlap
from sparring.proofs.contention.traffic import Routed, Traffic
from sparring.proofs.core import kernel, questions
from sparring.proofs.core.supplement import subject
from sparring.proofs.core.verdicts import EXPECTED, PROVED, proved_up_to
from sparring.spec.core.numbers import both, where

MULTIPLYING, RING = page("recursive_multiplying"), page("ring")
BUS = networks.Topology(
    "bus", "all meet", {}, lambda src, dst, p: [(src, "in"), ("in", "out"), ("out", dst)], (), "a bus"
)
BOTH_WAYS = replace(
    RING, messages=lambda t, p: where(p > 2, 2, 1),
    dst=lambda r, t, p, j: where(j == 0, (r + 1) % p, (r - 1) % p),
    src=lambda r, t, p, j: where(j == 0, (r - 1) % p, (r + 1) % p),
    active=lambda r, t, p, j: True, chunk=lambda r, t, p, j: 0,
)  # fmt: skip
TO_ALL = replace(
    BOTH_WAYS, messages=lambda t, p: p, steps=lambda p: 1,
    dst=lambda r, t, p, j: j, active=lambda r, t, p, j: both(r == 0, j > 0),
)  # fmt: skip
FROM_ALL = replace(TO_ALL, dst=lambda r, t, p, j: 0, active=lambda r, t, p, j: both(r == j, j > 0))


def on(traffic, topology: str | networks.Topology = "crossbar"):
    return Routed(traffic, networks.find(topology) if isinstance(topology, str) else topology)


def proved(claim, page, topology):
    """Whether both solvers prove it for every p."""
    return all(a.holds for a in questions.answered(tuple(claim(page, networks.find(topology))), second_opinion=True))


@pytest.mark.parametrize(
    ("step", "level", "load"),
    [
        ([(0, 1), (0, 2)], "eager", 2),
        ([(1, 0), (2, 0)], "contended", 2),
        ([(0, 1), (1, 2)], "exclusive", 1),
        ([(0, 1), (0, 2), (1, 2)], "contended", 2),
    ],
    ids=["hands out", "gathers", "passes on", "both"],
)
def test_a_source_parts_its_own_messages(step, level, load):
    """Two messages leave one port one after the other; two that come to one port can meet."""
    routed = on(Traffic.made(3, [step]))
    found = levels.freedom(routed)

    assert (found.level, found.load) == (level, load)
    if found.overlap:
        assert found.overlap.first.src != found.overlap.second.src
        assert timings.timing(routed.traffic, found.overlap, found.sends) is not None


@st.composite
def schedules(draw):
    """Two steps of three ranks, each of at most four of the six messages that there may be."""
    pairs = [*permutations(range(3), 2)]
    return Traffic.made(3, [draw(st.lists(st.sampled_from(pairs), unique=True, max_size=4)) for _ in range(2)])


def by_z3(traffic, sends):
    """The pairs of transfers of different sources for which z3 finds a timing that obeys the rules."""
    transfers = [*traffic.transfers()]
    pairs = [(a, b) for i, a in enumerate(transfers) for b in transfers[i + 1 :] if a.src != b.src]
    found = {pair: timings.timing(traffic, Overlap(("", ""), *pair), sends) for pair in pairs}
    assert not any(list(timings.broken(traffic, timing, sends)) for timing in found.values() if timing)
    return {tuple(sorted(pair)) for pair, timing in found.items() if timing}


def by_finder(traffic, sends):
    found = overlaps.overlaps(on(traffic, BUS), sends)
    return {tuple(sorted((o.first, o.second))) for o in found if o.link == ("in", "out")}


@pytest.mark.parametrize("sends", SENDS)
@given(traffic=schedules())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_finder_is_z3_s_equal(sends, traffic):
    """Sound and complete with several messages of a rank in a step, too."""
    assert by_finder(traffic, sends) == by_z3(traffic, sends)


def test_a_rank_learns_of_all_that_send_to_it(monkeypatch):
    """A planted fault: only one of the senders' clocks is passed on; then what is ordered is called an overlap."""
    traffic = Traffic.made(4, [[(1, 3)], [(3, 0)], [(0, 2), (1, 2)], [(2, 1)]])

    def one_alone(new, now, to, of):
        new[to] = now[of]

    right = by_finder(traffic, "eager")
    assert right == by_z3(traffic, "eager")
    monkeypatch.setattr(overlaps, "learn", one_alone)
    assert by_finder(traffic, "eager") != right


def test_every_p():
    """To both neighbours at once is exclusive on a ring; to all at once is free in lock step on the crossbar."""
    assert proved(claims.exclusive, BOTH_WAYS, "ring")
    assert not proved(claims.lock_step, BOTH_WAYS, "crossbar")
    assert proved(claims.lock_step, TO_ALL, "crossbar")
    assert not proved(claims.exclusive, TO_ALL, "crossbar")
    assert not proved(claims.lock_step, FROM_ALL, "crossbar")


def test_every_p_against_runs():
    """The same, decided for few ranks by routing every message."""
    steps = [[(r, d) for r in range(5) for d in ((r + 1) % 5, (r - 1) % 5)]]
    assert levels.freedom(on(Traffic.made(5, steps), "ring")).level == "exclusive"
    assert levels.freedom(on(Traffic.made(5, steps))).level == "contended"


@pytest.mark.parametrize(("radix", "level"), [(2, "rendezvous"), (3, "contended"), (4, "contended")])
def test_recursive_multiplying_on_the_crossbar(radix, level):
    """From three ranks on a group's members all receive two messages or more on one port."""
    found = page("recursive_multiplying", radix=radix)
    judged = [levels.freedom(on(Traffic.of(found, p))) for p in range(3, 28)]

    assert {f.level for f in judged} == {level}
    assert max(f.load for f in judged) == radix - 1


@pytest.mark.parametrize(("radix", "name", "verdict"), [
    (2, "rendezvous on crossbar", PROVED), (4, "lock step on crossbar", EXPECTED), (4, "lock step on ring", EXPECTED),
])  # fmt: skip
def test_theorems_for_every_p(radix, name, verdict):
    """As claimed for the radix that is asked for."""
    whole = subject(page("recursive_multiplying", radix=radix))
    found = next(c for c in kernel.readable(whole.general) if c.name == name)
    attempt = kernel.judge(whole, found, second_opinion=not found.contended)

    assert found.statement.endswith(f", for radix = {radix}.")
    assert (kernel.expected(attempt) if found.contended else attempt).verdict == verdict


def test_what_is_claimed_of_recursive_multiplying():
    """On all five topologies, for up to 32 ranks; and nothing better."""
    whole = subject(MULTIPLYING)
    boast = replace(whole, contention={"crossbar": "rendezvous"})

    assert sorted(whole.contention) == networks.names()
    assert kernel.under_any_timing(whole).verdict == proved_up_to(kernel.TIMED)
    assert "claimed: rendezvous" in kernel.under_any_timing(boast).detail


def test_it_is_drawn():
    """A timing in which two of a group's messages meet on their receiver's port."""
    judged = sparring.contention("recursive_multiplying", "crossbar", 5)

    assert judged.freedom.level == "contended"
    assert judged.freedom.overlap.first.dst == judged.freedom.overlap.second.dst
    assert not list(timings.broken(judged.routed.traffic, judged.timing, judged.freedom.sends))
