"""Algorithms that select by themselves, each with every selector: on both sides the same bits, and nothing lost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparring
from sparring.proofs.core import iterations
from sparring.proofs.core.iterations import Case
from sparring.proofs.core.refinement import DTYPES
from sparring.proofs.core.verdicts import Word
from sparring.proofs.implementation import running
from sparring.proofs.world import world
from sparring.spec.core.selectors import names
from tests.impl.algorithms import planted

SELECTING = [page.name for page in map(sparring.page, sparring.pages()) if page.stateful and not page.composed]
WAYS: dict[str, list[dict[str, Any]]] = {
    "topk": [{}],
    "threshold": [{"period": 2}, {"period": 3, "drift": 1}],
    "sampled": [{"stride": 3, "seed": 1}, {"stride": 2, "limit": 2}],
    "gaussian": [{}],
}
CASES = [(name, selector, params) for name in SELECTING for selector in WAYS for params in WAYS[selector]]


def target(name: str) -> str:
    return f"sparring.impl.{name}:Allreduce"


def flaws(name: str, case: Case, selector: str, params: dict[str, Any]) -> list[Any]:
    """Of the implementation beside the page."""
    return running.on_calls(sparring.page(name, selector=selector, **params), target(name), case, "dtypes")


def test_every_selector_is_among_them():
    assert {*WAYS} == {*names()}
    assert {"gtopk", "ring_topk", "spardl", "topka2a"} <= {*SELECTING}


@pytest.mark.parametrize(
    ("name", "selector", "params"),
    [pytest.param(*case, marks=[pytest.mark.slow] * (case[2] != WAYS[case[1]][0])) for case in CASES],
)
def test_the_pages_bits(name, selector, params):
    """Results and residuals, call after call, in all dtypes: n < p, n = 0, ties, NaN, infinities and signed zeros."""
    found = [flaws(name, case, selector, params) for p in (1, 3) for case in iterations.edges([p])]

    assert len(found) == 40
    assert [one for some in found for one in some] == []


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A few calls of small whole numbers, which add exactly in every dtype."""
    p, n, calls = draw(st.integers(1, 5)), draw(st.integers(0, 25)), draw(st.integers(1, 5))
    rng, dtype = np.random.default_rng(draw(st.integers(0, 2**32 - 1))), draw(st.sampled_from(DTYPES))
    return Case(draw(st.integers(0, n + 2)), [rng.integers(-9, 10, (calls, n)).astype(dtype) for _ in range(p)])


@settings(deadline=None, max_examples=60)
@given(cases(), st.sampled_from(CASES))
def test_nothing_is_lost_on_either_side(case, how):
    """All inputs so far are all results so far and the residuals, after each call; and both sides have the same."""
    name, selector, params = how
    assert flaws(name, case, selector, params) == []

    page = sparring.page(name, k=case.k, selector=selector, **params)
    put = out = np.zeros(case.xs[0].shape[1])
    for i, done in enumerate(iterations.expected(page, case.xs)):
        put = put + sum(x[i] for x in case.xs)
        out = out + done[0].result.dense()
        assert np.array_equal(put, out + sum(one.residual for one in done))
        assert len({one.result.values.tobytes() + one.result.indices.tobytes() for one in done}) == 1


@pytest.mark.parametrize("name", SELECTING)
def test_every_real_input(name):
    """On exact linear forms, in every case that comparisons can tell: a threshold that is used again, two calls."""
    (result,) = sparring.selection(
        target(name), name, ranks=[1, 2], n=1, k=1, calls=2, selector="threshold", period=2
    ).results
    assert result.verdict.word is Word.PROVED_UP_TO, result.detail


def test_check_judges_with_a_selector():
    """Somebody's own code, every message of it too; code with another period is refuted."""
    asked = {"selector": "threshold", "period": 2, "ranks": [1, 2, 3]}
    right = sparring.check(target("ring_topk"), "ring_topk", level="steps", max_examples=8, **asked)
    wrong = sparring.check(Later, "ring_topk", only=["result", "conservation"], max_examples=40, **asked)

    assert right.verdict == "holds"
    told = {r.property: r.verdict.word for r in wrong.results}
    assert told["result"] is Word.REFUTED
    assert told["conservation"] is Word.TESTED


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


LEFT = "waiting[at] = 0"
PLANTED = {
    "what the selector leaves out is lost": {LEFT: "waiting[:] = 0"},
    "what it takes stays behind, too": {LEFT: "pass"},
    "what the algorithm leaves behind is lost": {"np.add(waiting, entering, out=waiting)": "pass"},
    "what the algorithm leaves behind is doubled": {
        "np.add(waiting, entering, out=waiting)": "np.add(waiting, 2 * entering, out=waiting)"
    },
    "all enters, and what is left out stays, too": {"entering[at] = waiting[at]": "entering[:] = waiting"},
    "the selector is not asked": {"if select is None:": "if True:"},
}


@pytest.mark.parametrize("fault", [None, *PLANTED])
@pytest.mark.parametrize("name", SELECTING)
def test_each_planted_bug_is_caught(name, fault):
    """By the page's bits, and by a sum where mass is lost or doubled; the code without a fault passes."""
    xs = [np.random.default_rng(r).integers(-40, 41, (3, 17)) for r in range(3)]
    with planted("core.selecting", *PLANTED.get(fault, {}).items()):
        found = flaws(name, Case(3, xs), "threshold", {"period": 2})

    seen = {None: set(), "the selector is not asked": {"dtypes"}}  # nothing is lost where all enters
    assert {flaw.property for flaw in found} - {"steps"} == seen.get(fault, {"dtypes", "conservation"})


def test_a_page_whose_leftovers_are_lost_is_caught():
    """The reference's own: without what the selector left out it does not balance; as it is, it does."""
    page, xs = sparring.page("gtopk", k=1, selector="topk"), [[3, 1, 2], [0, 5, 4]]
    ran = sparring.run(page, xs)

    def balance(left: Any) -> int:
        return sum(map(sum, xs)) - sum(ran.results[0].values) - sum(sum(x.values) for x in left)

    assert balance(ran.residuals) == 0
    assert balance(ran.inner.residuals) != 0


def test_functions_and_wrong_names():
    """A function of one's own in the place of a name; what is no selector, or no parameter of it."""

    def every_other(comm: Any, x: Any) -> Any:
        from sparring import Sparse
        from sparring.impl.gtopk import Allreduce

        made = Allreduce(comm, x.size, k=1, selector=lambda v: Sparse(np.arange(1, v.size, 2), v[1::2], v.size))
        return made(x).dense(), np.array(made.residual)

    outcome = world.run(every_other, 2, [np.array([9.0, 1, 0, 2]), np.array([8.0, 4, 0, 3])]).raise_if_found()
    assert [(y.tolist(), left.tolist()) for y, left in outcome.results] == [
        ([0, 4, 0, 0], [9, 1, 0, 2]), ([0, 4, 0, 0], [8, 0, 0, 3])
    ]  # fmt: skip

    def refused(comm: Any, params: Any) -> str:
        from sparring.impl.spardl import Allreduce

        with pytest.raises(sparring.InputError) as caught:
            Allreduce(comm, 4, k=1, **params)
        return str(caught.value)

    texts = {
        "no selector 'topp': right is the name of a module of sparring.impl.selectors": {"selector": "topp"},
        "no parameter 'perod': selector 'threshold' has k, period, drift": {"selector": "threshold", "perod": 2},
        "no parameter 'period': only a selector that is named has such": {"period": 2},
        "period = 0: it must be a whole number, 1 or more": {"selector": "threshold", "period": 0},
    }
    for text, params in texts.items():
        assert world.run(refused, 1, [params]).raise_if_found().results == [text]


@pytest.mark.parametrize(
    ("name", "params", "text"),
    [
        ("ring", {"selector": "topk"}, "page ring takes no selector"),
        ("ring_sparse", {"selector": "topk"}, "page ring_sparse takes no selector"),
        ("oktopk", {"selector": "topk"}, "page oktopk takes no selector"),
        ("gtopk", {"selector": "topp"}, "no selector 'topp'; did you mean 'topk'"),
        ("gtopk", {"selector": 3}, "selector = 3: it must be a name"),
        ("gtopk", {"selector": "threshold", "perod": 2}, "page threshold has no parameter 'perod'"),
        ("gtopk", {"period": 2}, "page gtopk has no parameter 'period'"),
    ],
)
def test_what_a_page_may_not_be_given(name, params, text):
    with pytest.raises(sparring.InputError, match=text):
        sparring.page(name, **params)


def test_a_run_takes_whole_vectors():
    with pytest.raises(sparring.InputError, match="rank 1 has a Sparse: a selector takes whole vectors"):
        sparring.run("gtopk", [np.ones(3), sparring.Sparse([0], [1.0], 3)], k=1, selector="topk")
    assert sparring.run("gtopk", [[1, 2]], k=1, selector=None).results == sparring.run("gtopk", [[1, 2]], k=1).results
