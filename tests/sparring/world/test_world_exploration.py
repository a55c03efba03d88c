"""Every schedule: what depends on MPI's choices is found, with the fewest choices, and nothing is left out."""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from sparring import world
from sparring.errors import InputError
from sparring.sparse import Sparse
from sparring.world import Kind
from sparring.world.core.choices import Step
from sparring.world.exploration import content


def one(value=0.0):
    return np.full(1, float(value))


def overtaken(comm):
    """Rank 2's message reaches rank 1 first only if MPI copies rank 0's."""
    y = one()
    if comm.rank == 0:
        comm.Send(one(), 1)
        comm.Send(one(), 2)
    elif comm.rank == 1:
        comm.Recv(y)
        comm.Recv(y, 2)
    else:
        comm.Recv(y, 0)
        comm.Send(one(), 1)


@pytest.mark.parametrize(("buffers", "choices"), [(1, (1,)), (3, (1,)), ("unbounded", (1,)), ("any", (1, 1))])
def test_a_deadlock_that_needs_buffers_is_found(buffers, choices):
    """Three ranks, one of which receives from any: with room for a message they can wait for each other."""
    seen = world.explore(overtaken, 3, buffers=buffers)

    (found,) = seen.findings
    assert seen.exhausted and found.what.kind is Kind.DEADLOCK and found.choices == choices
    assert re.search(r"gets rank 2's message \(test_world_exploration.py:\d+\)$", found.told[-1])
    again = world.run(overtaken, 3, buffers=buffers, choices=found.choices)
    assert again.findings == (found.what,)


def test_without_buffers_there_is_none():
    """With synchronous sends rank 0's message always comes first."""
    seen = world.explore(overtaken, 3, buffers="synchronous")

    assert seen.exhausted and not seen.findings and seen.runs == 1


def in_order_of_arrival(comm):
    y = one()
    if comm.rank:
        comm.Send(one(10**comm.rank), 0)
        return None
    total = 0.0
    for _ in range(comm.size - 1):
        comm.Recv(y)
        total = 2 * total + y[0]
    return total


def in_order_of_ranks(comm):
    y = one()
    if comm.rank:
        comm.Send(one(10**comm.rank), 0)
        return None
    total = 0.0
    for r in range(1, comm.size):
        comm.Recv(y, r)
        total = 2 * total + y[0]
    return total


def test_a_race_and_its_twin():
    """All orders of arrival are results; where the order is fixed there is one, and one run shows it."""
    seen = world.explore(in_order_of_arrival, 4, buffers="synchronous")

    assert {s.what[0] for s in seen.results} == {
        4 * a + 2 * b + c for a, b, c in [(10, 100, 1000), (10, 1000, 100), (100, 10, 1000), (100, 1000, 10),
                                          (1000, 10, 100), (1000, 100, 10)]
    }  # fmt: skip
    (race,) = seen.findings
    assert race.what.kind is Kind.RACE and "rank 0 returns 1240.0 or 1420.0" in race.what.text and race.choices == (1,)
    assert world.run(in_order_of_arrival, 4, choices=race.choices).results[0] != 1240.0

    twin = world.explore(in_order_of_ranks, 4)
    assert (twin.runs, len(twin.results), twin.findings) == (1, 1, ())


@pytest.mark.parametrize(
    "kind", [lambda x: Sparse(np.arange(x.size), x, x.size), lambda x: SimpleNamespace(x=x)], ids=["sparse", "object"]
)
@pytest.mark.parametrize(
    ("program", "findings"), [(in_order_of_arrival, 1), (in_order_of_ranks, 0)], ids=["race", "none"]
)
def test_a_race_in_the_midst_of_a_long_result(kind, program, findings):
    """The text of a long array leaves out the middle, where alone two results differ."""

    def long(comm):
        x = np.zeros(3001)
        x[1500] = program(comm) or 0
        return kind(x)

    assert len(world.explore(long, 3).findings) == findings


def answers(comm, ask):
    """What two requests of rank 0 tell, asked while both, one or none may be done."""
    from mpi4py import MPI

    if comm.rank:
        comm.Send(one(comm.rank), 0)
        return None
    told, x, y = [], one(), one()
    requests = [comm.Irecv(x, 1), comm.Irecv(y, 2)]
    told.append(getattr(MPI.Request, ask)(requests) if ask != "Test" else requests[0].Test())
    MPI.Request.Waitall(requests)
    return told


@pytest.mark.parametrize(("ask", "told"), [("Waitany", [0, 1]), ("Test", [True, False]), ("Testall", [True, False])])
def test_every_answer_is_given(ask, told):
    """Whatever a call may return, some schedule returns."""
    seen = world.explore(answers, 3, [ask] * 3)

    assert {s.what[0][0] for s in seen.results} == set(told) and seen.exhausted


def polls(comm):
    """A loop that ends when the message comes, whenever that is."""
    y = one()
    if comm.rank:
        comm.Recv(y, 0)
        comm.Send(y, 0)
        return y[0]
    request = comm.Irecv(y, 1)
    comm.Send(one(3), 1)
    while not request.Test():
        pass
    return y[0]


def test_loops_of_tests_end():
    """A fruitless test is repeated only after something has happened, so there is an end to them."""
    seen = world.explore(polls, 2)

    assert seen.exhausted and [s.what for s in seen.results] == [[3.0, 3.0]] and not seen.findings


def test_a_limit_is_told():
    """What is left out is said."""
    seen = world.explore(in_order_of_arrival, 5, runs=3)

    assert seen.runs == 3 and not seen.exhausted and "beginnings of others are left" in str(seen)


def test_bad_arguments():
    """One sentence each."""
    with pytest.raises(InputError, match="runs=0: at least 1"):
        world.explore(polls, 2, runs=0)
    with pytest.raises(InputError, match=r"choices\[0\]=7: there are 3 ways, numbered from 0"):
        world.run(in_order_of_arrival, 4, choices=[7])


P = 3
PROGRAM = f"{Path(__file__).with_name('wild_programs.py')}:execute"
OTHERS = st.integers(1, P - 1)
TAGS = st.integers(0, 1)
CALLS = st.one_of(
    st.tuples(st.sampled_from(["Send", "Ssend", "Isend"]), OTHERS, TAGS),
    st.tuples(st.sampled_from(["Recv", "Irecv"]), st.one_of(OTHERS, st.none()), st.one_of(TAGS, st.none())),
    st.tuples(st.sampled_from(["Waitany", "Test"]), st.just(0), st.just(0)),
)
PROGRAMS = st.lists(st.lists(CALLS, max_size=3), min_size=P, max_size=P)


def outcomes(calls, buffers):
    """All results and findings, but for the deadlock's text: which of the waiting ranks it begins with may differ."""
    seen = world.explore(PROGRAM, P, [np.zeros(1)] * P, [calls] * P, buffers=buffers, runs=3000)
    found = {(f.what.kind, f.what.text) for f in seen.findings if f.what.kind not in (Kind.RACE, Kind.DEADLOCK)}
    return seen, {content(s.what) for s in seen.results}, found


TWO = [("Isend", 2, 0), ("Isend", 1, 0)]
"""Sends of one line, of which either may never be received: what the others do decides."""


@settings(max_examples=60, deadline=None)
@given(PROGRAMS, st.sampled_from(["synchronous", 1, "unbounded"]))
@example([TWO, [("Send", 1, 0), ("Recv", None, None)], [("Send", 2, 0), ("Recv", None, None)]], 1)
def test_leaving_out_loses_nothing(calls, buffers):
    """The same results and findings as from all orders of all ways; a random schedule's results are among them."""
    seen, results, found = outcomes(calls, buffers)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Step, "commutes", lambda *_: False)
        whole, all_results, all_found = outcomes(calls, buffers)

    if whole.exhausted:
        assert seen.exhausted and (results, found) == (all_results, all_found) and seen.runs <= whole.runs
        given = [np.zeros(1)] * P, [calls] * P
        drawn = [world.run(PROGRAM, P, *given, scheduler="seeded", seed=s, buffers=buffers) for s in range(5)]
        assert {content(run.results) for run in drawn if not run.findings} <= results


def asks_twice(comm):
    y = one()
    if comm.rank:
        comm.Send(y, 0)
        return None
    request = comm.Irecv(y)
    told = [request.Test(), request.Test()]
    request.Wait()
    return told


@pytest.mark.mpi
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(PROGRAMS)
def test_what_real_ranks_do_is_among_the_results(group, calls):
    """Of programs that end in every schedule: under mpiexec they give, three times, one of the results."""
    seen, results, _ = outcomes(calls, "any")
    assume(seen.exhausted and all(found.what.kind is Kind.RACE for found in seen.findings))
    for _ in range(3):
        assert content(group.run(PROGRAM, [np.zeros(1)] * P, plan=calls)) in results


def test_leaving_out_too_much_loses_something():
    """A test in vain does not commute with what it could have told: the comparison above can fail."""
    whole = world.explore(asks_twice, 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Step, "commutes", lambda *_: True)
        fewer = world.explore(asks_twice, 2)

    assert {tuple(s.what[0]) for s in whole.results} == {(True, True), (False, True), (False, False)}
    assert len(fewer.results) < len(whole.results)


def two_masters(comm):
    """Each half has a master, which receives in the order of arrival."""
    half = comm.size // 2
    if comm.rank % half:
        comm.Send(one(comm.rank), comm.rank // half * half)
        return None
    first, second = one(), one()
    comm.Recv(first)
    comm.Recv(second)
    return first[0], second[0]


def test_leaving_out_saves_runs():
    """The choices of two masters commute: the four results take four runs."""
    seen = world.explore(two_masters, 6, buffers="synchronous")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Step, "commutes", lambda *_: False)
        whole = world.explore(two_masters, 6, buffers="synchronous")

    assert len(seen.results) == len(whole.results) == seen.runs == 4
    assert whole.runs > 4


def cancels(comm):
    """Whether the message or the cancellation comes first is MPI's choice at other times, too."""
    request = comm.Irecv(one(), 1 - comm.rank)
    request.Cancel()
    request.Wait()


def test_what_is_covered_in_part_is_told():
    """Not every schedule is claimed where a call may take effect at more times than are tried."""
    seen = world.explore(cancels, 2)

    assert not seen.exhausted and seen.left == 0 and "but for Cancel (test_world_exploration.py:" in str(seen)
