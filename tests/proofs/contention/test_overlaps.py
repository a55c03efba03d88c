"""The finder says of every pair of transfers what z3 says, and knows the figures of the design."""

from __future__ import annotations

import resource
import time
from itertools import combinations, permutations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring import page
from sparring.errors import InputError
from sparring.proofs.contention import networks, overlaps, timings
from sparring.proofs.contention.overlaps import SENDS, Overlap
from sparring.proofs.contention.traffic import Routed, Traffic, Transfer

RIVALS = overlaps.rivals
BUS = networks.Topology(
    "bus", "all meet", {}, lambda src, dst, p: [(src, "in"), ("in", "out"), ("out", dst)], (), "a bus"
)
"""A topology on which every message meets every other."""


def doubling(p=8):
    """Recursive doubling; at a power of two nothing is folded."""
    return Traffic.of(page("recursive_doubling"), p)


def rotation(p=8):
    return Traffic.made(p, [[(r, (r + t + 1) % p) for r in range(p)] for t in range(p - 1)])


def on(traffic, topology: Any = "crossbar"):
    return Routed(traffic, networks.find(topology) if isinstance(topology, str) else topology)


@st.composite
def schedules(draw):
    """A few steps of a few ranks, of which some are silent, and some send or receive several messages in a step."""
    p = draw(st.integers(2, 4))
    messages = st.lists(st.sampled_from([*permutations(range(p), 2)]), unique=True, max_size=3)
    return Traffic.made(p, draw(st.lists(messages, min_size=1, max_size=3)))


def by_z3(traffic, sends):
    """The pairs of transfers of different sources for which z3 finds a timing, each judged by its rules."""
    found = set()
    for one, other in combinations(traffic.transfers(), 2):
        if one.src == other.src:
            continue
        timing = timings.timing(traffic, Overlap(("", ""), one, other), sends)
        if timing:
            assert not list(timings.broken(traffic, timing, sends))
            assert timings.meet(timing, one, other)
            found.add((one, other))
    return found


def by_finder(traffic, sends):
    """What the finder says of the bus."""
    listed = [o for o in overlaps.overlaps(on(traffic, BUS), sends) if o.link == ("in", "out")]
    assert len(set(listed)) == len(listed)
    return {tuple(sorted((o.first, o.second))) for o in listed}


@pytest.mark.parametrize("sends", SENDS)
@given(traffic=schedules())
@settings(max_examples=30, deadline=None)
def test_the_finder_is_z3_s_equal(sends, traffic):
    """Sound and complete: on random schedules, for every pair of transfers of different sources."""
    assert by_finder(traffic, sends) == {tuple(sorted(pair)) for pair in by_z3(traffic, sends)}
    routed = on(traffic, BUS)
    assert overlaps.total(routed, sends) == sum(1 for _ in overlaps.overlaps(routed, sends))


@given(traffic=schedules())
@settings(max_examples=100, deadline=None)
def test_a_rank_in_common_keeps_transfers_apart(traffic):
    """The lemma of the theorem for every p: under rendezvous, in different steps."""
    for one, other in by_finder(traffic, "rendezvous"):
        assert one.t == other.t or not {*one[1:]} & {*other[1:]}
    assert by_finder(traffic, "rendezvous") <= by_finder(traffic, "eager")


def without_port(routed, ids, live):
    """The planted fault: messages of one source are taken to meet as well."""
    alone = np.arange(len(routed.pairs))
    blind: Any = SimpleNamespace(ways=routed.ways, links=routed.links, pairs=np.stack([alone, alone], axis=1))
    return RIVALS(blind, ids, live)


def sender_s_wait(clock, first, second, sends):
    """The planted fault: an eager send counts as ended when its sender has waited."""
    return clock[second[:, 0], first[:, 0]].astype(np.int64)


def stale(traffic, sends):
    """The planted fault: nobody learns anything of others."""
    for t in range(len(traffic.steps)):
        yield np.diag(np.full(traffic.p, t, np.int32))


def one_alone(new, now, to, of):
    """The planted fault: of several senders only one passes on what it knows."""
    new[to] = now[of]


@pytest.mark.parametrize(
    ("name", "fault"),
    [("rivals", without_port), ("known", sender_s_wait), ("clocks", stale), ("learn", one_alone)],
    ids=["no port", "wrong wait", "no clock", "one of two"],
)
def test_a_wrong_finder_is_noticed(monkeypatch, name, fault):
    """Each planted fault changes the figures of these: at p = 8, and where one rank hears from two."""
    some = doubling(), rotation(), Traffic.made(4, [[(1, 3)], [(3, 0)], [(0, 2), (1, 2)], [(2, 1)]])
    right = [overlaps.total(on(some[0]), "eager"), overlaps.total(on(some[1]), "eager"), len(by_z3(some[2], "eager"))]
    assert [*right[:2], len(by_finder(some[2], "eager"))] == [24, 120, right[2]]
    monkeypatch.setattr(overlaps, name, fault)
    assert [overlaps.total(on(one), "eager") for one in some[:2]] + [len(by_finder(some[2], "eager"))] != right


@pytest.mark.parametrize("sends", SENDS)
def test_nothing_meets_where_nothing_is_sent(sends):
    """No step, empty steps, one rank."""
    for traffic in (Traffic.made(1, []), Traffic.made(3, [[], []]), Traffic.of(page("ring"), 1)):
        assert (on(traffic).exclusive, on(traffic).load, overlaps.total(on(traffic), sends)) == (True, 0, 0)


@pytest.mark.parametrize(
    ("step", "told"),
    [
        ([(0, 1), (0, 1)], "step 0: rank 0 sends 2 messages to rank 1; a step has at most one"),
        ([(1, 1)], "step 0: a message from rank 1 to 1; it needs two of ranks 0..2"),
        ([(0, 3)], "step 0: a message from rank 0 to 3; it needs two of ranks 0..2"),
    ],
)
def test_what_is_no_step(step, told):
    """One sentence says which rank and what a step may have."""
    with pytest.raises(InputError) as error:
        Traffic.made(3, [step])
    assert str(error.value) == told


def test_sends_of_another_kind():
    """There are two."""
    with pytest.raises(InputError, match="sends='lazy'; there are eager, rendezvous"):
        overlaps.total(on(doubling()), "lazy")


def test_rules_are_broken_one_by_one():
    """A timing that obeys them all, then with one number changed for each rule."""
    traffic = Traffic.made(3, [[(0, 2)], [(1, 2), (2, 0)]])
    first, second = Transfer(0, 0, 2), Transfer(1, 1, 2)
    found = timings.timing(traffic, Overlap((1, 2), first, second), "eager")

    assert found is not None
    assert not list(timings.broken(traffic, found, "eager"))
    faults = {"posts": {(2, 1): 0}, "waits": {(2, 0): 0}, "begins": {first: -1}, "ends": {first: 99}}
    for part, change in faults.items():
        wrong = found._replace(**{part: {**getattr(found, part), **change}})
        assert list(timings.broken(traffic, wrong, "eager")), part
    assert any("at one time" in x for x in timings.broken(
        Traffic.made(3, [[(0, 1)], [(0, 2)]]),
        timings.Timing({(r, t): 0 for r in range(3) for t in (0, 1)}, {(r, t): 0 if t == 0 and r != 1 else 9
            for r in range(3) for t in (0, 1)}, {Transfer(0, 0, 1): 0, Transfer(1, 0, 2): 1},
            {Transfer(0, 0, 1): 2, Transfer(1, 0, 2): 3}), "eager"))  # fmt: skip


@pytest.mark.parametrize("p", [128, pytest.param(512, marks=[pytest.mark.slow, pytest.mark.timeout(600)])])
def test_large_runs_are_judged(p):
    """The ring at p = 512 has half a million messages: less than 15 seconds of computing, and 2 GB with all before."""
    begun, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # of all tests before
    routed = on(Traffic.of(page("ring"), p), "tree")

    assert len(routed.keys) == 2 * p * (p - 1)
    assert routed.load == 1
    for sends in SENDS:
        assert overlaps.total(routed, sends) == 0  # the general algorithm, though the links are exclusive
    assert time.process_time() - begun < 15
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < max(before + 1, 2 * 1024 * 1024)  # kB
