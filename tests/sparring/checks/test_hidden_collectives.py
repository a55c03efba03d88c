"""A vector that goes through a collective beside a page's messages: whatever the page is, and whoever asks."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import sparring
from sparring.checks.checking import check
from sparring.impl import hierarchical, micro, ring
from sparring.proofs.logic.verdicts import Word
from sparring.refinement import differential, running
from sparring.refinement.example import Example
from tests.impl.algorithms import TARGETS, planted

P, N = 3, 400
BEGINS = "own, y = opened(comm, x, out, validate)\n"
CALLED = "    held, comm = self._admitted(x), self._comm\n"
HIDDEN = {
    "hierarchical": (BEGINS, f"{BEGINS}    comm.allgather([(x.size, x)])\n"),
    "micro": (CALLED, f"{CALLED}        comm.Allreduce(x, x.copy())\n"),
}
"""What sends all of the vector once more, by the algorithm in which it is planted; micro tells others its indices."""


def flaws(name):
    """What a run beside the page shows; of vectors in which micro selects a few entries."""
    page = sparring.page(name)
    xs = [np.where(np.arange(N) % 40 == r, 1.0, 1e-9) for r in range(P)]
    if page.stateful:
        return running.on_calls(page, TARGETS[name], Example([np.stack([x, x]) for x in xs], "dtypes"))
    call = partial(differential.called, **differential.options(page, TARGETS[name]))
    return running.on_numbers(page, TARGETS[name], xs, "dtypes", call)


@pytest.mark.parametrize("name", HIDDEN)
def test_verify_finds_what_goes_beside_the_messages(name):
    """Notes, and indices that the page tells apart, may go there."""
    assert not flaws(name)
    with planted(name, HIDDEN[name]):
        (found,) = flaws(name)
    assert found.property == "steps" and "whose messages nobody counts" in found.detail


def hiding(comm, x, /, **params):
    """All of the vector once more."""
    comm.Allreduce(x, x.copy())
    return hierarchical.allreduce(comm, x, **params)


class Hiding(micro.Allreduce):
    """The same beside indices, which the page tells apart."""

    def __call__(self, x, /):
        self._comm.Allreduce(x, x.copy())
        return super().__call__(x)


@pytest.mark.parametrize(
    ("target", "page", "word"),
    [
        ("sparring.impl.hierarchical:allreduce", "hierarchical", Word.TESTED),
        (hiding, "hierarchical", Word.REFUTED),
        ("sparring.impl.micro:Allreduce", "micro", Word.TESTED),
        (Hiding, "micro", Word.REFUTED),
    ],
)
def test_check_finds_what_goes_beside_the_messages_of_a_composition(target, page, word, unshrunk):
    """Which it was told of pages of formulas alone."""
    (volume,) = check(target, page, ranks=[2, 3], only=["volume"], level="volume", max_examples=30).results
    assert volume.verdict.word is word, volume


def beside(comm, x, /):
    """All of the vector once more, beside the ring's messages."""
    comm.Allreduce(x, x.copy())
    return ring.allreduce(comm, x)


@pytest.mark.parametrize("prop", ["volume", "steps"])
def test_check_finds_it_whichever_property_is_asked_for(prop, unshrunk):
    """Beside short vectors it would pass for notes; messages themselves are the page's, one by one."""
    (judged,) = check(beside, "ring", ranks=[2, 3], only=[prop], level="steps", max_examples=30).results
    assert judged.verdict.word is Word.REFUTED and "whose messages nobody counts" in judged.detail, judged


BESIDE = """\
import numpy as np
from mpi4py import MPI

from sparring.impl import ring


def allreduce(comm, x):
    to, source, note = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size, np.zeros(50)
    if comm.size > 1:
        {}
    return ring.allreduce(comm, x)
"""
UNRECORDED = {
    "Recv_init": """ways = [comm.Recv_init(note.copy(), source), comm.Send_init(note, to)]
        MPI.Prequest.Startall(ways)
        MPI.Request.Waitall(ways)""",
    "Win.Create": """window = MPI.Win.Create(note, comm=comm)
        window.Fence()
        window.Put(note.copy(), to)
        window.Fence()
        window.Free()""",
    "File.Open": """file = MPI.File.Open(MPI.COMM_SELF, "note", MPI.MODE_CREATE | MPI.MODE_RDWR)
        file.Write(x)
        file.Close()""",
}
"""By the call, how a rank reaches another in a way that nobody records."""
RECORDED = """own = MPI.COMM_WORLD.Create_group(comm.Get_group())
        own.Sendrecv(note, to, recvbuf=note.copy(), source=source)
        own.Free()"""


def on_real_ranks(target, **asked):
    """Verdicts of results and steps, and what is said of steps."""
    judged = check(target, "ring", on="mpi", ranks=[2, 3], max_examples=5, only=["result", "steps"], **asked)
    found = {one.property: one for one in judged.results}
    return found["result"].verdict.word, found["steps"].verdict.word, found["steps"].detail


@pytest.mark.mpi
@pytest.mark.parametrize("call", UNRECORDED)
def test_what_nobody_records_on_real_ranks_is_neither_right_nor_wrong(target, call):
    """Results are judged, messages are not."""
    result, steps, why = on_real_ranks(target(BESIDE.format(UNRECORDED[call])), level="steps")
    assert (result, steps) == (Word.TESTED, Word.UNDECIDED)
    assert why.endswith(f"{call} (mine.py:10) cannot be recorded")


@pytest.mark.mpi
def test_a_message_on_a_communicator_made_of_all_ranks_is_seen(target, unshrunk):
    """It goes beside those on the communicator that was given; without it all is as the page says."""
    result, steps, why = on_real_ranks(target(BESIDE.format(RECORDED)), level="steps")
    assert (result, steps) == (Word.TESTED, Word.REFUTED) and "sends 50 entries" in why
    assert on_real_ranks(target(BESIDE.format("pass")), level="steps")[:2] == (Word.TESTED, Word.TESTED)
