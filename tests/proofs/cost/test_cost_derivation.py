"""Derived costs are those that are counted, and are proved; a wrong derivation is caught by either."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy

from sparring import Undecided
from sparring.proofs.core.verdicts import PROVED
from sparring.proofs.cost import derivation
from sparring.proofs.cost.comparison import RANKS, compared, points
from sparring.proofs.cost.counted import count, traced
from sparring.proofs.cost.derivation import derive
from sparring.proofs.cost.proof import prove
from sparring.proofs.cost.spans import Span
from sparring.proofs.cost.symbols import B, exact, k, n, p, plain, r
from sparring.spec.core.numbers import where

FEW = range(1, 9)


def fault(page, derived, ranks=FEW):
    """The first quantity that is not what is counted, in words."""
    return str(compared(page, derived, ranks))


@pytest.mark.parametrize("ranks", [range(1, 33), pytest.param(RANKS, marks=pytest.mark.slow)], ids=["to 32", "to 64"])
def test_derived_is_counted(page, derived, ranks):
    """For short and astronomically long vectors, every quantity and every rank agrees."""
    assert compared(page, derived, ranks) is None


def test_ranks_are_counted_to_64():
    assert range(1, 65) == RANKS


def test_derived_is_proved(page, derived):
    """Both solvers confirm each message, each partial sum and each total, for every p."""
    assert prove(page, derived).verdict == PROVED


def test_the_same_page_is_derived_once(ring, monkeypatch):
    """Another page is not taken for it, though it differs in one formula; and the oldest is forgotten."""
    monkeypatch.setattr(derivation, "KNOWN", known := {})
    monkeypatch.setattr(derivation, "KEPT", 2)
    first = derive(ring)
    assert derive(ring) is first
    assert derive(replace(ring, steps=lambda p: p - 1)).steps == p - 1 != first.steps
    again = derive(replace(ring))
    assert again == first and again is not first
    assert len(known) == 2 and id(ring) not in known


def test_the_ring_has_the_known_closed_forms(ring):
    """They are written down here by hand."""
    derived = derive(ring)
    assert derived.steps == 2 * p - 2
    assert sympy.expand(derived.sent - (2 * n + B(r + 1) - B(r + 3))) == 0
    assert derived.largest == 2 * n - sympy.floor(2 * n / p)
    assert sympy.expand(derived.critical - 2 * (p - 1) * sympy.ceiling(n / p)) == 0
    assert derived.path == derived.critical
    assert derived.gaps == ()


def test_the_ring_with_selection_has_prefixes_of_k(selected):
    """The ring's forms over k, two words an entry; an addition takes one of them."""
    derived = derive(selected)
    assert sympy.expand(derived.sent - 2 * (2 * k + B(r + 1, k) - B(r + 3, k))) == 0
    assert derived.largest == 4 * k - 2 * sympy.floor(2 * k / p)
    assert sympy.expand(derived.critical - 4 * (p - 1) * sympy.ceiling(k / p)) == 0
    assert derived.path == derived.critical
    assert derived.added_most == k - sympy.floor(k / p)
    assert derived.gaps == ()


def test_prefixes_of_n_and_of_k_are_kept_apart(ring, selected):
    """A message of a chunk and of its part of k has two sums; to take one for the other is caught."""
    both = replace(ring, words=lambda r, t, c, p, n, k: ring.words(r, t, c, p, n, k) + selected.words(r, t, c, p, n, k))
    derived = derive(both)
    for at in points(FEW):
        sent = [exact(derived.sent, {**at, "r": rank}) for rank in range(at["p"])]
        assert sent == count(both, at["p"], at["n"], at["k"]).sent
    assert derived.largest is None and any(gap.startswith("V_max: the largest of") for gap in derived.gaps)
    sent = derive(selected).sent
    assert sent is not None
    swapped = replace(derive(selected), sent=sent.subs(k, n))
    assert fault(selected, swapped).startswith("words sent by rank")
    assert prove(selected, swapped).verdict != PROVED


def test_a_path_is_only_derived_where_messages_are_passed_on(backwards):
    """Elsewhere it is counted, lies between the other two, and the gap is told."""
    derived = derive(backwards)
    found = count(backwards, 5, 7, 0)
    assert derived.path is None
    assert "counted, not derived" in derived.gaps[0]
    assert found.path is not None and max(found.sent) <= found.path <= found.critical


def test_counting_by_formulas_is_counting_by_messages(page):
    """What the formulas say of sizes is what stands in the trace of a run."""
    for at in points(FEW):
        if at["n"] < 100:
            assert count(page, at["p"], at["n"], at["k"]).sent == traced(page, **at).sent


def test_more_is_caught(page, derived):
    """A total that is one word too high is refuted by counting and by the solvers."""
    wrong = replace(derived, sent=derived.sent + 1)
    assert fault(page, wrong).startswith("words sent by rank")
    assert prove(page, wrong).detail.startswith("the totals make the whole: ")


def test_another_size_is_caught(page, derived):
    """A message that is one word longer than it is, likewise."""
    first = derived.pieces[0]
    pieces = (first._replace(words=first.words + 1), *derived.pieces[1:])
    assert "the words of a message: z3 sat" in prove(page, replace(derived, pieces=pieces)).detail
    longer = replace(page, words=lambda r, t, c, p, n, k: page.words(r, t, c, p, n, k) + 1)
    assert compared(page, derive(longer), FEW)


def test_another_slope_is_caught(ring, backwards):
    """The sums of a ring that goes the other way are not the ring's, from four ranks on."""
    wrong = derive(backwards)
    assert fault(ring, wrong, range(4, 9)).startswith("words sent by rank")
    assert "the words of a message" in prove(ring, wrong).detail
    assert prove(ring, wrong).verdict != PROVED


def test_a_step_fewer_is_caught(page, derived):
    """Spans that leave out the last step are not all steps; a total without it is not what is counted."""
    last = derived.pieces[-1]
    short = last._replace(span=Span(last.span.first, last.span.end - 1))
    wrong = replace(derived, pieces=(*derived.pieces[:-1], short))
    assert prove(page, wrong).detail.startswith("the spans are all steps: z3 sat, cvc5 sat")
    fewer = replace(derived, steps=derived.steps - 1)
    assert fault(page, fewer).startswith("steps at")


@pytest.mark.parametrize("name", ["largest", "critical", "added_most", "added_critical", "added"])
def test_each_quantity_is_compared(page, derived, name):
    """A closed form that is off by one is found, whichever it is."""
    assert compared(page, replace(derived, **{name: getattr(derived, name) + 1}), FEW)


def test_an_impossible_path_is_found(ring):
    """A V_path that is derived wrongly is found by counting."""
    derived = derive(ring)
    assert fault(ring, replace(derived, path=derived.largest)).startswith("V_path at")


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
def test_what_cannot_be_summed_is_undecided(ring, change):
    """A sentence says what is in the way, and there is no formula."""
    formulas, why = CHANGES[change]
    with pytest.raises(Undecided, match=why):
        derive(replace(ring, **formulas))


def test_where_all_send_the_same_chunk_ranks_are_alike(ring):
    """Then the sum still telescopes over steps, and has no rank in it."""
    page = replace(ring, chunk=lambda r, t, p: t % p)
    derived = derive(page)
    assert derived.sent is not None
    assert not derived.sent.has(r)
    assert compared(page, derived, FEW) is None


def test_evaluation_is_exact():
    """Near 10^18, where floats are 128 apart, floors come out to the word."""
    length = 10**18 + 7
    assert exact(plain(B(2)), {"n": length, "p": 3}) == 2 * length // 3
    assert exact(sympy.ceiling(n / p), {"n": length, "p": 64}) == -(-length // 64)
