"""The calls that the world counts as deterministic are those that ``proofs/coq/mpi.v`` is about."""

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from sparring import world
from sparring.proofs.coq.check import HERE
from sparring.world.core.scheduler import Scheduler
from sparring.world.interface.messages import Message
from sparring.world.interface.requests import Prequest, Request
from sparring.world.interface.topology import Intracomm

LOCAL = re.compile("(Get(?!_status)|Set|Is|Delete|Attach|Detach|Flush)_.*|(Create|Free)_keyval|Compare|Abort")
"""Calls of one rank alone, and the one that ends everything."""
OTHERWISE_CALLED = {"Start", "Startall", "Clone", "Disconnect"}
"""They begin under the names of what they start, Dup and Free."""
PROGRAMS = [
    *((Path(__file__).with_name("mpi_calls.py"), name) for name in (
        "all_modes_of_sending", "buffered_sends_need_room", "probed", "matched_probes", "persistent",
        "some_and_any", "polled", "cancelled", "objects",
    )),
    *((Path(__file__).with_name("mpi_collectives.py"), name) for name in (
        "collectives_on_objects", "typed_exchange", "reductions_to_parts", "own_operations", "parts_of_a_communicator",
        "two_groups", "groups", "grids", "neighbours_on_a_grid",
    )),
    *((Path(__file__), name) for name in ("plain_calls", "persistent_meetings", "looks", "any_source")),
]  # fmt: skip


def plain_calls(comm):
    """What the other programs leave out."""
    from mpi4py import MPI

    x, y, to, source = np.ones(1), np.zeros(1), (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    for send in (comm.Isend, comm.Issend):
        requests = [send(x, to), comm.Irecv(y, source)]
        MPI.Request.Waitall(requests)
    requests = [comm.Irecv(y, source), comm.Irecv(y.copy(), source)]
    comm.Barrier()
    requests.append(comm.Irsend(x, to))
    comm.Rsend(x, to)
    MPI.Request.Waitall(requests)
    comm.Sendrecv(x, to, 0, y, source)
    requests = [comm.Recv_init(y, source), comm.Issend(x, to)]
    requests[0].Start()
    MPI.Request.Waitall(requests)
    requests[0].Free()
    comm.Gather(x, np.zeros(comm.size))
    comm.Gatherv(x, np.zeros(comm.size))
    comm.Scatter(np.ones(comm.size), y)
    comm.Scatterv(np.ones(comm.size), y)
    comm.Allgather(x, np.zeros(comm.size))
    comm.Allgatherv(x, np.zeros(comm.size))
    comm.Alltoall(np.ones(comm.size), np.zeros(comm.size))
    comm.Alltoallv(np.ones(comm.size), np.zeros(comm.size))
    part = comm.Split(0, comm.rank)
    part.Disconnect()
    comm.Dup().Free()
    comm.Clone().Free()


def persistent_meetings(comm):
    """Collectives that are started."""
    x, y = np.ones(1), np.zeros(1)
    requests = [comm.Barrier_init(), comm.Allreduce_init(x, y)]
    for request in requests:
        request.Start()
        request.Wait()
        request.Free()


def looks(comm):
    """All that only look whether something is done."""
    from mpi4py import MPI

    x, y, told = np.ones(1), np.zeros(1), []
    for look in (MPI.Request.Testall, MPI.Request.Testany, MPI.Request.Testsome):
        requests = [comm.Issend(x, (comm.rank + 1) % comm.size), comm.Irecv(y, (comm.rank - 1) % comm.size)]
        told.append(look(requests))
        MPI.Request.Waitall(requests)
    return len(told)


def any_source(comm):
    """Nothing else that could leave the fragment."""
    request = comm.Isend(np.ones(1), (comm.rank + 1) % comm.size)
    comm.Recv(np.zeros(1))
    request.Wait()


def listed(first: str, last: str) -> set[str]:
    """The calls named in the header of ``mpi.v`` between two phrases, receives from any source aside."""
    text = (HERE / "mpi.v").read_text(encoding="utf-8")
    lines = text[text.index(first) + len(first) : text.index(last)].splitlines()[1:]
    names = (re.split(r"  +", line.strip())[0].split(", ") for line in lines if "ANY_SOURCE" not in line)
    return {name for row in names for name in row if re.fullmatch("[A-Z][A-Za-z_]+", name)}


COVERED = listed("Covered;", "Not covered,")
OUTSIDE = listed("Not covered,", "nor ranks that read")


def base(call: str) -> str:
    """The call of which this is the nonblocking, the persistent or the object form."""
    call = call[0].upper() + call[1:].removesuffix("_init")
    blocking = call[1:].capitalize()
    return blocking if call[0] == "I" and call not in COVERED | OUTSIDE else call


def known() -> set[str]:
    """All that the world's objects can be asked to do with others."""
    names = {name for owner in (Intracomm, Request, Prequest, Message) for name in dir(owner)}
    return {base(name) for name in names if re.fullmatch("[A-Z][A-Za-z_]+", name) and not LOCAL.fullmatch(name)}


@cache
def ran(file, name):
    """A run of three ranks, and the calls that they made."""
    made, begin = set(), Scheduler.begin

    def noted(self, rank, call):
        if not LOCAL.fullmatch(call):
            made.add(base(call))
        begin(self, rank, call)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Scheduler, "begin", noted)
        return world.run(f"{file}:{name}", 3), made


def test_every_call_is_listed():
    """What the world knows is covered or outside, never both."""
    assert known() <= COVERED | OUTSIDE and not COVERED & OUTSIDE


@pytest.mark.parametrize(("file", "name"), PROGRAMS, ids=[name for _, name in PROGRAMS])
def test_the_world_notes_what_is_outside_and_nothing_else(file, name):
    """One run of covered calls decides; a run with others is only tested, and each of these is named, with a place."""
    outcome, made = ran(file, name)
    wild = any("from any source" in reason for reason in outcome.why_not)
    named = [re.fullmatch(r"(\w+)( from any source)? \(\w+\.py:\d+\)", reason) for reason in outcome.why_not]

    assert made <= COVERED | OUTSIDE and (wild or name != "any_source")
    assert outcome.deterministic == (not made & OUTSIDE and not wild)
    silent = {"Testall", "Testany", "Testsome"} if name == "some_and_any" else set()  # there is no request to test
    assert {base(one[1]) for one in named if one and not one[2]} == made & OUTSIDE - silent and None not in named


def test_a_clock_leaves_the_fragment():
    """A program may do what the time tells."""

    def asks(comm):
        from mpi4py import MPI

        return MPI.Wtime() > 0

    assert [why.split(" (")[0] for why in world.run(asks, 1).raise_if_found().why_not] == ["Wtime"]


def test_every_call_is_made():
    """No call is counted as deterministic without having been looked at."""
    made = set().union(*(ran(*program)[1] for program in PROGRAMS))

    assert known() - made - OTHERWISE_CALLED == set()
