"""The calls that the world counts as deterministic are those that ``proofs/coq/mpi.v`` is about."""

import re

import numpy as np
import pytest

from sparring import world
from sparring.proofs.coq.check import HERE
from sparring.proofs.world.comm import Comm
from sparring.proofs.world.constants import Unsupported
from sparring.proofs.world.requests import Request

LOCAL = {"Get_rank", "Get_size", "Create_keyval", "Free_keyval", "Get_attr", "Set_attr", "Delete_attr"}
RECEIVES = {"Recv", "Irecv", "Sendrecv"}


def listed(first: str, last: str) -> set[str]:
    """The calls named in the header of ``mpi.v`` between two phrases, receives from any source aside."""
    text = (HERE / "mpi.v").read_text(encoding="utf-8")
    lines = text[text.index(first) + len(first) : text.index(last)].splitlines()[1:]
    names = (re.split(r"  +", line.strip())[0].split(", ") for line in lines if "ANY_SOURCE" not in line)
    return {name for row in names for name in row if re.fullmatch("[A-Z][A-Za-z_]+", name)}


COVERED = listed("Covered;", "Not covered,")
OUTSIDE = listed("Not covered,", "nor ranks that read")


def calls(owner) -> set[str]:
    """What an object of the world can be asked to do."""
    return {name for name in dir(owner) if re.fullmatch("[A-Z][a-z_]+", name)} - LOCAL


MEETINGS = {
    "Barrier": lambda comm: comm.Barrier(),
    "Bcast": lambda comm: comm.Bcast(np.ones(1)),
    "Allreduce": lambda comm: comm.Allreduce(np.ones(1), np.zeros(1)),
    "Allgather": lambda comm: comm.Allgather(np.ones(1), np.zeros(2)),
    "Allgatherv": lambda comm: comm.Allgatherv(np.ones(1), np.zeros(2)),
    "Alltoall": lambda comm: comm.Alltoall(np.ones(2), np.zeros(2)),
    "Alltoallv": lambda comm: comm.Alltoallv(np.ones(2), np.zeros(2)),
    "Dup": lambda comm: comm.Dup().Free(),
    "Free": lambda comm: comm.Dup().Free(),
}


EXCHANGES = {"Send", "Ssend", "Recv", "Sendrecv", "Isend", "Issend", "Irecv", "Wait", "Waitall"}
KNOWN = calls(Comm) | calls(Request)


def exchange(comm, name, source):
    """Two ranks give each other a number, with the call ``name``."""
    from mpi4py import MPI

    x, y, other = np.ones(1), np.zeros(1), 1 - comm.rank
    match name:
        case "Sendrecv":
            comm.Sendrecv(x, other, 0, y, source)
        case "Recv" | "Send" | "Ssend":
            request = comm.Isend(x, other) if name == "Recv" else comm.Irecv(y, source)
            comm.Recv(y, source) if name == "Recv" else getattr(comm, name)(x, other)
            request.Wait()
        case _:
            requests = [(comm.Issend if name == "Issend" else comm.Isend)(x, other), comm.Irecv(y, source)]
            complete(MPI.Request, requests, name)


def complete(Request, requests, name):
    """With the call ``name``, if it is one."""
    match name:
        case "Waitall":
            Request.Waitall(requests)
        case "Waitany":
            while Request.Waitany(requests) >= 0:
                pass
        case "Test":
            while not all(request.Test() for request in requests):
                pass
        case "Testall":
            while not Request.Testall(requests):
                pass
        case _:
            for request in requests:
                request.Wait()


def outcome(name, *, any_source=False):
    """A run of two ranks that make that call, and no other that could leave the fragment."""

    def target(comm):
        from mpi4py import MPI

        if name in MEETINGS:
            MEETINGS[name](comm)
        else:
            exchange(comm, name, MPI.ANY_SOURCE if any_source else 1 - comm.rank)

    return world.run(target, 2).raise_if_found()


def test_every_call_is_listed():
    """What the world knows is covered or outside, never both."""
    assert KNOWN <= COVERED | OUTSIDE and not COVERED & OUTSIDE
    assert RECEIVES <= COVERED and EXCHANGES | MEETINGS.keys() == COVERED & KNOWN


@pytest.mark.parametrize("name", sorted(COVERED & KNOWN))
def test_covered_calls_stay_in_the_fragment(name):
    """One run of them decides."""
    assert outcome(name).deterministic


@pytest.mark.parametrize("name", sorted(OUTSIDE))
def test_the_world_notes_or_refuses_the_others(name):
    """A run with them is only tested, or does not come about."""
    if name in calls(Request):
        assert not outcome(name).deterministic
    else:
        with pytest.raises(Unsupported, match=name):
            getattr(Request(), name)
        with pytest.raises(Unsupported, match=name):
            getattr(Comm(None, 0), name)


@pytest.mark.parametrize("name", sorted(RECEIVES))
def test_a_receive_from_any_source_is_noted(name):
    """Whatever the call."""
    assert not outcome(name, any_source=True).deterministic
