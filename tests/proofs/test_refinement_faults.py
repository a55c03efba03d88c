"""Bugs planted in short programs, on whole vectors and on lists, are each caught by a finding; correct twins pass."""

from __future__ import annotations

import numpy as np
import pytest

from sparring import Sparse, page, sparse_lists
from sparring.refinement import comparison, running
from sparring.refinement.comparison import DTYPES

TWINS = {"ring": """\
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
""", "ring_allgather": """\
import numpy as np
from sparring import Sparse

def allreduce(comm, x):
    p, r = comm.Get_size(), comm.Get_rank()
    counts = np.empty(p, np.int32)
    comm.Allgather(np.array([len(x)], np.int32), counts)
    indices = [np.empty(k, x.indices.dtype) for k in counts]
    values = [np.empty_like(x.values, shape=k) for k in counts]
    indices[r][:], values[r][:] = x.indices, x.values
    for i in range(p - 1):
        there, here = (r - i) % p, (r - 1 - i) % p
        requests = [comm.Irecv(values[here], (r - 1) % p, 1), comm.Irecv(indices[here].view(np.uint8), (r - 1) % p, 2)]
        requests += [comm.Isend(values[there], (r + 1) % p, 1)]
        requests += [comm.Isend(indices[there].view(np.uint8), (r + 1) % p, 2)]
        for request in requests:
            request.Wait()
    support = np.unique(np.concatenate(indices))
    sums = np.full_like(x.values, -0.0, shape=support.size)
    order = range(p)
    for q in order:
        at = np.searchsorted(support, indices[q])
        sums[at] = sums[at] + values[q]
    return Sparse(support, sums + sums.dtype.type(0), x.n)
"""}  # fmt: skip
"""By page a program that does the same."""
WAIT = "MPI.Request.Waitall([receive, send])\n        mine"
INBOX = "inbox = np.empty_like(part(r - hop - 1))"
BLOCKING = f"{INBOX}\n        comm.Ssend(part(r - hop), right)\n        comm.Recv(inbox, left)\n"
UNIQUE, END = "support = np.unique(np.concatenate(indices))", "sums + sums.dtype.type(0), x.n)"
RING, LISTS = TWINS
BUGS = {
    "wrong chunk": (RING, "mine = part(r - hop - 1)", "mine = part(r - hop - 2)", "terms", "shape mismatch"),
    "wrong neighbour": (RING, "(r + 1) % p, (r - 1)", "(r + 2) % p, (r - 1)", "deadlock", "waits in"),
    "one step short": (RING, "for hop in range(p - 1):\n        receive = comm.Irecv(part",
                       "for hop in range(p - 2):\n        receive = comm.Irecv(part", "terms", "the page's is"),
    "buffer reused too early": (RING, WAIT, "part(r - hop)[...] = part(r - hop) + part(r - hop)\n        " + WAIT,
                                        "hygiene", "before it was complete"),
    "received too early": (RING, WAIT, "inbox + inbox\n        " + WAIT, "terms", "buffer read before its time"),
    "blocking sends in a cycle": (RING, INBOX, f"{BLOCKING}        receive = send = MPI.REQUEST_NULL\n        continue",
                                  "deadlock", "rank 0 waits in Ssend to rank 1"),
    "arithmetic on a raw buffer": (RING, "np.add(inbox, mine, out=mine)",
                                   "mine.view(np.ndarray)[...] += inbox.view(np.ndarray)", "terms", "raw buffer"),
    "input changed": (RING, "y = x.copy()", "y = x", "input untouched", "rank 0's input was changed"),
    "request never completed": (RING, "MPI.Request.Waitall([receive, send])\n    return", "receive.Wait()\n    return",
                                "hygiene", "never"),
    "message that nobody wants": (RING, "    return y", "    comm.Isend(y, right, tag=7)\n    return y", "hygiene",
                                  "was never received"),
    "longer than the receiver's buffer": (RING, "send = comm.Isend(part(r - hop), right)",
                                          "send = comm.Isend(y, right)", "hygiene", "receives 9 int64 that rank"),
    "another dtype": (RING, INBOX, "inbox = np.empty(part(r - hop - 1).size, np.float32)", "hygiene", "as float32"),
    "raises on one rank": (RING, "done = part(r + 1)", "done = part(r + 1 if r != 1 else 1 // 0)", "terms",
                           "ZeroDivisionError"),
    "another order of adding": (LISTS, "order = range(p)", "order = reversed(range(p))", "terms", "the page's is"),
    "the order of arrival": (LISTS, "order = range(p)", "order = [(r - i) % p for i in range(p)]", "agreement", "rank"),
    "an entry dropped": (LISTS, UNIQUE, f"{UNIQUE}; indices[0], values[0] = indices[0][1:], values[0][1:]", "terms",
                         "the page's is"),
    "an index dropped": (LISTS, END, "sums + 0.0, x.n) if r else Sparse([], sums[:0], x.n)", "terms", "index"),
    "dense": (LISTS, f"return Sparse(support, {END}", "return sums", "terms", "not a Sparse"),
    "another length": (LISTS, "x.n)", "x.n + 1)", "terms", "returned n="),
    "writes to its list": (LISTS, "    order", "    x.values.setflags(write=True)\n    x.values[:] = 0.0\n    order",
                           "input untouched", "was changed"),
}  # fmt: skip
"""In which twin, what stands there, and what instead; the property that falls, and what is said."""


@pytest.fixture
def target(tmp_path):
    """Writes the twin with one piece of text replaced; returns the target."""

    def written(name: str, old: str = "", new: str = "") -> str:
        text = TWINS[name]
        assert old in text
        file = tmp_path / "mine.py"
        file.write_text(text.replace(old, new, 1) if old else text, encoding="utf-8")
        return f"{file}:allreduce"

    return written


def flaws(name, target, p, n):
    """On terms; that a twin sends other messages than the page is no matter here."""
    found = (running.on_terms(page(name), target, p, n, buffers)[0] for buffers in ("synchronous", "unbounded"))
    return [flaw for one in found for flaw in one if flaw.property != running.STEPS]


def wrong_results(name, target, xs):
    """The same on numbers."""
    return [flaw for flaw in running.on_numbers(page(name), target, xs, "dtypes") if flaw.property != running.STEPS]


@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize("p", [1, 2, 3, 5])
def test_the_correct_twin_passes(target, name, p):
    """On terms with both kinds of buffers, and bit for bit on numbers of all dtypes."""
    for n in comparison.sizes(p):
        assert flaws(name, target(name), p, n) == []
        for dtype in DTYPES:
            xs = sparse_lists.page_inputs(page(name), comparison.vectors(dtype, p, n))
            assert wrong_results(name, target(name), xs) == []


@pytest.mark.parametrize("bug", BUGS)
def test_each_bug_is_caught_by_its_finding(target, bug):
    """The property is the planted one's, and the sentence says what happened."""
    name, old, new, prop, words = BUGS[bug]
    found = [f for n in ((9,) if name == RING else (9, 10, 11)) for f in flaws(name, target(name, old, new), 4, n)]
    assert [f for f in found if f.property == prop and words in f.detail], found


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", TWINS)
def test_a_lost_zero_sign_is_caught_on_numbers(target, name, dtype):
    """Without the final + 0.0 some rank shows -0.0."""
    zeros = np.full(2, -0.0, dtype)
    xs = [zeros if name == RING else Sparse([1, 3], zeros, 4)] * 2
    lost = ("np.add(done, done.dtype.type(0), out=done)", "pass") if name == RING else (END, "sums, x.n)")
    assert wrong_results(name, target(name), xs) == []
    (flaw,) = wrong_results(name, target(name, *lost), xs)
    has, reference = flaw.detail.split(", reference ")
    assert flaw.property == "dtypes" and "-0." in has and "-0." not in reference


def test_inputs_are_of_every_sort():
    """Empty, full and partial lists, near and far entries, both widths: what is drawn covers the cases."""
    allgather = page(LISTS)
    xs = [
        x
        for p in range(1, 9)
        for n in comparison.sizes(p)
        for x in sparse_lists.page_inputs(allgather, [np.ones(n)] * p)
    ]
    assert {0, 1, 17} <= {len(x) for x in xs}
    assert {x.indices.dtype.name for x in xs} == {"int32", "int64"}
    assert max(x.n for x in xs) > 1 << 40
    assert sparse_lists.page_inputs(page(RING), [1, 2]) == [1, 2]
