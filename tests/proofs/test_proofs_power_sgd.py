"""PowerSGD's theorems: what is said of projections fails where it must; its cost."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import sympy
import z3

import sparring
from sparring.errors import Undecided
from sparring.proofs import power_sgd
from sparring.proofs.compression import low_rank
from sparring.proofs.compression.reals import proved
from sparring.proofs.core import kernel
from sparring.proofs.core.questions import answered
from sparring.proofs.core.verdicts import EXPECTED, PROVED, Word
from sparring.proofs.cost import power_sgd as costs
from sparring.proofs.cost import programs
from sparring.proofs.cost.following import decide
from sparring.proofs.cost.literature import powersgd
from sparring.proofs.cost.statements import Unjudged
from sparring.proofs.cost.symbols import exact
from sparring.spec import power_sgd as page_module
from tests.sweeps import sweep, third

PAGE = sparring.page("power_sgd")
STATED = {one.name: one for one in powersgd.statements if not isinstance(one, Unjudged)}


PROPERTIES = ["result", "agreement", "conservation", "partition", "deadlock", "contention", "volume", "peers"]


@pytest.mark.parametrize("through", ["ring", "two_shot"])
def test_all_are_proved_for_every_p(through):
    found = list(kernel.prove(sparring.page("power_sgd", through=through)))
    assert [one.name for one in found] == PROPERTIES
    assert all(isinstance(one, kernel.Theorem) and one.verdict == PROVED and one.mutant for one in found)


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
        return [v - page_module.dot(one, column) * w / 2 for v, w in zip(column, one)]

    monkeypatch.setattr(page_module, "without", half)
    assert not low_rank.algebra().holds


FAULTS = {
    "projection": ("orthonormal", lambda columns, epsilon: columns),
    "right_angles": ("without", lambda column, one: column),
    "exact": ("unit", lambda column, epsilon: column),
    "single_node": ("mean", lambda total, p: total),
}


@pytest.mark.parametrize("what", FAULTS)
def test_exact_runs_tell_a_fault(what, monkeypatch):
    assert getattr(low_rank, what)().holds
    monkeypatch.setattr(page_module, *FAULTS[what])
    assert not getattr(low_rank, what)().holds


def test_conservation_and_words_tell_a_fault(monkeypatch):
    monkeypatch.setattr(page_module, "left", lambda given, result: given)
    assert not low_rank.conserved().holds
    monkeypatch.setattr(page_module, "crossed", lambda m, p, good=page_module.crossed: good(m, p) * 2)
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
        given = np.array(call.xs, object).sum(0) + np.array(call.state.kept, object).sum(0)
        assert (given == p * call.mean.reshape(-1)).all()


def test_of_two_parallel_columns_too_much_is_found():
    """As often as the formula says, by the page on floats with less and less added; never more than twice."""
    for v in (sympy.Rational(1, 3), sympy.Integer(1), sympy.Integer(5)):
        wanted = low_rank.limit(v)
        assert wanted == 1 + (2 * v / (2 * v + 1)) ** 2 < 2
        p = page_module.orthonormal([[3.0, 4.0], [3.0 * float(v), 4.0 * float(v)]], 1)
        assert abs(sum(a * a + b * b for a, b in p) - float(wanted)) < 1e-5


FEW = range(1, 10)
PARAMS = [{"columns": 4}, {"columns": 4, "rank": 2, "through": "two_shot"}, {"columns": 7, "rank": 3, "rate": 0}]


@pytest.mark.parametrize("params", third(PARAMS), ids=str)
def test_its_cost_is_counted_and_proved(params, monkeypatch):
    """For p = 1, ..., 64 with the first, for a few p with the others; reached where all is as wide as asked for."""
    if params != PARAMS[0]:
        monkeypatch.setattr(programs, "RANKS", FEW)
    cost = sparring.cost("power_sgd", **params)
    verdicts = {one.name: one for one in cost.checks}
    assert verdicts["counted"].verdict.word == Word.TESTED
    assert verdicts["derivation"].verdict == PROVED


def test_the_published_words_come_out_where_p_divides_both_factors():
    """Of 64 rows and 8 columns, rank 2, on 1 to 16 ranks: 2 (p - 1) / p r (n + m)."""
    words = sparring.cost("power_sgd", columns=8, rank=2).words
    for p in (1, 2, 4, 8, 16):
        assert exact(words, {"p": p, "n": 512}) == sympy.Rational(2 * (p - 1), p) * 2 * (64 + 8)


def test_a_factor_that_is_forgotten_is_below_what_is_counted(monkeypatch):
    """The bound of the first sum alone is not the call's."""
    good = costs.bounded
    monkeypatch.setattr(programs, "RANKS", FEW)

    def short(page):
        found = good(page)
        return found._replace(parts=(found.parts[0], found.parts[1]._replace(length=1)))

    assert sparring.cost("power_sgd", columns=4).counted().verdict.word == Word.TESTED
    monkeypatch.setattr(power_sgd, "bounded", short)
    assert sparring.cost("power_sgd", columns=4).counted().verdict.word == Word.REFUTED


def test_a_square_has_no_formula():
    with pytest.raises(Undecided, match="a square's side follows a root of n: -P columns=64 has a cost"):
        costs.bounded(PAGE)


def test_a_page_of_formulas_has_other_functions():
    """What the theorems ask for is taken from the module that is judged."""
    other = SimpleNamespace(**{**vars(page_module), "entered": lambda x, kept: x - kept})
    assert next(iter(answered([*power_sgd.mass(other)], False))).witness
