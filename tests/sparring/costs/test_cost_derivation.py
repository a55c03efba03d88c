"""Derived costs are those that are counted, and are proved; a wrong derivation is caught by either."""

from __future__ import annotations

from dataclasses import replace

import pytest

import sparring
from sparring.costs.derivation import closed_forms
from sparring.costs.derivation.closed_forms import derive
from sparring.costs.derivation.comparison import compared, points
from sparring.costs.derivation.counted import count, unlike_a_run
from sparring.costs.derivation.proof import prove
from sparring.costs.derivation.step_ranges import Span, cuts
from sparring.costs.formulas.symbols import exact, k, n, p
from sparring.errors import InputError, Undecided
from sparring.proofs.logic.obligations import p as ranks
from sparring.proofs.logic.obligations import r, t
from sparring.proofs.logic.verdicts import PROVED
from sparring.spec.core.numbers import negate, where
from tests.sparring.costs.known import page, ring, selected

FEW = range(1, 9)
TELESCOPED = ("ring", "ring_allgather", "ring_topk", "pairwise", "backwards")
"""Those that are summed by prefixes of chunks."""


def fault(page, derived, ranks=FEW):
    """The first quantity that is not what is counted, in words."""
    return str(compared(page, derived, ranks))


@pytest.mark.parametrize(
    ("name", "params"),
    [("pairwise", {}), ("backwards", {}), *(("recursive_multiplying", {"radix": x}) for x in (2, 5))],
)
def test_derived_is_counted_and_proved(name, params):
    """For short and astronomically long vectors, every quantity and every rank agrees; those of our pages are told."""
    one = page(name, **params)
    derived = derive(one)
    assert compared(one, derived, range(1, 18)) is None and prove(one, derived).verdict == PROVED
    assert derived.letters == ({"radix": one.params["radix"]} if params else {})


FORMS = ("steps", "messages", "sent", "received", "words", "path", "critical", "added", "added_critical")


@pytest.mark.parametrize("name", ["ring", "recursive_doubling", "two_shot", "ring_topk", "backwards"])
def test_each_wrong_form_is_counted_out(name):
    """One that is too large by one, whichever it is."""
    derived = derive(page(name))
    for form in (form for form in FORMS if getattr(derived, form) is not None):
        wrong = replace(derived, **{form: getattr(derived, form) + 1})
        assert compared(page(name), wrong, range(4, 5)) is not None, form


def test_a_run_that_sends_less_is_found():
    """The twin: words that a run does not send."""
    at = {"p": 10, "n": 20, "k": 8}
    found = count(ring, **at, paths=False)
    told = next(unlike_a_run(ring, found._replace(sent=[*found.sent[:-1], 0]), at))
    assert told.what == "words sent in a run by rank 9"


@pytest.mark.parametrize(
    ("name", "params", "given", "at", "words", "bad"),
    [
        ("spardl", {}, "p | k", {"p": 5, "n": 100, "k": 20}, 64, {"p": 5, "n": 100, "k": 21}),
        ("recursive_multiplying", {}, "", {"p": 16, "n": 100}, 600, {"p": 6, "n": 100}),
        ("recursive_multiplying", {"radix": 2}, "", {"p": 16, "n": 100}, 400, {"p": 6, "n": 100}),
        ("recursive_doubling_allgather", {}, "", {"p": 8, "n": 100, "k": 1}, 14, {"p": 6, "n": 100, "k": 1}),
        ("two_shot", {}, "p | n", {"p": 4, "n": 100}, 150, {"p": 3, "n": 100}),
    ],
)
def test_a_point_where_the_forms_do_not_hold_is_refused(name, params, given, at, words, bad):
    cost = sparring.cost(name, **params).simplify(given)
    assert cost.at(**at).words == words
    with pytest.raises(InputError, match="this cost holds where"):
        cost.at(**bad)


# -- sums of chunks


def test_the_same_page_is_derived_once(monkeypatch):
    """Another page is not taken for it, though it differs in one formula; and the oldest is forgotten."""
    monkeypatch.setattr(closed_forms, "KNOWN", known := {})
    monkeypatch.setattr(closed_forms, "KEPT", 2)
    first = derive(ring)
    assert derive(ring) is first
    assert derive(replace(ring, steps=lambda p: p - 1)).steps == p - 1 != first.steps
    again = derive(replace(ring))
    assert again == first and again is not first
    assert len(known) == 2 and id(ring) not in known


def test_prefixes_of_n_and_of_k_are_kept_apart():
    """A message of a chunk and of its part of k has two sums; to take one for the other is caught."""
    both = replace(ring, words=lambda r, t, c, p, n, k: ring.words(r, t, c, p, n, k) + selected.words(r, t, c, p, n, k))
    derived = derive(both)
    for at in points(FEW):
        sent = [exact(derived.sent, {**at, "r": rank}) for rank in range(at["p"])]
        assert sent == count(both, at["p"], at["n"], at["k"]).sent
    assert derived.words is None and any(gap.startswith("V_max: the largest of") for gap in derived.gaps)
    sent = derive(selected).sent
    assert sent is not None
    swapped = replace(derive(selected), sent=sent.subs(k, n))
    assert fault(selected, swapped).startswith("words sent by rank")
    assert prove(selected, swapped).verdict != PROVED


@pytest.mark.parametrize("name", TELESCOPED)
def test_a_wrong_sum_is_refuted(name):
    """A total, a message or its formula that is one word longer; a last step that is left out."""
    one, derived = page(name), derive(page(name))
    assert derived.sent is not None
    assert prove(one, replace(derived, sent=derived.sent + 1)).detail.startswith("the totals make the whole: ")
    first, last = derived.pieces[0], derived.pieces[-1]
    pieces = (first._replace(words=first.words + 1), *derived.pieces[1:])
    assert "the words of a message: z3 sat" in prove(one, replace(derived, pieces=pieces)).detail
    longer = replace(one, words=lambda r, t, c, p, n, k: one.words(r, t, c, p, n, k) + 1)
    assert compared(one, derive(longer), FEW)
    short = last._replace(span=Span(last.span.first, last.span.end - 1))
    wrong = replace(derived, pieces=(*derived.pieces[:-1], short))
    assert prove(one, wrong).detail.startswith("the spans are all steps: z3 sat, cvc5 sat")


SILENT = {
    "odd ranks": lambda r, t, p: r % 2 == 0,
    "all but one": lambda r, t, p: r < 1,
    "late steps": lambda r, t, p: t < p - 2,
    "all": lambda r, t, p: False,
}


@pytest.mark.parametrize("silent", SILENT)
@pytest.mark.parametrize("name", ["ring", "ring_allgather", "ring_topk"])
def test_silent_ranks_are_not_summed_as_if_they_sent(name, silent):
    """Refused, also by what tells numbers and checks none; the twin sends always, in other words."""
    with pytest.raises(Undecided, match="in some step a rank is silent"):
        sparring.cost(replace(page(name), active=SILENT[silent]))
    twin = derive(replace(page(name), active=lambda r, t, p: t < 2 * p))
    assert twin == derive(page(name))


SPELT = {
    "at most": lambda t, p: t <= p - 2,
    "the next step": lambda t, p: t + 1 < p,
    "not yet": lambda t, p: negate(p - 1 <= t),
    "not above": lambda t, p: negate(p - 2 < t),
}


@pytest.mark.parametrize("spelt", SPELT)
def test_a_condition_cuts_steps_alike_however_it_is_spelt(spelt):
    """Planted: the same one a step later, which adds more."""
    assert derive(replace(ring, adds=SPELT[spelt])) == derive(ring)
    later = derive(replace(ring, adds=lambda t, p: SPELT[spelt](t - 1, p)))
    assert later.received != derive(ring).received


@pytest.mark.parametrize(
    "adds", [lambda t, p: t % 2 < 1, lambda t, p: 2 * t < p], ids=["every other step", "half of them"]
)
def test_what_is_added_in_steps_that_no_span_holds_is_undecided(adds):
    """It is not taken to be nothing."""
    found = derive(replace(ring, adds=adds))
    assert (found.received, found.added) == (None, None)
    assert any(gap.startswith("additions: ") and "depends on more than the step" in gap for gap in found.gaps)


def test_a_step_that_each_rank_has_for_itself_ends_no_span():
    """Such a condition is no matter of spans, and leaves their order alone."""
    assert cuts(ring, [t <= r]) == cuts(ring, [r < t]) == []
    assert [repr(end) for end in cuts(ring, [t <= r, t < ranks - 1])] == ["(p - 1)"]


CHANGES = {
    "chunks that jump": ({"chunk": lambda r, t, p: (r + 2 * t) % p}, "do not follow each other"),
    "a rank in a condition": ({"chunk": lambda r, t, p: where(r < 1, r, (r + t) % p)}, "depends on more than the step"),
    "a product": ({"chunk": lambda r, t, p: (r + t * t) % p}, "do not follow each other"),
    "a quotient": ({"chunk": lambda r, t, p: (r + t // 2) % p}, "made with //"),
    "a remainder": ({"chunk": lambda r, t, p: (r + t % 2) % p}, "made with %"),
    "steps at p = 1": ({"steps": lambda p: p}, "one rank would take 1 steps"),
    "steps by cases": ({"steps": lambda p: where(p < 2, 0, p)}, "no polynomial in p"),
    "growing messages": ({"words": lambda r, t, c, p, n, k: t * n}, "not summed"),
    "half a chunk": ({"words": lambda r, t, c, p, n, k: c * n // p}, "not made of chunk bounds"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_cannot_be_summed_is_undecided(change):
    """A sentence says what is in the way, and there is no formula."""
    formulas, why = CHANGES[change]
    with pytest.raises(Undecided, match=why):
        derive(replace(ring, **formulas))
