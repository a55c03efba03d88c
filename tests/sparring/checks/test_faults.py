"""A rank's process ends, or is stopped, in the midst of anything: it is named at once, with what ended it.

Nothing of the group is left, and the next example is played on fresh ranks.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from sparring.checks.ranks import launch
from sparring.checks.ranks.exit_status import End
from sparring.checks.ranks.group import Ended, Group, Hang, Stopped
from sparring.errors import InputError, RankFailed, SparringError
from tests.sparring.calling import called
from tests.sweeps import sweep

pytestmark = [
    pytest.mark.mpi,
    pytest.mark.runtimes,
    pytest.mark.skipif(launch.find() is None, reason="no mpiexec installed"),
]
FILE = Path(__file__).with_name("ending.py")
XS = [np.arange(4.0) + r for r in range(3)]
LONG = 30.0
"""Seconds for an example, so that what is named sooner is not named for the time."""
SOON = 5.0
"""Seconds from a fault to its name."""
WITHOUT = "the process ended without an answer: it "
SAID = {
    "SIGKILL": (Ended, f"{WITHOUT}was killed by SIGKILL, as the kernel does where memory runs out"),
    "SIGTERM": (Ended, f"{WITHOUT}was killed by SIGTERM"),
    "SIGSTOP": (Stopped, "rank 2 is stopped (SIGSTOP)"),
    "SIGSEGV": (Ended, f"{WITHOUT}was killed by SIGSEGV\nFatal Python error: Segmentation fault"),
    "SIGABRT": (Ended, f"{WITHOUT}was killed by SIGABRT\nFatal Python error: Aborted"),
    "_exit": (Ended, f"{WITHOUT}ended with exit code 3"),
    "_exit 0": (Ended, f"{WITHOUT}ended with exit code 0"),
    "exit": (RankFailed, "SystemExit: 3"),
    "MemoryError": (RankFailed, "MemoryError: planted"),
    "RLIMIT_AS": (RankFailed, "MemoryError"),
}
WAITING = ("in_allreduce", "in_recv")
"""Where the others wait, in turn for each way to end."""
ENDS = [(WAITING[i % 2], how) for i, how in enumerate(SAID)]
FEW = [one for one in ENDS if one[1] in ("SIGKILL", "SIGSTOP", "_exit")]


def ending(name):
    return f"{FILE}:{name}"


def is_total(ys):
    return all(np.array_equal(y, sum(XS[: len(ys)])) for y in ys)


@pytest.fixture(scope="module")
def group():
    """Three real ranks, started anew after each fault."""
    with Group(3) as three:
        yield three


@pytest.fixture
def left(group):
    """``left()``: processes and files of the group as it was before, once five seconds have passed or none is left."""
    workers = group.start()
    pids, files = set(workers.pids()), {workers.folder, *workers.shared}

    def still():
        end = time.monotonic() + 5
        while (found := pids & set(launch.processes())) and time.monotonic() < end:
            time.sleep(0.02)
        return found | {path for path in files if path.exists()}

    return still


def knowing(folder):
    """The processes that have this folder in their environment."""
    found = []
    for pid in launch.processes():
        with suppress(OSError):
            if os.fsencode(folder) in Path(f"/proc/{pid}/environ").read_bytes():
                found.append(pid)
    return found


def named(group, name, **how):
    """The error, and the seconds until it came."""
    start = time.monotonic()
    with pytest.raises(RankFailed) as caught:
        group.run(ending(name), XS, timeout=LONG, **how)
    return caught.value, time.monotonic() - start


@pytest.mark.parametrize(("name", "how"), sweep(ENDS, few=FEW))
def test_a_rank_ends_where_others_wait(group, left, name, how):
    """It is named, not one that waits for it; where the others are is told; its twin goes right on the same ranks."""
    started = group.start()
    assert is_total(group.run(ending(name), XS))
    assert group.workers is started
    error, seconds = named(group, name, how=how)
    kind, sentence = SAID[how]
    assert type(error) is kind and error.rank == 2
    assert sentence in str(error)
    assert seconds < SOON
    if kind is not RankFailed:
        line = {"in_allreduce": "comm.Allreduce(", "in_recv": "comm.Recv("}[name]
        at = next(i for i, text in enumerate(FILE.read_text().splitlines(), 1) if text.strip().startswith(line))
        assert f'{FILE}", line {at} in ' in str(error)
        assert "ranks 0, 1 are here:" in str(error) or {"rank 0 is here:", "rank 1 is here:"} <= {
            *str(error).split("\n")
        }
        assert "checks/guard.py" not in str(error)
    assert left() == set()
    assert is_total(group.run(ending("total"), XS))


@pytest.mark.parametrize("how", sweep(["SIGKILL", "SIGSTOP", "SIGTERM"], few=["SIGSTOP"]))
def test_a_rank_ends_within_mpi(group, left, how):
    """While it waits itself."""
    error, seconds = named(group, "in_the_midst", how=how)
    assert (error.rank, SAID[how][1] in str(error)) == (2, True)
    assert seconds < SOON
    assert left() == set()
    assert is_total(group.run(ending("total"), XS))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_rank_is_ended_from_outside(group, left, number):
    """As the kernel does where memory runs out: one that has done its part, while another waits for more."""
    victim = int(group.run(ending("pids"), XS)[1][0])
    threading.Timer(0.3, os.kill, (victim, number)).start()
    start = time.monotonic()
    with pytest.raises(Ended) as caught:
        group.run(f"{FILE.with_name('misbehaving.py')}:hangs", XS, timeout=LONG)
    assert time.monotonic() - start < SOON
    assert caught.value.rank == 1
    assert f"was killed by {number.name}" in str(caught.value) or f"is stopped ({number.name})" in str(caught.value)
    assert "rank 0 is here:" in str(caught.value)
    assert left() == set()


def test_a_rank_that_is_stopped_for_a_moment(group):
    """Goes on, and nothing is said."""
    started = group.start()
    victim = int(group.run(ending("pids"), XS)[2][0])
    os.kill(victim, signal.SIGSTOP)
    threading.Timer(0.4, os.kill, (victim, signal.SIGCONT)).start()
    assert is_total(group.run(ending("total"), XS, timeout=LONG))
    assert group.workers is started


@pytest.mark.parametrize("how", ["SIGKILL", "SIGSTOP"])
def test_between_two_examples(group, left, how):
    """The same target may be why, and is told; another target gets fresh ranks, and nothing is said of it."""
    assert is_total(group.run(ending("afterwards"), XS, how=how))
    time.sleep(0.4 if how == "SIGKILL" else 1.6)
    error, seconds = named(group, "afterwards")
    early = "rank 2 is stopped (SIGSTOP)" if how == "SIGSTOP" else "an answer, before this example began: it was killed"
    assert error.rank == 2 and early in str(error)
    assert seconds < SOON
    assert left() == set()
    assert is_total(group.run(ending("afterwards"), XS, how=how))
    time.sleep(0.4 if how == "SIGKILL" else 1.6)
    assert is_total(group.run(ending("total"), XS))


def test_a_stopped_rank_is_sent_nothing(group):
    """Vectors that no socket holds would wait for it until their time is up."""
    os.kill(int(group.run(ending("pids"), XS)[1][0]), signal.SIGSTOP)
    time.sleep(0.2)
    start = time.monotonic()
    with pytest.raises(Stopped) as caught:
        group.run(ending("pids"), [np.zeros(1 << 20)] * 3, timeout=LONG)
    assert caught.value.rank == 1
    assert time.monotonic() - start < SOON


def test_the_launcher_is_killed(group, left):
    """Where its ranks go with it, as with MPICH and Intel MPI, the sentence tells; no rank is left in any case."""
    process = group.start().process
    threading.Timer(0.3, os.kill, (process.pid, signal.SIGKILL)).start()
    with pytest.raises(RankFailed) as caught:
        group.run(ending("in_recv"), XS, how="for ever", timeout=2)
    assert isinstance(caught.value, Hang) or "its launcher was killed by SIGKILL" in str(caught.value)
    assert left() == set()
    assert is_total(group.run(ending("total"), XS))


@pytest.mark.parametrize("how", ["SIGKILL", "SIGSTOP"])
def test_what_a_rank_has_started_goes_with_it(group, how):
    """Also where the rank has gone first."""
    folder = group.start().folder
    assert len(knowing(folder)) > 6
    named(group, "with_a_child", how=how)
    assert knowing(folder) == []


LOADS = "import os, signal, sys, time\nfrom tests.sparring.checks.ending import ENDINGS\n{}\ndef f(comm, x): return x\n"


@pytest.mark.parametrize("how", sweep(["SIGKILL", "SIGSTOP", "SIGSEGV", "_exit"], few=["SIGSTOP"]))
def test_while_a_target_loads(group, left, tmp_path, how):
    """That a rank ends then is bad input, at once; and the next target loads."""
    mine = tmp_path / "mine.py"
    rank = "next(int(os.environ[n]) for n in ('PMI_RANK', 'OMPI_COMM_WORLD_RANK') if n in os.environ)"
    mine.write_text(LOADS.format(f"if {rank} == 2: ENDINGS[{how!r}]()\nelse: time.sleep(60)"))
    start = time.monotonic()
    with pytest.raises(InputError) as caught:
        group.load(f"{mine}:f")
    assert time.monotonic() - start < SOON
    assert "mine.py:f does not load. rank 2" in str(caught.value)
    assert SAID[how][1].partition("\n")[0] in str(caught.value)
    assert f'{mine}", line 4 in <module>' in str(caught.value)  # where the others are
    assert left() == set()
    assert is_total(group.run(ending("total"), XS))


FAKE = """
import os, sys
sys.path.remove({folder!r})
rank = next(int(os.environ[n]) for n in ('PMI_RANK', 'OMPI_COMM_WORLD_RANK') if n in os.environ)
if rank == 1:
    from tests.sparring.checks.ending import ENDINGS
    ENDINGS[{how!r}]()
del sys.modules["mpi4py"]
import mpi4py
"""


@pytest.mark.parametrize("how", sweep(["SIGKILL", "SIGSTOP", "_exit", "exit", ""], few=["SIGKILL", "SIGSTOP", ""]))
def test_while_ranks_start(tmp_path, how):
    """The others wait in MPI_Init by then."""
    (tmp_path / "mpi4py.py").write_text(FAKE.format(folder=str(tmp_path), how=how))
    group = Group(3, timeout=LONG, environment={"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])})
    start = time.monotonic()
    if not how:
        with group:
            assert is_total(group.run(ending("total"), XS))
        return
    with pytest.raises(SparringError) as caught:
        group.start()
    assert time.monotonic() - start < SOON + 3  # from its start, and not from the fault
    said = SAID[how][1].removeprefix(WITHOUT).removeprefix("rank 2 ") if how != "exit" else "ended with exit code 1"
    assert str(caught.value).startswith(f"rank 1 of 3 {said}, before all had started")
    assert knowing(tmp_path) == []
    group.environment = {}
    with group:
        assert is_total(group.run(ending("total"), XS))


DRIVER = f"""
import sys, numpy as np
from sparring.checks.ranks.group import Group
with Group(3) as group:
    print(*group.workers.pids(), *group.workers.shared, flush=True)
    if sys.argv[1]:
        group.run({ending("in_allreduce")!r}, [np.zeros(1)] * 3, how=sys.argv[1], timeout=100)
    sys.stdin.read()
"""


@pytest.mark.parametrize("how", ["", "SIGSTOP"])
def test_the_driver_is_killed(gone, how):
    """Its ranks end by themselves, idle or in the midst of a call, a stopped one too; what they shared is removed."""
    command = [sys.executable, "-c", DRIVER, how]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as driver:
        assert driver.stdout
        words = driver.stdout.readline().split()
        pids, shared = [int(word) for word in words if word.isdigit()], [Path(word) for word in words if "/" in word]
        time.sleep(0.5)
        driver.send_signal(signal.SIGKILL)
    assert len(pids) >= 7
    assert not gone(pids)
    assert not [path for path in shared if path.exists()]


TARGET = """\
from tests.sparring.checks import ending

def allreduce(comm, x):
    return ending.{}(comm, x, how={!r}, who=1)
"""


@pytest.mark.parametrize(
    ("name", "how", "said"),
    sweep(
        [
            ("in_allreduce", "SIGKILL", "rank 1 failed: the process ended without an answer: it was killed by SIGKILL"),
            ("in_recv", "SIGSTOP", "rank 1 is stopped (SIGSTOP)"),
            ("in_recv", "_exit", "rank 1 failed: the process ended without an answer: it ended with exit code 3"),
            ("in_allreduce", "", ""),
        ],
        few=[("in_recv", "SIGSTOP", "rank 1 is stopped (SIGSTOP)")],
    ),
)
def test_check_says_so(target, unshrunk, name, how, said):
    """On the command line: the property that the example is about is refuted, or tested where nothing ends."""
    start = time.monotonic()
    asked = ["--on", "mpi", "--ranks", "2", "--max-examples", "2", "--only", "result"]
    code, out, _ = called("check", target(TARGET.format(name, how)), *asked)
    assert time.monotonic() - start < 20
    assert code == (1 if how else 0)
    assert said in " ".join(out.split())


def test_words():
    """Of a signal, an exit code, a halt."""
    assert End(signal.SIGSEGV, 0.0).words == "was killed by SIGSEGV"
    assert End(7 << 8, 0.0).words == "ended with exit code 7"
    assert End((signal.SIGTSTP << 8) | 0x7F, 0.0).words == "is stopped (SIGTSTP)"
    assert End(0xFFFF, 0.0).goes_on
