"""The matrix defect x property: each planted defect falsifies its declared properties and no other."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sparring import Refuted
from sparring.checks import engine, launch
from sparring.checks.pytesting import conformance
from sparring.proofs.core.verdicts import Word
from tests.sparring.checks.refuting import failed, words
from tests.sparring.checks.suites import SUITES
from tests.sweeps import third

MPI = pytest.mark.skipif(launch.find() is None, reason="no mpiexec installed")
DEFECTS = [(kind, name) for kind, suite in SUITES.items() for name in suite.sources.DEFECTS]


@pytest.fixture
def planted(target):
    """Writes a twin, or the twin with a defect, and judges it."""

    def judged(kind, name=None, **asked):
        suite = SUITES[kind]
        source = suite.planted(name)[0] if name else suite.sources.TWIN
        return suite.judged(target(source, suite.entry), **asked)

    return judged


def as_declared(kind, name, report):
    """Exactly those, and of those that show in some examples only, any."""
    _, falsified, also = SUITES[kind].planted(name)
    return falsified <= set(failed(report)) <= falsified | also


@pytest.mark.parametrize("kind", SUITES)
def test_right_ones_pass_every_property(target, kind):
    """Another hand's and our own, message by message and call after call, with nothing left out."""
    suite = SUITES[kind]
    for name in (target(suite.sources.TWIN, suite.entry), suite.ours):
        report = suite.judged(name)
        assert words(report) == dict.fromkeys(suite.properties, Word.TESTED)
        assert not report.not_covered


@pytest.mark.parametrize(("kind", "name"), third(DEFECTS))
def test_a_defect_falsifies_its_properties_and_no_other(planted, kind, name, unshrunk):
    assert as_declared(kind, name, planted(kind, name))


ON_MPI = [
    *(("dense", name) for name in ("wrong chunk", "input changed", "last bit on one rank",
                                   "last chunk dropped when n < p")),
    *(("sparse", name) for name in ("loses explicit zeros", "sends every list twice")),
    *(("stateful", name) for name in ("breaks ties the other way round", "keeps its state across instances",
                                      "works in its input")),
    *(pytest.param("sparse", name, marks=pytest.mark.slow) for name in (
        "returns unsorted indices", "changes its input", "adds in another order on one rank")),
]  # fmt: skip


@pytest.mark.mpi
@MPI
@pytest.mark.parametrize(("kind", "name"), ON_MPI[::2])
def test_real_ranks_show_the_same(planted, kind, name, ranks, unshrunk):
    """What the world finds in results, inputs and messages is found under mpiexec too."""
    assert as_declared(kind, name, planted(kind, name, on="mpi", ranks=range(1, 5), group=ranks))


@pytest.mark.mpi
@MPI
@pytest.mark.parametrize("kind", SUITES)
def test_both_places(planted, kind, ranks):
    """The twin, message by message: in the world and on real ranks."""
    asked = {"max_examples": 20, "ranks": range(1, 4)}
    here, both = planted(kind, **asked), planted(kind, on="both", group=ranks, **asked)

    assert (both.exit_code, both.not_covered) == (0, [])
    assert both.results[0].verdict.number == 2 * here.results[0].verdict.number


SMALL = [
    ("drops an entry where supports overlap", "result",
     r"p=2 n=[23]: rank 0 has nothing at index (\d), the reference an entry: \[\], reference \[\1:0\]"),
    ("adds a zero where nothing is", "result",
     r"p=[12] n=\d: rank 0 has an entry at index 0, the reference nothing: \[0:0.*\], reference \["),
    ("keeps the last of equal indices", "result", r"p=2 n=[23]: rank 0 has \[\d:-?\d\], reference \[\d:-?\d\]"),
    ("returns unsorted indices", "result",
     r"p=[12] n=\d: rank 0 returned \[.*\]: indices not strictly ascending: indices\[1\]=\d follows \d"),
    ("returns a dense vector", "result",
     r"p=[12] n=\d: rank 0 returned ndarray, not a Sparse of int64 with n=\d and indices of int64"),
    ("returns other indices' dtype", "dtypes",
     r"p=[12] n=\d, indices of int32: rank 0 returned a Sparse of int64 with n=\d and indices of int64, not "),
    ("adds in another order on one rank", "agreement", r"p=[34] n=\d+ float64: index \d is .* on rank 1 and -?0x"),
    ("changes its input", "input untouched",
     r"p=[12] n=\d: rank 0's input was \[(\d):-?\d\] and is \[\1:11\] after the call"),
    ("sends that need buffers", "deadlock",
     r"p=2 n=\d: with synchronous sends rank 0 waits in Send to rank 1 \(mine.py:19\).* buffers 1 a channel"),
    ("sends every list twice", "volume",
     r"p=2 n=\d: rank 0 sends 2 messages .*in all \(mine.py:19\), the page sends 1 message"),
]  # fmt: skip


@pytest.mark.slow  # each is looked for as long as it takes
@pytest.mark.parametrize(("name", "prop", "told"), SMALL)
def test_the_smallest_list_is_small(planted, name, prop, told, monkeypatch):
    """Told in one sentence, and written down as a script: few ranks, few indices, few entries."""
    monkeypatch.setattr(engine, "SHRINKING", 30.0)  # other tests may take the cores
    report = planted("sparse", name, only=[prop])
    detail, witness = failed(report)[prop], report.results[0].witness

    assert re.match(told, detail), detail
    most = 4 if prop == "agreement" else 2
    assert witness["p"] <= most
    assert witness["n"] <= 2 * most
    assert sum(len(x["indices"]) for x in witness["inputs"]) <= 2 * most
    script = detail.rpartition("Run: python ")[2]
    assert "sparring.Sparse(np.array([" in Path(script).read_text(encoding="utf-8")


KEPT = [
    ("adds its residual twice", "conservation",
     r"p=1 n=1 k=0, 2 calls: in call 2 at index 0: 1 was put in, the results have 0, the residuals 2\."),
    ("keeps its state across instances", "reproducibility", r"p=1 n=\d k=\d.*: rank 0 .* called again "),
    ("breaks ties the other way round", "selection",
     r"p=[12] n=\d k=\d.*: rank 0 keeps index (\d) with -?[\d.]+, the page index (\d) with -?[\d.]+[.;]"),
    ("leaves zeros out of its result", "selection", r"p=1 n=1 k=1.*: rank 0 does not keep index 0 with 0"),
    ("refuses more than there are", "result", r"p=1 n=1 k=2: rank 0 raised ZeroDivisionError"),
    ("gives its residual to another rank", "result",
     r"p=2 n=2 k=0: rank 0 keeps the residual \[.*\], the reference \[.*\]"),
    ("forgets its residual", "steps",
     r"p=2 n=\d k=\d, 2 calls: step \d, .*, the page sends .* \(steps are numbered on from call to call, 2 each\)"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "prop", "told"), KEPT)
def test_the_smallest_example_is_small(planted, name, prop, told, monkeypatch):
    """Few ranks, few entries, few calls, and nothing in them that does not matter."""
    monkeypatch.setattr(engine, "SHRINKING", 60.0)  # other tests may take the cores
    report = planted("stateful", name, only=[prop])

    assert re.match(told, failed(report)[prop]), failed(report)[prop]
    assert report.results[0].witness["k"] <= 4


def ran(prop):
    """A reproducer, run by itself."""
    command = [sys.executable, f"sparring-failures/{prop}.py"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_a_reproducer_fails_when_run_alone_and_passes_when_the_target_is_mended(planted, target):
    """In a process of its own, from the sentence's own command; for the contract alone it remembers to be sparse."""
    suite = SUITES["sparse"]
    told = failed(planted("sparse", "loses explicit zeros", page="allreduce", sparse=True, only=["result"], ranks=[2],
                          level="result"))  # fmt: skip
    assert told["result"].endswith("Run: python sparring-failures/result.py")
    assert (failing := ran("result")).returncode == 1
    assert "sparring.errors.Refuted: refuted: result at p=2 n=" in failing.stderr
    target(suite.sources.TWIN)
    assert ran("result").stdout == "holds: result on this example\n"


def test_a_reproducer_replays_the_calls(planted):
    """Values that are no numbers survive it."""
    planted("stateful", "forgets its residual", only=["conservation"])
    text = Path("sparring-failures/conservation.py").read_text(encoding="utf-8")
    assert "np.array([[1], [0]], np.int64)" in text
    failing = ran("conservation")
    assert failing.returncode == 1
    assert "refuted: conservation at p=1 n=1, 2 calls: in call 2 at index 0: 1 was put in" in failing.stderr
    planted("stateful", "takes NaN last", only=["selection"])
    assert "np.nan" in Path("sparring-failures/selection.py").read_text(encoding="utf-8")
    assert "keeps index 1 with 0.0, the page index 0 with nan" in ran("selection").stderr


@pytest.mark.parametrize(
    ("kind", "name", "prop"),
    [("sparse", "loses explicit zeros", "result"), ("stateful", "leaves zeros out of its result", "selection")],
)
def test_as_tests_in_a_users_own_file(target, kind, name, prop, unshrunk):
    """One a property; what is refuted fails with the sentence, what holds does not."""
    suite = SUITES[kind]
    marked: Any = conformance(target(suite.planted(name)[0], suite.entry), suite.page, level="steps", ranks=suite.ranks,
                         max_examples=30)  # fmt: skip
    cases = {case.id: case.values[0] for case in marked.args[1]}
    assert [*cases] == [prop.replace(" ", "-") for prop in suite.properties]
    cases["input-untouched"]()
    with pytest.raises(Refuted, match=rf"refuted: {prop} at p=\d n=\d.*: (in call 1 )?rank 0 "):
        cases[prop]()


TESTS = """\
import sparring

@sparring.conformance("mine.py:{}", "{}", level="steps", ranks=range(1, 4), max_examples=30)
def test_mine(check):
    check()
"""


@pytest.mark.slow
@pytest.mark.mpi
@MPI
@pytest.mark.parametrize("kind", ["sparse", "stateful"])
def test_as_tests_under_mpiexec(target, project, kind):
    """Rank 0 draws, the job's own ranks run the target, and all get the same verdict."""
    suite = SUITES[kind]
    tests = TESTS.format(suite.entry, suite.page)
    target(suite.sources.TWIN)
    done = project(tests, ranks=3)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count(f"{len(suite.properties) - 1} passed, 1 skipped") == 3

    target(suite.planted("returns unsorted indices")[0])
    done = project(tests, "-k", "test_mine and result", ranks=3)
    assert done.returncode != 0
    assert done.stdout.count("FAILED test_mine.py::test_mine[result]") == 3
    assert "indices not strictly ascending" in done.stdout
