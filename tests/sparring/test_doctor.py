"""``sparring doctor``: every fault that can be planted is named, with its remedy; this environment passes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

import sparring
from sparring.checks import doctor
from sparring.checks.doctor import mpi, parts
from sparring.checks.doctor.checks import FAULT, OK, WARNING, Check, Done, child, worst
from sparring.checks.ranks import launch
from sparring.cli.doctor import rows, summary
from sparring.report import Report
from tests.sparring.calling import called, envelope_of

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NAMES = [
    *("Python", "sparring", "links", "z3", "cvc5", "numpy", "sympy", "greenlet", "mpi4py"),
    *("MPI runtime", "launcher", "PATH", "MPI library", "launcher and library", "two ranks"),
    *("plain call", "shared memory", "Coq"),
]
MACHINE = ("PATH", "plain call", "shared memory")
pytestmark = pytest.mark.runtimes


@pytest.fixture
def shadow(tmp_path, monkeypatch):
    """``shadow(name, code)``: processes that import ``name`` get this module instead."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "shadow"))

    def make(name, code):
        path = tmp_path / "shadow" / name / "__init__.py"
        path.parent.mkdir(parents=True)
        path.write_text(code, encoding="utf-8")

    return make


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """``fake(place, text)``: an ``mpiexec`` beside a stand-in for this Python, or first on PATH."""
    beside, path = tmp_path / "beside", tmp_path / "path"

    def script(file, text):
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        file.chmod(0o755)
        return file

    python = script(beside / "python", f'exec "{sys.executable}" "$@"')
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setenv("PATH", f"{path}:/usr/bin:/bin")
    launch.runtime.cache_clear()
    return lambda place, text: script({"beside": beside, "path": path}[place] / "mpiexec", text)


def looked_at(checks):
    """The checks by name."""
    return {check.name: check for check in checks}


@pytest.mark.mpi
def test_this_environment_is_sound():
    """All checks, in their order, are ok; PATH, a shell's calls and memory are the machine's, not the environment's."""
    if launch.find() is None:
        pytest.skip("no mpiexec installed")
    checks = list(doctor.examine())

    assert [check.name for check in checks] == NAMES
    assert [check for check in checks if check.verdict != OK and check.name not in MACHINE] == []
    assert [check for check in checks if check.verdict == OK and check.remedy] == []


@pytest.mark.parametrize(
    ("checks", "code", "last"),
    [
        ([Check("Python", OK, "3.11.2")], 0, "usable: 1 ok"),
        ([Check("Python", OK, "3.11.2"), Check("PATH", WARNING, "x", "y")], 0, "usable: 1 ok, 1 warning"),
        ([Check("z3", FAULT, "x", "y"), Check("Coq", OK, "x")], 2, "not usable as it is: 1 ok, 1 fault"),
    ],
    ids=["ok", "warning", "fault"],
)
def test_exit_code_and_envelope(monkeypatch, checks, code, last):
    """0 with warnings, 2 with a fault; as JSON the envelope that every command has, and the checks."""
    monkeypatch.setattr(doctor, "examine", lambda: iter(checks))
    ended, text, _ = called("doctor")
    envelope, usual = envelope_of("doctor", code=code), Report("doctor").to_dict()

    assert (ended, text.splitlines()[-1]) == (code, last)
    assert list(envelope) == [*usual, "checks"]
    assert (envelope["schema"], envelope["command"]) == (usual["schema"], "doctor")
    assert envelope["verdict"] == worst(checks)
    assert envelope["checks"] == [check._asdict() for check in checks]


@pytest.mark.parametrize(("width", "lines"), [
    (80, [
        "z3                    ok     4.15.0, answers",
        "launcher and library  fault  the launcher is MPICH's,",
        "                             /a/long/folder/bin/mpiexec, [and] so are two others",
        '                             remedy: pip install "sparring[mpich]"',
    ]),
    (50, [
        "z3                    ok",
        "    4.15.0, answers",
        "launcher and library  fault",
        "    the launcher is MPICH's,",
        "    /a/long/folder/bin/mpiexec, [and] so are two",
        "    others",
        '    remedy: pip install "sparring[mpich]"',
    ]),
])  # fmt: skip
def test_reads_well_in_narrow_terminals(width, lines):
    """Verdicts and details stand in columns, or, where a path has no room beside the names, below these."""
    told = "the launcher is MPICH's, /a/long/folder/bin/mpiexec, [and] so are two others"
    checks = [Check("z3", OK, "4.15.0, answers"), Check("launcher and library", FAULT, told, mpi.INSTALL)]

    assert "\n".join(row.plain for row in rows(checks, width)).splitlines() == lines
    assert summary(checks) == "not usable as it is: 1 ok, 1 fault"


def test_comes_when_the_links_are_lost(tmp_path):
    """Where spec, impl and proofs came out as text files, and nothing else can run, the doctor still says so."""
    copy = tmp_path / "sparring"
    shutil.copytree(doctor.FOLDER, copy, ignore=shutil.ignore_patterns("__pycache__", "spec", "impl", "proofs"))
    for room in parts.ROOMS:
        (copy / room).write_text(f"../{room}", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-P", "-c", "from sparring.cli import main; main()", "doctor", "--json"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    links = {check["name"]: check for check in json.loads(done.stdout)["checks"]}["links"]

    assert done.returncode == 2
    assert links["verdict"] == "fault"
    assert links["detail"] == f"{copy / 'spec'} is a text file: this checkout lost its symbolic links"
    assert "core.symlinks" in links["remedy"]


@pytest.mark.parametrize(
    ("plant", "words"),
    [(None, None), ("empty", "a folder without __init__.py"), ("gone", "missing"), ("text", "a text file")],
)
def test_links(tmp_path, plant, words):
    """Real folders pass; what is no package is named."""
    for room in parts.ROOMS:
        (tmp_path / room).mkdir()
        (tmp_path / room / "__init__.py").touch()
    if plant:
        shutil.rmtree(tmp_path / "impl")
    if plant == "empty":
        (tmp_path / "impl").mkdir()
    if plant == "text":
        (tmp_path / "impl").write_text("../impl", encoding="utf-8")
    check = parts.links(tmp_path)

    assert check.verdict == (FAULT if plant else OK)
    assert not words or f"{tmp_path / 'impl'} is {words}: " in check.detail


@pytest.mark.parametrize(("version", "verdict"), [((3, 10, 14), FAULT), ((3, 11, 0), OK), ((3, 14, 1), OK)])
def test_python(version, verdict):
    """The oldest Python that passes is the one that the project asks for."""
    assert parts.python(version, "python").verdict == verdict
    assert PROJECT["requires-python"] == f">={'.'.join(map(str, parts.LOWEST))}"


def test_sparring_itself():
    """Its version and its folder; a checkout that runs without being installed is a warning."""
    check = next(check for check in doctor.examine() if check.name == "sparring")

    assert check.detail.endswith(str(Path(sparring.__file__).parent))
    assert parts.package(None, Path("checkout/sparring")).remedy == "pip install -e checkout"


def answer(name, timeout=30.0):
    """The check of one part, as it is in this environment."""
    part = parts.PARTS[name]
    return parts.check_part(
        name, doctor.installed(part.distribution), doctor.run_question(part.question, timeout), timeout
    )


@pytest.mark.parametrize("name", parts.PARTS)
def test_a_broken_part_is_named(shadow, name):
    """A package that no longer loads is a fault, with its own last words and what to do."""
    shadow(name, "raise ImportError('lib.so: undefined symbol')")
    check = answer(name)

    assert check.verdict == FAULT
    assert "ended with code 1: ImportError: lib.so: undefined symbol" in check.detail
    assert check.remedy.startswith("pip install --force-reinstall ")


def test_a_solver_that_lies_is_named(shadow):
    """A solver that finds no integer between 3 and 5 is a fault."""
    shadow("z3", "class Solver:\n add = lambda *_: 0\n check = lambda _: 'unsat'\nInt = lambda _: 4")

    assert answer("z3").verdict == FAULT
    assert "answered 'unsat unsat', not 'sat unsat'" in answer("z3").detail


@pytest.mark.parametrize(
    ("code", "words"),
    [("import time; time.sleep(60)", "no answer within 0.5 s"), ("import os; os.abort()", "ended with code -6")],
    ids=["hangs", "crashes"],
)
def test_a_solver_that_hangs_or_crashes_takes_nobody_along(shadow, code, words):
    """It is told of like any other fault."""
    shadow("cvc5", code)
    start = time.monotonic()

    assert words in answer("cvc5", 0.5).detail
    assert time.monotonic() - start < 10


def test_a_file_of_the_users_hides_no_part(tmp_path, monkeypatch):
    """A page called z3.py in the current folder is not what sparring would import."""
    (tmp_path / "z3.py").write_text("raise ImportError('a page')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    assert answer("z3").verdict == OK


def test_a_missing_part_is_named():
    """Whoever is not installed is to be installed by the name that pip knows."""
    check = parts.check_part("z3", None, Done(1, "ModuleNotFoundError: No module named 'z3'"), 30)

    assert check == Check("z3", FAULT, "not installed", "pip install z3-solver")


def test_no_process_outlives_its_time(tmp_path):
    """When its time is up a process ends, and so does what it started in a session of its own."""
    grandchild = "import os, subprocess, sys, time; p = subprocess.Popen(['sleep', '100'], start_new_session=True)"
    done = child([sys.executable, "-c", f"{grandchild}; print(p.pid, flush=True); time.sleep(100)"], 1.0)
    pid = int(done.last)
    end = time.monotonic() + 5
    while pid in launch.processes() and time.monotonic() < end:
        time.sleep(0.05)

    assert done.code is None
    assert pid not in launch.processes()


SINGLETONS = 'test "$1" = --version && { echo "HYDRA build details:"; exit; }\nshift 2; "$@"; "$@"'


@pytest.mark.mpi
def test_another_launcher_shows_in_a_real_launch(fake):
    """The real library under a launcher that starts lone processes, and Open MPI's first on PATH: both are named."""
    if doctor.run_question(mpi.LIBRARY, 30).code:
        pytest.skip("no MPI library installed")
    fake("beside", SINGLETONS)
    fake("path", 'echo "mpiexec (OpenRTE) 4.1.4"')
    checks = looked_at(doctor.examine_mpi(30))

    assert checks["launcher"].verdict == OK
    assert (checks["PATH"].verdict, "OpenRTE" in checks["PATH"].detail) == (WARNING, False)
    assert "Open MPI 4.1.4" in checks["PATH"].detail
    assert checks["two ranks"].verdict == FAULT
    assert "2 processes started, each believes to be rank 0 of 1" in checks["two ranks"].detail


def test_a_launcher_that_hangs_keeps_nobody_waiting(fake, shadow):
    """Neither does a library: all that depends on them is told in seconds, and no ranks are started."""
    shadow("mpi4py", "import time; time.sleep(60)")
    fake("beside", "sleep 60")
    start = time.monotonic()
    checks = looked_at(doctor.examine_mpi(0.5))

    assert time.monotonic() - start < 15
    assert checks["launcher"].verdict == FAULT
    assert checks["MPI library"].detail == "mpi4py finds none: no answer within 0.5 s"
    assert checks["two ranks"].detail == "not tried: there is no launcher that answers"


def test_a_library_forced_upon_mpi4py_is_named(monkeypatch):
    """The remedy is to take the variable away."""
    found = find_spec("mpi4py")
    if not (found and found.origin and any(Path(found.origin).parent.glob("MPI.*.*"))):
        pytest.skip("this mpi4py was built for one MPI; its wheel loads any")
    monkeypatch.setenv("MPI4PY_LIBMPI", "no/such/libmpi.so")
    done = doctor.run_question(mpi.LIBRARY, 30)
    check = mpi.library(done, expected=True, cure=mpi.remedy({}, os.environ), timeout=30)

    assert (check.verdict, check.remedy) == (FAULT, "unset MPI4PY_LIBMPI")
    assert "no/such/libmpi.so" in check.detail


def test_coq_is_no_need():
    """Present or not, it is no fault."""
    assert {parts.coq("coqc").verdict, parts.coq(None).verdict} == {OK}
