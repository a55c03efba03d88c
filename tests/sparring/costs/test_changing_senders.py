"""Closed forms of trees and chains, whose senders change from step to step."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import sympy

import sparring
from sparring.costs.derivation.closed_forms import derive
from sparring.costs.derivation.comparison import compared
from sparring.costs.derivation.proof import prove
from sparring.costs.formulas.lower_bounds import lower_bounds
from sparring.costs.formulas.symbols import n
from sparring.errors import Undecided
from sparring.proofs.logic.verdicts import PROVED
from tests.algorithms.collectives import COLLECTIVES

ROOM = "sparring.spec.collectives"
FOLDER = Path(sparring.__file__).parent / "spec" / "collectives"

NAMES = [
    pytest.param(name, marks=[pytest.mark.slow] * one.slow_forms)
    for name, one in COLLECTIVES.items()
    if one.steps_forms
]


@pytest.mark.parametrize("name", NAMES)
def test_forms_are_the_textbooks_and_what_is_counted(name):
    """Each form is compared with counts of runs, too, and any that is larger by one is not what is counted."""
    cost = sparring.cost(f"{ROOM}.{name}")
    found = derive(cost.page)

    words = (found.critical, found.words, found.path, found.added, found.added_critical)
    assert tuple(None if x is None else str(x.subs(n, 1)) for x in words) == COLLECTIVES[name].steps_forms
    assert sympy.expand(found.critical - n * found.messages) == 0
    assert compared(cost.page, found, (*range(1, 10), 16, 17, 33)) is None
    assert prove(cost.page, found).verdict == PROVED
    for form in ("messages", "most", "words", "path", "critical", "added", "added_critical"):
        if (right := getattr(found, form)) is not None:
            assert compared(cost.page, replace(found, **{form: right + 1}), range(5, 6)) is not None, form


def changed(folder, name, right, wrong):
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    assert text.count(right) == 1
    file = folder / f"{name}.py"
    file.write_text(text.replace(right, wrong), encoding="utf-8")
    return sparring.page(str(file))


SENDS = "Bool:  return both(on(r, t), child(r, t, j) < p)"
FAULTS = {
    "the root leaves one message out": (
        "linear_bcast", "(r: Int) -> Bool:                        return r == 0",
        "(r: Int, j: Int) -> Bool: return r + j < 2",
    ),
    "each rank sends twice": ("chain_bcast", "return r == t", "return (t - r) // 2 == 0"),
    "a step without messages": ("chain_reduce", "return r == p - 1 - t", "return r == p - t"),
    "a step for one rank": ("chain_bcast", "return p - 1", "return p"),
    "two steps without ranks": ("chain_reduce", "return p - 1\n", "return p + 1\n"),
    "chains that end": (
        "four_chains_bcast", "return both(there(t, j, p), r", "return both(both(there(t, j, p), t < 8), r",
    ),
    "the first rank of a level sends nothing": (
        "binary_bcast", SENDS, "Bool:  return both(both(on(r, t), r < 7), child(r, t, j) < p)",
    ),
    "the root sends on two levels": (
        "binary_bcast", SENDS, "Bool:  return both(where(t == 4, r * (15 - r) == 0, on(r, t)), child(r, t, j) < p)",
    ),
    "the root leaves rank 12 out": (
        "knomial_bcast", "2), other(r, t, j, p) < p)", "2), other(r, t, j, p) < where(p < 12, p, 12))",
    ),
}  # fmt: skip
LONG = {"the first rank of a level sends nothing", "the root sends on two levels", "the root leaves rank 12 out"}


@pytest.mark.parametrize("fault", [pytest.param(one, marks=[pytest.mark.slow] * (one in LONG)) for one in FAULTS])
def test_what_is_no_such_tree_has_no_forms(fault, tmp_path):
    """Of the page without the fault they are derived, see above."""
    with pytest.raises(Undecided):
        derive(changed(tmp_path, *FAULTS[fault]))


def test_no_bound_is_said_of_a_kind_of_the_pages_own():
    """A linear reduction's ranks send one message each, fewer than any allreduce's."""
    assert not lower_bounds(sparring.page(f"{ROOM}.linear_reduce"))
    assert lower_bounds(sparring.page("ring"))
