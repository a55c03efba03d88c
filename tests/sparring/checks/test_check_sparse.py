"""``check`` on sparse vectors: each planted defect falsifies its own properties, in a small example."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner

from sparring import Sparse
from sparring.checks import engine, launch, sums
from sparring.checks.checking import check
from sparring.checks.properties import meanings
from sparring.checks.target import from_file
from sparring.cli import cli
from sparring.errors import InputError
from sparring.proofs.core.verdicts import Word
from tests.sweeps import third

SOURCES = from_file(Path(__file__).with_name("sparse_targets.py"))
TWIN, APART, AS_FLOATS, DEFECTS, planted = (
    SOURCES.TWIN, SOURCES.APART, SOURCES.AS_FLOATS, SOURCES.DEFECTS, SOURCES.planted,
)  # fmt: skip
MPI = pytest.mark.skipif(launch.find() is None, reason="no mpiexec installed")
ASKED = {"ranks": range(1, 7), "level": "steps"}
GAP = (
    r"steps and volume: in \d+ examples no message reads as a list of the page, an index of 4 or 8 bytes and a value "
    r"each; there messages were counted, not their bytes or entries compared"
)


@pytest.fixture
def target(tmp_path, monkeypatch):
    """Writes the source of a target; reproducers go to a folder that is thrown away."""
    monkeypatch.chdir(tmp_path)

    def written(source: str) -> str:
        (tmp_path / "mine.py").write_text(source, encoding="utf-8")
        return "mine.py:allreduce"

    return written


def judged(name: str, **asked):
    """The report on a target that is said to be the ring allgather."""
    return check(name, "ring_allgather", **{**ASKED, **asked})


def failed(report) -> dict[str, str]:
    """The properties that are refuted, with their sentences."""
    return {r.property: r.detail for r in report.results if r.verdict.word is Word.REFUTED}


@pytest.mark.parametrize("name", ["mine.py:allreduce", "sparring.impl.ring_allgather:allreduce"])
def test_right_ones_pass_every_property(target, name):
    """Another hand's and our own, list by list, with nothing left out."""
    target(TWIN)

    report = judged(name)

    assert {r.property: r.verdict.word for r in report.results} == dict.fromkeys(meanings(sparse=True), Word.TESTED)
    assert not report.not_covered


@pytest.mark.parametrize("most", [4, pytest.param(6, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", third(DEFECTS))
def test_a_defect_falsifies_its_properties_and_no_other(target, name, most, unshrunk):
    """The declared set, exactly."""
    assert set(failed(judged(target(planted(name)), ranks=range(1, most + 1)))) == DEFECTS[name][2]


@pytest.mark.slow  # each is looked for as long as it takes
@pytest.mark.parametrize(
    ("name", "prop", "told"),
    [
        ("drops an entry where supports overlap", "result",
         r"p=2 n=[23]: rank 0 has nothing at index (\d), the reference an entry: \[\], reference \[\1:0\]"),
        ("loses explicit zeros", "result",
         r"p=[12] n=\d: rank 0 has nothing at index (\d), the reference an entry: \[\], reference \[\1:0\]"),
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
        ("writes to its read-only input", "result",
         r"p=[12] n=\d: rank 0 raised ValueError: assignment destination is read-only \(mine.py:24\)"),
        ("sends that need buffers", "deadlock",
         r"p=2 n=\d: with synchronous sends rank 0 waits in Send to rank 1 \(mine.py:19\).* buffers 1 a channel"),
        ("sends every list twice", "volume",
         r"p=2 n=\d: rank 0 sends 2 messages .*in all \(mine.py:19\), the page sends 1 message"),
    ],
)  # fmt: skip
def test_the_smallest_example_is_small(target, name, prop, told, monkeypatch):
    """Told in one sentence, and written down as a script: few ranks, few indices, few entries."""
    monkeypatch.setattr(engine, "SHRINKING", 30.0)  # other tests may take the cores
    report = judged(target(planted(name)), only=[prop])
    detail, witness = failed(report)[prop], report.results[0].witness

    assert re.match(told, detail), detail
    most = 4 if prop == "agreement" else 2
    assert witness["p"] <= most
    assert witness["n"] <= 2 * most
    assert sum(len(x["indices"]) for x in witness["inputs"]) <= 2 * most
    script = detail.rpartition("Run: python ")[2]
    assert "sparring.Sparse(np.array([" in Path(script).read_text(encoding="utf-8")


def test_a_reproducer_fails_when_run_alone_and_passes_when_the_target_is_mended(target, tmp_path):
    """For a page, and for the contract alone, which it must remember to be sparse."""

    def ran():
        command = [sys.executable, "sparring-failures/result.py"]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path)

    for page, sparse in (("ring_allgather", False), ("allreduce", True)):
        check(target(planted("loses explicit zeros")), page, only=["result"], ranks=[2], sparse=sparse)
        assert (failing := ran()).returncode == 1
        assert "sparring.errors.Refuted: refuted: result at p=2 n=" in failing.stderr
        target(TWIN)
        assert ran().stdout == "holds: result on this example\n"


def test_messages_that_nobody_can_read_are_counted_and_it_says_so(target, unshrunk):
    """Right ones hold with a gap; one message too many is still found."""
    right = judged(target(AS_FLOATS), max_examples=40)
    assert not failed(right)
    assert [re.fullmatch(GAP, gap) is not None for gap in right.not_covered] == [True]

    one_more = AS_FLOATS.replace("    sums = {}", "    comm.size > 1 and " + "comm.Sendrecv(lists[me], dest=(me + 1) % "
        "size, recvbuf=lists[me - 1].copy(), source=(me - 1) % size)\n    sums = {}")  # fmt: skip
    assert set(failed(judged(target(one_more), max_examples=40))) == {"steps", "volume"}


def test_another_algorithm_is_right_but_not_this_one(target, unshrunk):
    """The library gathers without a message; where nobody asks for messages, it passes."""
    assert set(failed(judged(target(APART), max_examples=40))) == {"steps", "volume"}
    assert not failed(judged(target(APART), max_examples=40, level="result"))


def test_the_contract_alone_can_be_sparse(target, unshrunk):
    """By the argument and by the command's option; without it, vectors are arrays."""
    name = target(APART)
    assert check(name, sparse=True, max_examples=40).exit_code == 0
    assert "AttributeError" in failed(check(name, only=["result"], max_examples=20))["result"]
    done = CliRunner().invoke(cli, ["check", name, "--sparse", "--only", "dtypes", "--json"])
    assert (done.exit_code, json.loads(done.stdout)["check"]["sparse"]) == (0, True)


def test_drawn_supports_cover_the_cases():
    """Empty and full, overlapping and disjoint, unequal, both widths, all dtypes, zeros and sums that cancel."""
    seen: set[str] = set()

    def look(example):
        xs, dense = example.xs, [x.dense() for x in example.xs]
        supports, n = [set(x.indices.tolist()) for x in xs], example.n
        seen.update(f"{x.dtype} {x.indices.dtype}" for x in xs)
        if n >= example.p > 1:
            seen.add("all empty" if not any(supports) else "all full" if all(len(s) == n for s in supports) else "")
            seen.add("some empty" if any(supports) and not all(supports) else "")
            seen.add("disjoint" if all(supports) and sum(map(len, supports)) == len(set().union(*supports)) else "")
            seen.add("overlap" if set.intersection(*supports) and len(set(map(len, supports))) > 1 else "")
        seen.add("n = 0" if n == 0 else "n < p" if n < example.p else "p = 1" if example.p == 1 else "")
        seen.add("zero" if any((x.values == 0).any() for x in xs) else "")
        total = np.sum(dense, axis=0)
        seen.add("cancel" if any(total[i] == 0 != d[i] for d in dense for i in range(n)) else "")

    question = engine.Question("none", ranks=(1, 2, 3, 4), sparse=True)
    for kind in ("result", "edge sizes", "dtypes"):
        engine.drawn(question, kind, look, [engine.Phase.generate], 100)

    dtypes = {f"{v} {i}" for v in ("int32", "int64", "float32", "float64") for i in ("int32", "int64")}
    cases = {"all empty", "all full", "some empty", "disjoint", "overlap", "n = 0", "n < p", "p = 1", "zero", "cancel"}
    assert seen - {""} == dtypes | cases


def test_the_page_says_which_support_is_right(target, monkeypatch):
    """A page whose sums have whole chunks may have more than the union: then the union alone is refuted."""

    def full(_, xs):
        union = {i for x in xs for i in x.indices.tolist()}
        support = [i for i in range(xs[0].n) if i in union or i == 0]
        return SimpleNamespace(results=[x.having(support, [0] * len(support)) for x in xs])

    monkeypatch.setattr(sums, "run", full)
    more = TWIN.replace("sums = {}", "sums = {0: x.dtype.type(0)} if x.n else {}")

    assert not failed(judged(target(more), level="result", max_examples=40))
    told = failed(judged(target(TWIN), level="result", ranks=[2], only=["result"]))["result"]
    assert "p=2 n=2: rank 0 has nothing at index 0, the reference an entry: [], reference [0:0]" in told


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"page": "ring", "sparse": True}, "sparse: ring takes arrays; leave it out"),
        (
            {"sparse": True, "examples": [([np.ones(2)], "result")]},
            "rank 0 has a ndarray: it must be a sparring.S",
        ),
        ({"examples": [([Sparse([0], [1], 2)], "result")]}, "rank 0 has a Sparse: it must be an array"),
        ({"sparse": True, "level": "steps"}, "level 'steps' needs a page"),
    ],
)
def test_bad_questions_are_one_sentence(target, asked, why):
    """Nothing is run."""
    with pytest.raises(InputError) as error:
        check(**{"target": target(TWIN), **asked})

    assert why in str(error.value)


@pytest.mark.mpi
@MPI
@pytest.mark.parametrize(
    "name",
    ["loses explicit zeros", "sends every list twice", *(pytest.param(name, marks=pytest.mark.slow) for name in (
        "returns unsorted indices", "changes its input", "adds in another order on one rank"))],
)  # fmt: skip
def test_real_ranks_show_the_same(target, name, unshrunk):
    """What the world finds in results, inputs and messages is found under mpiexec too."""
    assert set(failed(judged(target(planted(name)), on="mpi", ranks=range(2, 5)))) == DEFECTS[name][2]


@pytest.mark.mpi
@MPI
def test_the_twin_passes_on_real_ranks(target):
    """So that it is the defect that is found there."""
    assert not failed(judged(target(TWIN), on="mpi", ranks=range(2, 5)))


@pytest.mark.mpi
@MPI
@pytest.mark.parametrize(
    ("does", "prop", "told"),
    [
        pytest.param("comm.rank == 0 and comm.size > 1 and len(x) and comm.Recv(np.zeros(1), 1, 99)", "deadlock",
                     "p=2 n=2: rank 0 of 2 did not answer within 3 s", marks=pytest.mark.slow),
        ("comm.rank == 1 and len(x) and 1 / 0", "result", "ZeroDivisionError: division by zero"),
        ("x.values.flags.writeable = len(x) < 2; x.values[:1] = 1", "result", "assignment destination is read-only"),
    ],
    ids=["hangs", "raises", "writes"],
)  # fmt: skip
def test_hangs_and_raises_on_real_ranks_are_small(target, does, prop, told):
    """Shrunk in the world, replayed once."""
    report = judged(target(TWIN.replace("    sums = {}", f"    {does}\n    sums = {{}}")), on="mpi", ranks=range(1, 4),
                    only=[prop], level="result", max_examples=40)  # fmt: skip

    assert told in failed(report)[prop]
    witness = report.results[0].witness
    assert witness["p"] <= 2
    assert witness["n"] <= 2
    assert sum(len(x["indices"]) for x in witness["inputs"]) <= 2


@pytest.mark.mpi
@MPI
def test_both_places(target):
    """Our own, message by message: in the world and on real ranks."""
    report = judged("sparring.impl.ring_allgather:allreduce", on="both", ranks=range(1, 4), max_examples=30)

    assert (report.exit_code, report.not_covered) == (0, [])
    assert report.results[0].verdict.number == 36


TESTS = """\
import sparring

@sparring.conformance("mine.py:allreduce", "ring_allgather", level="steps", ranks=range(1, 4), max_examples=30)
def test_mine(check):
    check()

@sparring.conformance("mine.py:allreduce", sparse=True, ranks=[2], max_examples=10)
def test_contract(check):
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
    """One a property; what is refuted fails with the sentence."""
    assert "19 passed, 3 skipped" in project(TWIN).stdout
    done = project(planted("loses explicit zeros"), "-k", "result")
    assert "refuted: result at p=" in done.stdout
    assert "the reference an entry: [], reference [" in done.stdout


@pytest.mark.slow
def test_as_tests_with_xdist(project):
    """The ids are the same in every worker."""
    assert "2 passed" in project(TWIN, "-n", "1", "-k", "dtypes").stdout


@pytest.mark.slow
@pytest.mark.mpi
@MPI
def test_as_tests_under_mpiexec(project):
    """Rank 0 draws, the job's own ranks run the target, and all get the same verdict."""
    done = project(TWIN, ranks=3)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("17 passed, 5 skipped") == 3

    done = project(planted("returns equal indices"), "-k", "test_mine and result", ranks=3)
    assert done.returncode != 0
    assert done.stdout.count("FAILED test_mine.py::test_mine[result]") == 3
    assert "indices not strictly ascending" in done.stdout
