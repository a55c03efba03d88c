"""Messages of whole vectors are counted in closed form, equal to what a run sends."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparring import page
from sparring.errors import Undecided
from sparring.proofs import recursive_doubling
from sparring.proofs.cost import counted, whole
from sparring.proofs.cost.claims import judge
from sparring.proofs.cost.costs import Cost
from sparring.proofs.cost.derivation import derive
from sparring.proofs.cost.symbols import CeilLog2, FloorLog2, exact, n, p
from sparring.spec.core.numbers import both, negate

PAGE = page("recursive_doubling")


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_recursive_doubling_in_closed_form():
    """With a fold there are two more steps, and one more message for those that exchange; counts agree, p = 1..64.

    A path of messages goes through all steps, with a fold, too.
    """
    derived = derive(PAGE)

    assert derived.steps == 2 * CeilLog2(p) - FloorLog2(p)
    assert derived.largest == derived.added_most == derived.added_critical == n * CeilLog2(p)
    assert (derived.critical - n * derived.steps).expand() == 0
    assert derived.path == derived.critical
    assert counted.compared(PAGE, derived) is None
    assert [(j.verdict, str(j.checked)) for j in Cost(PAGE, derived).claims] == [
        *[("equal", "proved for every p < 2^31")] * 3, *[("different", "refuted as expected")] * 3
    ]  # fmt: skip
    assert "V_max at" in str(counted.compared(PAGE, replace(derived, largest=derived.largest + n)))
    assert "V_path at" in str(counted.compared(PAGE, replace(derived, path=derived.largest)))


@pytest.mark.parametrize("ranks", range(1, 65))
def test_counting_agrees_with_logarithms(ranks):
    """What is sent, counted in a run, is the published n log2 p where p is a power of two, and one step of n more."""
    found = counted.count(PAGE, ranks, 5, 0)
    up, down = (ranks - 1).bit_length(), ranks.bit_length() - 1

    assert (exact(CeilLog2(p), {"p": ranks}), exact(FloorLog2(p), {"p": ranks})) == (up, down)
    assert (found.steps, max(found.sent), found.critical) == (2 * up - down, 5 * up, 5 * (2 * up - down))
    assert found.path == found.critical
    assert (max(found.added), found.added_critical) == (5 * up, 5 * up)
    assert found.sent == counted.traced(PAGE, ranks, 5, 0).sent


STEPS = 2 * CeilLog2(p) - FloorLog2(p)
FORMS = {"messages": STEPS, "words": n * CeilLog2(p), "path": n * STEPS, "added": n * CeilLog2(p)}
JUDGED = {
    "latency": "the same formula where p = 2^m",
    "bandwidth": "the same formula where p = 2^m",
    "reduction": "the same formula where p = 2^m",
    "latency for every p": "it is 2 too low at p=3, n=0, k=0 (the fold: two steps)",
    "bandwidth for every p": "it is 2 too low at p=3, n=1, k=0 (the fold: two messages)",
    "reduction for every p": "it is 1 too low at p=3, n=1, k=0 (the fold: n additions)",
}


@pytest.mark.parametrize("claim", recursive_doubling.claims, ids=lambda claim: claim.name)
def test_the_published_cost_leaves_the_fold_out(claim):
    """It is right where p is a power of two; elsewhere it is two steps, two messages and n additions too low."""
    assert judge(claim, FORMS[claim.quantity]).detail == JUDGED[claim.name]


def test_a_path_that_breaks_off_is_not_found():
    """Where each rank is silent in one step, none has messages in all; the counted path is then shorter, too."""

    def active(r, t, p):
        return both(PAGE.active(r, t, p), negate(both(t == 1, r < 2)))

    broken = replace(PAGE, active=active)
    found = counted.count(broken, 3, 5, 0)
    assert whole.path(broken) == ()
    assert (found.critical, found.path) == (15, 10)


def test_a_message_of_other_than_all_words_is_undecided():
    """Only whole vectors are counted so."""
    with pytest.raises(Undecided, match="words, not n"):
        whole.whole(replace(PAGE, words=lambda r, t, c, p, n, k: 2 * n))
