"""Moshpit's theorems: wrong texts and wrong averages are refused by proof alone, and no hypothesis can be left out."""

from __future__ import annotations

import ast
import inspect
from dataclasses import replace

import pytest

import sparring
from sparring.proofs.core import kernel, samples
from sparring.proofs.core.conjectures import conjectures
from sparring.proofs.core.questions import answered
from sparring.proofs.core.supplement import subject
from sparring.proofs.core.verdicts import PROVED
from sparring.proofs.mutants.planting import built
from sparring.spec.core.exchanges import served
from sparring.spec.core.model import load
from tests.proofs.wrong_texts import refusals, wrong

PAGE = sparring.page("moshpit")
THEOREMS = ["result", "conservation", "partition", "volume", "deadlock", "contention", "claim: sides", "peers"]


def test_all_are_proved_for_every_p_and_every_size_of_groups():
    found = list(kernel.prove(PAGE))
    assert [one.name for one in found] == THEOREMS
    assert all(isinstance(one, kernel.Theorem) and one.verdict == PROVED and one.mutant for one in found)


WRONG = {
    "along the digits in another order": ("e = t % d", "e = (d - 1 - t) % d", "result", "each of m meets it"),
    "another vector is averaged": (
        "averaging(x,",
        "averaging(x + x,",
        "conservation",
        "a round averages what it begins",
    ),
    "the index in another digit": (
        "moved(cell, e, index",
        "moved(cell, t + 1, index",
        "result",
        "a new cell is in the",
    ),
    "the cell not moved": (
        "moved(cell, e, index, params.m)",
        "cell",
        "result",
        "who looked after a part takes that cell",
    ),
    "a round less": ("params.rounds or d,", "(params.rounds or d) - 1,", "result", "after these rounds"),
    "all ranks begin in one cell": ("(x, r), d", "(x, 0), d", "result", "its own at first"),
    "a rank's own number of rounds": ("params.rounds or d,", "params.rounds or d + r,", "result", "own "),
    "an earlier round's draws": (
        "params.m), t, params)",
        "params.m), t - 1, params)",
        "conservation",
        "a round asks for who",
    ),
    "another key": ("averaging(x, line", "averaging(x, 2 * line", "result", "they are known by the first of them"),
    "what was averaged once more": (
        "    return y\n",
        "    return y + y\n",
        "result",
        "the result is what the page ensures",
    ),
    "a vector that is its own": ("    return y\n", "    return x\n", "result", "the result is what the page ensures"),
    "sides that are too many": ("1), m) + 1", "1), m) + 2", "claim: sides", "with one less there is not"),
}
"""By what is wrong: what stands in the text, and what instead; which theorem is lost, and where."""


def refused(whole, theorem):
    """The claims of a theorem with a solver's counterexample; about digits those that a point shows false."""
    for claim in next(one for one in conjectures(whole.general) if one.name == theorem).obligations:
        if claim.encoding != "digits" or samples.false_at(claim):
            (answer,) = answered([claim], False, claim.encoding or ("digits" if theorem == "claim: sides" else "wrap"))
            if answer.witness and not answer.problem:
                yield claim.name.removeprefix("averaging: ").removeprefix("ranks: ")


@pytest.mark.parametrize("fault", WRONG)
def test_wrong_texts_are_refused(fault):
    old, new, theorem, why = WRONG[fault]
    assert any(name.startswith(why) for name in refused(subject(wrong("moshpit", old, new)), theorem))


def test_of_a_refusal_prove_says_why():
    found = refusals(wrong("moshpit", "x, index =", "_, index ="))
    assert "the next round begins with the mean" in found["result"] and "begins with the mean" in found["conservation"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("e = t % d", "e = (t + 0) % d", marks=pytest.mark.slow),
        ("    return y\n", "    z = y\n    return z\n"),
        pytest.param("params.rounds or d,", "params.rounds or 0 + d,", marks=pytest.mark.slow),
    ],
)
def test_right_ones_are_not(old, new):
    assert refusals(wrong("moshpit", old, new)) == {}


def averaged(old, new):
    """All that is proved, with averages in whose formulas ``new`` stands for ``old``."""
    exchange = served("averaging")
    source = inspect.getsource(exchange.module)
    assert old in source
    changed = load(built(exchange.module, ast.parse(source.replace(old, new))))
    return replace(subject(PAGE), served=lambda name: changed if name == "averaging" else served(name))


WRONG_AVERAGES = {
    "a rank's own vector left out": ("either(own, came)))", "came))", "conservation", "in a mean is who sent its copy"),
    "weights forgotten": ("return w * x", "return x", "conservation", "what they had"),
    "a weight too large": (
        "weight > 0, either",
        "weight > 1, either",
        "conservation",
        "in a mean is who sent its copy",
    ),
    "a message too many": ("number < left", "number <= left", "conservation", "in a mean is who sent its copy"),
    "the dead hear": (
        "return both(counted, hears)",
        "return counted",
        "conservation",
        "who dies in the first step hears",
    ),
    "the dead take": ("both(lives, both(", "either(lives, both(", "conservation", "who dies keeps what it had"),
    "who waits in vain": (
        "both(counted, either(own, told))",
        "either(own, told)",
        "conservation",
        "whoever takes a mean",
    ),
    "parts of who failed": ("return both(full, up)", "return full", "conservation", "in a mean is who sent its copy"),
    "parts rounded up": ("amount // total", "(amount + total - 1) // total", "partition", "no more together"),
    "parts an entry longer": ("amount // total", "amount // total + 1", "volume", "equal parts"),
}


@pytest.mark.parametrize("fault", WRONG_AVERAGES)
def test_wrong_averages_are_refused(fault):
    old, new, theorem, why = WRONG_AVERAGES[fault]
    assert any(name.startswith(why) for name in refused(averaged(old, new), theorem))


@pytest.mark.parametrize("theorem", ["conservation", "partition", "volume"])
def test_the_same_averages_are_not(theorem):
    whole = averaged("return w * x", "return x * w")
    (one,) = (one for one in conjectures(whole.general) if one.name == theorem)
    assert all(answer.holds for answer in answered(one.obligations, True, one.encoding))


def by_name(theorem, name):
    (one,) = (c for c in conjectures(subject(PAGE).general) if c.name == theorem)
    return next(claim for claim in one.obligations if claim.name == name)


@pytest.mark.parametrize(
    ("theorem", "name", "gone"),
    [
        ("result", "ranks: no two move to one", -1),  # that those who meet have different indices
        ("result", "ranks: each of m is a cell", -2),  # that there are m
        ("conservation", "averaging: and whoever is in it takes it", -1),  # that none fails between copies and means
        ("conservation", "averaging: and whoever is in it takes it", -3),  # that none dies after it has sent
        ("conservation", "averaging: what they had", -1),
        ("conservation", "averaging: not above the largest", -1),
        ("conservation", "averaging: not below the smallest", -1),
    ],
)
def test_each_hypothesis_is_needed(theorem, name, gone):
    """Without it the same claim has a counterexample."""
    whole = by_name(theorem, name)
    kept = tuple(one for i, one in enumerate(whole.hypotheses) if i != gone % len(whole.hypotheses))
    (good,), (without,) = (answered([whole], True), answered([whole._replace(hypotheses=kept)], False))
    assert good.holds
    assert not without.holds and without.witness and not without.problem
