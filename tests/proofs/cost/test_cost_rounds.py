"""Several messages in a step: summed where p is a power of the radix, counted for every p."""

from __future__ import annotations

from dataclasses import replace

import pytest

import sparring
from sparring import page
from sparring.errors import InputError, Undecided
from sparring.proofs.core.obligations import p as ranks
from sparring.proofs.core.supplement import subject
from sparring.proofs.core.verdicts import PROVED
from sparring.proofs.cost import comparison, counted, rounds
from sparring.proofs.cost.derivation import derive
from sparring.proofs.cost.symbols import Log, n, p, symbol
from sparring.spec.core.digits import log, power
from sparring.spec.core.numbers import Sym, both

PAGE, radix = page("recursive_multiplying"), symbol("radix")
RADICES = [2, 3, 4, 5]


@pytest.fixture(scope="module")
def cost():
    return sparring.cost("recursive_multiplying")


def test_in_closed_form_for_every_radix(cost):
    """In each of log p rounds a rank sends, receives and adds radix - 1 vectors."""
    words = n * (radix - 1) * Log(p, radix)

    assert cost.given == "p = radix^m"
    assert (cost.messages - (radix - 1) * Log(p, radix)).expand() == 0
    assert [(cost.needed(form) - words).expand() for form in ("words", "path", "critical", "added")] == [0] * 4
    assert str(cost.words) == "n*(radix - 1)*log(p, radix)"
    assert r"\log_{\mathit{radix}} p" in cost.latex()
    assert [(c.name, c.verdict) for c in cost.checks][1] == ("derivation", PROVED)


@pytest.mark.parametrize("ranks", [range(1, 18), pytest.param(range(18, 65), marks=pytest.mark.slow)])
@pytest.mark.parametrize("base", RADICES)
def test_counting_agrees(base, ranks):
    """Message by message, and with what runs send, for p = 1..64."""
    found = page("recursive_multiplying", radix=base)
    derived = derive(found)

    assert derived.letters == {"radix": base}
    assert comparison.compared(found, derived, ranks) is None


@pytest.mark.parametrize("form", ["several", "largest", "path", "critical", "added_most", "sent"])
def test_a_wrong_form_is_seen(form):
    """Each form one too large is unlike the count."""
    derived = derive(PAGE)

    assert comparison.compared(PAGE, replace(derived, **{form: getattr(derived, form) + 1}), range(4, 5)) is not None


def test_other_numbers_of_ranks_are_counted():
    """At 9 = 2 * 4 + 1 ranks four and one fold: a step of one message, three a round, two that rank 0 hands back."""
    found = counted.count(PAGE, 9, 10, 0)

    assert (found.steps, found.messages) == (3, 1 + 3 + 2)
    assert found.sent == [50, 40, 40, 40, 10, 10, 10, 10, 10]
    assert found.path == found.critical == 60


def test_at_a_point(cost):
    """With the page's own radix; where p is no power of it, the cost says so."""
    assert cost.at(p=16, n=100).words == 600
    assert sparring.cost("recursive_multiplying", radix=2).at(p=16, n=100).words == 400
    with pytest.raises(InputError, match=r"this cost holds where p = radix\^m, not for p=6"):
        cost.at(p=6, n=100)


def test_ranks_that_are_silent_are_not_summed():
    """A planted fault, rank 0 sends nothing; and p that is no power."""
    whole, base = subject(PAGE).general, Sym.var("radix")
    power_alone = (ranks == power(base, log(ranks, base)),)

    def active(r, t, p, j):
        return both(whole.page.active(r, t, p, j), r > 0)

    silent = replace(whole, page=replace(whole.page, active=active))
    assert rounds.so(whole.page, rounds.alike(whole, power_alone))
    assert not rounds.so(silent.page, rounds.alike(silent, power_alone))
    assert not rounds.so(whole.page, rounds.alike(whole, ()))


def test_messages_of_other_sizes_are_undecided():
    """Only whole vectors are counted so."""
    with pytest.raises(Undecided, match="several messages of a step summed"):
        rounds.rounds(replace(PAGE, words=lambda r, t, c, p, n, k: 2 * n))
