"""Moshpit's theorems: wrong texts and wrong averages are refused by proof alone, and no hypothesis can be left out."""

from __future__ import annotations

import ast
import inspect
from dataclasses import replace

import pytest

import sparring
from sparring.proofs.core import averaging, kernel
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
    "groups always along the same digit": ("e = t % d", "e = 0", "result", "what one brings who meets it comes"),
    "along the digits in another order": ("e = t % d", "e = (d - 1 - t) % d", "result", "they are known by the first"),
    "means not stored": ("    x, index = yield", "    _, index = yield", "conservation", "begins with the mean"),
    "another vector is averaged": ("averaging(x,", "averaging(x + x,", "conservation", "averages what it begins with"),
    "the index in another digit": ("moved(cell, e, index", "moved(cell, t + 1, index", "result", "a new cell is in the"),
    "the cell not moved": ("moved(cell, e, index, params.m)", "cell", "result", "what one brings who meets it comes"),
    "a round less": ("params.rounds or d,", "(params.rounds or d) - 1,", "result", "after these rounds"),
    "one round alone": ("params.rounds or d,", "params.rounds or 1,", "result", "after these rounds"),
    "all ranks begin in one cell": ("(x, r), d", "(x, 0), d", "result", "no two begin in one"),
    "a rank's own number of rounds": ("params.rounds or d,", "params.rounds or d + r,", "result", "not the same on all"),
    "an earlier round's draws": ("params.m), t, params)", "params.m), t - 1, params)", "conservation", "in that round"),
    "another grid": ("averaging(x, line", "averaging(x, 2 * line", "result", "they are known by the first of them"),
    "what was averaged once more": ("    return y\n", "    return y + y\n", "result", "what the page ensures"),
    "a vector that is its own": ("    return y\n", "    return x\n", "result", "what the page ensures"),
    "sides that are too many": ("1), m) + 1", "1), m) + 2", "claim: sides", "with one less there is not"),
}
"""By what is wrong: what stands in the text, and what instead; which theorem is lost, and with which words."""


@pytest.mark.parametrize("fault", WRONG)
def test_wrong_texts_are_refused(fault):
    old, new, name, why = WRONG[fault]
    assert why in refusals(wrong("moshpit", old, new))[name]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("e = t % d", "e = (t + 0) % d"),
        ("    return y\n", "    z = y\n    return z\n"),
        ("params.rounds or d,", "params.rounds or 0 + d,"),
    ],
)
def test_right_ones_are_not(old, new):
    assert refusals(wrong("moshpit", old, new)) == {}


def lost(old, new):
    """Which theorems are lost with averages in whose formulas ``new`` stands for ``old``, and the first claim of each."""
    exchange = served("averaging")
    source = inspect.getsource(exchange.module)
    assert old in source
    changed = load(built(exchange.module, ast.parse(source.replace(old, new))))
    whole = replace(subject(PAGE), served=lambda name: changed if name == "averaging" else served(name))
    for one in conjectures(whole.general):
        for answer in answered(one.obligations, False, one.encoding):
            if answer.witness and not answer.problem:
                yield one.name, answer.obligation.name.removeprefix("averaging: ")
                break


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("either(own, came)))", "came))", "in a mean is who sent its copy"),
        ("return w * x", "return x", "what they had"),
        ("weight > 0, either", "weight > 1, either", "in a mean is who sent its copy"),
        ("number < left", "number <= left", "in a mean is who sent its copy"),
        ("return both(counted, hears)", "return counted", "who dies in the first step hears nothing in the second"),
        ("both(lives, both(counted, either(own, told)))", "both(counted, either(own, told))", "who dies keeps"),
        ("both(counted, either(own, told))", "either(own, told)", "whoever takes a mean is in it"),
        ("return both(full, up)", "return full", "in a mean is who sent its copy"),
    ],
)
def test_wrong_averages_are_refused(old, new, found):
    assert dict(lost(old, new))["conservation"].startswith(found)


def test_parts_rounded_up_are_refused():
    assert dict(lost("amount // total", "(amount + total - 1) // total"))["partition"] == "no more together"
    assert dict(lost("amount // total", "amount // total + 1"))["volume"] == "equal parts"


def test_the_same_averages_are_not():
    assert not [*lost("return w * x", "return x * w")]


def by_name(theorem, name):
    (one,) = (c for c in conjectures(subject(PAGE).general) if c.name == theorem)
    return next(claim for claim in one.obligations if claim.name == name)


@pytest.mark.parametrize(
    ("theorem", "name", "gone"),
    [
        ("result", "ranks: no two move to one", -1),  # that those who meet have different indices
        ("result", "ranks: no two move to one", -2),  # that they were in two cells
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


def test_who_waits_in_vain_is_not_answered():
    """Were means to go also to those whose copies are not in them, whoever fails would take what it is not in."""
    m = averaging.met(served("averaging").module)
    (answer,) = answered([by_name("conservation", "averaging: whoever takes a mean is in it")._replace(claim=m.came)], False)
    assert answer.witness and not answer.problem
