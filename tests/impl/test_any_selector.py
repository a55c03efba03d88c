"""Algorithms that keep what they do not send, with every selector: on both sides the same bits, and nothing lost."""

from __future__ import annotations

from itertools import cycle, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparring
from sparring.impl.error_feedback import LOSSLESS
from sparring.proofs.logic.verdicts import Word
from sparring.refinement import running, stateful
from sparring.refinement.comparison import DTYPES
from sparring.refinement.example import Example
from sparring.spec.core.selectors import names
from sparring.world import simulation
from tests.impl.algorithms import called, planted, simulated
from tests.sweeps import sweep, third

SELECTING = [page.name for page in map(sparring.page, sparring.pages()) if page.stateful and not page.composed]
WAYS: dict[str, list[dict[str, Any]]] = {
    "topk": [{}],
    "threshold": [{"period": 2}, {"period": 3, "drift": 1}],
    "sampled": [{"stride": 3, "seed": 1}, {"stride": 2, "limit": 2}],
    "gaussian": [{}],
    "sidco": [{}, {"calls": 1, "first": 600}],
}
CASES = [
    (name, {"selector": selector, **params}) for name in SELECTING for selector, ways in WAYS.items() for params in ways
]
CASES += [
    ("error_feedback", {"allreduce": allreduce, "selector": selector, **WAYS[selector][-1]})
    for allreduce, selector in [*product(LOSSLESS, WAYS)][::3]
]
FIRST = [(name, {"selector": selector, **WAYS[selector][0]}) for name, selector in zip(SELECTING, cycle(WAYS))]
FIRST += [next(case for case in CASES if case[0] == "error_feedback")]
"""Each algorithm and each selector."""


def target(name: str) -> str:
    return f"sparring.impl.{name}:Allreduce"


def flaws(name: str, case: Example, how: dict[str, Any]) -> list[Any]:
    """Of results, residuals and messages of the implementation beside the page."""
    return running.on_calls(sparring.page(name, **how), target(name), case)


def test_every_selector_is_among_them():
    assert {*WAYS} == {*names()}
    assert {"gtopk", "ring_topk", "spardl", "topka2a"} <= {*SELECTING}


@pytest.mark.parametrize(("name", "how"), sweep(CASES, few=FIRST))
def test_the_pages_bits(name, how):
    """And messages, call after call, in all dtypes: n < p, n = 0, ties, NaN, infinities and signed zeros."""
    found = [flaws(name, case, how) for p in (1, 3) for case in stateful.edges([p])]
    assert len(found) == 40
    assert [one for some in found for one in some] == []


@st.composite
def cases(draw: st.DrawFn) -> Example:
    """A few calls of small whole numbers, which add exactly in every dtype."""
    p, n, calls = draw(st.integers(1, 5)), draw(st.integers(0, 25)), draw(st.integers(1, 5))
    rng, dtype = np.random.default_rng(draw(st.integers(0, 2**32 - 1))), draw(st.sampled_from(DTYPES))
    xs = [rng.integers(-9, 10, (calls, n)).astype(dtype) for _ in range(p)]
    return Example(xs, "dtypes", {"k": draw(st.integers(0, n + 2))})


@settings(deadline=None, max_examples=25)
@given(cases(), st.sampled_from([case for case in CASES if case[0] != "error_feedback"]))
def test_nothing_is_lost_on_either_side(case, how):
    """Both sides have the same after each call; and of whole numbers all inputs are all results and what is left."""
    name, params = how
    assert flaws(name, case, params) == []


EXACT = [
    *((name, [1, 2], 1, 2, {"selector": "threshold", "period": 2}) for name in ("gtopk", "topka2a")),
    ("error_feedback", [1, 2], 2, 2, {}),
    ("error_feedback", [1, 2], 2, 2, {"selector": "sampled", "stride": 2}),
    ("error_feedback", [1], 2, 3, {"selector": "threshold", "period": 3, "drift": 0}),
    pytest.param("error_feedback", [1, 2], 3, 2, {"allreduce": "bruck_allgather"}, marks=pytest.mark.slow),
    pytest.param("error_feedback", [1, 2], 2, 2, {"selector": "threshold", "period": 2}, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("name", "ranks", "n", "calls", "how"), EXACT)
def test_every_real_input(name, ranks, n, calls, how):
    """On exact linear forms, in every case that comparisons can tell, ties included."""
    page = None if name == "error_feedback" else name
    (result,) = sparring.selection(target(name), page, ranks=ranks, n=n, k=1, calls=calls, **how).results
    assert result.verdict.word is Word.PROVED_UP_TO, result.detail


class Later:
    """Finds its threshold a call later than it should."""

    def __init__(self, comm: Any, n: int, period: int, **params: Any) -> None:
        from sparring.impl.ring_topk import Allreduce

        self.right = Allreduce(comm, n, period=period + 1, **params)

    def __call__(self, x: Any) -> Any:
        return self.right(x)

    @property
    def residual(self) -> Any:
        return self.right.residual


def test_check_judges_with_a_selector():
    """Somebody's own code, every message of it too; code with another period is refuted."""
    asked: dict[str, Any] = {"selector": "threshold", "period": 2, "ranks": [1, 3]}
    for name, how in (("ring_topk", {}), ("error_feedback", {"allreduce": "bruck_allgather"})):
        report = sparring.check(target(name), name, level="steps", max_examples=6, **asked, **how)
        assert report.verdict == "holds"
    wrong = sparring.check(Later, "ring_topk", only=["result", "conservation"], max_examples=12, **asked)
    told = {r.property: r.verdict.word for r in wrong.results}
    assert told == {"result": Word.REFUTED, "conservation": Word.TESTED}


LEFT, ENTERS = "waiting[at] = 0", "np.add(waiting, entering, out=waiting)"
BOTH = {"dtypes", "conservation"}
PLANTED = {
    "what the selector leaves out is lost": ({LEFT: "waiting[:] = 0"}, BOTH),
    "what it takes stays behind, too": ({LEFT: "pass"}, BOTH),
    "what the algorithm leaves behind is lost": ({ENTERS: "pass"}, BOTH),
    "what the algorithm leaves behind is doubled": ({ENTERS: ENTERS.replace("entering,", "2 * entering,")}, BOTH),
    "all enters, and what is left out stays, too": ({"entering[at] = waiting[at]": "entering[:] = waiting"}, BOTH),
    "the selector is not asked": ({"if select is None:": "if True:"}, {"dtypes"}),  # nothing is lost where all enters
    "no fault": ({}, set()),
}


@pytest.mark.parametrize("fault", PLANTED)
@pytest.mark.parametrize("name", SELECTING)
def test_each_planted_bug_is_caught(name, fault):
    """By the page's bits, and by a sum where mass is lost or doubled; the code without a fault passes."""
    xs = [np.random.default_rng(r).integers(-40, 41, (3, 17)) for r in range(3)]
    changes, seen = PLANTED[fault]
    with planted("core.selecting", *changes.items()):
        found = flaws(name, Example(xs, "dtypes", {"k": 3}), {"selector": "threshold", "period": 2})
    assert {flaw.property for flaw in found} - {"steps", "selection"} == seen


SENT, TAKEN, CLEARED = "sent = self._select(waiting)", "waiting = self._taken(x)", "waiting[sent.indices] = 0"
OF_FEEDBACK = {
    "no fault": {},
    "the residual is not cleared": {CLEARED: "pass"},
    "the residual is cleared everywhere": {CLEARED: "waiting[:] = 0"},
    "cleared twice, the second time a place further": {
        CLEARED: f"{CLEARED}\n        waiting[(sent.indices + 1) % self._n] = 0"
    },
    "cleared where the result has something": {CLEARED: "waiting[total.indices] = 0"},
    "k entries cleared, k - 1 sent": {
        SENT: f"""{SENT}
        size = np.abs(sent.values)
        whole, above = sent, size > (size.min() if size.size else 0)
        sent = Sparse(sent.indices[above], sent.values[above], sent.n)""",
        CLEARED: "waiting[whole.indices] = 0",
    },
    "cleared by a search in indices that are not sorted": {
        CLEARED: """order = sent.indices[np.argsort(-np.abs(sent.values), kind="stable")]
        place = np.minimum(np.searchsorted(order, sent.indices), max(0, order.size - 1))
        waiting[sent.indices[order[place] == sent.indices]] = 0"""
    },
    "the vector is sent, not the sum": {SENT: f"{SENT}\n        sent = Sparse(sent.indices, x[sent.indices], sent.n)"},
    "the residual is forgotten": {TAKEN: f"{TAKEN}\n        np.copyto(waiting, x)"},
    "a sum of its own, not all ranks'": {"total = self._allreduce(self._ranks, sent)": "total = sent"},
}


@pytest.mark.parametrize("fault", third(OF_FEEDBACK))
def test_each_planted_bug_of_error_feedback_is_caught(fault):
    """By the page's bits on ties and by all real inputs of a few entries; the code without one passes both."""
    xs = [np.random.default_rng(r).integers(-4, 5, (3, 12)).astype(np.float64) for r in range(3)]
    how, wrong = {"selector": "topk", "allreduce": "ring_sparse"}, fault != "no fault"
    size = {"n": 4, "k": 3, "calls": 2} if wrong else {"n": 3, "k": 2, "calls": 1}
    with planted("error_feedback", *OF_FEEDBACK[fault].items()):
        found = flaws("error_feedback", Example(xs, "dtypes", {"k": 5}), how)
        (result,) = sparring.selection(target("error_feedback"), ranks=[1, 2], **size).results
    assert bool(found) is wrong
    assert result.verdict.word is (Word.REFUTED if wrong else Word.PROVED_UP_TO), result.detail


def series(kind: Any, comm: Any, xs: Any, **params: Any) -> list[Any]:
    """Results and residuals, call after call."""
    made = kind(comm, xs.shape[1], **params)
    return [(made(x), made.residual.copy()) for x in xs]


def test_functions_in_the_place_of_names():
    """The same bits as by names; a selector that looks at nothing loses nothing, whether it is put around or within."""

    def of_functions(kind: Any, comm: Any, xs: Any) -> Any:
        from sparring.impl.ring_allgather import allreduce
        from sparring.impl.selectors import topk

        return series(kind, comm, xs, selector=topk.Selector(k=2), allreduce=allreduce)

    xs = stateful.vectors("float64", 3, 20)
    named, functions = (
        simulated(target("error_feedback"), xs, call=call, **how)
        for call, how in ((series, {"k": 2, "allreduce": "ring_allgather"}), (of_functions, {}))
    )
    assert repr(named) == repr(functions)

    def every_other(kind: Any, comm: Any, xs: Any, **more: Any) -> Any:
        def select(v: Any) -> Any:
            return sparring.Sparse(at := np.arange(1, v.size, 2), v[at], v.size)

        return series(kind, comm, xs, selector=select, **more)

    small = [np.array([[9.0, 1, 0, 2]]), np.array([[8.0, 4, 0, 3]])]
    around = simulated(target("error_feedback"), small, call=every_other, allreduce="two_shot_sparse")
    within = simulated(target("gtopk"), small, call=every_other, k=1)
    assert [(y.tolist(), left.tolist()) for ((y, left),) in around] == [
        ([0, 5, 0, 5], [9, 0, 0, 0]),
        ([0, 5, 0, 5], [8, 0, 0, 0]),
    ]
    assert [(y.dense().tolist(), left.tolist()) for ((y, left),) in within] == [
        ([0, 4, 0, 0], [9, 1, 0, 2]),
        ([0, 4, 0, 0], [8, 0, 0, 3]),
    ]


REFUSED = {
    "no selector 'topp': right is the name of a module of sparring.impl.selectors": {"selector": "topp"},
    "no parameter 'perod': selector 'threshold' has k, period, drift": {"selector": "threshold", "perod": 2},
    "no parameter 'period': only a selector that is named has such": {"period": 2},
    "period = 0: it must be a whole number, 1 or more": {"selector": "threshold", "period": 0},
}


@pytest.mark.parametrize("text", REFUSED)
def test_wrong_names(text):
    (found,) = simulation.run(target("spardl"), 1, [4], call=lambda *args: called(*args, k=1, **REFUSED[text])).findings
    assert text in found.text


def test_what_a_run_may_not_be_given():
    with pytest.raises(sparring.InputError, match="selector = 3: it must be a name"):
        sparring.page("gtopk", selector=3)
    with pytest.raises(sparring.InputError, match="rank 1 has a Sparse: a selector takes whole vectors"):
        sparring.run("gtopk", [np.ones(3), sparring.Sparse([0], [1.0], 3)], k=1, selector="topk")
    assert sparring.run("gtopk", [[1, 2]], k=1, selector=None).results == sparring.run("gtopk", [[1, 2]], k=1).results
