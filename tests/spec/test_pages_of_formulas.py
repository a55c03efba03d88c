"""What pages with formulas have in common: sums, their order, messages as others send them, symbols beside numbers."""

from __future__ import annotations

import random

import pytest

import sparring
from sparring.spec.core.numbers import Sym, evaluate
from sparring.spec.core.schedule import step_sends
from tests.algorithms import ALGORITHMS

PAGES = [
    sparring.page(name, **params)
    for name, one in ALGORITHMS.items()
    if not sparring.page(name).composed
    for params in one.formulas_with
]


def named(page):
    return "-".join([page.name, *map(str, page.params.values())])


MESSAGES = {name: one.messages for name, one in ALGORITHMS.items() if one.messages}


@pytest.mark.parametrize("page", [page for page in PAGES if page.name in MESSAGES], ids=named)
def test_messages_are_those_of_other_programs(page):
    """MPICH's or the paper's: the same ranks and the same chunks in the same order, worked out in another way."""
    for p in (*range(1, 18), 27) if page.several else (*range(1, 18), 31, 32, 33):
        sends = [{(r, d, (*some,)) for r, d, some in step_sends(page, t, p)} for t in range(page.steps(p))]
        if not ALGORITHMS[page.name].powers or p & p - 1 == 0:
            assert sends == [*MESSAGES[page.name](p, **page.params)]


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_symbols_and_numbers_read_alike(page):
    """The formulas on symbols, evaluated, are the formulas on numbers."""
    letters = [Sym.var(name) for name in "rtp"] + [Sym.var("j")] * page.several
    formulas = [page.dst, page.src, page.active] + [page.chunk] * (page.carries is None)
    terms = [formula(*letters) for formula in formulas]
    rng = random.Random(1)
    for p in (*range(1, 6), 7, 8, 13):
        assert evaluate(page.steps(Sym.var("p")), p=p) == page.steps(p)
        for t in range(page.steps(p)):
            for r in range(p):
                at = {"r": r, "t": t, "p": p} | ({"j": rng.randrange(page.messages(t, p))} if page.several else {})
                assert [evaluate(term, **at) for term in terms] == [f(*at.values()) for f in formulas]
                if page.carries:
                    picks = page.carries(letters[0], Sym.var("c"), *letters[1:])
                    assert all(evaluate(picks, **at, c=c) == page.carries(r, c, t, p) for c in range(p))
                if page.blocks:
                    assert evaluate(page.count(*letters), **at) == page.count(r, t, p)
