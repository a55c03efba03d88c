"""Contracts: reducers that keep them pass, and each planted fault falsifies just what it breaks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from sparring.checks import contracts
from sparring.checks.checking import check
from sparring.checks.examples import contract_draws
from sparring.errors import InputError
from sparring.proofs.logic.verdicts import Word
from tests.sparring.calling import called
from tests.sparring.checks.refuting import detail, failed, replayed
from tests.sparring.checks.suites import REDUCERS, allowed

ROOT = Path(__file__).parents[3]
FILE = Path(__file__).with_name("reducers.py")
SOME = {"k": "1-6"}
ENOUGH = 25
"""Examples that show each of the faults."""
HOLDS = {
    "TopK": ("error-feedback:entries=p*k", SOME),
    "Mean": ("error-feedback:mean=1", {"k": "0-6"}),
    "Sparse": ("error-feedback:entries=p*k", SOME),
    "TopK, as a contraction": ("contraction", SOME),
    "Agreed": ("error-feedback:entries=k", SOME),
    "Dithered": ("unbiased", {}),
    "RandomK": ("unbiased", SOME),
    "rounded": ("bounded-error:bound=0.5", {"n": "0-9"}),
    "mean": ("mean", {}),
    "total": ("sum", {}),
    "total_of_sparse": ("sparse-sum", {}),
}


def report(name: str, contract: str, draw: Mapping[str, Any], **how: Any):
    """The verdicts on one of the file."""
    return check(f"{FILE}:{name.partition(',')[0]}", contract=contract, draw=draw, **how)


@pytest.mark.parametrize("name", HOLDS)
def test_what_keeps_its_contract_holds(project, name):
    """All that the contract speaks of is tested."""
    found = report(name, *HOLDS[name], max_examples=20, ranks=[1, 2, 3, 5])
    assert found.verdict == "holds"
    wanted = found.results if contracts.parsed(HOLDS[name][0]).iterated else found.results[:1]
    assert all(str(result.verdict).startswith("tested") for result in wanted)


@pytest.mark.parametrize("name", REDUCERS.defects)
def test_what_breaks_it_is_refuted(project, unshrunk, name):
    """In what it breaks; what else then fails, too, is told beside it."""
    defect = REDUCERS.defects[name]
    options = REDUCERS.options(defect)
    few = 10 if len(options["draw"]) > 1 else ENOUGH
    ranks = None if "many ranks" in defect.refuted else range(1, 5)
    found = check(REDUCERS.wrong(defect), **options, max_examples=few, ranks=ranks)
    assert defect.refuted <= failed(found).keys() <= allowed(defect)


def test_the_smallest_is_told(project, tmp_path, monkeypatch):
    """Few ranks, entries and calls, and a script that fails by itself."""
    monkeypatch.chdir(tmp_path)
    only = ["conservation"]
    draw = {"k": "1-6", "n": "1-6", "warm-up": 32}
    late = failed(report("ForgetsLate", "error-feedback", draw, only=only, max_examples=20))["conservation"]
    assert re.match(
        r"p=1 n=2 k=1 float64, 33 calls: in call 33 at index \d: -?[0-9.]+ was put in, the results have", late
    )
    tree = failed(report("Tree", "error-feedback", SOME, ranks=[1, 2, 4, 8], only=only, max_examples=20))[
        "conservation"
    ]
    assert tree.startswith("p=4 n=4 k=")
    assert replayed("conservation").startswith("refuted: conservation at p=4")


def test_a_mean_that_is_off_fails_again(project, tmp_path, monkeypatch):
    """The script plays as many calls as the check."""
    monkeypatch.chdir(tmp_path)
    assert failed(report("Unscaled", "unbiased", SOME, max_examples=ENOUGH, ranks=[1, 2])).keys() == {"expectation"}
    assert replayed("expectation").startswith("refuted: expectation at p=1")


def test_what_is_seldom_sent_is_right_on_average(project):
    """One of many entries may come in none of a thousand calls."""
    assert report("RandomK", "unbiased", SOME, only=["expectation"]).verdict == "holds"


@pytest.mark.mpi
@pytest.mark.parametrize(("name", "props"), [("TopK", set()), ("Forgets", {"conservation"})])
def test_so_it_is_on_real_ranks(launcher, unshrunk, name, props):
    """With what a rank shows of what it keeps."""
    found = report(name, "error-feedback", SOME, on="mpi", ranks=[1, 2], max_examples=10)
    assert failed(found).keys() == props


UNSHOWN = {
    "Hides": ("error-feedback", SOME, "conservation", "shows no residual"),
    "total": ("error-feedback", {}, "conservation", "a function keeps nothing"),
    "Hides, after a warm-up": ("contraction", {**SOME, "warm-up": 1}, "contraction", "shows no residual"),
}


@pytest.mark.parametrize("name", UNSHOWN)
def test_where_nothing_is_shown_nothing_is_said(project, name):
    """Of a function, and of a class that hides what it keeps; the rest is tested."""
    contract, draw, prop, why = UNSHOWN[name]
    told = {r.property: r for r in report(name, contract, draw, max_examples=20).results}
    assert told[prop].verdict.word is Word.NOT_COVERED and why in told[prop].detail
    assert str(told["result"].verdict).startswith("tested")


def test_the_first_result_on_one_rank_shows_a_contraction(project):
    """Also of what hides what it keeps; two ranks do not."""
    told = {r.property: r for r in report("Hides", "contraction", SOME, ranks=[1, 2], max_examples=40).results}
    number = re.fullmatch(r"tested \((\d+) examples\)", str(told["contraction"].verdict))
    assert number and 0 < int(number[1]) < 40


def test_a_number_that_is_given_is_at_the_edge_of_shorter_vectors(project):
    """As one that is drawn; and it is not given twice."""
    assert failed(report("NeedsRoom", "error-feedback", {}, k=4, ranks=[1, 2, 3], max_examples=60)).keys() == {
        "edge sizes"
    }
    with pytest.raises(InputError, match=r"k is given twice, by -P k=4 and --draw k"):
        report("TopK", "error-feedback", SOME, k=4)


def test_lines_tell_the_dtypes(project):
    """Those that were asked for."""
    found = report("TopK", "error-feedback", SOME, dtypes=["float32"], ranks=[1, 2], max_examples=5)
    assert detail(found, "dtypes") == "the same for float32, in the same dtype"


def test_of_a_long_span_all_parts_are_drawn():
    """The ends, the middle, and around the number of ranks."""
    few = contract_draws.some((0, 10_000), near=300)
    assert len(few) < 200 and max(b - a for a, b in pairwise(few)) <= 101
    assert {0, 1, 299, 301, 10_000} <= {*few}
    assert contract_draws.some((3, 9)) == [*range(3, 10)]


@pytest.mark.parametrize(("n", "props"), [("9-64", set()), ("1-64", {"edge sizes"})])
def test_the_adapter_of_the_documentation(project, n, props):
    """Code with state in a class, a queue and the world: it keeps its contract where there are entries enough."""
    adapter = f"{ROOT / 'examples/reducers/adapter.py'}:Adapter"
    found = check(
        adapter,
        contract="error-feedback:mean=1,entries=p*k",
        draw={"n": n, "k": "1-8"},
        ranks=[1, 2, 3],
        max_examples=40,
    )
    assert failed(found).keys() == props


BAD = {
    "no such contract": (("--contract", "eror-feedback"), "did you mean 'error-feedback'"),
    "no such setting": (("--contract", "unbiased:delta=1"), "unbiased has no setting 'delta'; it has mean"),
    "no number": (("--contract", "contraction:delta=2"), "delta=2: it must be a number from 0 to below 1"),
    "no bound": (("--contract", "bounded-error"), "say how far off, bounded-error:bound=1e-3"),
    "no k": (("--contract", "contraction"), "say how many entries are kept, -P k=8 or --draw k=1-8"),
    "k is none": (("--contract", "contraction", "-P", "k=-1"), "k = -1: it must be a whole number, 0 or more"),
    "two questions": (("--contract", "mean", "--algorithm", "ring"), "leave out ring, or the contract"),
    "integers": (("--contract", "mean", "--dtype", "int32"), "int32 is none of float32 and float64"),
    "sparse": (("--contract", "unbiased", "--sparse"), "its targets take arrays"),
    "no contract": (("--draw", "n=1-4"), "bounds are for a contract of several calls"),
    "one call": (("--contract", "mean", "--draw", "n=1-4"), "bounds are for a contract of several calls"),
    "no span": (("--contract", "unbiased", "--draw", "n=4-1"), "it must be a span from 0 to 1000000"),
    "no number of calls": (("--contract", "unbiased", "--draw", "calls=few"), "write a whole number or a span"),
    "nothing drawn": (("--contract", "unbiased", "--draw", "m=1"), "no 'm' is drawn; there are n, k, calls, warm-up"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_question_that_cannot_be_is_refused(what):
    """In a sentence."""
    words, sentence = BAD[what]
    code, _, error = called("check", f"{FILE}:TopK", *words)
    assert code == 2
    assert sentence in error.replace("\n", " ")


def test_bounds_stand_in_a_file_and_in_tests(project, tmp_path):
    """As on the command line; a kind of examples of which none is within them is not covered."""
    (tmp_path / "pyproject.toml").write_text(
        '[tool.sparring]\ncontract = "error-feedback:entries=p*k"\ndraw = {n = "9-12", k = 2}\nmax-examples = 15\n',
        encoding="utf-8",
    )
    one = f'@sparring.conformance("{FILE}:{{0}}", ranks=range(1, 5))\ndef test_{{0}}(check): check()\n'
    start = "import sparring\nfrom sparring.checks import engine\nengine.SHRINKING = 0.0\n"
    done = project(start + one.format("TopK") + one.format("Forgets")).stdout
    assert "FAILED test_mine.py::test_Forgets[conservation]" in done and "FAILED test_mine.py::test_TopK" not in done
    assert done.count("PASSED test_mine.py::test_TopK") == 11 and "none is within the bounds, n=9-12, k=2" in done
    (tmp_path / "pyproject.toml").write_text(
        '[tool.sparring]\ncontract = "sparse-sum"\nmax-examples = 10\n', encoding="utf-8"
    )
    sums = project(start + one.format("total_of_sparse")).stdout
    assert "test_total_of_sparse[edge-sizes]" in sums and "other-arrays" not in sums and " failed" not in sums


def test_what_a_target_prints_is_kept_from_the_screen(target):
    """And its last line is shown with what is wrong."""
    source = "def allreduce(comm, x):\n    print('half', 'way')\n    return x\n"
    code, screen, _ = called("check", target(source), "--only", "result", "--ranks", 2, "--max-examples", 5)
    assert code == 1
    assert "it printed: half way. Run: python" in " ".join(screen.split())
    assert not any(line.startswith("half way") for line in screen.splitlines())
