"""ARC-Top-K's theorems: another total order of rows upsets none of selection."""

from __future__ import annotations

from functools import cmp_to_key
from itertools import permutations, product
from types import SimpleNamespace

import pytest

import sparring
from sparring.errors import Undecided
from sparring.proofs import arc_top_k
from sparring.proofs.compression import arc_rows
from sparring.proofs.core import kernel
from sparring.proofs.core.questions import answered
from sparring.proofs.core.supplement import planted, subject
from sparring.proofs.core.verdicts import PROVED, REFUTED, Word
from sparring.proofs.cost import programs
from sparring.spec import arc_top_k as page_module
from sparring.spec.core.numbers import both, either
from sparring.spec.core.schedule import truth

PROPERTIES = ["result", "agreement", "conservation", "partition", "deadlock", "contention", "volume", "peers"]


@pytest.mark.parametrize("through", ["ring", "two_shot"])
def test_all_are_proved_for_every_p(through):
    found = list(kernel.prove(sparring.page("arc_top_k", through=through)))
    assert [one.name for one in found] == PROPERTIES
    assert all(isinstance(one, kernel.Theorem) and one.verdict == PROVED and one.mutant for one in found)


@pytest.mark.parametrize("through", ["ring", "two_shot"])
def test_sums_that_meet_are_found(through):
    """A direction or a turn more, and messages share links, or ports, that they should not."""
    wrong = planted(subject(sparring.page("arc_top_k", through=through)), "sums go astray")
    assert wrong.theorems
    (meeting,) = (one for one in wrong.theorems(wrong.page) if one.name == "contention")
    assert not holds(meeting.obligations)


def module(**planted_):
    return SimpleNamespace(**{**vars(page_module), **planted_})


def holds(claims):
    return all(answer.holds for answer in answered(claims, True))


def test_any_total_order_gives_one_choice_and_no_other_does():
    """The last index first is as good; by score alone, or with both orders mixed, it is not."""
    last = module(before=lambda a, i, b, j: either(a < b, both(a == b, i > j)))
    odd = module(before=lambda a, i, b, j: either(a < b, i < j))
    open_ = module(before=lambda a, i, b, j: a <= b)
    assert holds(arc_top_k.total(page_module)) and holds(arc_top_k.total(last))
    assert not holds(arc_top_k.total(odd)) and not holds(arc_top_k.total(open_))


def test_one_set_of_rows_comes_first():
    """Of all sets of k of four rows, ties included, one alone has no row outside that comes before one inside."""
    for scores in product(range(3), repeat=4):
        for k in range(5):
            sets = {frozenset(rows[:k]) for rows in permutations(range(4))}
            first = [
                kept for kept in sets
                if all(page_module.before(-scores[i], i, -scores[j], j) for i in kept for j in {*range(4)} - kept)
            ]  # fmt: skip
            assert first == [frozenset(page_module.first([*scores], k))]


def test_the_order_is_that_of_sorting():
    def order(i, j):
        return -1 if truth(page_module.before(-scores[i], i, -scores[j], j)) else 1

    for scores in product(range(3), repeat=4):
        assert sorted(range(4), key=cmp_to_key(order)) == sorted(range(4), key=lambda i: (-scores[i], i))


@pytest.mark.parametrize("rule", ["nearer", "waits"])
def test_a_rule_that_is_not_linear_is_no_single_nodes(rule):
    """One that rounds, or takes a magnitude."""
    good = getattr(page_module, rule)
    halves = module(**{rule: lambda sent, *at: good(sent, *at) // 2})
    assert holds(arc_top_k.single(page_module)) and not holds(arc_top_k.single(halves))


def test_an_order_of_addition_that_forgets_a_term_is_found():
    forgetful = module(halved=lambda terms: page_module.halved(terms[:7]))
    assert holds(arc_top_k.halves(page_module)) and not holds(arc_top_k.halves(forgetful))


def test_what_the_claims_rest_on(monkeypatch):
    assert arc_rows.same_rows().holds and arc_rows.single_node().holds
    found = arc_rows.differently()
    assert not found.holds and "row 0 is kept; from rank 2 on, row 1" in found.detail
    monkeypatch.setattr(arc_rows, "ROWS", ((1.0, 0.0, 0.0), (1.0, 1.0, 1.0)))
    with pytest.raises(Undecided, match="no two orders"):
        arc_rows.differently()


def test_messages_with_an_index_are_found(monkeypatch):
    assert arc_rows.values_alone().verdict.word == Word.TESTED

    def longer(xs, through, inner=page_module.summed):
        running = inner(xs, through)
        while True:
            try:
                wire = next(running)
            except StopIteration as end:
                return end.value
            yield [m._replace(entries=[*m.entries, 0]) for m in wire]

    monkeypatch.setattr(page_module, "summed", longer)
    assert not arc_rows.values_alone().holds


@pytest.mark.parametrize(
    "params", [{"columns": 4}, {"columns": 3, "through": "two_shot", "feedback": "ef21m"}], ids=str
)
def test_the_cost_is_counted_and_a_wrong_one_found(params, monkeypatch):
    cost = sparring.cost("arc_top_k", **params)
    for p in (1, 2, 5, 16):
        runs = [*arc_top_k.played(cost.page, p)]
        assert not [one for run in runs for one in programs.compared(cost.most, run)]
        few = [one._replace(forms={**one.forms, "words": one.forms["words"] - 1}) for one in cost.most]
        assert p == 1 or [one for run in runs for one in programs.compared(few, run)]
    assert cost.proved().verdict == PROVED
    monkeypatch.setitem(cost.__dict__, "most", few)  # costs are kept in a process
    assert cost.counted().verdict == REFUTED


def test_without_a_row_length_there_is_no_cost():
    with pytest.raises(Undecided, match="a row's length follows divisors of n: -P columns=64 has a cost"):
        sparring.cost("arc_top_k")
