"""``check`` on targets that select entries and keep the rest: each planted defect falsifies its own properties."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import sparring
from sparring.checks import engine, launch, series
from sparring.checks.checking import check
from sparring.checks.examples import Example
from sparring.checks.properties import meanings
from sparring.checks.question import Question, page_of
from sparring.checks.target import from_file
from sparring.cli import cli
from sparring.errors import InputError
from sparring.proofs.core.verdicts import Word
from tests.sweeps import third

SOURCES = from_file(Path(__file__).with_name("stateful_targets.py"))
TWIN, DEFECTS, planted = SOURCES.TWIN, SOURCES.DEFECTS, SOURCES.planted
MPI = pytest.mark.skipif(launch.find() is None, reason="no mpiexec installed")
PROPERTIES = meanings(page=sparring.page("ring_topk"))
OURS = "sparring.impl.ring_topk"
MINE = "mine.py:Allreduce"


@pytest.fixture
def target(tmp_path, monkeypatch):
    """Writes the source of a target; reproducers go to a folder that is thrown away."""
    monkeypatch.chdir(tmp_path)

    def written(source: str) -> str:
        (tmp_path / "mine.py").write_text(source, encoding="utf-8")
        return MINE

    return written


def judged(name: str, **asked):
    """The report on a target that is said to be the ring with selection."""
    return check(name, "ring_topk", **{"ranks": range(1, 4), "level": "steps", "max_examples": 30, **asked})


def failed(report) -> dict[str, str]:
    """The properties that are refuted, with their sentences."""
    return {r.property: r.detail for r in report.results if r.verdict.word is Word.REFUTED}


@pytest.mark.parametrize("name", [MINE, f"{OURS}:Allreduce"])
def test_right_ones_pass_every_property(target, name):
    """Another hand's and our own, list by list and call after call, with nothing left out."""
    target(TWIN)
    report = judged(name)

    assert {r.property: r.verdict.word for r in report.results} == dict.fromkeys(PROPERTIES, Word.TESTED)
    assert not report.not_covered


@pytest.mark.parametrize("name", ["mine.py:allreduce", f"{OURS}:allreduce"])
def test_a_function_is_judged_in_one_call(target, name):
    """It keeps nothing, and one sentence says so."""
    target(TWIN)
    report = judged(name, max_examples=20)

    assert not failed(report)
    assert report.not_covered == [
        "conservation: a function keeps nothing from call to call: what it leaves out is lost"
    ]


def test_a_hidden_residual_is_told(target, unshrunk):
    """What such a target keeps shows in its next results alone; forgetting is found all the same."""
    hidden = TWIN.replace("self.residual", "self._left")
    report = judged(target(hidden))
    assert not failed(report)
    assert len(report.not_covered) == 1
    assert report.not_covered[0].startswith("conservation: after a call rank 0 shows no residual, an array as its")

    found = failed(judged(target(hidden.replace("x + self._left", "x.copy()")), only=["result", "conservation"]))
    assert set(found) == {"result"}
    assert "in call 2" in found["result"]


@pytest.mark.parametrize("name", third(DEFECTS))
def test_a_defect_falsifies_its_properties_and_no_other(target, name, unshrunk):
    """A wrong selection loses nothing, a lost residual is found in the results after it, and so on."""
    _, falsified, also = DEFECTS[name]
    found = set(failed(judged(target(planted(name)))))

    assert falsified <= found <= falsified | also


@pytest.mark.parametrize(
    ("name", "prop", "told"),
    [
        ("forgets its residual", "conservation",
         r"p=1 n=1 k=0, 2 calls: in call 2 at index 0: 1 was put in, the results have 0, the residuals 0\."),
        ("adds its residual twice", "conservation",
         r"p=1 n=1 k=0, 2 calls: in call 2 at index 0: 1 was put in, the results have 0, the residuals 2\."),
        ("keeps its state across instances", "reproducibility",
         r"p=1 n=\d k=\d.*: rank 0 .* called again "),
        ("breaks ties the other way round", "selection",
         r"p=[12] n=\d k=\d.*: rank 0 keeps index (\d) with -?[\d.]+, the page index (\d) with -?[\d.]+[.;]"),
        ("takes NaN last", "selection",
         r"p=1 n=2 k=1 float64: rank 0 keeps index 1 with 0.0, the page index 0 with nan\."),
        ("leaves zeros out of its result", "selection",
         r"p=1 n=1 k=1.*: rank 0 does not keep index 0 with 0(\.0)?, the page does\."),
        ("refuses more than there are", "result", r"p=1 n=1 k=2: rank 0 raised ZeroDivisionError"),
        ("gives its residual to another rank", "result",
         r"p=2 n=2 k=0: rank 0 keeps the residual \[.*\], the reference \[.*\]"),
        ("works in its input", "input untouched",
         r"p=1 n=1 k=\d.*: rank 0's input was \[.*\] and is \[.*\] after (the )?call"),
        ("forgets its residual", "steps",
         r"p=2 n=\d k=\d, 2 calls: step \d, .*, the page sends .* \(steps are numbered on from call to call, 2 each\)"),
        ("sends that need buffers", "deadlock",
         r"p=2 n=2 k=0: with synchronous sends rank 0 waits in Send to rank 1 \(mine.py:28\).* buffers 1 a channel"),
    ],
)  # fmt: skip
def test_the_smallest_example_is_small(target, name, prop, told, monkeypatch):
    """Few ranks, few entries, few calls, and nothing in them that does not matter."""
    monkeypatch.setattr(engine, "SHRINKING", 60.0)  # other tests may take the cores
    report = judged(target(planted(name)), only=[prop])

    assert re.match(told, failed(report)[prop]), failed(report)[prop]
    assert report.results[0].witness["k"] <= 4


def test_a_reproducer_replays_the_calls_and_passes_when_the_target_is_mended(target, tmp_path):
    """In a process of its own; values that are no numbers survive it."""
    judged(target(planted("takes NaN last")), only=["selection"])
    detail = failed(judged(target(planted("forgets its residual")), only=["conservation"]))["conservation"]
    scripts = {prop: tmp_path / "sparring-failures" / f"{prop}.py" for prop in ("selection", "conservation")}
    assert detail.endswith("Run: python sparring-failures/conservation.py")
    assert "np.array([[1], [0]], np.int64)" in scripts["conservation"].read_text(encoding="utf-8")
    assert "np.nan" in scripts["selection"].read_text(encoding="utf-8")

    failing = ran(scripts["conservation"], tmp_path)
    assert failing.returncode == 1
    assert "refuted: conservation at p=1 n=1, 2 calls: in call 2 at index 0: 1 was put in" in failing.stderr
    target(planted("takes NaN last"))
    assert "keeps index 1 with 0.0, the page index 0 with nan" in ran(scripts["selection"], tmp_path).stderr
    target(TWIN)
    assert {ran(script, tmp_path).stdout for script in scripts.values()} == {
        "holds: selection on this example\n", "holds: conservation on this example\n",
    }  # fmt: skip


def ran(script: Path, folder: Path):
    """The script, run by itself."""
    return subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=False, cwd=folder
    )


def test_the_same_seed_draws_the_same_examples():
    """Another seed draws others."""
    once, again, other = (list(map(repr, drawn(seed=seed))) for seed in (3, 3, 4))

    assert once == again != other


def drawn(**asked) -> list[Example]:
    """Examples of each kind, as they are drawn."""
    question = Question("none", page_of("ring_topk", {}), (1, 2, 3, 4), **asked)
    found: list[Example] = []

    def look(example: Example) -> None:
        found.append(example)

    for kind in series.KINDS:
        engine.drawn(question, kind, look, [engine.Phase.generate], 40)
    return found


def test_what_is_drawn_reaches_the_traps():
    """Ties, too few non-zeros, no entry kept or all of them, what is no number, empty chunks, several calls."""
    found = drawn()
    traps = {
        "none kept": lambda x, k: k == 0 < x.shape[1],
        "more than there are": lambda x, k: k > x.shape[1] > 0,
        "too few that are no zeros": lambda x, k: (np.count_nonzero(x, axis=1) < min(k, x.shape[1])).any(),
        "ties": lambda x, k: any(0 < k < row.size > len(np.unique(np.abs(row))) for row in x),
        "NaN": lambda x, k: np.isnan(x).any(),
        "infinity": lambda x, k: np.isinf(x).any(),
        "-0.0": lambda x, k: x.dtype.kind == "f" and (np.signbit(x) & (x == 0)).any(),
        "several calls": lambda x, k: len(x) > 1 and 0 < k < x.shape[1],
        "no entries": lambda x, k: x.shape[1] == 0,
    }
    for name, trap in traps.items():
        assert sum(any(trap(x, e.params["k"]) for x in e.xs) for e in found) >= 3, name
    assert any(e.n < e.p for e in found) and any(e.p == 1 for e in found)


def test_how_many_are_kept_may_be_given(target):
    """Then the target and the page get that number, and nothing is drawn."""
    target(TWIN)
    report = judged(MINE, k=2, max_examples=20)
    assert not failed(report)
    target(planted("has one entry too many"))
    (told,) = failed(judged(MINE, k=2, only=["volume"])).values()
    assert " k=" not in told.split(":")[0]
    assert "**{'k': 2}" in Path("sparring-failures/volume.py").read_text(encoding="utf-8")


def test_examples_may_be_given(target):
    """For each rank an array with a row a call; a vector is one call."""
    target(planted("forgets its residual"))
    rows = np.array([[1, 2, 3], [0, 0, 0]])
    told = failed(judged(MINE, k=1, examples=[([rows, rows], "result")]))
    assert told["conservation"].startswith("p=2 n=3, 2 calls: in call 2 at index 0: 2 was put in")
    assert not failed(judged(MINE, k=1, examples=[([rows[0], rows[0]], "result")]))


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"k": -1}, "k = -1: it must be a whole number, 0 or more"),
        ({"k": 1.5}, "k = 1.5: it must be a whole number, 0 or more"),
        ({"k": True}, "k = True: it must be a whole number, 0 or more"),
        ({"sparse": True}, "sparse: ring_topk takes arrays"),
        ({"only": ["mass"]}, "no property 'mass': there are result, agreement, selection, conservation"),
        ({"xfail": {"mass": "why"}}, "xfail: no property 'mass'"),
        ({"examples": [([np.zeros((0, 3))], "result")]}, r"rank 0 has an array of shape \(0, 3\), rank 0 of"),
        (
            {"examples": [([np.zeros((2, 3)), np.zeros((1, 3))], "result")]},
            r"rank 1 has an array of shape \(1, 3\), rank 0 of",
        ),
    ],
)
def test_bad_questions_are_one_sentence(asked, told):
    """Before anything runs."""
    with pytest.raises(InputError, match=told):
        judged(MINE, **asked)


def test_other_pages_know_nothing_of_selection():
    """Its properties are asked of pages that select alone."""
    with pytest.raises(InputError, match="no property 'selection': there are result, agreement, input untouched"):
        check("sparring.impl.ring:allreduce", "ring", only=["selection"])


def test_on_the_command_line(target):
    """The figure too: steps of the second call stand below those of the first."""
    target(planted("forgets its residual"))
    args = ["check", MINE, "--algorithm", "ring_topk", "--level", "steps", "--ranks", "2", "-P", "k=1", "--json"]
    done = CliRunner().invoke(cli, [*args, "--max-examples", "20"])

    verdicts = {result["property"]: result["verdict"] for result in json.loads(done.stdout)["results"]}
    assert done.exit_code == 1
    assert list(verdicts) == list(PROPERTIES)
    assert {p for p, verdict in verdicts.items() if verdict == "refuted"} >= {"result", "conservation", "steps"}
    assert "step 3" in Path("sparring-failures/steps.svg").read_text(encoding="utf-8")


@pytest.mark.mpi
@MPI
@pytest.mark.parametrize(
    "name", ["breaks ties the other way round", "keeps its state across instances", "works in its input"]
)
def test_defects_on_real_ranks(target, name, unshrunk):
    """The same properties as on simulated ones."""
    _, falsified, also = DEFECTS[name]
    found = set(failed(judged(target(planted(name)), on="mpi", max_examples=30)))

    assert falsified <= found <= falsified | also


@pytest.mark.mpi
@MPI
def test_both_places(target):
    """The twin, message by message: in the world and on real ranks."""
    target(TWIN)
    report = judged(MINE, on="both", max_examples=20)

    assert (report.exit_code, report.not_covered) == (0, [])
    assert report.results[0].verdict.number == 24


TESTS = """\
import sparring

@sparring.conformance("mine.py:Allreduce", "ring_topk", level="steps", ranks=range(1, 4), max_examples=30)
def test_mine(check):
    check()
"""


@pytest.fixture
def project(target, tmp_path):
    """A user's folder; runs pytest on a target in it, under mpiexec where ``ranks`` are given."""

    def run(source, *args, ranks=0):
        target(source)
        (tmp_path / "test_mine.py").write_text(TESTS, encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", *args, str(tmp_path)]
        if ranks:
            return launch.run(["env", f"--chdir={tmp_path}", *command], ranks, timeout=110)
        return subprocess.run(command, capture_output=True, text=True, timeout=110, check=False, cwd=tmp_path)

    return run


def test_as_tests_in_a_users_own_file(project):
    """One a property, those of selection among them; what is refuted fails with the sentence."""
    done = project(planted("leaves zeros out of its result"), "-k", "conservation or selection")

    assert "PASSED test_mine.py::test_mine[conservation]" in done.stdout, done.stdout
    assert "refuted: selection at p=1 n=1 k=1: rank 0 does not keep index 0 with 0, the page does" in done.stdout


@pytest.mark.slow
@pytest.mark.mpi
@MPI
def test_as_tests_under_mpiexec(project):
    """Rank 0 draws, the job's own ranks run the target, and all get the same verdict."""
    done = project(TWIN, ranks=3)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("12 passed, 1 skipped") == 3


def test_a_form_that_reads_some_messages_only_is_not_taken(target):
    """The first message reads the same with value and index swapped; the second tells which is which."""
    target(TWIN)
    xs = [np.array([0, 1, 0]), np.array([0, 0, 1])]

    assert not failed(judged(MINE, k=1, examples=[(xs, "result")]))
