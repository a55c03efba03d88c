"""Programs that play many examples in one launch: each example is judged as it would be alone, and by its own fault."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from sparring.adapters import batches, vectorfiles
from sparring.adapters.batches import Batches
from sparring.adapters.executable import Executable, Halts, awaited
from sparring.checks.checking import check
from sparring.checks.engine import some
from sparring.checks.question import Question
from sparring.checks.ranks.launch import find, processes
from sparring.errors import InputError, RankFailed
from sparring.proofs.logic.verdicts import Word
from tests.sparring.checks.refuting import words

ROOT = Path(__file__).parents[3]
PROGRAM = Path(__file__).with_name("batch_program.py")
MPICC = Path(sys.executable).with_name("mpicc")


def command(mode):
    return [sys.executable, str(PROGRAM), mode, "{p}", "{batch}"]


@pytest.fixture
def launches(monkeypatch, tmp_path):
    """What was launched; reproducers and temporary files go to an empty folder, of which nothing of ours is left."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(place))
    monkeypatch.setattr(Executable, "patience", 20.0)
    seen, run = [], batches.run

    def counted(command, *how):
        seen.append(len(list(Path(command[-1]).iterdir())))
        run(command, *how)

    monkeypatch.setattr(batches, "run", counted)
    yield seen
    assert [file.name for file in place.iterdir() if file.name != "children"] == []


def verdict(report, prop):
    (result,) = [one for one in report.results if one.property == prop]
    return str(result.verdict)


def test_the_right_one_holds(launches):
    """Twice as many runs as examples are compared, and a launch plays all of as many ranks."""
    report = check(command("right"), ranks=[1, 2], dtypes=["int64", "float64"], max_examples=20)
    assert report.verdict == "holds"
    assert {prop: verdict(report, prop) for prop in ("result", "edge sizes", "dtypes", "reproducibility")} == {
        "result": "tested (12 examples)",
        "edge sizes": "tested (4 examples)",
        "dtypes": "tested (4 examples)",
        "reproducibility": "tested (25 examples)",
    }
    assert sum(launches) == 3 * 25
    assert len(launches) <= 14
    assert not [gap for gap in report.not_covered if "examples:" in gap]


def test_the_wrong_one_is_refuted_where_it_is_smallest(launches, monkeypatch):
    """At the smallest numbers of ranks and entries, with a single value that is 1."""
    monkeypatch.setattr("sparring.checks.engine.SHRINKING", 60.0)
    report = check(command("forgets"), ranks=[1, 2, 3], only=["result"], dtypes=["int64"])
    (result,) = report.results
    assert result.witness == {"p": 2, "n": 3, "inputs": [[0, 0, 0], [0, 0, 1]]}


FAULTS = {
    "crashes": "ended with exit code 3 after saying 'planted': it must be 0",
    "ahead": "ended with exit code 3 after saying 'planted': it must be 0",
    "skips": "neither rank0.bin nor rank0.npz is there: every rank must have its vector in one of them",
    "breaks": "rank1.bin: 32 bytes follow the first line: by its words there must be 40",
}


@pytest.mark.parametrize("mode", FAULTS)
def test_what_goes_wrong_in_the_middle(launches, monkeypatch, mode):
    """It is told of the example that it went wrong with; all others come to their ends."""
    monkeypatch.setattr("sparring.checks.engine.SHRINKING", 0.1)
    report = check(command(mode), ranks=[1, 2], only=["result", "agreement"], dtypes=["int64"], max_examples=30)
    (result, agreement) = report.results
    assert (result.witness["p"], result.witness["n"]) == (2, 4)
    assert result.detail.startswith(f"p=2 n=4: '{' '.join(command(mode)).replace('{p}', '2')}'")
    assert FAULTS[mode] in result.detail
    assert "though not alone" not in result.detail
    drawn = some(Question(None, ranks=(1, 2), dtypes=["int64"], max_examples=30), "result", 18)
    came = sum((one.p, one.n) != (2, 4) for one in drawn)
    assert str(agreement.verdict) == f"tested ({came} examples)"
    assert f"{came} of 18 examples came to it" in agreement.detail


def test_a_hang_in_the_middle(launches, monkeypatch, tmp_path):
    """It is a deadlock of its own example; no more are launched after it, and none of its processes lives on."""
    monkeypatch.setattr(Executable, "patience", 1.5)
    monkeypatch.setattr("sparring.checks.engine.SHRINKING", 0.1)
    report = check(command("hangs"), ranks=[2], only=["deadlock"], dtypes=["int64"], max_examples=40)
    (result,) = report.results
    assert result.detail.startswith(
        f"p=2 n=4: '{' '.join(command('hangs')).replace('{p}', '2')}' did not end within 1.5 s"
    )
    assert int(next(tmp_path.rglob("children")).read_text()) not in processes()
    assert launches[:2] == [24, 1]
    assert all(number == 2 or number < 48 for number in launches[2:])


OTHERS = {
    "half": (3, "'3/output': neither rank0.bin nor rank0.npz is there: .*; so it is after 3 others in one launch"),
    "first": (1, "'1/output': neither rank0.bin nor rank0.npz is there: .*; so it is after 1 other in one launch"),
    "tires": (3, "ended with exit code 3 .*; so it is after 3 others in one launch, though not alone$"),
    "fails": (5, "ended with exit code 4: it must be 0$"),
}


@pytest.mark.parametrize("mode", OTHERS)
def test_what_goes_wrong_after_others(launches, mode):
    """A program that leaves a part of its batch, or fails late, is told where it does, though each passes alone."""
    examples = [[np.arange(3), np.arange(3)] for _ in range(6)]
    place = Batches(Question(command(mode)))
    place.expect(examples)
    found = {i: told for i, xs in enumerate(examples) if (told := why(place, command(mode), xs))}
    place.stop()
    first, told = OTHERS[mode]
    assert min(found) == first
    assert re.search(told, found[first])


def why(place, words, xs):
    """Why there is no result; empty where it is right."""
    try:
        (ys,) = place.examine(words, xs).ys
    except RankFailed as failure:
        return str(failure)
    return "" if all(np.array_equal(y, sum(xs)) for y in ys) else "wrong"


def test_answers_are_those_of_the_command_and_of_the_vectors(launches):
    """Two commands with the same examples, and examples that nobody expected, have their own answers."""
    place = Batches(Question(command("right")))
    examples = [[np.arange(3) + i, np.arange(3)] for i in range(3)]
    place.expect(examples)
    found = [[why(place, command(mode), xs) for mode in ("right", "forgets")] for xs in examples]
    assert found == [["", "wrong"]] * 3
    assert launches == [3, 3]
    others = [why(place, command("skips"), [np.arange(n), np.arange(n)]) == "" for n in (4, 3, 4, 3)]
    assert others == [False, True, False, True]
    place.stop()


def test_what_leaves_a_part_of_its_batch_is_refuted(launches, monkeypatch):
    """And no property reads as if all had been looked at."""
    monkeypatch.setattr("sparring.checks.engine.SHRINKING", 0.1)
    report = check(command("half"), ranks=[2], only=["result", "agreement"], dtypes=["int64"], max_examples=10)
    assert words(report)["result"] == Word.REFUTED
    assert "of 6 examples came to it" in report.results[1].detail


def test_a_fault_in_the_second_run_of_a_launch(launches, monkeypatch):
    """Each example is played twice in a row: bits that turn from one to the next are seen."""
    monkeypatch.setattr("sparring.checks.engine.SHRINKING", 0.1)
    props = ["agreement", "reproducibility"]
    report = check(command("turns"), ranks=[2], only=props, dtypes=["float64"], max_examples=10)
    assert words(report) == {"agreement": Word.TESTED, "reproducibility": Word.REFUTED}
    assert re.search("rank 0 entry 0 is .*, called again", report.results[1].detail)


def test_ctrl_c_leaves_nothing(launches, monkeypatch):
    """What was known by then is told, and nothing is left."""

    def interrupted(*how):
        raise KeyboardInterrupt

    monkeypatch.setattr(batches, "run", interrupted)
    report = check(command("right"), ranks=[2], only=["result"], max_examples=5)
    assert words(report) == {"result": Word.UNDECIDED}
    assert "interrupted" in report.results[0].detail


def test_the_time_begins_anew_with_each_result():
    """A program that goes on for longer than one example may take is waited for as long as it does more."""
    done = count()
    with subprocess.Popen(["sleep", "1.2"]) as process:
        assert awaited(process, 0.7, lambda: next(done), Halts(process, "sleep")) == 0
    with subprocess.Popen(["sleep", "1.2"]) as process, pytest.raises(subprocess.TimeoutExpired):
        awaited(process, 0.7, lambda: 1, Halts(process, "sleep"))


def test_a_slow_program_has_several_launches(launches, monkeypatch):
    """Where a launch takes long, what has no results yet is played in others, and nothing is held against it."""
    monkeypatch.setattr(batches, "LONG", 0.1)
    report = check(command("slow"), ranks=[1], only=["result"], dtypes=["int64"], max_examples=5)
    assert verdict(report, "result") == "tested (3 examples)"
    assert launches[0] == 3
    assert len(launches) > 2


def test_a_launch_has_no_more_than_fits(launches, monkeypatch):
    """Neither more examples nor more entries than a launch may have, but always one."""
    monkeypatch.setattr(batches, "MOST", 4)
    assert check(command("right"), ranks=[1], only=["result"], dtypes=["int64"], max_examples=15).verdict == "holds"
    assert launches == [4, 8, 4, 8, 1, 2]
    launches.clear()
    monkeypatch.setattr(batches, "ENTRIES", 1)
    assert check(command("right"), ranks=[1], only=["result"], dtypes=["int64"], max_examples=4).verdict == "holds"
    assert launches == [1, 2, 1, 2]


@pytest.mark.mpi
@pytest.mark.skipif(find() is None or not MPICC.exists(), reason='no mpicc beside this Python: pip install "mpich"')
def test_the_c_example(launches, tmp_path):
    """Compiled, it is an allreduce also where its messages are looked at."""
    source = ROOT / "examples/c_allreduce/allreduce.c"
    subprocess.run([MPICC, "-Wall", "-Werror", "-o", tmp_path / "allreduce", source], check=True, timeout=60)
    how = {"ranks": [2, 3], "dtypes": ["float64"], "max_examples": 5, "only": ["result", "steps"], "level": "steps"}
    report = check(["mpiexec", "-n", "{p}", "./allreduce", "{batch}"], "ring", **how)
    assert words(report) == {"result": Word.TESTED, "steps": Word.TESTED}


@pytest.mark.slow
@pytest.mark.mpi
@pytest.mark.skipif(find() is None, reason='no mpiexec beside this Python: pip install "sparring[mpich]"')
def test_the_script(launches):
    """A script that runs at its top level loops over its folders."""
    script = str(ROOT / "examples/mpi4py_script.py")
    report = check(["mpiexec", "-n", "{p}", sys.executable, script, "{batch}"], ranks=[1, 2])
    assert report.verdict == "holds"
    assert verdict(report, "result") == "tested (60 examples)"


@pytest.mark.parametrize("form", ["bin", "npz"])
def test_a_file_has_its_limit(tmp_path, monkeypatch, form):
    """What a stranger wrote is not read where it is too long, or unpacks to too much."""
    vectorfiles.write(tmp_path, 0, 1, np.zeros(1000))
    other = {"bin": "npz", "npz": "bin"}[form]
    (tmp_path / f"rank0.{other}").unlink()
    monkeypatch.setattr(vectorfiles, "SIZE", 8000)
    with pytest.raises(InputError, match=r"^rank0.* has \d,\d+ bytes: it may have 8,000$"):
        vectorfiles.read(tmp_path, 0, 1)
