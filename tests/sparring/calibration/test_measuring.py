"""What is timed, and how: on simulated ranks, with a clock that ticks when a call is made."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from sparring import world
from sparring.calibration import calls, measuring
from sparring.calibration.calls import call
from sparring.calibration.quantities import Quantity
from sparring.impl.core import transport


class Alone:
    """A communicator of one rank, as far as measuring needs one."""

    def __init__(self) -> None:
        self.barriers = 0

    def Get_rank(self):
        return 0

    def Barrier(self):
        self.barriers += 1

    def bcast(self, x):
        return x

    def Allreduce(self, x, y, _operation):
        y[...] = x


@pytest.fixture
def alone(monkeypatch) -> Any:
    monkeypatch.setattr(measuring, "maximum", lambda: None)
    return Alone()


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until somebody moves it: ``clock[0]`` in seconds."""
    now = [100.0]
    monkeypatch.setattr(measuring.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(measuring.time, "monotonic", lambda: now[0])
    return now


def lasting(clock, seconds, made=None):
    """A call that takes so long, and counts itself."""

    def one():
        clock[0] += seconds
        if made is not None:
            made[seconds] += 1

    return one


def test_a_time_is_that_of_one_call(alone, clock):
    made = Counter()
    assert measuring.once(alone, lasting(clock, 0.25, made), 8) == 0.25
    assert (made[0.25], alone.barriers) == (8, 1)


@pytest.mark.parametrize(("seconds", "repeats"), [(1.0, 1), (2**-12, 3), (2**-30, measuring.MOST)])
def test_short_calls_are_made_often(alone, clock, seconds, repeats):
    assert measuring.often(alone, lasting(clock, seconds), 5e-4) == repeats


def test_rounds_go_on_until_time_is_over(alone, clock):
    """Each call once a round, and none when time is over; what was not timed is told."""
    made = Counter()
    four = [lasting(clock, 2.0**-i, made) for i in range(4)]
    deadline = measuring.Deadline(alone, 10.0, lambda _: None)
    rows = np.array(measuring.timed(alone, four, deadline, 1e-3))
    assert clock[0] - 100 <= 10 + 1
    whole_rounds = rows[(rows >= 0).all(axis=1)]
    assert len(whole_rounds) == len(rows) - 1 == 3
    assert (whole_rounds == [1, 0.5, 0.25, 0.125]).all()
    assert 0 < (rows[-1] >= 0).sum() < 4 and set(rows[-1][rows[-1] < 0]) == {-1}


def test_every_round_has_an_order_of_its_own(alone, clock):
    """The same whenever it is measured."""
    orders = []
    for _ in range(2):
        order: list[int] = []
        six = [lambda i=i, order=order: (order.append(i), lasting(clock, 1.0)()) for i in range(6)]
        measuring.timed(alone, six, measuring.Deadline(alone, 12 + 18 - 0.5, lambda _: None), 1e-3)
        orders.append(order[12:])  # beyond those by which the number of repeats is found
    assert orders[0] == orders[1] and all(sorted(orders[0][i : i + 6]) == [*range(6)] for i in (0, 6, 12))
    assert len({tuple(orders[0][i : i + 6]) for i in (0, 6, 12)}) == 3


def test_how_far_it_is_is_told_now_and_then(alone, clock):
    told: list[str] = []
    measuring.timed(alone, [lasting(clock, 1.0)], measuring.Deadline(alone, 20.0, told.append), 1e-3)
    assert told == ["4 rounds, 6 of 20 s", "10 rounds, 12 of 20 s", "16 rounds, 18 of 20 s"]


def test_nothing_is_timed_where_time_is_over_at_once(alone, clock):
    clock_after = measuring.Deadline(alone, 1e-9, lambda _: None)
    clock[0] += 1
    assert measuring.timed(alone, [lasting(clock, 1.0)] * 3, clock_after, 1e-3) == []


@pytest.fixture
def own_keys(monkeypatch):
    """Simulated ranks share this module's memory, in which a process has the key of its communicators' duplicates."""
    monkeypatch.setattr(transport, "keyval", lambda kind: kind.Create_keyval())
    calls.memory.cache_clear()


def steps(comm, quantity, many):
    """So many calls."""
    one = call(comm, quantity)
    for _ in range(many):
        one()


@pytest.mark.usefixtures("own_keys")
@pytest.mark.parametrize("d", [1, 2])
def test_an_exchange_goes_that_far_and_passes_on_what_came(d):
    """Nothing but one message a rank and step; after ``i`` steps a rank sends what began ``i d`` ranks before."""
    outcome = world.run(steps, 5, [Quantity("exchange", 8, d)] * 5, [3] * 5, record=True).raise_if_found()
    sent = {(m.src, m.dst): [] for m in outcome.messages}
    for m in outcome.messages:
        assert m.payload is not None
        sent[m.src, m.dst].append((m.nbytes, m.payload[0]))
    assert sent == {(r, (r + d) % 5): [(8, (r - i * d) % 5) for i in range(3)] for r in range(5)}


def done(what, size) -> Any:
    """What the call returns on a rank that is alone."""
    return call(Alone(), Quantity(what, size))()


def test_work_is_of_the_size_that_is_told():
    """Independent of how long it takes."""
    assert done("add", 256).size == 256
    selected = done("select", 1000)
    assert (len(selected), selected.n) == (10, 1000) and len(done("select", 10)) == 1
    merged = done("merge", 1000)
    assert merged.length == 50_000 and 970 < len(merged) <= 1000
    packed = done("pack", 1000)
    assert (len(packed), packed.length) == (1000, 100_000)


def test_there_is_memory_for_ranks_however_many():
    assert calls.memory(300, 1)[-1] == 300 % 256


def test_the_clock_has_a_resolution():
    assert 0 < measuring.clock() < 0.1
