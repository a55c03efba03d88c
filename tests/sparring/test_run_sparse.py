"""``sparring run`` on sparse vectors: what is taken, what is told, and what is refused in one sentence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import sparring
from sparring import api, run_inputs, run_reports, runs
from sparring.inputs import digits
from sparring.sparse import Sparse
from sparring.spec.core.top_k import top
from tests.sparring.calling import called, envelope_of, refused

PAGE = api.page("ring_allgather")
TARGET = "sparring.impl.ring_allgather:allreduce"


def run(*args):
    """The envelope's ``run`` of the command."""
    return envelope_of("run", *args)["run"]


@pytest.fixture
def lists(tmp_path):
    """A file of three sparse vectors of eight entries."""
    file = tmp_path / "lists.npz"
    np.savez(file, n=8, indices0=[1, 4], values0=[1.0, 2.0], indices1=[0, 1, 4], values1=[3.0, 4.0, 5.0],
             indices2=np.empty(0, np.int32), values2=np.empty(0))  # fmt: skip
    return file


def test_the_largest_entries_of_the_dense_vectors_are_taken():
    """Those that the reference selection takes, of the vectors that a dense algorithm gets."""
    dense = run_inputs.vectors(api.page("ring"), 3, run_inputs.Options(size=500))
    sparse = run_inputs.vectors(PAGE, 3, run_inputs.Options(size=500, density="3%"))

    for x, y in zip(dense, sparse, strict=True):
        assert y.indices.tolist() == top(x.tolist(), 15)
        assert np.array_equal(y.values, x[y.indices])


@pytest.mark.parametrize(
    ("args", "kept"),
    [
        ([], 100),
        (["--density", "0.1%"], 10),
        (["--density", "0.01"], 100),
        (["--density", ".29"], 2900),  # 0.29 * 10000 is 2899.999... in floats
        (["--density", "0.07%", "--size", 10_000], 7),
        (["--density", "100%", "--size", 30], 30),
        (["--density", 0], 0),
        (["--keep", 7], 7),
        (["-k", 99, "--size", 30], 30),
        (["--size", 0], 0),
    ],
    ids=str,
)
def test_how_many_are_taken(args, kept):
    """Exactly the part that was asked for, rounded down; never more than there are."""
    assert run("ring_allgather", "--ranks", 2, *args)["sparse"]["entries"] == [kept, kept]


def test_python_may_give_numbers():
    """A float means the decimal fraction that it prints as."""
    report = run_reports.run_report("ring_allgather", 2, size=100, density=0.29)

    assert report is not None
    assert report.extra["run"]["sparse"]["entries"] == [29, 29]


def test_shipped_gradients_by_their_name(tmp_path, monkeypatch):
    """With or without the moment of training; whatever file is called so, unless it is written as a path."""
    monkeypatch.chdir(tmp_path)
    with Path("digits").open("wb") as file:
        np.savez(file, np.zeros((2, 3)))
    page = api.page("ring")

    for name, key, moment in (
        ("digits", None, "step0"),
        ("digits:step300", None, "step300"),
        ("digits", "step30", "step30"),
    ):
        found = run_inputs.vectors(page, 8, run_inputs.Options(file=name, key=key))
        assert all(map(np.array_equal, found, digits(8, moment)))
    for file in ("./digits", Path("digits")):
        assert run_inputs.vectors(page, 2, run_inputs.Options(file=file))[0].size == 3
    for name, size in (("digits:step300", 9610), ("transformer:step30", 11709)):
        assert run("ring_allgather", "--input", name, "--density", "1%", "--ranks", 8)["size"] == size


def test_a_file_of_lists(lists):
    """Is taken as it is; the sums are right, and everything is told."""
    told = run("ring_allgather", "--input", lists, "--ranks", 3)

    assert told["size"] == 8
    assert told["sparse"] == {
        "entries": [2, 3, 0],
        "union": {"min": [0, 2, 3], "max": [3, 3, 3], "mean": ["5/3", "8/3", "3"]},
        "density": "3/8",
        "dense_ring": {"words": [10, 11, 11], "bytes": [80, 88, 88]},
        "ratio": {"words": {"most": "10/11", "all": "5/8"}, "bytes": {"most": "15/22", "all": "15/32"}},
        "steps": [{"entries": [0, 3], "encodings": {"pairs": 3}, "bytes": 60}] * 2,
    }
    assert told["words"] == [2 * (2 + 0), 2 * (3 + 2), 2 * (0 + 3)]
    assert told["bytes"] == [12 * (2 + 0), 12 * (3 + 2), 12 * (0 + 3)]


@pytest.mark.parametrize("kind", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("n", [40, 1 << 40])
def test_bytes_of_the_page_are_those_of_the_messages(kind, n):
    """What is said of real ranks, where nobody counts, is what the world counts."""
    rng = np.random.default_rng(1)
    supports = [np.sort(rng.choice(40, r, replace=False)) for r in range(5)]
    xs = [Sparse(at + n - 40, np.ones(at.size, kind), n) for at in supports]

    counted, said = runs.simulated(PAGE, TARGET, xs), runs.reference(PAGE, xs)

    assert not counted.flaws
    assert (counted.messages, counted.words, counted.bytes) == (said.messages, said.words, said.bytes)


@pytest.mark.parametrize(("p", "n"), [(1, 10), (3, 7), (4, 0), (5, 12)])
def test_the_dense_ring_beside_it_is_what_a_run_of_it_sends(p, n):
    """Rank by rank."""
    sparse, dense = (run(name, "--ranks", p, "--size", n) for name in ("ring_allgather", "ring"))

    assert sparse["sparse"]["dense_ring"] == {"words": dense["words"], "bytes": dense["bytes"]}


def test_infinities_that_cancel_are_no_fault(tmp_path):
    """The sum is NaN on both sides, without a warning."""
    np.savez(tmp_path / "inf.npz", n=2, indices0=[1], values0=[np.inf], indices1=[1], values1=[-np.inf])

    assert run("ring_allgather", "--input", tmp_path / "inf.npz", "--ranks", 2)["sparse"]["density"] == "1/2"


WRONG = """
from sparring.sparse import Sparse

def lossy(comm, x):
    return Sparse(x.indices[:-1], x.values[:-1], x.n)
"""


def test_a_wrong_sum_is_refuted(tmp_path):
    """The first rank and index are named."""
    (tmp_path / "wrong.py").write_text(WRONG)
    xs = run_inputs.vectors(PAGE, 1, run_inputs.Options(size=50, keep=3))

    (flaw,) = runs.simulated(PAGE, f"{tmp_path / 'wrong.py'}:lossy", xs).flaws

    assert f"rank 0 has nothing at index {xs[0].indices[-1]}, the reference an entry" in flaw.detail


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["ring_allgather", "-k", -1], "--keep -1: it must be 0 or more"),
        (["ring_allgather", "-k", 1, "--density", "1%"], "--density and --keep exclude each other"),
        (["ring_allgather", "--density", "101%"], "--density 101%: it must be from 0 to 1, or 0% to 100%"),
        (["ring_allgather", "--density", "2"], "--density 2: it must be from 0 to 1, or 0% to 100%"),
        (["ring_allgather", "--density", "-1%"], "--density -1%: it must be from 0 to 1, or 0% to 100%"),
        (["ring_allgather", "--density", "one"], "--density one: no number; write a part such as 0.01 or 1%"),
        (["ring_allgather", "--density", ""], "--density : no number"),
        (["ring_allgather", "--density", "nan"], "--density nan: no number"),
        (["ring_allgather", "--density", "1e999999999"], "--density 1e999999999: no number"),
        (["ring_allgather", "--density", "9" * 5000], f"--density {'9' * 60}: no number"),
        (["ring", "--density", "1%"], "ring takes whole vectors: --density is for algorithms that take sparse ones"),
        (["ring", "-k", 3], "ring takes whole vectors: --keep is for algorithms that take sparse ones"),
        (["ring", "--key", "x"], "--key x: no file to look into; right: together with --input"),
        (["ring", "--size", 10**18], f"--size {10**18}: so many entries do not fit into memory"),
        (["ring_allgather", "--input", "lists.npz"], "lists.npz: holds vectors for 3 ranks; 4 are asked for"),
        (["ring_allgather", "--input", "lists.npz", "--ranks", 3, "-k", 1],
         "lists.npz: its vectors are sparse already; right: without --density and --keep"),
        (["ring", "--input", "lists.npz"], "lists.npz: no vectors to reduce"),
        (["ring_allgather", "--input", "digits:step1"], "no entry 'step1'; there are step0, step30, step300"),
        (["ring_allgather", "--input", "digits", "--ranks", 9], "holds vectors for 8 ranks; 9 are asked for"),
        (["ring", "--input", "digits:step0", "--key", "step30"],
         "--input digits:step0 and --key step30 exclude each other"),
        (["ring_allgather", "--input", "nan.npz", "--ranks", 2, "--no-nan"],
         "rank 1: entry 2 is NaN, which --no-nan refuses"),
        (["ring", "--input", "nan.npz", "--ranks", 2, "--no-nan"], "rank 1: entry 2 is NaN, which --no-nan refuses"),
        (["ring_allgather", "-P", "allow_nan=false"], "page ring_allgather has no parameter 'allow_nan'"),
    ],
    ids=lambda x: " ".join(str(a)[:12] for a in x) if isinstance(x, list) else None,
)  # fmt: skip
def test_what_cannot_be_is_refused(args, sentence, lists, monkeypatch):
    """In one sentence, exit code 2, and nothing is printed."""
    monkeypatch.chdir(lists.parent)
    np.savez("nan.npz", np.array([[1.0, 2.0, 3.0], [1.0, 2.0, np.nan]]))

    assert sentence in refused("run", *args)


def test_nan_is_taken_first_unless_it_is_refused(tmp_path):
    """As selection has it."""
    np.savez(tmp_path / "nan.npz", np.array([[1.0, np.nan, 3.0]]))

    (x,) = run_inputs.vectors(PAGE, 1, run_inputs.Options(file=tmp_path / "nan.npz", keep=1))

    assert x.indices.tolist() == [1]


@pytest.mark.parametrize("width", [80, 120])
def test_it_is_readable(width, monkeypatch):
    """Nothing wraps, and the tables say what the envelope says."""
    monkeypatch.setenv("COLUMNS", str(width))
    text = called("run", "ring_allgather", "--input", "digits:step300", "--ranks", 8)[1]
    lines = [line.rstrip() for line in text.splitlines()]

    assert max(map(len, lines)) <= width
    assert "present    96 of them a rank, 470 in the sum: 4.89 %" in lines
    assert "words at most a rank   1344       16818        0.0799" in lines
    assert "8 ranks     470.0   4.89 %          470  ████████████████████████" in lines


@pytest.mark.parametrize("density", ["0.1%", "1%", "10%", "30%"])
def test_the_sparse_ring_on_gradients(density):
    """Bytes as the formula says, step by step, and never more than the dense ring's and headers."""
    told = run("ring_sparse", "--input", "digits:step300", "--ranks", 8, "--density", density)
    steps, dense = told["sparse"]["steps"], told["sparse"]["dense_ring"]["bytes"]

    assert sum(told["bytes"]) == sum(step["bytes"] for step in steps)
    assert len(steps) == 14
    assert all(sum(step["encodings"].values()) == 8 for step in steps)
    assert all(sent <= most + 8 * 14 for sent, most in zip(told["bytes"], dense))
    headers = 8 * sum(told["messages"])
    assert sum(told["bytes"]) - headers < sum(told["sparse"]["ring_allgather"]["bytes"])


def test_other_bytes_than_the_formulas_are_refuted():
    """A page that says too little, which its implementation cannot keep to."""
    page = sparring.page("ring_sparse")
    short = replace(page, octets=lambda m, size, w: page.octets(m, size, w) - 1)
    xs = [Sparse([r, 5], [1.0, 2.0], 8) for r in range(3)]

    (flaw,) = runs.simulated(short, "sparring.impl.ring_sparse:allreduce", xs).flaws

    assert flaw.property == "volume"
    assert "rank 0 sends" in flaw.detail
    assert runs.simulated(page, "sparring.impl.ring_sparse:allreduce", xs).flaws == []


def test_many_ranks_are_shown_at_powers_of_two():
    """And all of them in the envelope."""
    args = ["ring_allgather", "--ranks", 12, "-k", 5, "--size", 50]
    text = called("run", *args)[1]

    assert [line.split(" ")[0] for line in text.splitlines() if " rank" in line[:8]] == ["1", "2", "4", "8", "12"]
    assert len(run(*args)["sparse"]["union"]["mean"]) == 12


def test_a_page_of_ones_own(tmp_path, monkeypatch):
    """Has no implementation here: the reference alone runs."""
    source = Path(sparring.__file__).parent / "spec" / "ring_allgather.py"
    (tmp_path / "mine.py").write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    told = run("./mine.py", "-k", 5)

    assert (told["on"], told["words"]) == ("the reference alone", [30] * 4)


def test_a_selector_without_an_implementation_is_refused(tmp_path):
    """The page could run; what it is compared with could not."""
    source = Path(sparring.__file__).parent / "spec" / "selectors" / "topk.py"
    (tmp_path / "mine.py").write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    told = "mine.py has no implementation that can run; right: one of gaussian, sampled, sidco, threshold, topk, or"

    assert told in refused("run", "error_feedback", "-P", f"selector={tmp_path / 'mine.py'}")
    assert told in refused("run", "error_feedback", "--selector", tmp_path / "mine.py")
