from __future__ import annotations

import signal
import time
from pathlib import Path

import numpy as np
import pytest

from sparring.checks.ranks import launch
from sparring.checks.ranks.group import Group, Hang
from sparring.errors import InputError, MissingExtra, RankFailed, SparringError
from sparring.impl import ring
from sparring.refinement.vectors import NoArray
from tests.sweeps import third

pytestmark = pytest.mark.runtimes

FILE = Path(__file__).with_name("misbehaving.py")
XS = [np.arange(4.0) + r for r in range(3)]


def bad(name):
    return f"{FILE}:{name}"


@pytest.fixture(scope="module")
def group():
    """Three real ranks, started once, and again after each test that ends them."""
    if launch.find() is None:
        pytest.skip("no mpiexec installed")
    with Group(3) as started:
        yield started


def all_pids(group):
    """The launcher, the ranks, and what is between them."""
    pids = group.start().pids()  # an earlier test may have ended them
    assert {int(y[0]) for y in group.run(bad("pids"), XS)} <= set(pids)
    return pids


def is_total(ys):
    return all(np.array_equal(y, sum(XS[: len(ys)])) for y in ys)


@pytest.mark.mpi
def test_one_launch_serves_all(group):
    """Every number of ranks, dtypes, shapes, parameters and both forms of target, without a restart."""
    started = group.start()
    for p in (1, 2, 3):
        assert is_total(group.run(bad("total"), XS[:p]))
        assert is_total(group.run("sparring.impl.ring:allreduce", XS[:p], validate=False))
    for x in (np.zeros((2, 0), np.int8), np.array([3 + 4j]), np.arange(12.0).reshape(3, 4)[:, ::2]):
        (y,) = group.run(bad("total"), [x], factor=2)
        assert y.shape == x.shape and np.array_equal(y, 2 * x)
    assert group.workers is started


@pytest.mark.mpi
@pytest.mark.parametrize("edited", ["mine.py", "its_helper.py"])
def test_what_is_edited_is_loaded_anew(group, tmp_path, edited):
    """A target's file, or one that it imports, between two examples; what is not keeps its ranks."""
    target, started = f"{tmp_path / 'mine.py'}:total", []
    (tmp_path / "mine.py").write_text("import its_helper\nfrom its_helper import total\n")
    (tmp_path / "its_helper.py").write_text("total = lambda comm, x: comm.allreduce(x)\n")
    for wrong in (False, False, True):
        if wrong:
            with (tmp_path / edited).open("a") as file:
                file.write("total = lambda comm, x: -comm.allreduce(x)\n")
        assert is_total(group.run(target, XS)) is not wrong
        started.append(group.start())
    assert started[0] is started[1] is not started[2]


@pytest.mark.mpi
def test_large_arrays(group):
    """Arrays larger than any socket's buffer, to and from all ranks at once."""
    xs = [np.full(2_000_000, float(r)) for r in range(3)]
    assert all((y == 3).all() for y in group.run(bad("total"), xs))


@pytest.mark.mpi
def test_raise(group, gone):
    """A rank that raises takes the others down at once; the error holds its own traceback; the next example runs."""
    pids = all_pids(group)
    start = time.monotonic()
    with pytest.raises(RankFailed) as caught:
        group.run(bad("raises"), XS, timeout=60)
    assert time.monotonic() - start < 10
    assert caught.value.rank == 2
    assert caught.value.traceback.startswith(f'Traceback (most recent call last):\n  File "{FILE}", line ')
    assert caught.value.traceback.endswith("ValueError: planted\n")
    assert not gone(pids)
    assert is_total(group.run(bad("total"), XS))


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("name", "codes"),
    third(
        [("hangs", ["comm.Recv("]), ("ignores_signals", ["comm.Recv("]), ("spins", ["while comm.rank == 0:", "pass"])]
    ),
)
def test_hang(group, gone, name, codes):
    """A rank that never answers is named, with the line where it is, and ends with all others."""
    pids = all_pids(group)
    with pytest.raises(Hang) as caught:
        group.run(bad(name), XS, timeout=1)
    assert caught.value.ranks == (0,)
    first, here, at, *_ = str(caught.value).split("\n")
    assert (first, here) == ("rank 0 of 3 did not answer within 1 s", "rank 0 is here:")
    line = int(at.partition(", line ")[2].split()[0])
    assert at.startswith(f'  File "{FILE}"')
    assert FILE.read_text().split("\n")[line - 1].strip().startswith(tuple(codes))
    assert not gone(pids)
    assert is_total(group.run(bad("total"), XS))


@pytest.mark.mpi
def test_no_false_hang(group):
    """A slow rank with time enough is no hang, and its group lives on."""
    started = group.workers
    assert is_total(group.run(bad("total"), XS, timeout=30))
    time.sleep(1.5)
    assert is_total(group.run(bad("total"), XS, timeout=1))
    assert group.workers is started


@pytest.mark.mpi
def test_abort(group, gone):
    """A process that aborts instead of answering is named; nothing of the group is left."""
    pids = all_pids(group)
    with pytest.raises(RankFailed, match=r"(?i)MPI_Abort") as caught:
        group.run(bad("aborts"), XS, timeout=20)
    assert caught.value.rank == 1
    assert not gone(pids)
    assert is_total(group.run(bad("total"), XS))


@pytest.mark.mpi
def test_examine(group):
    """Results by call and rank, and inputs afterwards; no record unless asked for."""
    seen = group.examine(bad("total"), XS, calls=3, factor=2)
    assert [[y.tolist() for y in ys] for ys in seen.ys] == [[[6, 12, 18, 24]] * 3] * 3
    assert all(np.array_equal(x, after) for x, after in zip(XS, seen.inputs))
    assert seen.trace is None
    assert is_total(group.examine(ring.allreduce, XS).ys[0])


@pytest.mark.mpi
def test_what_is_returned(group):
    """Arrays of any shape and dtype come back as they are; what is none is told by rank, as are others' results."""
    none = {"None": "NoneType", "list": "list", "objects": "an array of object", "scalar": "float64"}
    for what, said in none.items():
        ((y0, y1, y2),) = group.examine(bad("returns"), XS, what=what).ys
        assert y1 == NoArray(said)
        assert is_total([y0, y0, y2])
    for what, shape, dtype in (("shape", (4, 1), "f8"), ("dtype", (4,), "i1"), ("0-d", (), "f8")):
        y = group.examine(bad("returns"), XS, what=what).ys[0][1]
        assert (y.shape, y.dtype) == (shape, dtype)
    with pytest.raises(RankFailed, match="returned list: a target returns an array of numbers"):
        group.run(bad("returns"), XS, what="list")


@pytest.mark.mpi
@pytest.mark.parametrize("trace", [False, True])
def test_leftovers(group, trace):
    """Messages and receives that an example leaves behind do not meet the next one."""
    for leaving, right in {
        "leaves_message": "from_left",
        "leaves_receive": "from_left",
        "leaves_in_private": "from_left_in_private",
    }.items():
        for _ in range(3):
            assert is_total(group.examine(bad(leaving), XS, trace=trace).ys[0])
            (ys,) = group.examine(bad(right), XS, trace=trace).ys
            assert [y.tolist() for y in ys] == [x.tolist() for x in (XS[2], XS[0], XS[1])]


@pytest.mark.mpi
def test_many_examples(group):
    """A thousand examples, whose target makes and leaves communicators too, on one launch."""
    started = group.start()
    for i in range(1000):
        assert is_total(group.examine("sparring.impl.ring:allreduce", XS[:2], trace=i % 2 == 1).ys[0])
    assert group.workers is started


@pytest.mark.mpi
def test_output_does_not_disturb(group, capfd):
    """Whatever a target prints, answers arrive and the driver's own output stays clean."""
    assert all(np.array_equal(x, y) for x, y in zip(XS, group.run(bad("prints"), XS)))
    assert capfd.readouterr() == ("", "")


@pytest.mark.mpi
def test_interrupt(group, gone, monkeypatch):
    """An interrupted example leaves nothing running."""
    pids = all_pids(group)
    signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    with pytest.raises(KeyboardInterrupt):
        group.run(bad("sleeps"), XS, timeout=50)
    assert not gone(pids)


def script(tmp_path, monkeypatch, text):
    """A launcher made of ``text``."""
    path = tmp_path / "mpiexec"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    monkeypatch.setattr(launch, "find", lambda: path)


@pytest.mark.mpi
def test_mismatch(launcher, tmp_path, monkeypatch):
    """A launcher of another MPI, under which each process is alone, is found out and named."""
    script(
        tmp_path,
        monkeypatch,
        'test $1 = --version && exit; until test "$1" = 2; do shift; done; shift; "$@" & "$@" & wait',
    )
    with pytest.raises(InputError, match="started 2 processes, but each believes to be rank 0 of 1") as caught:
        Group(2, timeout=30).start()
    assert str(tmp_path / "mpiexec") in str(caught.value)


def test_launcher_fails(tmp_path, monkeypatch):
    """A launcher that gives up is heard at once."""
    script(tmp_path, monkeypatch, "echo no slots; exit 7")
    with pytest.raises(SparringError, match=r"ended with code 7:\nno slots"):
        Group(2, timeout=30).start()


def test_launcher_stalls(tmp_path, monkeypatch):
    """A launcher that starts nothing is given up after the timeout, and ended."""
    script(tmp_path, monkeypatch, "test $1 = --version || sleep 60")
    start = time.monotonic()
    with pytest.raises(SparringError, match=r"ranks \[0, 1\] of 2 did not start in time"):
        Group(2, timeout=0.5).start()
    assert time.monotonic() - start < 10


def test_no_launcher(monkeypatch):
    """Without a launcher one sentence says what to install."""
    monkeypatch.setattr(launch, "find", lambda: None)
    with pytest.raises(MissingExtra, match=r'pip install "sparring\[mpich\]"'):
        Group(2).start()


def test_bad_requests():
    """What cannot be run is said before anything starts."""
    group, two, total = Group(2), XS[:2], bad("total")
    for sentence, asked in {
        "3 inputs for a group of 2 ranks: there must be 1 to 2": lambda: group.run(total, XS),
        "0 inputs": lambda: group.run(total, []),
        "names no function": lambda: group.run("total", two),
        r"no file nowhere\.py": lambda: group.run("nowhere.py:total", two),
        "a group of 0 ranks": lambda: Group(0),
        "0 calls: there must be at least 1": lambda: group.examine(total, two, calls=0),
        "an input is an array of object": lambda: group.examine(total, [XS[0], XS[1].astype(object)]),
        r"write 'file\.py:name' instead": lambda: group.examine(lambda comm, x: x, two),
    }.items():
        with pytest.raises(InputError, match=sentence):
            asked()
    assert group.workers is None
