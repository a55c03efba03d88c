"""Examples on the job that pytest itself is: real launches of ``mpiexec -n P pytest``."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from sparring.checks.ranks import launch
from sparring.checks.ranks.collective import Job, joined, opened
from sparring.checks.ranks.sockets import Message
from sparring.errors import InputError

FUTURE = "from __future__ import annotations\n"
BAD = Path(__file__).with_name("misbehaving.py")
PRELUDE = f"""
import numpy as np, pytest
from sparring.checks.ranks.collective import Job, terminal
from sparring.checks.ranks.sockets import Message
from sparring.errors import InputError, RankFailed

BAD = {str(BAD)!r} + ":{{}}"
XS = [np.arange(4.0) + r for r in range(3)]

@pytest.fixture(scope="session")
def job(pytestconfig):
    return Job(terminal(pytestconfig))

def is_total(seen, p=3):
    return all(np.array_equal(y, sum(XS[:p])) for ys in seen.ys for y in ys)

"""
GOOD = """
def test_good(job):
    for p in (1, 2, 3, 2):
        seen = job.examine(BAD.format("total"), XS[:p], calls=2, trace=True, factor=1)
        assert is_total(seen, p) and [len(seen.ys), len(seen.ys[0])] == [2, p] == [len(seen.ys), len(seen.inputs)]
        assert [(e.rank, e.call) for e in seen.trace.events] == [(r, "Allreduce") for r in range(p) for _ in range(2)]

def test_own_callable(job):
    seen = job.examine(lambda comm, x: x + comm.rank, XS)
    assert [y.tolist() for y in seen.ys[0]] == [(x + r).tolist() for r, x in enumerate(XS)]

def test_share(job):
    message = Message({"a": job.rank}, [np.full(3, job.rank), np.zeros((0, 2), np.int8)])
    header, (a, b) = job.share(message)
    assert (header, a.tolist(), b.shape, b.dtype) == ({"a": 0}, [0, 0, 0], (0, 2), np.int8)
    assert job.share().header == {}

def test_gather(job):
    told = job.gather(Message({"r": job.rank}, [np.zeros(job.rank)] * job.rank))
    assert [(m.header["r"], [a.size for a in m.arrays]) for m in told] == [(0, []), (1, [1]), (2, [2, 2])]

def test_bad_requests(job):
    with pytest.raises(InputError, match="4 inputs for a group of 3 ranks"):
        job.examine(BAD.format("total"), [*XS, XS[0]])
    with pytest.raises(InputError, match="no file nowhere.py"):
        job.examine("nowhere.py:total", XS)
"""
LED = """
def test_led(job):
    def work(ranks):
        rng, wrong = np.random.default_rng(), 0  # the other ranks could not draw the same
        for _ in range(5):
            xs = [rng.random(7) for _ in range(rng.integers(1, 4))]
            wrong += not all(np.allclose(y, sum(xs)) for y in ranks.examine(BAD.format("total"), xs).ys[0])
        with pytest.raises(RankFailed, match="planted"):
            ranks.examine(BAD.format("all_raise"), XS)
        with pytest.raises(InputError, match="0 calls"):
            ranks.examine(BAD.format("total"), XS, calls=0)
        return {"wrong": wrong, "rank": job.rank}

    assert job.led(BAD.format("total"), work) == {"wrong": 0, "rank": 0}

def test_led_raises(job):
    with pytest.raises(ZeroDivisionError if job.rank == 0 else RankFailed, match="division by zero"):
        job.led(BAD.format("total"), lambda ranks: 1 / 0)
"""


@pytest.fixture
def mpi_pytest(launcher, tmp_path):
    """Runs pytest on ``text`` on three ranks: exit code, output, seconds; nothing of it lives on."""

    def run(text, *args):
        file = tmp_path / "test_on_ranks.py"
        file.write_text(text, encoding="utf-8")
        own = ["-p", "no:cacheprovider", "-p", "no:xdist", "-rA", "--tb=short"]
        before, start = set(launch.descendants(os.getpid())), time.monotonic()
        done = launch.run([sys.executable, "-m", "pytest", *own, *args, str(file)], 3, timeout=60)
        assert set(launch.descendants(os.getpid())) <= before
        return done.returncode, done.stdout, time.monotonic() - start

    return run


def judging(name, how="", test="first"):
    """A test that judges a target."""
    return f'\ndef test_{test}(job):\n    assert is_total(job.examine(BAD.format("{name}"), XS{how}))\n'


AFTER = judging("total", test="after")


@pytest.mark.mpi
def test_ordinary_failures(mpi_pytest):
    """Where all ranks come to an end, a failure of one is a failure of the test on all, and the run goes on.

    Examples, shared and gathered values, and examples that rank 0 alone asks for, are right on every rank then.
    """
    bad = {"wrong": "AssertionError", "all_raise": "ValueError: planted", "last_raises": "planted"}
    code, out, _ = mpi_pytest(PRELUDE + "".join(judging(name, test=name) for name in bad) + GOOD + LED)
    assert code == 1
    assert out.count("3 failed, 7 passed") == 3, out
    assert all(says in out for says in bad.values())


@pytest.mark.mpi
def test_hang(mpi_pytest):
    """A rank that hangs says where, even in code that lets no other thread run, and the job ends within seconds."""
    code, out, seconds = mpi_pytest(PRELUDE + judging("holds_the_interpreter", ", timeout=0.5") + AFTER)
    assert code != 0
    lines = {int(n) for n in re.findall(rf'File "{re.escape(str(BAD))}", line (\d+) in holds_the_interpreter', out)}
    texts = BAD.read_text(encoding="utf-8").split("\n")
    assert {texts[n - 1].strip() for n in lines} == {"libc.pause()"}, out
    assert "test_after" not in out
    assert seconds < 10


@pytest.mark.mpi
def test_dies(mpi_pytest):
    """A rank that ends takes the others with it."""
    code, _, seconds = mpi_pytest(PRELUDE + judging("exits", ", timeout=50") + AFTER)
    assert code != 0
    assert seconds < 10


LOADING = """
from sparring.checks.ranks import collective

def test_no_module(job, tmp_path_factory):
    for _ in range(2):
        with pytest.raises(InputError, match="does not load. rank 0 failed:(.|\\n)*No module named 'nowhere'"):
            job.examine("nowhere:total", XS)
    with pytest.raises(RankFailed if job.rank else InputError, match="No module named 'nowhere'"):
        job.led("nowhere:total", lambda ranks: ranks.load("nowhere:total"))

def test_slow(job, monkeypatch):
    assert is_total(job.examine("slow:total", XS, timeout=1))

def test_hangs(job, monkeypatch):
    monkeypatch.setattr(collective, "LOADING", 0.5)
    job.examine("hanging:total", XS)
"""


@pytest.mark.mpi
def test_loading(mpi_pytest, tmp_path):
    """What a module needs to load is no matter of its examples; one that fails or hangs says so on every rank."""
    (tmp_path / "slow.py").write_text(f"import time\ntime.sleep(2)\n{BAD.read_text()}".replace(FUTURE, ""), "utf-8")
    (tmp_path / "hanging.py").write_text("import time\ntime.sleep(60)\n", "utf-8")
    code, out, _ = mpi_pytest(PRELUDE + LOADING, "-o", f"pythonpath={tmp_path}")
    assert code != 0
    assert out.count("test_hangs (call): hanging:total did not load within 0.5 s; it is here:") == 3, out
    assert f'"{tmp_path}/hanging.py", line 2 in <module>' in out


APART = """
def test_alone(job):
    assert job.rank != 1
    job.examine(BAD.format("total"), XS)
"""


@pytest.mark.mpi
def test_ranks_apart(mpi_pytest):
    """A test that fails on one rank alone, outside of an example, cannot be confused with the next test."""
    code, out, seconds = mpi_pytest(PRELUDE + APART + AFTER)
    assert code != 0
    assert "the ranks have lost each other; probably a test failed on one alone" in out
    assert re.search(r"rank 0: load 1, .*::test_alone \(call\)\nrank 1: load 1, .*::test_after \(call\)", out)
    assert seconds < 10


def test_no_job(monkeypatch):
    """Without a launcher, or under one of another MPI, one sentence says what is wrong."""
    for name in ("PMI_RANK", "PMI_SIZE", "OMPI_COMM_WORLD_RANK", "PMIX_RANK"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(InputError, match="no rank of an MPI job: start it with mpiexec -n P"):
        Job()


@pytest.mark.mpi
def test_mismatch_of_job(launcher):
    """A launcher whose ranks MPI does not know is found out."""
    code = "from sparring.checks.ranks.collective import Job; Job()"
    env = {**os.environ, "OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert "mpiexec started rank 1 of 2, but MPI says rank 0 of 1" in done.stderr


def test_packed():
    """A message and its bytes are the same."""
    message = Message({"a": [1, None]}, [np.arange(3), np.zeros((2, 0)), np.array(7, np.int8)])
    header, arrays = opened(joined(message))
    assert header == message.header
    assert [(a.dtype, a.shape, a.tolist()) for a in arrays] == [(a.dtype, a.shape, a.tolist()) for a in message.arrays]
