"""Planted bugs in an implementation are each caught by a named finding; the correct twin passes."""

from __future__ import annotations

import numpy as np
import pytest

from sparring import page
from sparring.proofs.core import refinement
from sparring.proofs.core.refinement import DTYPES

RING = page("ring")

TWIN = """\
import numpy as np
from mpi4py import MPI

def allreduce(comm, x):
    p, r = comm.Get_size(), comm.Get_rank()
    right, left = (r + 1) % p, (r - 1) % p
    y = x.copy()
    cuts = [i * x.size // p for i in range(p + 1)]
    part = lambda i: y[cuts[i % p]:cuts[i % p + 1]]
    for hop in range(p - 1):
        inbox = np.empty_like(part(r - hop - 1))
        receive = comm.Irecv(inbox, left)
        send = comm.Isend(part(r - hop), right)
        MPI.Request.Waitall([receive, send])
        mine = part(r - hop - 1)
        np.add(inbox, mine, out=mine)
    done = part(r + 1)
    np.add(done, done.dtype.type(0), out=done)
    for hop in range(p - 1):
        receive = comm.Irecv(part(r - hop), left)
        send = comm.Isend(part(r + 1 - hop), right)
        MPI.Request.Waitall([receive, send])
    return y
"""

WAIT = "MPI.Request.Waitall([receive, send])\n        mine"
BLOCKING = """inbox = np.empty_like(part(r - hop - 1))
        comm.Ssend(part(r - hop), right)
        comm.Recv(inbox, left)
"""
BUGS = {
    "wrong chunk": (
        "mine = part(r - hop - 1)",
        "mine = part(r - hop - 2)",
        "terms",
        "rank 1 raised ValueError: shape mismatch",
    ),
    "wrong neighbour": ("(r + 1) % p, (r - 1)", "(r + 2) % p, (r - 1)", "deadlock", "waits in"),
    "one step short": (
        "for hop in range(p - 1):\n        receive = comm.Irecv(part",
        "for hop in range(p - 2):\n        receive = comm.Irecv(part",
        "terms",
        "the page's is",
    ),
    "adds where it must overwrite": (
        "comm.Irecv(part(r - hop), left)",
        "comm.Irecv(inbox := np.empty_like(part(r - hop)), left)",
        "terms",
        "the page's is",
    ),
    "buffer reused before completion": (
        WAIT,
        "part(r - hop)[...] = part(r - hop) + part(r - hop)\n        " + WAIT,
        "hygiene",
        "before it was complete",
    ),
    "received too early": (WAIT, "inbox + inbox\n        " + WAIT, "terms", "a receive buffer read before its time"),
    "blocking sends in a cycle": (
        BLOCKING.splitlines()[0],
        BLOCKING + "        receive = send = MPI.REQUEST_NULL\n        continue",
        "deadlock",
        "rank 0 waits in Ssend to rank 1",
    ),
    "arithmetic on a raw buffer": (
        "np.add(inbox, mine, out=mine)",
        "mine.view(np.ndarray)[...] += inbox.view(np.ndarray)",
        "terms",
        "raw buffer",
    ),
    "input changed": ("y = x.copy()", "y = x", "input untouched", "rank 0's input was changed"),
    "request never completed": (
        "MPI.Request.Waitall([receive, send])\n    return",
        "receive.Wait()\n    return",
        "hygiene",
        "never",
    ),
    "message that nobody wants": (
        "    return y",
        "    comm.Isend(y, right, tag=7)\n    return y",
        "hygiene",
        "was never received",
    ),
    "longer than the receiver's buffer": (
        "send = comm.Isend(part(r - hop), right)",
        "send = comm.Isend(y, right)",
        "hygiene",
        "receives 9 int64 that rank 0 sent",
    ),
    "another dtype": (
        "inbox = np.empty_like(part(r - hop - 1))",
        "inbox = np.empty(part(r - hop - 1).size, np.float32)",
        "hygiene",
        "as float32",
    ),
    "raises on one rank": (
        "done = part(r + 1)",
        "done = part(r + 1 if r != 1 else 1 // 0)",
        "terms",
        "ZeroDivisionError",
    ),
}


@pytest.fixture
def target(tmp_path):
    """Writes the twin with one piece of text replaced; returns the target."""

    def written(old: str = "", new: str = "") -> str:
        assert old in TWIN
        file = tmp_path / "mine.py"
        file.write_text(TWIN.replace(old, new, 1) if old else TWIN, encoding="utf-8")
        return f"{file}:allreduce"

    return written


def flaws(target: str, p: int, n: int) -> list[refinement.Flaw]:
    return [
        f for buffers in ("synchronous", "unbounded") for f in refinement.on_terms(RING, target, p, n, buffers).flaws
    ]


@pytest.mark.parametrize("p", [1, 2, 3, 5, 8])
def test_the_correct_twin_passes(target, p):
    """On terms with both kinds of buffers, and bit for bit on numbers of all dtypes."""
    for n in refinement.sizes(p):
        assert flaws(target(), p, n) == []
        for dtype in DTYPES:
            assert refinement.on_numbers(RING, target(), refinement.vectors(dtype, p, n), "dtypes") == []


@pytest.mark.parametrize("name", BUGS)
def test_each_bug_is_caught_by_its_finding(target, name):
    """The property is the planted one's, and the sentence says what happened."""
    old, new, prop, words = BUGS[name]

    found = flaws(target(old, new), 4, 9)

    assert [f for f in found if f.property == prop and words in f.detail], found


OWN_ORDER = """\
import numpy as np

def allreduce(comm, x):
    p, n = comm.Get_size(), x.size
    everyone = np.empty_like(x, shape=p * n)
    comm.Allgather(x, everyone)
    order = [(comm.Get_rank() + i) % p for i in range(p)]
    y = x.copy()
    for q in order[1:]:
        y = y + everyone[q * n:(q + 1) * n]
    return y + y.dtype.type(0)
"""


def test_another_order_of_addition_on_each_rank_is_caught(tmp_path):
    """The sums are right, the bits are not: ranks disagree, and the twin that adds in rank order does not."""
    file = tmp_path / "mine.py"
    file.write_text(OWN_ORDER, encoding="utf-8")

    assert {f.property for f in flaws(f"{file}:allreduce", 3, 4)} == {"terms", "agreement"}

    file.write_text(OWN_ORDER.replace("comm.Get_rank() + i", "i").replace("x.copy()", "everyone[:n].copy()"))
    assert {f.property for f in flaws(f"{file}:allreduce", 3, 4)} == {"terms"}  # agreed, but not the ring's order


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_lost_zero_sign_is_caught_on_numbers(target, dtype):
    """Without the final + 0.0 some rank shows -0.0."""
    zeros = [np.full(5, -0.0, dtype)] * 3

    assert refinement.on_numbers(RING, target(), zeros, "dtypes") == []
    (flaw,) = refinement.on_numbers(RING, target("np.add(done, done.dtype.type(0), out=done)", "pass"), zeros, "dtypes")
    assert flaw.property == "dtypes"
    assert "entry 0 is -0.0, the page's is 0.0" in flaw.detail
