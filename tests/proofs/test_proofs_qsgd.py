"""QSGD: proved from its text, wrong texts refused by proof alone; its published bounds are judged."""

from __future__ import annotations

from fractions import Fraction

import pytest

import sparring
from sparring.proofs.compression import levels
from sparring.proofs.compression.reals import refuted
from sparring.proofs.core import kernel
from sparring.proofs.core.verdicts import PROVED, PROVED_BELOW
from tests.proofs.wrong_texts import refusals, wrong

RESULT = "the result is what the page ensures"
WRONG = {
    "another rank's chances": ("each(level, x, one, chances(params.seed, call, r, x), params.levels)\n    y",
                               "each(level, x, one, chances(params.seed, call, r + 1, x), params.levels)\n    y",
                               {"result": RESULT}),
    "a call's chances once more": ("call, r, x), params.levels)\n    y", "call - 1, r, x), params.levels)\n    y",
                                   {"result": RESULT}),
    "another rank's codes": ("yield allreduce(leveled(one, q, x)", "yield allreduce(leveled(one, q, r)",
                             {"result": RESULT}),
    "a rank adds its own vector uncoded": ("plain(y)", "plain(y - leveled(one, q, x) + x)",
                                           {"agreement": "the result is partial", "result": RESULT}),
    "a rank's vector left out": ("plain(y)", "plain(y - leveled(one, q, x))", {"agreement": "the result is partial"}),
    "nothing is sent": ('yield allreduce(leveled(one, q, x), Levels(params.levels), through="direct_allgather")',
                        "leveled(one, q, x)", {"agreement": "the result is partial", "result": RESULT}),
    "codes with a rank's own unit in their terms": ("Levels(params.levels)", "Levels(one)",
                                                    {"deadlock": "ranks yield exchanges with different terms"}),
    "a level more": ("return raised(whole(t), rises(t, chance), levels)",
                     "return raised(whole(t), rises(t, chance), levels) + 1", {"claim: result": "none below 0"}),
    "always up": ("raised(whole(t), rises(t, chance), levels)", "raised(whole(t), True, levels)",
                  {"claim: result": "not rounded up"}),
}  # fmt: skip


@pytest.mark.parametrize("params", [{}, {"levels": 16000}])
def test_all_are_proved_for_every_p(params):
    found = list(kernel.prove(sparring.page("qsgd", **params)))
    assert all(isinstance(one, kernel.Theorem) and one.mutant for one in found)
    assert {one.verdict for one in found} <= {PROVED, PROVED_BELOW}
    assert {"result", "agreement", "deadlock", "claim: result", "claim: volume", "peers"} <= {x.name for x in found}


@pytest.mark.parametrize(("old", "new", "why"), WRONG.values(), ids=WRONG)
def test_wrong_texts_are_refused(old, new, why):
    found = refusals(wrong("qsgd", old, new))
    assert all(told in found[prop] for prop, told in why.items()), found


@pytest.mark.parametrize(("old", "new"), [("    return plain(y)", "    z = y\n    return plain(z)")])
def test_the_same_in_other_words_is_not(old, new):
    assert not refusals(wrong("qsgd", old, new))


def test_claims_are_judged():
    """All three bounds hold; with the greatest magnitude the last does not."""
    assert all(claim().holds for claim in (levels.unbiased, levels.variance, levels.sparse))
    found = levels.sparse_by_max()
    assert not found.holds and "of 9 equal entries and 1 level 9 are not 0, more than 4" in found.detail


def test_biased_levels_are_found(monkeypatch):
    """Always up, always down, and signs that get lost."""
    good = levels.module.level
    for biased in (lambda v, unit, chance, most: good(v, unit, 0, most),
                   lambda v, unit, chance, most: good(v, unit, (1 << levels.FINE) - 1, most)):  # fmt: skip
        monkeypatch.setattr(levels.module, "level", biased)
        assert not levels.unbiased().holds
    monkeypatch.setattr(levels.module, "level", good)
    monkeypatch.setattr(levels, "leveled", lambda unit, some, x: [unit * q for q in some])
    assert not levels.unbiased().holds


def test_smaller_bounds_are_refuted():
    """Without the squares a level that is not 0 is counted too rarely; losses are not below half of what lies above."""
    (rare,) = (one for one in levels.entry() if one.name == "a level above 0")
    assert refuted(rare._replace(hypotheses=rare.hypotheses[1:], claim=levels.chance <= levels.t / 2))
    (less,) = (one for one in levels.entry() if one.name == "no more than what is above a level")
    assert refuted(less._replace(claim=levels.f * (1 - levels.f) <= levels.t / 2))
    params = levels.module.Params(1)
    assert levels.moments((1, 1, 1, 1), params) == ([1] * 4, Fraction(4), Fraction(2))
