"""PowerSGD: proved from its text, wrong texts refused by proof alone; what is said of projections."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import sympy
import z3

import sparring
from sparring.proofs import power_sgd
from sparring.proofs.compression import low_rank
from sparring.proofs.compression.reals import proved
from sparring.proofs.core import kernel
from sparring.proofs.core.questions import answered
from sparring.proofs.core.verdicts import EXPECTED, PROVED, Word
from sparring.proofs.cost.following import decide
from sparring.proofs.cost.literature import powersgd
from sparring.proofs.cost.statements import Unjudged
from sparring.spec import power_sgd as page_module
from sparring.spec.core import exchanges, matrices
from tests.proofs.wrong_texts import refusals, wrong
from tests.sweeps import sweep

STATED = {one.name: one for one in powersgd.statements if not isinstance(one, Unjudged)}

CLAIMS = ["claim: result", "claim: partition"]
PROPERTIES = ["result", "agreement", "conservation", "partition", "deadlock", "contention", *CLAIMS, "peers"]


@pytest.mark.slow
def test_all_are_proved_for_every_p_and_each_has_a_fault():
    found = list(kernel.prove(sparring.page("power_sgd")))
    assert [one.name for one in found] == PROPERTIES
    assert all(isinstance(one, kernel.Theorem) and one.verdict == PROVED and one.mutant for one in found)


def test_all_are_proved():
    found = list(kernel.prove(sparring.page("power_sgd", through="two_shot"), planted=False))
    assert [(one.name, one.verdict) for one in found] == [(name, PROVED) for name in PROPERTIES]


LOST, OTHER, PARTIAL = "nothing is lost", "the result is what the page ensures", "the result is partial"
FIRST = "yield allreduce(product(m, q, shape), through=params.through)"
SECOND = "(yield allreduce(crossed(m, left, shape), through=params.through))"
WRONG = {
    "each rank its own P": (f"sums = {FIRST}", "sums = product(m, q, shape)", {"agreement": PARTIAL}),
    "the rank's own product": ("y = joined(left, right, shape)", "y = joined(left, crossed(m, left, shape), shape)",
                               {"agreement": PARTIAL, "result": OTHER}),
    "the residual is not added": (
        "m = x + state.kept\n    q", "m = x\n    q", {"conservation": LOST, "result": OTHER},
    ),
    "the result is added to the residual": ("State(m - y, right)", "State(m + y, right)", {"conservation": LOST}),
    "Q is summed and not averaged": (f"{SECOND} / p", SECOND, {"result": OTHER}),
    "a factor is the mean": (f"sums = {FIRST}", f"sums = ({FIRST}) / p", {"result": OTHER}),
    "P is not made orthonormal": (
        "left = orthonormal(sums, shape.rows, params.epsilon)", "left = sums", {"result": OTHER},
    ),
    "the next call begins with the same Q": (
        "State(m - y, right)", "State(m - y, q)", {"result": "q is what a call leaves"},
    ),
    "the next call begins with the rank's own": ("State(m - y, right)", "State(m - y, crossed(m, left, shape))",
                                                 {"result": OTHER}),
    "each rank draws its own Q": ("(state.q, shape, call, params.seed), shape.columns, params.epsilon)\n    sums",
                                  "(x, shape, call, params.seed), shape.columns, params.epsilon)\n    sums",
                                  {"result": OTHER}),
    "a mean that is a sum": (
        "(yield allreduce(x, through=params.through)) / p", "(yield allreduce(x, through=params.through))",
        {"result": OTHER},
    ),
    "ranks decide by their entries": (
        "if not worth(shape.rows, shape.columns, shape.width, params.rate):\n        return (yield",
        "if not x > 0:\n        return (yield", {"result": "ranks part ways"},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "why"), WRONG.values(), ids=WRONG)
def test_wrong_texts_are_refused(old, new, why):
    found = refusals(wrong("power_sgd", old, new))
    assert all(told in found.get(prop, "") for prop, told in why.items()), found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("m = x + state.kept\n    q", "m = state.kept + x\n    q"),
        ("State(m - y, right)", "State(x - y + state.kept, right)"),
        ("sums = yield allreduce(product(m, q, shape)", "sums = yield allreduce(product(state.kept + x, q, shape)"),
    ],
)  # fmt: skip
def test_the_same_in_other_words_is_not(old, new):
    assert not refusals(wrong("power_sgd", old, new))


def holds(claims):
    return all(answer.holds for answer in answered(claims, True))


@pytest.mark.parametrize(
    ("name", "planted"),
    [("product", lambda m, q, shape: m * m), ("crossed", lambda m, p, shape: m + 1)],
)  # fmt: skip
def test_what_is_taken_for_linear_must_be(name, planted):
    """By the prover, that takes the text's word for it."""
    assert holds(power_sgd.linear(page_module))
    assert not holds(power_sgd.linear(SimpleNamespace(**{**vars(page_module), name: planted})))


@pytest.mark.parametrize("name", sweep(STATED, few={*STATED} - {"projection"}))
def test_claims_are_decided(name):
    """As they say, and none by itself."""
    one, decided = STATED[name], decide(STATED[name])
    expected = EXPECTED if one.xfail else PROVED
    assert decided.checked == expected or decided.checked.word == Word.TESTED
    assert decided.detail


@pytest.mark.parametrize("lemmas", [low_rank.orthonormal, low_rank.remainder, low_rank.scaled])
def test_each_hypothesis_of_a_lemma_is_needed(lemmas):
    """Without the last one it does not follow; with all it does."""
    for lemma in lemmas():
        assert proved([lemma]).holds
        weaker = lemma._replace(hypotheses=(z3.BoolVal(True), *lemma.hypotheses[:-1]))
        assert not proved([weaker]).holds


def test_a_step_that_removes_another_part_is_found(monkeypatch):
    """A column is left with half of its part in the one before."""
    assert low_rank.algebra().holds

    def half(column, one):
        return [v - matrices.dot(one, column) * w / 2 for v, w in zip(column, one)]

    monkeypatch.setattr(matrices, "without", half)
    assert not low_rank.algebra().holds


FAULTS = {
    "projection": ("upright", lambda columns, epsilon: columns),
    "right_angles": ("without", lambda column, one: column),
    "exact": ("unit", lambda column, epsilon: column),
}


@pytest.mark.parametrize("what", FAULTS)
def test_exact_runs_tell_a_fault(what, monkeypatch):
    assert getattr(low_rank, what)().holds
    monkeypatch.setattr(matrices, *FAULTS[what])
    assert not getattr(low_rank, what)().holds


def test_a_sum_is_not_what_one_rank_finds_that_is_given_the_mean(monkeypatch):
    assert low_rank.single_node().holds
    monkeypatch.setattr(low_rank, "power_sgd", wrong("power_sgd", f"{SECOND} / p", SECOND).module)
    assert not low_rank.single_node().holds


def test_conservation_and_words_tell_a_fault(monkeypatch):
    assert low_rank.conserved().holds and low_rank.words().verdict.word == Word.TESTED
    page = wrong("power_sgd", "State(m - y, right)", "State(m, right)")
    with monkeypatch.context() as planted:
        planted.setattr(low_rank, "power_sgd", page.module)
        assert not low_rank.conserved().holds
    good = exchanges.Allreduce.carry

    def twice(self, each):
        done = good(self, each)
        return done._replace(trace=[[m._replace(entries=[*m.entries] * 2) for m in wire] for wire in done.trace])

    monkeypatch.setattr(exchanges.Allreduce, "carry", twice)
    assert low_rank.words() == (False, "at p=2 messages are not those of two allreduces", PROVED)


def test_the_exact_calls_are_what_they_say():
    """Rotations are orthonormal; the product with Q is as wide as the rank; a mean of low rank is one."""
    rng = np.random.default_rng(0)
    for n in range(1, 6):
        u = low_rank.rotation(rng, n)
        assert (u.T.dot(u) == np.eye(n, dtype=int)).all()
    for call in low_rank.calls(low=True):
        rank, p = call.page.params["rank"], len(call.xs)
        assert np.linalg.matrix_rank(call.mean.astype(float)) == rank
        given = np.array(call.xs, object).sum(0) + np.array([[*x] for x in call.state.kept], object).sum(0)
        assert (given == p * call.mean.reshape(-1)).all()


def test_of_two_parallel_columns_too_much_is_found():
    """As often as the formula says, by the page on floats with less and less added; never more than twice."""
    for v in (sympy.Rational(1, 3), sympy.Integer(1), sympy.Integer(5)):
        wanted = low_rank.limit(v)
        assert wanted == 1 + (2 * v / (2 * v + 1)) ** 2 < 2
        p = matrices.upright([[3.0, 4.0], [3.0 * float(v), 4.0 * float(v)]], 1)
        assert abs(sum(a * a + b * b for a, b in p) - float(wanted)) < 1e-5
