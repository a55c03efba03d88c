"""By proof alone: which planted faults no theorem survives, and that what is no fault is not refused."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest

import sparring
from sparring.proofs.mutants.alone import UNREADABLE, Alone, of_page, refused
from sparring.proofs.mutants.judging import unharmed
from sparring.proofs.mutants.syntax import IN_PAGES, ast, mutants

KEPT = Path(__file__).parents[2] / "docs" / "mutants"
QUICK = ("ring", "ring_allgather", "ring_topk", "dsar_split_allgather")
"""Of all others the published numbers say it, of which the slow tests judge every ninth anew."""


def equivalent(page):
    """The faults that are none, as two solvers proved: by operator, function, line and change."""
    kept = json.loads((KEPT / f"{page.name}.json").read_text())["alive"]
    ours = (one for one in kept if (one["part"], one["word"]) == ("page", "equivalent"))
    return {(one["operator"], one["function"], one["line"], one["change"]) for one in ours}


@pytest.mark.parametrize("name", QUICK)
def test_every_fault_is_refused(name):
    """Of each page of formulas, all that is not proved to be none; two pages have no functions of their own."""
    page = sparring.page(name)
    alone, none = Alone(page), equivalent(page)
    faults = [
        m for m in mutants(inspect.getsource(page.module)) if (m.operator, m.function, m.text, m.told) not in none
    ]
    assert faults
    assert [str(m) for m in faults if not alone.refused(m)] == []


def test_what_is_no_fault_is_not_refused():
    """The page itself, with all its theorems."""
    page = sparring.page("ring_topk")
    assert refused(page, unharmed(inspect.getsource(page.module))) == ""


@pytest.mark.slow
def test_a_fault_that_is_none_is_not_refused():
    """Of two encodings that are as long, the other one."""
    page = sparring.page("ring_sparse")
    same = next(m for m in mutants(inspect.getsource(page.module)) if m.told == "a <= b becomes a < b")
    assert refused(page, same) == ""


def test_all_faults_of_a_page():
    """In its order, each with the theorem that falls."""
    page = sparring.page("ring_allgather")
    found = [*of_page(page)]
    assert [str(m) for m, _ in found] == [*map(str, mutants(inspect.getsource(page.module), IN_PAGES))]
    assert {why for _, why in found} == {"result", "agreement"}


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("return x.largest(part(c, p, where(k <= n, k, n)))", "return x + x", "result"),
        ("return x.largest(part(c, p, where(k <= n, k, n)))", "return x[1:]", UNREADABLE),
        ("return x.largest(part(c, p, where(k <= n, k, n)))", "return x.largest(part(c, p, k))", "sizes"),
        ("return m * (w + 4)", "return m * w", "sizes"),
    ],
)
def test_the_theorem_that_falls(old, new, why):
    """The first that small numbers upset, or a page that cannot be read."""
    page = sparring.page("ring_topk")
    source = inspect.getsource(page.module)
    assert source.count(old) == 1
    fault = unharmed("")._replace(tree=ast.parse(source.replace(old, new)))
    assert refused(page, fault) == why
