"""The matrix defect x property: each planted defect falsifies its declared properties and no other.

The twin is a ring written in a style unlike sparring's own: views, Sendrecv, one loop for both laps.
"""

from __future__ import annotations

import pytest

from sparring.checks import engine
from sparring.checks.checking import check
from sparring.checks.launch import find
from sparring.checks.properties import PROPERTIES
from sparring.proofs.core.verdicts import Word
from tests.sweeps import third

TWIN = """\
import numpy as np
from mpi4py import MPI

called = 0

def allreduce(comm, x):
    global called
    called += 1
    me, size = comm.rank, comm.size
    total = np.array(x)
    views = np.split(total, [len(x) * i // size for i in range(1, size)])
    for hop in range(2 * size - 2):
        there, here = views[(me - hop) % size], views[(me - hop - 1) % size]
        got = np.zeros_like(here)
        comm.Sendrecv(there, dest=(me + 1) % size, recvbuf=got, source=(me - 1) % size)
        if hop < size - 1:
            here += got
        else:
            here[:] = got
    return total
"""

SAME = """\
    kinds = np.empty((size, 2), np.int64)
    comm.Allgather(np.array([len(x), ord(x.dtype.char)], np.int64), kinds)
    if (kinds != kinds[0]).any():
        raise ValueError("ranks have vectors of different lengths or dtypes")
"""
EXCHANGE = "comm.Sendrecv(there, dest=(me + 1) % size, recvbuf=got, source=(me - 1) % size)"
CAREFUL = TWIN.replace("    total = np.array(x)\n", SAME + "    total = np.array(x)\n")
"""The twin that refuses vectors which do not fit together."""
LAST_BIT = """\
    if {} and size == 2 and total.dtype.kind == "f":
        total[total != 0] = np.nextafter(total, np.inf)[total != 0]
    return total"""
WRONG_SUM = {"result", "agreement", "steps", "edge sizes", "dtypes"}
DEFECTS = {
    "wrong chunk": ("here += got", "views[(me - hop) % size][:1] += got[:1]", WRONG_SUM - {"agreement"}),
    "one step short": ("range(2 * size - 2)", "range(2 * size - 3)", WRONG_SUM | {"volume"}),
    "adds where it must overwrite": ("here[:] = got", "here += got", WRONG_SUM),
    "wrong neighbour": ("(me + 1) % size, recvbuf", "(me + 2) % size, recvbuf", {"deadlock"}),
    "blocking sends in a cycle": (
        EXCHANGE,
        "comm.Ssend(there, (me + 1) % size); comm.Recv(got, (me - 1) % size)",
        {"deadlock"},
    ),
    "sends that need buffers": (
        EXCHANGE,
        "comm.Send(there, (me + 1) % size); comm.Recv(got, (me - 1) % size)",
        {"deadlock"},
    ),
    "tags mixed up": (
        EXCHANGE,
        EXCHANGE.replace("recvbuf", "sendtag=hop % 2, recvtag=(hop + 1) % 2, recvbuf"),
        {"deadlock"},
    ),
    "rank left waiting": (
        "    return total",
        "    me or size < 2 or comm.Recv(total, 1, 9)\n    return total",
        {"deadlock"},
    ),
    "message too long": ("comm.Sendrecv(there", "comm.Sendrecv(np.append(there, there[:1])", {"hygiene"}),
    "wrong dtype sent": ("comm.Sendrecv(there", "comm.Sendrecv(there.astype(np.complex128)", {"hygiene"}),
    "request never completed": (
        "    return total",
        "    size > 1 and comm.Irecv(total[:0], (me + 1) % size)\n    return total",
        {"hygiene"},
    ),
    "buffer reused before completion": (
        EXCHANGE,
        "wait = comm.Isend(there, (me + 1) % size); there += 1; comm.Recv(got, (me - 1) % size); wait.Wait()",
        {"hygiene"},
    ),
    "input changed": ("np.array(x)", "np.asarray(x)", {"input untouched"}),
    "wrong dtype returned": (
        "    return total",
        "    return total + np.float64(0)",
        {"dtypes", "result", "edge sizes"},
    ),
    "only float32 is wrong": (
        "    return total",
        "    return total.astype(np.float64) if total.dtype == np.float32 else total",
        {"dtypes"},
    ),
    "last bit on one rank": (
        "    return total",
        LAST_BIT.format("me == 1"),
        {"agreement"},
    ),
    "another result in the next call": (
        "    return total",
        LAST_BIT.format("called % 2 == 0"),
        {"reproducibility"},
    ),
    "last chunk dropped when n < p": (
        "    return total",
        "    total[-1:] *= len(x) >= size\n    return total",
        {"edge sizes"},
    ),
    "messages in halves": (
        EXCHANGE,
        "for half in (np.s_[:len(x) // size // 2], np.s_[len(x) // size // 2:]):\n            "
        + EXCHANGE.replace("there,", "there[half],").replace("recvbuf=got", "recvbuf=got[half]"),
        {"steps", "volume"},
    ),
}

LEFTWARD = TWIN.replace("(me - hop) % size], views[(me - hop - 1)", "(me + hop) % size], views[(me + hop + 1)").replace(
    EXCHANGE, "comm.Sendrecv(there, dest=(me - 1) % size, recvbuf=got, source=(me + 1) % size)"
)
DIRECT = """\
import numpy as np

def allreduce(comm, x):
    me, size = comm.rank, comm.size
    parts = {me: np.array(x)}
    for far in range(1, size):
        parts[(me - far) % size] = got = np.zeros_like(x)
        comm.Sendrecv(x, dest=(me + far) % size, recvbuf=got, source=(me - far) % size)
    total = parts[0]
    for r in range(1, size):
        total = total + parts[r]
    return total
"""
BUILT_IN = """\
import numpy as np

def allreduce(comm, x):
    total = np.empty_like(x)
    comm.Allreduce(x, total)
    return total
"""
OTHERS = {  # right sums, other messages than the ring's
    "the other way round": (LEFTWARD, {"steps", "volume"}),
    "everything to everybody": (DIRECT, {"steps", "volume", "contention"}),
    "the library's own": (BUILT_IN, {"steps", "volume"}),
}
ARRIVAL = """\
import numpy as np
from mpi4py import MPI

def allreduce(comm, x):
    total = np.array(x)
    for r in range(1, comm.size):
        if comm.rank == r:
            comm.Send(x, 0)
        elif comm.rank == 0:
            got = np.empty_like(x)
            comm.Recv(got, MPI.ANY_SOURCE)
            total += got
    comm.Bcast(total, 0)
    return total
"""
UNFIT = {  # what is done about vectors that do not fit together, where only that is judged
    "nothing": (TWIN, {"bad input"}),
    "lengths alone": (CAREFUL.replace("kinds[0]).any", "kinds[0])[:, 0].any"), {"bad input"}),
    "dtypes, for MPI truncates": (CAREFUL.replace("kinds[0]).any", "kinds[0])[:, 1].any"), set()),
    "waiting for ever": (CAREFUL.replace("raise ValueError(", "comm.Recv(x, me, 99, "), {"bad input"}),
    "an error": (CAREFUL, set()),
}
MEETING = {  # what meets on a link, where only that is judged
    "the twin on a ring": (TWIN, "ring", set()),
    "the other way round on a ring": (LEFTWARD, "ring", set()),
    "everything to everybody on a ring": (DIRECT, "ring", {"contention"}),
    "everything to everybody on a crossbar": (DIRECT, "crossbar", {"contention"}),
}
RANKS = range(1, 6)


@pytest.fixture
def target(tmp_path, monkeypatch):
    """Writes the source of a target; reproducers go to a folder that is thrown away.

    Nothing is shrunk: here it is asked what is falsified, not how small an example shows it.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(engine, "SHRINKING", 0.0)

    def written(source: str) -> str:
        (tmp_path / "mine.py").write_text(source, encoding="utf-8")
        return "mine.py:allreduce"

    return written


def planted(name: str) -> str:
    """The twin with one defect."""
    old, new, _ = DEFECTS[name]
    assert old in TWIN
    return TWIN.replace(old, new, 1)


def failed(target: str, page: str = "ring", **asked) -> set[str]:
    """The properties that are refuted."""
    report = check(target, page, **{"ranks": RANKS, "level": "steps", "max_examples": 60, **asked})
    return {r.property for r in report.results if r.verdict.word is Word.REFUTED}


@pytest.mark.parametrize("name", UNFIT)
def test_vectors_that_do_not_fit_together_are_refused_or_that_is_told(target, name):
    """One length or dtype that differs must raise somewhere."""
    source, falsified = UNFIT[name]

    assert failed(target(source), only=["bad input"], bad_input=True) == falsified


@pytest.mark.parametrize("name", MEETING)
def test_messages_meet_on_a_topology_that_is_named(target, name):
    """Also where no page is named, and on every level."""
    source, topology, falsified = MEETING[name]

    assert failed(target(source), page="allreduce", level="result", topology=topology) == falsified


def test_nobody_sees_the_messages_of_a_collective(target):
    """So nothing is said of the links that they take."""
    (result,) = check(target(BUILT_IN), only=["contention"], topology="ring", max_examples=10).results

    assert result.verdict.word is Word.NOT_COVERED
    assert result.detail == "rank 0 sends nothing; it calls Allreduce, whose messages nobody sees"


def test_a_page_is_not_outdone_on_a_topology(target):
    """Where the page's own messages meet, that the target's do is not held against it."""
    (result,) = check(
        "sparring.impl.rabenseifner:allreduce", "rabenseifner", only=["contention"], topology="ring", ranks=[4]
    ).results

    assert result.verdict.word is Word.NOT_COVERED
    assert result.detail.startswith("page rabenseifner itself does not keep its messages apart: on the topology ring")


def test_a_sum_in_the_order_of_arrival_is_not_reproducible(target):
    """Its result is right within the bound for any order of addition, and its bits are not the same again."""
    assert failed(target(ARRIVAL), page="allreduce", level="result") == {"reproducibility"}


def test_nothing_is_held_against_a_page_that_claims_nothing():
    """Of links recursive doubling claims no exclusive use: that is not tested, and told."""
    report = check(
        "sparring.impl.recursive_doubling:allreduce", "recursive_doubling", ranks=[2, 3], level="steps", max_examples=5
    )
    found = {r.property: r for r in report.results}
    assert found["contention"].verdict.word is Word.NOT_COVERED
    assert found["contention"].detail.startswith("page recursive_doubling claims on no topology")
    assert found["steps"].verdict.word is Word.TESTED


def test_the_correct_twin_passes_every_property(target):
    """Message by message, and no property is left out."""
    report = check(target(CAREFUL), "ring", ranks=RANKS, level="steps", bad_input=True)

    assert {r.property: r.verdict.word for r in report.results} == dict.fromkeys(PROPERTIES, Word.TESTED)


@pytest.mark.parametrize("name", third(DEFECTS))
def test_a_defect_falsifies_its_properties_and_no_other(target, name):
    """The declared set, exactly."""
    assert failed(target(planted(name))) == DEFECTS[name][2]


@pytest.mark.parametrize("name", OTHERS)
def test_another_algorithm_is_right_but_not_the_ring(target, name):
    """Its sums pass; what it sends does not, unless nobody asks."""
    source, falsified = OTHERS[name]

    assert failed(target(source)) == falsified
    assert failed(target(source), level="result") == set()


def test_every_property_is_needed():
    """For each there is a defect that falsifies it, and none falsifies all."""
    sets = [falsified for *_, falsified in (*DEFECTS.values(), *OTHERS.values(), *UNFIT.values())]

    assert set().union(*sets) == set(PROPERTIES)
    assert all(len(falsified) < len(PROPERTIES) for falsified in sets)


@pytest.mark.mpi
@pytest.mark.skipif(find() is None, reason="no mpiexec installed")
@pytest.mark.parametrize(
    "name", ["wrong chunk", "input changed", "last bit on one rank", "last chunk dropped when n < p"]
)
def test_real_ranks_show_the_same(target, name):
    """What the world finds in results, inputs and messages is found under mpiexec too."""
    assert failed(target(planted(name)), on="mpi", ranks=range(1, 4)) == DEFECTS[name][2]


@pytest.mark.mpi
@pytest.mark.skipif(find() is None, reason="no mpiexec installed")
def test_the_twin_passes_on_real_ranks(target):
    """So that it is the defect that is found there."""
    assert failed(target(TWIN), on="mpi", ranks=range(1, 4)) == set()


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.mpi
@pytest.mark.skipif(find() is None, reason="no mpiexec installed")
@pytest.mark.parametrize("source", [TWIN, BUILT_IN], ids=["by hand", "the library's own"])
def test_simulated_ranks_to_16_and_real_ranks_to_8(target, source):
    """The sums of a ring written by hand and of the library hold in both places."""
    name = target(source)

    assert failed(name, level="result", ranks=range(1, 17), max_examples=200) == set()
    assert failed(name, level="result", ranks=range(1, 9), on="mpi") == set()
