"""``sparring.selection``, and its row in ``sparring verify``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import sparring
from sparring.errors import InputError
from sparring.impl import ring_topk
from sparring.proofs.logic.verdicts import Word
from sparring.verification import algorithm, plans

OURS = "sparring.impl.ring_topk:Allreduce"
PAGE = sparring.page("ring_topk")
MINE = """
import numpy as np


def choose(x, k):
    return sorted(sorted(range(len(x)), key=lambda i: -abs(x[i]))[:k])


class Largest:
    def __init__(self, comm, n, k, factor=1):
        self.comm, self.k, self.factor = comm, k, factor
        self.residual = np.zeros(n)

    def __call__(self, x):
        waiting = x + self.residual
        at = choose(waiting, self.k)
        total = sum(self.comm.allgather(np.where(np.isin(np.arange(len(x)), at), waiting, 0)))
        waiting[at] = 0
        self.residual = waiting * self.factor
        return total
"""


@pytest.fixture
def mine(tmp_path):
    """The file of a correct target."""
    file = tmp_path / "mine.py"
    file.write_text(MINE, encoding="utf-8")
    return f"{file}:Largest"


def only(report):
    """The one result."""
    (result,) = report.results
    return result


def test_a_report_says_what_was_exhausted():
    """In words, and as JSON."""
    report = sparring.selection(OURS, "ring_topk", ranks=[1, 2], n=2, k=1)
    assert (str(only(report).verdict), report.verdict, report.exit_code) == ("proved for p <= 2", "holds", 0)
    sizes = "n <= 2, k <= 1, 2 calls, 15 cells"
    assert only(report).detail == f"every real input, ties included: {sizes}; floats not covered"
    told = json.loads(report.to_json())["selection"]
    assert told == {"target": OURS, "page": "ring_topk", "ranks": [1, 2], "n": 2, "k": 1, "calls": 2}


def test_some_ranks_alone_are_not_all_up_to_them():
    """Then it is so many cells, and which ranks."""
    result = only(sparring.selection(OURS, "ring_topk", ranks=[2], n=2, k=1, calls=1))
    assert result.verdict.word is Word.TESTED
    assert result.detail.endswith("one call, 6 cells; floats not covered; p = 2")


@pytest.mark.parametrize("selectors", [[], ["choose"]])
def test_a_target_in_a_file(mine, selectors):
    """Whether or not its selector is named; other parameters go to it as they are."""
    options = {"ranks": [1, 2], "n": 2, "k": 1, "calls": 1, "selectors": selectors}
    assert only(sparring.selection(mine, **options)).verdict.word is Word.PROVED_UP_TO
    wrong = only(sparring.selection(mine, factor=2, **options))
    assert (wrong.verdict.word, wrong.witness["p"], wrong.witness["calls"]) == (Word.REFUTED, 1, 1)
    assert "was put in; the results and residuals have" in wrong.detail


def test_a_named_selector_makes_fewer_cells(mine):
    """Of three entries 3 sets instead of 13 orders, on one rank; of two ranks the square of it, which is too much."""
    options = {"ranks": [1, 2], "n": 3, "k": 1, "calls": 1, "budget": 100}
    assert only(sparring.selection(mine, selectors=["choose"], **options)).verdict.word is Word.PROVED_UP_TO
    open_ = only(sparring.selection(mine, **options))
    assert (open_.verdict.word, "explored, not exhausted" in open_.detail) == (Word.UNDECIDED, True)


def test_a_target_itself():
    """A class that no other process could import; a function, which keeps nothing."""

    class Nothing:
        def __init__(self, comm, n):
            self.residual = np.zeros(n)

        def __call__(self, x):
            self.residual = self.residual + x
            return np.zeros_like(x)

    def doubled(comm, x):
        return 2 * x

    assert only(sparring.selection(Nothing, k=None, ranks=[1, 2], n=2)).verdict.word is Word.PROVED_UP_TO
    assert only(sparring.selection(doubled, k=None, ranks=[1, 2], n=2)).verdict.word is Word.REFUTED


BAD = {
    "no such rank": ({"ranks": [0, 1]}, "ranks: 0; right: at least 1"),
    "no rank": ({"ranks": []}, "ranks: 0; right: at least 1"),
    "negative n": ({"n": -1}, "n: -1; right: at least 0"),
    "negative k": ({"k": -1}, "k: -1; right: at least 0"),
    "no call": ({"calls": 0}, "calls: 0; right: at least 1"),
    "a page that sends all": ({"page": "ring"}, "page ring selects nothing by value"),
    "a page without its k": ({"page": "ring_topk", "k": None}, "page ring_topk has a parameter k"),
    "no such page": ({"page": "ring_top"}, "did you mean 'ring_topk'"),
    "no such selector": ({"selectors": ["chose"], "ranks": [1], "n": 1}, "has no function 'chose'"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_sentence(mine, name):
    """That says what is wrong, where, and what would be right."""
    options, words = BAD[name]
    with pytest.raises(InputError, match=words.replace("(", r"\(")) as raised:
        sparring.selection(mine, **options)
    assert "\n" not in str(raised.value)


def test_verify_has_a_row_of_it():
    """Where entries are selected; for other ranks it says what is tried."""
    target = algorithm.find_target(PAGE)
    assert target == OURS
    row = algorithm.selection(PAGE, target, plans.plan([1, 8], False, "simulated"), lambda items, _: items)
    assert str(row["selection"].verdict) == "proved for p <= 1"
    assert row["selection"].detail.startswith("every real input, ties included: n <= 4, k <= 2, 2 calls, ")
    large = plans.plan([8], False, "simulated")
    assert algorithm.selection(PAGE, target, large, lambda items, _: items) == {}
    assert algorithm.missing(PAGE, target, large)("selection") == "every input is tried on at most 3 simulated ranks"
    assert "selection" in algorithm.applicable(PAGE)
    assert "selection" not in algorithm.applicable(sparring.page("ring_sparse"))


def test_verify_refutes_a_planted_bug(tmp_path):
    """In the row, with the smallest sizes that show it."""
    file = tmp_path / "mine.py"
    code = Path(ring_topk.__file__).read_text(encoding="utf-8")
    file.write_text(code.replace("here[largest.indices] = 0", "pass"), encoding="utf-8")
    plan = plans.plan([1, 2], False, "simulated")
    row = algorithm.selection(PAGE, f"{file}:Allreduce", plan, lambda items, _: items)
    assert row["selection"].verdict.word is Word.REFUTED
    assert row["selection"].detail.startswith("p=1 n=1 k=1: after call 1, rank 0's residual at index 0 is ")
