"""verify and list know the selectors; a wrong page or wrong code of one is refuted, on all inputs or on numbers."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from types import ModuleType

import numpy as np
import pytest
from click.testing import CliRunner

import sparring
from sparring import api
from sparring.cli import cli
from sparring.impl.selectors import gaussian, threshold, topk
from sparring.proofs.logic.verdicts import Word
from sparring.spec.core.numbers import evaluate
from sparring.spec.core.selectors import find, load
from sparring.symbolic_execution.selectors import Size, everywhere, on_numbers
from sparring.verification import selector
from sparring.verification.selector import PLANTED, SELECTING, verify_selector
from tests.sparring.calling import envelope_of, refused
from tests.sweeps import sweep, third


@pytest.fixture(autouse=True)
def nothing_is_recalled():
    """But where a test asks for it: what is planted here is judged by functions that keep nothing."""


@pytest.fixture
def quick(monkeypatch):
    """Fewer sizes and shorter vectors, so that many are tried."""
    monkeypatch.setattr(selector, "CALLED", {1: 3, 2: 2})
    monkeypatch.setattr(selector, "LENGTHS", (2, 9))
    monkeypatch.setattr(selector, "SHORT", ((20, 4, (2, 5)),))
    monkeypatch.setattr(selector, "LONG", ((300, 1, (20,)),))


def words(name: str) -> dict[str, Word]:
    return {r.property: r.verdict.word for r in verify_selector(find(name))}


@pytest.mark.parametrize("name", sweep(api.selectors(), few=["topk"]))
def test_every_selector_holds(name):
    """By proof where forms can follow its code, else by examples; each property has its planted fault.

    What was found of the same code before is told again.
    """
    results = api.verify(name, keep=True).results
    exact = Word.TESTED if name in ("gaussian", "sidco") else Word.PROVED_AT
    left = Word.NOT_COVERED if name in ("gaussian", "sidco") else Word.PROVED_AT
    told = Word.TESTED
    assert [r.verdict.word for r in results] == [exact, exact, left, told, told, told, told]
    assert [r.property for r in results] == list(SELECTING)
    assert all(r.planted == PLANTED[r.property].told for r in results if r.verdict.word is not Word.NOT_COVERED)


@pytest.mark.slow  # hundreds of cells
def test_all_inputs_of_three_entries_in_two_calls():
    """Of the selector that remembers most."""
    sizes = [Size(3, 1, 2, {"period": 2}), Size(3, 2, 2, {"period": 3, "drift": 1})]
    found = everywhere(partial(load, find("threshold").module), threshold.Selector, sizes)
    assert (list(found.flaws), found.trouble) == ([], None)


PAGES = {
    "strictly above": ("bounds", {"select": lambda x, state: [i for i in range(len(x)) if abs(x[i]) > 1]}),
    "the last entries": ("order", {"select": lambda x, state: [*range(len(x))][-1:]}),
    "one more is promised": ("bounds", {"least": lambda n: n + 1}),
}


@pytest.mark.parametrize("name", third(PAGES))
def test_a_wrong_page_is_refuted(name, quick, monkeypatch):
    """Whatever it says of itself."""
    prop, formulas = PAGES[name]
    page = find("topk", k=1)
    monkeypatch.setattr(selector, "load", lambda module, **params: replace(load(module, **params), **formulas))
    found = {r.property: r for r in verify_selector(page)}
    assert found[prop].verdict.word is Word.REFUTED
    assert "the page takes" in found[prop].detail


def test_wrong_code_is_refuted(quick, monkeypatch):
    """A threshold that is never evaluated anew."""
    right = threshold.Selector.__init__

    def never(self, **params):
        right(self, **{**params, "period": 99})

    monkeypatch.setattr(threshold.Selector, "__init__", never)
    monkeypatch.setattr(selector, "CALLED", {1: 3})
    assert words("threshold")["selection"] is Word.REFUTED


@pytest.mark.slow
def test_wrong_code_is_refuted_on_numbers(quick, monkeypatch):
    """A selector with another factor, of which no form says anything."""
    monkeypatch.setattr(gaussian, "FACTOR", 1.5)
    found = words("gaussian")
    assert (found["selection"], found["order"], found["dtypes"]) == (Word.NOT_COVERED, Word.TESTED, Word.REFUTED)


def test_a_check_that_accepts_everything_is_not_believed(quick, monkeypatch):
    """Its planted fault is not found, and so it says."""
    monkeypatch.setattr(selector, "concerns", lambda flaw, prop: False)
    assert {*words("topk").values()} == {Word.UNDECIDED}


def test_too_many_cells_are_undecided(quick, monkeypatch):
    """And what is seen on numbers is tested."""
    monkeypatch.setattr("sparring.symbolic_execution.selectors.BUDGET", 20)
    found = words("topk")
    assert (found["selection"], found["order"]) == (Word.UNDECIDED, Word.TESTED)


def test_a_selector_without_implementation_is_not_covered():
    """As an algorithm's is."""
    mine = ModuleType("mine")
    vars(mine).update(vars(find("topk").module))
    mine.__name__ = "mine"
    assert {r.verdict.word for r in verify_selector(load(mine))} == {Word.NOT_COVERED}


def test_bits_of_values_count():
    """A selector that changes a value is as wrong as one that takes another entry."""

    class Doubled(topk.Selector):
        def __call__(self, x):
            y = super().__call__(x)
            return y.having(y.indices, y.values * 2)

    (flaw,) = on_numbers(partial(load, find("topk").module), Doubled, [np.array([3.0, 1.0])], 1, {})
    assert flaw.property == "selection"


def answered(*command: str, code: int = 0) -> str:
    """What the command writes; by default it holds."""
    done = CliRunner(env={"COLUMNS": "120"}).invoke(cli, command)
    assert done.exit_code == code, done.output
    return done.stdout


@pytest.mark.slow
def test_verify_takes_them_by_name(proved_once):
    """Alone or beside algorithms, each in its own matrix."""
    rows = [line.split("  ")[0] for line in answered("verify", "topk").splitlines()]
    assert [row for row in rows if row in SELECTING] == list(SELECTING)
    envelope = json.loads(answered("verify", "topk", "ring", "--ranks", "1", "--jobs", "1", "--json"))
    assert envelope["selectors"]["topk"]["order"] == "proved for p = 1"
    assert [*envelope["algorithms"]] == ["ring"]
    assert "selectors" not in sparring.verify("ring", ranks=[1]).extra


@pytest.mark.parametrize("name", api.selectors())
def test_the_bounds_are_a_promise_that_can_be_kept(name):
    """At least is never more than at most, nor is either outside 0 to n."""
    for k in (0, 1, 5, 100):
        page = find(name, k=k)
        for n in range(120):
            assert 0 <= evaluate(page.least(n)) <= evaluate(page.most(n)) <= n


MINE = """
import numpy as np
from sparring.sparse import Sparse


class Mine:
    def __init__(self, k=100, period=2):
        self.k, self.period, self.calls, self.least = k, period, 0, None

    def __call__(self, x):
        size = np.abs(x)
        if self.calls % self.period == 0:
            order = np.argsort(-size, kind="stable")[: self.k]
            at = np.sort(order)
            self.least = size[at].min() if len(at) else None
        else:
            at = np.flatnonzero(size >= self.least) if self.least is not None else np.arange(0)
        self.calls += 1
        return Sparse(at, x[at], len(x))
"""
CHANGES = {
    "k - 1": ("at = np.sort(order)", "at = np.sort(order[:-1])"),
    "strictly above": ("size >= self.least", "size > self.least"),
    "raises": ("self.calls += 1", "self.calls += 1 + None"),
    "no Sparse": ("return Sparse(at, x[at], len(x))", "return at"),
}


@pytest.mark.parametrize("name", third(CHANGES))
def test_a_selector_of_ones_own_is_checked(tmp_path, quick, name):
    """By the page of the name that it is said to have; a flaw is an example."""
    (file := tmp_path / "mine.py").write_text(MINE.replace(*CHANGES[name]), encoding="utf-8")
    told = envelope_of("check", f"{file}:Mine", "--algorithm", "threshold", "-P", "period=2", code=1)
    found = {r["property"]: r for r in told["results"]}
    assert found["selection"]["verdict"] == "refuted", found
    assert "period=2" in found["selection"]["detail"]


@pytest.mark.parametrize("option", ["--ranks=4", "--on=mpi", "--only=selection"])
def test_what_says_nothing_of_a_selector_is_refused(option):
    """It would be passed over."""
    told = refused("check", "mine.py:Mine", "--algorithm", "threshold", option)
    assert f"{option.partition('=')[0]} does not go with a selector" in told


def test_a_right_selector_of_ones_own_holds(tmp_path, quick, monkeypatch):
    """On all real inputs; NaN is another matter, which the code does not order as the page does."""
    (file := tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    results = selector.check_selector(f"{file}:Mine", "threshold", period=2).results
    assert {r.verdict.word for r in results} == {Word.PROVED_AT, Word.TESTED}
    monkeypatch.setattr(selector, "LENGTHS", (70,))
    found = answered("check", f"{file}:Mine", "--algorithm", "threshold", "-P", "period=2", code=1)
    assert "the page takes" in found
