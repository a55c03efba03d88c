"""Closed forms of trees and chains, whose senders change from step to step."""

from __future__ import annotations

from pathlib import Path

import pytest

import sparring
from sparring.costs.derivation.closed_forms import derive
from sparring.costs.formulas.lower_bounds import lower_bounds
from sparring.errors import Undecided

ROOM = "sparring.spec.collectives"
FOLDER = Path(sparring.__file__).parent / "spec" / "collectives"

FORMS = {  # messages of the steps; words of one rank and of the steps; additions of one rank and of the steps
    "linear_bcast": ("p - 1", "n*(p - 1)", "n*(p - 1)", "0", "0"),
    "binomial_bcast": ("ceil(log2(p))", "n*ceil(log2(p))", "n*ceil(log2(p))", "0", "0"),
    "chain_bcast": ("p - 1", "n*Min(1, p - 1)", "n*(p - 1)", "0", "0"),
    "linear_reduce": ("Min(1, p - 1)", "n*Min(1, p - 1)", "n*Min(1, p - 1)", "n*(p - 1)", "n*(p - 1)"),
    "binomial_reduce": (
        "ceil(log2(p))", "n*Min(1, p - 1)", "n*ceil(log2(p))", "n*ceil(log2(p))", "n*ceil(log2(p))",
    ),
    "chain_reduce": ("p - 1", "n*Min(1, p - 1)", "n*(p - 1)", "n*Min(1, p - 1)", "n*(p - 1)"),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_forms_are_the_textbooks_and_what_is_counted(name):
    """Each form is compared with counts of runs, too."""
    cost = sparring.cost(f"{ROOM}.{name}")
    found = derive(cost.page)

    told = (found.messages, found.words, found.critical, found.added, found.added_critical)
    assert tuple(map(str, told)) == FORMS[name]
    assert [str(check.verdict).split(" (")[0] for check in cost.checks] == ["tested", "proved for every p"]


def changed(folder, name, right, wrong):
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    assert text.count(right) == 1
    file = folder / f"{name}.py"
    file.write_text(text.replace(right, wrong), encoding="utf-8")
    return sparring.page(str(file))


FAULTS = {
    "the root leaves one message out": (
        "linear_bcast", "(r: Int) -> Bool:                        return r == 0",
        "(r: Int, j: Int) -> Bool: return r + j < 2",
    ),
    "each rank sends twice": ("chain_bcast", "return r == t", "return (t - r) // 2 == 0"),
    "a step without messages": ("chain_reduce", "return r == p - 1 - t", "return r == p - t"),
    "a step for one rank": ("chain_bcast", "return p - 1", "return p"),
    "two steps without ranks": ("chain_reduce", "return p - 1\n", "return p + 1\n"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_no_such_tree_has_no_forms(fault, tmp_path):
    """Of the page without the fault they are derived, see above."""
    with pytest.raises(Undecided):
        derive(changed(tmp_path, *FAULTS[fault]))


def test_no_bound_is_said_of_a_kind_of_the_pages_own():
    """A linear reduction's ranks send one message each, fewer than any allreduce's."""
    assert not lower_bounds(sparring.page(f"{ROOM}.linear_reduce"))
    assert lower_bounds(sparring.page("ring"))
