"""Selectors on the command line: shown, in front of an algorithm that is run, and beside one that is checked."""

from __future__ import annotations

from typing import Any

import pytest

import sparring
from sparring.checks import pytesting
from sparring.errors import InputError
from tests.sparring.calling import called, envelope_of, refused

OURS = "sparring.impl.gtopk:Allreduce"
WRONG = """
from sparring.impl.gtopk import Allreduce


class Deaf(Allreduce):
    def __init__(self, comm, n, k, selector, period):
        super().__init__(comm, n, k=k)
"""


def test_show_tells_of_a_selector():
    """Its prose without examples, its formulas, and how many entries it takes."""
    shown = envelope_of("show", "threshold", "-P", "k=7", "-P", "drift=2")
    assert shown["bounds"] == {"entries": 10000, "least": 5, "most": 9}
    assert shown["parameters"] == {"k": 7, "period": 32, "drift": 2}
    assert "Ok-Topk's" in shown["prose"]
    assert ">>>" not in shown["prose"]
    assert [text.split("(")[0] for text in shown["formulas"]] == ["def state", "def select", "def least", "def most"]

    text = called("show", "topk")[1]
    assert "topk: Exact top-k." in text
    assert "With k=100: of 10000 entries exactly 100." in text
    text = called("show", "gaussian")[1]
    assert "def threshold(" in text  # what its formulas are made with
    assert "at least 0 and at most 10000." in text


def test_run_with_a_selector_in_front():
    """Of an algorithm that selects by itself: the reference's bits, and as many words as without it."""
    bare, done = (
        envelope_of("run", "gtopk", "-P", "k=20"),
        envelope_of("run", "gtopk", "--selector", "gaussian", "-P", "k=20"),
    )
    assert done["results"][0]["verdict"] == "tested (1 example)"
    assert done["run"]["selector"] == "gaussian"
    assert "selector" not in bare["run"]
    assert done["run"]["words"] == bare["run"]["words"]


def test_run_on_what_a_selector_takes():
    """Of an algorithm that is given entries: those of the selector, with its own parameters."""
    done = envelope_of(
        "run", "ring_sparse", "--selector", "sampled", "--size", 900, "-k", 30, "-P", "stride=4", "-P", "limit=9"
    )
    assert done["run"]["sparse"]["entries"] == [9] * 4
    text = called("run", "ring_allgather", "--selector", "gaussian")[1]
    assert "selector   gaussian" in text


def test_check_with_a_selector(tmp_path):
    """Ours holds; code that is deaf to it is refuted."""
    (tmp_path / "mine.py").write_text(WRONG, encoding="utf-8")
    options = ["--algorithm", "gtopk", "--selector", "threshold", "-P", "period=2", "--max-examples", 30]
    options += ["--ranks", "1-3", "--only", "result"]
    assert envelope_of("check", OURS, *options)["verdict"] == "holds"
    assert envelope_of("check", f"{tmp_path}/mine.py:Deaf", *options, code=1)["results"][0]["property"] == "result"


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["show", "topk", "--svg", "x.svg"], "topk is a selector: each rank has its own"),
        (["show", "topk", "-P", "period=2"], "page topk has no parameter 'period'; it has k"),
        (["run", "ring", "--selector", "topk"], "page ring takes no selector: right is one that selects entries"),
        (["run", "oktopk", "--selector", "topk"], "page oktopk takes no selector"),
        (["run", "gtopk", "--selector", "top"], "no selector 'top'; did you mean 'topk'?"),
        (["run", "ring_sparse", "--selector", "top"], "no selector 'top'"),
        (
            ["run", "ring_sparse", "--selector", "topk", "-P", "stride=2"],
            "no parameter 'stride': selector 'topk' has k",
        ),
        (["check", OURS, "--selector", "topk"], "--selector: only an algorithm that selects takes one"),
        (["check", OURS, "--algorithm", "ring", "--selector", "topk"], "--selector: only an algorithm that selects"),
        (["check", OURS, "--algorithm", "oktopk", "--selector", "topk"], "page oktopk takes no selector"),
    ],
)
def test_what_is_refused(args, sentence):
    assert sentence in refused(*args)


@pytest.mark.slow
def test_the_selector_may_stand_in_the_file(tmp_path, monkeypatch):
    """As other options of check do."""
    (tmp_path / "pyproject.toml").write_text('[tool.sparring]\nselector = "threshold"\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(WRONG, encoding="utf-8")
    options = ["--algorithm", "gtopk", "--max-examples", 30, "--ranks", "1-3", "--only", "result", "-P", "period=2"]
    assert envelope_of("check", f"{tmp_path}/mine.py:Deaf", *options, code=1)["verdict"] == "refuted"


@pytest.mark.slow
def test_a_decorated_test_has_the_files_selector(tmp_path):
    """And what stands beside a page that takes none is refused when the test is collected."""
    file = tmp_path / "mine.py"
    file.write_text(WRONG, encoding="utf-8")
    said = {"page": "gtopk", "selector": "threshold", "params": {"period": 2}, "ranks": [1, 2, 3], "max_examples": 30}
    made: Any = pytesting.tests(f"{file}:Deaf", {**said, "only": ["result"]})
    (case,) = made.args[1]
    with pytest.raises(sparring.Refuted, match="result"):
        case.values[0]()
    with pytest.raises(InputError, match="page oktopk takes no selector"):
        pytesting.tests(OURS, {"page": "oktopk", "selector": "topk"})
