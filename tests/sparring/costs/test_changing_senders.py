"""Closed forms of trees and chains, whose senders change from step to step."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import sympy

import sparring
from sparring.costs.derivation.closed_forms import derive
from sparring.costs.derivation.comparison import compared
from sparring.costs.formulas.lower_bounds import lower_bounds
from sparring.costs.formulas.symbols import n
from sparring.errors import Undecided
from sparring.proofs.logic import verdicts

ROOM = "sparring.spec.collectives"
FOLDER = Path(sparring.__file__).parent / "spec" / "collectives"

ALONE = "Min(1, p - 1)"
CHAINS = "ceiling(p/4 - 1/4)"
HEADS = f"{CHAINS} - Min(1, p - 1) + Min(4, p - 1)"  # the steps of a chain, in one of which all four heads take part
LEVELS = "ceil(log2(floor(p/3) + 1)) + floor(log2(p))"  # levels with a first child, and those with a second one
DIGITS = "ceil(log(p, 4)) + ceil(log(ceiling(p/3), 4)) + ceil(log(ceiling(p/2), 4))"  # that may be 1, 2 and 3
FORMS = {  # messages of the steps; of one rank; of a path; additions of one rank and of the steps
    "linear_bcast": ("p - 1", "p - 1", "p - 1", "0", "0"),
    "binomial_bcast": (*["ceil(log2(p))"] * 3, "0", "0"),
    "chain_bcast": ("p - 1", ALONE, "p - 1", "0", "0"),
    "linear_reduce": (ALONE, ALONE, ALONE, "p - 1", "p - 1"),
    "binomial_reduce": ("ceil(log2(p))", ALONE, None, "ceil(log2(p))", "ceil(log2(p))"),
    "chain_reduce": ("p - 1", ALONE, "p - 1", ALONE, "p - 1"),
    "four_chains_bcast": (HEADS, "Min(4, p - 1)", HEADS, "0", "0"),
    "four_chains_reduce": (CHAINS, ALONE, CHAINS, "Min(4, p - 1)", HEADS),
    "binary_bcast": (LEVELS, "Min(2, p - 1)", LEVELS, "0", "0"),
    "binary_reduce": ("floor(log2(p))", ALONE, "floor(log2(p))", "Min(2, p - 1)", LEVELS),
    "knomial_bcast": (DIGITS, DIGITS, DIGITS, "0", "0"),
}
SLOW = {"four_chains_reduce", "binary_reduce", "binary_bcast", "knomial_bcast"}
BITS = {"binomial_reduce", "binary_bcast", "binary_reduce", "knomial_bcast"}


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in FORMS])
def test_forms_are_the_textbooks_and_what_is_counted(name):
    """Each form is compared with counts of runs, too, and any that is larger by one is not what is counted."""
    cost = sparring.cost(f"{ROOM}.{name}")
    found = derive(cost.page)

    words = (found.critical, found.words, found.path, found.added, found.added_critical)
    assert tuple(None if x is None else str(x.subs(n, 1)) for x in words) == FORMS[name]
    assert sympy.expand(found.critical - n * found.messages) == 0
    proved = verdicts.PROVED_BELOW if name in BITS else verdicts.PROVED
    assert [(check.name, check.verdict) for check in cost.checks] == [
        ("counted", verdicts.tested(128)),
        ("derivation", proved),
    ]
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
