from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sparring.checks.ranks import launch
from sparring.errors import MissingExtra

pytestmark = pytest.mark.runtimes

RANKS = "from mpi4py.MPI import COMM_WORLD as c; import os; os.write(1, f'{c.rank} {c.size} {os.getpid()}\\n'.encode())"


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """Makes launchers: ``fake(place, text)`` is an ``mpiexec`` beside this Python or on PATH."""
    places = {"beside": tmp_path / "beside", "path": tmp_path / "path"}
    monkeypatch.setattr(sys, "executable", str(places["beside"] / "python"))
    monkeypatch.setenv("PATH", f"{places['path']}:/usr/bin:/bin")

    def make(place, text):
        path = places[place] / "mpiexec"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path

    return make


def test_none(fake):
    """No launcher: None, and where one is needed a sentence that says how to install it."""
    if Path("/usr/bin/mpiexec").exists():
        pytest.skip("this machine has an mpiexec of its own in /usr/bin")
    assert launch.find() is None
    with pytest.raises(MissingExtra, match=r'pip install "sparring\[mpich\]"'):
        launch.launcher()


def test_beside_comes_first(fake):
    """The launcher beside this Python is preferred to that on PATH."""
    there = fake("path", "true")
    assert launch.launcher() == there
    here = fake("beside", "true")
    assert launch.launcher() == here


@pytest.mark.parametrize(
    ("says", "flags", "as_root", "lasting"),
    [
        ("HYDRA build details:", [], [], ["-disable-auto-cleanup"]),
        ("Intel(R) MPI Library for Linux* OS", [], [], ["-disable-auto-cleanup"]),
        ("mpiexec (Open MPI) 5.0.11", ["--oversubscribe"], ["--allow-run-as-root"], []),
        ("mpiexec (OpenRTE) 4.1.4", ["--oversubscribe"], ["--allow-run-as-root"], []),
        ("srun 24.05", [], [], []),
    ],
)
def test_flags(fake, monkeypatch, says, flags, as_root, lasting):
    """Open MPI must be told to share cores, and to run as root; who can is told to let others live if a rank fails."""
    path = fake("beside", f'echo "{says}"')
    for uid, more in ((1000, []), (0, as_root)):
        monkeypatch.setattr(os, "geteuid", lambda uid=uid: uid)
        launch.runtime.cache_clear()
        assert launch.flags(path) == [*flags, *more]
        assert launch.flags(path, tidy=False) == [*flags, *more, *lasting]


@pytest.mark.parametrize(("says", "pin"), [("Intel(R) MPI Library for Linux* OS", "off"), ("HYDRA", None)])
def test_environment(fake, says, pin):
    """Intel's ranks are bound to no core, unless the user says so; nobody's paint where their output is a file."""
    launch.runtime.cache_clear()
    path = fake("beside", f'echo "{says}"')
    assert launch.environment(path, {"A": "1"}).get("I_MPI_PIN") == pin
    assert launch.environment(path, {"I_MPI_PIN": "on", "TERM": "xterm"}) == {"I_MPI_PIN": "on", "TERM": "dumb"}


SHARES = """
import mmap, sys, time
files = [open(name, "w+b") for name in sys.argv[1:]]
maps = [file.truncate(4096) and mmap.mmap(file.fileno(), 4096) for file in files]
print("mapped", flush=True)
time.sleep(100)
"""


@pytest.mark.skipif(not launch.SHARED.is_dir(), reason="no /dev/shm here")
def test_shared_memory_goes_with_its_job():
    """What a job that is ended has in /dev/shm by MPI's names goes too; other files, and other jobs' files, stay."""
    names = [f"mpich_shm_test{os.getpid()}_{i}" for i in range(2)] + [f"user{os.getpid()}"]
    mine, theirs, user = files = [launch.SHARED / name for name in names]
    theirs.touch()
    rank = [sys.executable, "-c", SHARES, str(mine), str(user)]
    launcher = ["sh", "-c", '"$@"; exit', "sh", *rank]
    process = subprocess.Popen(launcher, stdout=subprocess.PIPE, start_new_session=True)
    assert process.stdout
    try:
        assert process.stdout.readline() == b"mapped\n"
        assert launch.segments(launch.descendants(process.pid)) == {mine}
        launch.stop(process)
        assert [path.exists() for path in files] == [False, True, True]
    finally:
        launch.stop(process)
        process.stdout.close()
        for path in files:
            path.unlink(missing_ok=True)


def test_code_and_output(fake):
    """The exit code and all output come back."""
    fake("beside", 'test "$1" = --version || { printf "%s " "$@"; echo error >&2; exit 3; }')
    launch.runtime.cache_clear()
    done = launch.run(["prog", "a b"], 5, timeout=10)
    assert (done.returncode, done.stdout) == (3, "-n 5 prog a b error\n")


@pytest.mark.mpi
def test_ranks(launcher):
    """The command runs on as many ranks as were asked for, and they know each other."""
    done = launch.run([sys.executable, "-c", RANKS], 3, timeout=60)
    assert done.returncode == 0
    assert sorted(line.split()[:2] for line in done.stdout.splitlines()) == [["0", "3"], ["1", "3"], ["2", "3"]]


HANG = "import time, signal; {}; time.sleep(100)"


@pytest.mark.mpi
@pytest.mark.parametrize(
    "stubborn", [pytest.param("0", marks=pytest.mark.slow), "signal.signal(signal.SIGTERM, signal.SIG_IGN)"]
)
def test_timeout(launcher, gone, stubborn):
    """When time is up all ranks end, those too that ignore the polite signal; what they printed is kept."""
    start = time.monotonic()
    with pytest.raises(launch.TimedOut, match="on 2 ranks did not end within 2 s") as caught:
        launch.run([sys.executable, "-c", f"{RANKS}; {HANG.format(stubborn)}"], 2, timeout=2)
    assert time.monotonic() - start < 10
    pids = [int(line.split()[2]) for line in caught.value.output.splitlines() if line.split()[1:2] == ["2"]]
    assert len(pids) == 2
    assert not gone(pids)


@pytest.mark.mpi
def test_interrupt_ends_all(launcher, gone):
    """So they do on an interrupt."""
    before = set(launch.descendants(os.getpid()))
    during = set()

    def interrupt(*_):
        during.update(launch.descendants(os.getpid()))
        signal.raise_signal(signal.SIGINT)

    signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 1.5)
    with pytest.raises(KeyboardInterrupt):
        launch.run([sys.executable, "-c", f"{RANKS}; {HANG.format(0)}"], 2, timeout=60)
    assert len(during - before) >= 3
    assert not gone(during - before)


def test_stop_twice():
    """Stopping what has ended does nothing."""
    process = subprocess.Popen([sys.executable, "-c", ""], start_new_session=True)
    process.wait(30)
    launch.stop(process)
    assert process.returncode == 0
