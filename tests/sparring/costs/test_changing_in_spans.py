"""Closed forms of a tree whose ranks send in another way in the end: equal parts of a vector, and a swap of them."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy

import sparring
from sparring.costs.derivation.changing_in_spans import Since, busiest, derive_in_spans, of_span, since, together
from sparring.costs.derivation.changing_senders import PATH, derive_changing
from sparring.costs.derivation.comparison import compared
from sparring.costs.derivation.confirmation import confirmed
from sparring.costs.derivation.counted import count
from sparring.costs.formulas.symbols import exact, n
from sparring.errors import InputError, Undecided
from sparring.proofs.logic.obligations import every, p
from sparring.spec.collectives.binary_bcast import log
from sparring.spec.core.numbers import both, either, negate, where

SWAPPED = "sparring.spec.collectives.split_binary_bcast"


def page():
    return sparring.page(SWAPPED)


def with_active(active):
    """The page with other senders: ``active`` is given what is so on the page."""
    own = page()
    return replace(own, active=lambda r, t, p, j: active(own.active(r, t, p, j), r, t, p, j))


@pytest.mark.slow
def test_forms_are_what_is_counted_and_no_others():
    """Each form is half of the vector times messages; any that is larger by one is not what is counted."""
    cost = sparring.cost(SWAPPED)
    found = cost.derived

    assert compared(cost.page, found, range(1, 65)) is None
    assert found.path == found.critical and sympy.expand(2 * found.critical - n * found.messages) == 0
    for form in ("messages", "most", "words", "path", "critical", "added", "added_critical"):
        wrong = replace(found, **{form: getattr(found, form) + 1})
        assert compared(cost.page, wrong, range(5, 6)) is not None, form
    with pytest.raises(InputError, match=r"this cost holds where 2 \| n, not for p=5, n=7"):
        cost.at(p=5, n=7)


@pytest.mark.slow
def test_the_rank_that_sends_the_most_is_another_for_few_ranks():
    """The root where all others have fewer children, and a last rank to swap with."""
    most = derive_in_spans(page()).most
    assert [exact(most, {"p": p}) for p in range(1, 10)] == [0, 2, 2, 3, 2, 3, 3, 3, 3]
    assert [count(page(), p, 2, 0).most for p in range(1, 10)] == [0, 2, 2, 3, 2, 3, 3, 3, 3]


@pytest.mark.slow
def test_no_path_is_claimed_where_the_leaders_do_not_go_on():
    """Planted: odd ranks send nothing in the swap, so that of 6 ranks none has two messages a step and then swaps."""
    wrong = with_active(lambda sends, r, t, p, _: both(sends, either(t < log(p), r % 2 == 0)))
    found, counted = derive_in_spans(wrong), count(wrong, 6, 2, 0)

    assert counted.path is not None and counted.path < counted.critical == exact(found.critical, {"p": 6, "n": 2})
    assert found.path is None and PATH in found.gaps
    assert compared(wrong, found, range(1, 20)) is None


FAULTS = {  # that few ranks do not show
    "the root sends on two levels": (
        lambda sends, r, t, p, j: where(both(r == 0, t == 4), both(log(p) > 4, 15 + (16 << j) < p), sends),
        "in no way that is looked for",
    ),
    "rank 9 swaps twice": (
        lambda sends, r, t, p, j: either(sends, every(r == 9, j == 1, t == log(p), p > 10)),
        "in no way that is looked for",
    ),
    "the root swaps with no one above 40 ranks": (
        lambda sends, r, t, p, _: both(sends, negate(every(r == 0, t == log(p), p > 40))),
        "from where on it sends",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_sent_otherwise_is_found(fault):
    """By a claim that both solvers are asked; of the page without the fault forms are derived, see above."""
    active, why = FAULTS[fault]
    with pytest.raises(Undecided, match=why):
        derive_in_spans(with_active(active))


BUSIER = {
    "only ranks from 8 on swap": (
        lambda sends, r, t, p, _: both(sends, either(t < log(p), r >= 8)),
        "no rank sends more in all",
    ),
    "rank 9 sends on two levels": (
        lambda sends, r, t, p, j: either(sends, every(r == 9, t == 5, t < log(p), j == 0)),
        "in one step",
    ),
}


def in_all(page):
    """What is to be shown of the rank that sends the most in all."""
    spans = [(0, log(p)), (log(p), page.steps(p))]
    return busiest(page, [of_span(page, *span) for span in spans], spans)[1]


@pytest.mark.slow
@pytest.mark.parametrize("fault", BUSIER)
def test_a_busier_rank_among_many_is_found(fault):
    """One that sends more than the first ones and than all of few; of the page without the fault there is none."""
    active, why = BUSIER[fault]
    confirmed(page(), in_all(page()))
    with pytest.raises(Undecided, match=why):
        confirmed(wrong := with_active(active), in_all(wrong))


def test_parts_that_are_not_equal_are_no_parts():
    """Planted: rank 3 sends a word more; thirds are parts as well as halves."""
    own = page()
    longer = replace(own, words=lambda r, t, c, p, n, k: own.words(r, t, c, p, n, k) + where(r == 3, 1, 0))
    for derive in (derive_changing, derive_in_spans):
        with pytest.raises(Undecided, match="neither the whole vector nor one of a few equal parts"):
            derive(longer)


def test_messages_without_a_number_are_not_added_up():
    """Planted: as many as other ranks, of which the first alone would be looked at."""
    own = page()
    wrong = replace(own, messages=lambda _, p: p - 1)
    with pytest.raises(Undecided, match="how many messages a step has depends on p"):
        in_all(wrong)


def test_from_where_on_a_message_is_sent():
    """From a number of ranks on, or from there on where it is even; anything else is not told."""
    assert since(p >= 6) == Since(6, even=False)
    assert since(both(p > 4, p % 2 == 0)) == Since(6, even=True)
    assert since(both(p > 4, p % 3 == 0)) is None
    sent = together([Since(3, even=False), Since(5, even=False), Since(2, even=False), Since(4, even=True)])
    assert [exact(sent, {"p": p}) for p in range(1, 9)] == [0, 1, 2, 3, 3, 4, 3, 4]
