"""Programs by files: what is right passes, and each thing that is wrong is one sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.adapters import vectorfiles
from sparring.adapters.executable import Executable
from sparring.checks.checking import check
from sparring.checks.examples.drawn import KINDS, examples
from sparring.checks.ranks.launch import find, processes
from sparring.errors import InputError
from sparring.proofs.logic.verdicts import Word
from sparring.refinement.vectors import comparable, unequal
from tests.sparring.calling import called
from tests.sparring.checks.refuting import failed, words
from tests.sparring.checks.suites import CATALOGUE, allowed
from tests.sweeps import sweep

ROOT = Path(__file__).parents[3]
SUITE = CATALOGUE["C"]
PROGRAM = Path(__file__).with_name("file_program.py")
MPICC = Path(sys.executable).with_name("mpicc")
C = pytest.mark.skipif(find() is None or not MPICC.exists(), reason='no mpicc beside this Python: pip install "mpich"')


def command(mode):
    return [sys.executable, str(PROGRAM), mode, "{p}", "{input}", "{output}"]


@pytest.fixture
def quick(monkeypatch, tmp_path):
    """Reproducers go to an empty folder, examples end soon, and little time goes into smaller ones."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sparring.checks.engine.SHRINKING", 1.0)
    monkeypatch.setattr(Executable, "patience", 5.0)


def compiled(folder, *flags):
    """The C example as the documentation compiles it."""
    program = folder / "allreduce"
    source = ROOT / "examples/c_allreduce/allreduce.c"
    subprocess.run([MPICC, "-Wall", "-Werror", *flags, "-o", program, source], check=True, timeout=60)
    return program


@C
@pytest.mark.mpi
def test_the_c_example_is_right(quick, tmp_path):
    """The C example, compiled with the wheel's mpicc, is an allreduce on 1 and on 3 ranks."""
    compiled(tmp_path)
    target = ["mpiexec", "-n", "{p}", "./allreduce", "{input}", "{output}"]
    report = check(target, ranks=[1, 3], dtypes=["float64"], max_examples=2)
    assert report.verdict == "holds"
    verdicts = {r.property: str(r.verdict) for r in report.results}
    assert all(verdicts[prop].startswith("tested") for prop in ("result", "agreement", "reproducibility", "deadlock"))
    assert verdicts["input untouched"] == verdicts["hygiene"] == "not covered"


@pytest.mark.slow
@pytest.mark.mpi
@pytest.mark.skipif(find() is None, reason='no mpiexec beside this Python: pip install "sparring[mpich]"')
def test_a_script(quick):
    """A script that runs at its top level is judged by its command and its files."""
    command = ["mpiexec", "-n", "{p}", sys.executable, str(ROOT / "examples/mpi4py_script.py"), "{input}", "{output}"]
    report = check(command, ranks=[1, 2], max_examples=5)
    assert report.verdict == "holds"
    assert {str(r.verdict) for r in report.results if r.property == "agreement"} == {"tested (10 examples)"}


@C
@pytest.mark.mpi
def test_the_planted_one_is_refuted(quick, monkeypatch, tmp_path):
    """The planted bug is found on three entries of two ranks, and the script that is written fails too."""
    monkeypatch.setattr("sparring.checks.engine.SHRINKING", 0.0)
    compiled(tmp_path, "-DPLANTED")
    target = ["mpiexec", "-n", "{p}", "./allreduce", "{input}", "{output}"]
    (result,) = check(target, ranks=[2], dtypes=["float64"], max_examples=12, only=["result"]).results
    assert str(result.verdict) == "refuted"
    assert result.witness["n"] % 2 == 1
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "sparring-failures/result.py"], env=environ, timeout=60, check=False)
    assert done.returncode == 1


@C
@pytest.mark.mpi
@pytest.mark.parametrize("name", sweep(SUITE.defects, few=["overwrites instead of adding"]))
def test_a_defect_falsifies_its_properties_and_no_other(quick, monkeypatch, tmp_path, name):
    """Of the catalogue."""
    monkeypatch.setattr("sparring.checks.engine.SHRINKING", 0.0)
    defect = SUITE.defects[name]
    report = SUITE.looked(SUITE.written(tmp_path, SUITE.wrong(defect)), defect, only=SUITE.declared(defect))
    assert {*defect.refuted} <= {*failed(report)} <= allowed(defect)


@pytest.mark.parametrize("mode", ["right", "both", pytest.param("npz", marks=pytest.mark.slow)])
def test_both_forms(quick, mode):
    """A right program passes with either form of file, in all four dtypes."""
    report = check(command(mode), ranks=[2], max_examples=2, only=["result", "edge sizes", "dtypes"])
    assert report.verdict == "holds"
    assert {str(r.verdict) for r in report.results if r.property == "dtypes"} == {"tested (1 example)"}


FAULTS = {
    "exits": "ended with exit code 3 after saying 'planted': it must be 0",
    "SIGKILL": "was killed by SIGKILL, as the kernel does where memory runs out, after saying 'planted'",
    "SIGSTOP": f"a process of '{sys.executable}",
    "missing": "neither rank1.bin nor rank1.npz is there: every rank must have its vector in one of them",
    "shape": "rank 0 returned int64 of shape (1,), not 2 entries of int64",
    "dtype": "rank 0 returned float32 of shape (2,), not 2 entries of int64",
    "header": 'rank0.bin: the first line must be JSON such as {"n":3,"dtype":"float64"}',
    "bytes": "rank0.bin: 16 bytes follow the first line: by its words there must be 24",
    "swapped": "rank0.bin: rank is 1: it must be 0, or left out",
    "torn": "rank0.bin and rank0.npz have different vectors: a rank has one result",
    "unknown": "rank0.bin: dtype is 'complex64': there are float32, float64, int32, int64",
}


@pytest.mark.parametrize("mode", FAULTS)
def test_faults(quick, mode):
    """What a program does wrong refutes the result, in a sentence that says what would be right."""
    examples = [([np.arange(2), np.arange(2)], "result")]
    (result,) = check(command(mode), ranks=[2], only=["result"], examples=examples).results
    assert str(result.verdict) == "refuted"
    assert FAULTS[mode] in result.detail


ON_MPI = """\
import os, pathlib, signal, sys
import numpy as np
from mpi4py.MPI import COMM_WORLD as comm
from sparring.adapters import vectorfiles

given, written, how = map(pathlib.Path, sys.argv[1:])
pathlib.Path(f"{comm.rank}.pid").write_text(str(os.getpid()))
comm.Barrier()
if comm.rank == 1 and how.name in signal.Signals.__members__:
    os.kill(os.getpid(), signal.Signals[how.name])
x = vectorfiles.read(given, comm.rank, comm.size)
y = np.empty_like(x)
comm.Allreduce(x, y)
vectorfiles.write(written, comm.rank, comm.size, y)
"""


@pytest.mark.mpi
@pytest.mark.runtimes
@pytest.mark.skipif(find() is None, reason="no mpiexec installed")
@pytest.mark.parametrize("how", ["SIGSTOP", "SIGKILL", "right"])
def test_a_rank_of_a_program_ends(quick, tmp_path, monkeypatch, how):
    """A stopped one is named long before its time is up; of one that is killed its launcher's words are told."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (tmp_path / "program.py").write_text(ON_MPI)
    words = ["mpiexec", "-n", "{p}", sys.executable, "program.py", "{input}", "{output}", how]
    examples, start = [([np.arange(2.0)] * 3, "result")], time.monotonic()
    (result,) = check(words, ranks=[3], only=["result"], examples=examples, timeout=60).results
    assert time.monotonic() - start < (30 if how == "right" else 12)  # its start and end, too
    assert str(result.verdict).startswith("tested" if how == "right" else "refuted")
    said = {"SIGSTOP": "rank 1 of 'mpiexec -n 3", "SIGKILL": "(its launcher says '", "right": ""}
    assert said[how] in result.detail and ("is stopped, as by SIGSTOP" in result.detail) == (how == "SIGSTOP")
    assert not {int(path.read_text()) for path in tmp_path.glob("*.pid")} & {*processes()}


def test_a_run_that_failed_says_nothing_of_inputs(quick):
    """No program came to its end, whatever is asked for."""
    report = check(command("exits"), ranks=[2], only=["input untouched"], max_examples=5)
    assert words(report) == {"input untouched": Word.UNDECIDED, "result": Word.REFUTED}


def test_a_hang_leaves_nothing(quick, monkeypatch, tmp_path):
    """A program that does not end is a deadlock after its time, and neither it nor its children live on."""
    monkeypatch.setattr(Executable, "patience", 1.5)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (result,) = check(command("hangs"), ranks=[2], only=["deadlock"], max_examples=5).results
    assert f"'{' '.join(command('hangs')).replace('{p}', '2')}' did not end within 1.5 s" in result.detail
    assert int((tmp_path / "children").read_text()) not in processes()


QUESTIONS = {
    "a.out {p} {input}": "has no {output}: write it as in mpiexec -n {p} ./a.out {input} {output}",
    "a.out {p} {input} {output} {q}": "nobody knows {q}: there are {input}, {output}, {p}",
    "./a.out {p} {input} {output}": "no file ./a.out, wanted by the command: build it first",
    "a.out-nowhere {p} {input} {output}": "no program 'a.out-nowhere' on PATH or beside",
    "a.out {p} {batch} {input}": "{batch} and {input}: {batch} has the files of all examples; leave the other out",
    "a.out {batch}": "has no {p}: write it as in mpiexec -n {p} ./a.out {input} {output}, or ./a.out {batch}",
    "a.out {p} {batch} {q}": "nobody knows {q}: there are {batch}, {p}",
}


@pytest.mark.parametrize("text", QUESTIONS)
def test_bad_commands(text):
    """A command that cannot be run is refused before anything starts."""
    with pytest.raises(InputError) as error:
        check(text.split())
    assert QUESTIONS[text] in str(error.value)


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"on": "mpi"}, "a program runs by its own command"),
        ({"dtypes": ["float16"]}, "no dtype 'float16': there are int64, int32, float64, float32"),
        ({"page": "ring_topk"}, "keeps none"),
    ],
)
def test_bad_questions(how, why):
    """What cannot be asked of a program is refused in a sentence."""
    with pytest.raises(InputError, match=why):
        check(command("right"), **how)


def test_a_place_for_programs_needs_one():
    """A function does not run as a command."""
    with pytest.raises(InputError, match="is no list of words"):
        check("mine.py:allreduce", on="command")


def test_the_command_line(quick):
    """Behind ``--`` stands a command; how many examples were drawn is said; a parameter fills its place."""
    words = [sys.executable, str(PROGRAM), "{mode}", "{p}", "{input}", "{output}"]
    options = ["--ranks", "2", "--only", "result", "--dtype", "float64", "-P", "mode=dtype"]
    code, text, _ = called("check", *options, "--max-examples", "2", "--", *words)
    assert "rank 0 returned float32" in " ".join(text.split())
    assert code == 1


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_vectors_survive(tmp_path_factory, data):
    """What is written in either form reads back with the same bits, dtypes and length, dense or sparse."""
    folder = tmp_path_factory.mktemp("vectors")
    kind, sparse = data.draw(st.sampled_from(KINDS)), data.draw(st.booleans())
    drawn = examples([1, 2, 3], kind, sparse=sparse).filter(lambda example: not example.scene)
    for r, x in enumerate(xs := data.draw(drawn).xs):
        vectorfiles.write(folder, r, len(xs), x)
        for path in (folder / f"rank{r}.bin", folder / f"rank{r}.npz"):
            y = vectorfiles.read(folder, r, len(xs))
            assert comparable(x, y) and unequal(x, y) is None
            path.unlink()


def dense(x):
    """The entries of an array, which must be one."""
    assert isinstance(x, np.ndarray)
    return x.tolist()


@pytest.mark.parametrize("told", [{}, {"rank": 1, "ranks": 2}, {"rank": 0}, {"ranks": 3}, {"rank": "1"}])
def test_a_file_is_of_its_rank(tmp_path, told):
    """Of another rank it is refused, in either form; it need not say of which it is."""
    right = {"rank": 1, "ranks": 2}.items() >= told.items()
    raw, zipped = vectorfiles.files(tmp_path, 1)
    for path in (raw, zipped):
        if path == raw:
            path.write_bytes(json.dumps({"n": 2, "dtype": "float64", **told}).encode() + b"\n" + np.ones(2).tobytes())
        else:
            np.savez(path, x=np.ones(2), **told)
        if right:
            assert dense(vectorfiles.read(tmp_path, 1, 2)) == [1, 1]
        else:
            with pytest.raises(InputError, match=rf"^{path.name}: ranks? is .*: it must be (1|2), or left out$"):
                vectorfiles.read(tmp_path, 1, 2)
        path.unlink()


def test_an_archive_has_one_vector(tmp_path):
    """As long as it says."""
    x, part = np.ones(2), {"indices": np.arange(1), "values": np.ones(1)}
    np.savez(tmp_path / "rank0.npz", x=x, n=2)
    assert dense(vectorfiles.read(tmp_path, 0, 1)) == [1, 1]
    both = {"x": x, "n": 2, **part}
    for odd, why in (({"x": x, "n": 3}, "n is 3: it must be 2"), (both, "has indices, n, values, x")):
        np.savez(tmp_path / "rank0.npz", **odd)
        with pytest.raises(InputError, match=why):
            vectorfiles.read(tmp_path, 0, 1)


@pytest.mark.parametrize("n", [np.array([1, 2]), np.array("3"), np.array(-1), np.array(2.5)])
def test_a_length_that_is_none_is_one_sentence(tmp_path, n):
    """Of an archive that a stranger wrote."""
    np.savez(tmp_path / "rank0.npz", indices=np.arange(1), values=np.ones(1), n=n)
    with pytest.raises(InputError, match=r"^rank0.npz: n is .*: it must be a whole number, 0 or more$"):
        vectorfiles.read(tmp_path, 0, 1)
