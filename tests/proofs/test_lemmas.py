"""What a page's lemmas help: they are proved of its steps and ranks, and say nothing of anything else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparring import page
from sparring.proofs.logic.obligations import Obligation, Stepwise, always, during, p, r, t, with_lemmas, within
from sparring.proofs.logic.queries import answered
from sparring.proofs.statements.formulas import valued
from sparring.spec.core.numbers import both

RING = page("ring")


def counting_down(r, t, p):
    """Of a step, true."""
    return [RING.steps(p) - 1 - t >= 0]


def inside(r, t, p):
    """Of a rank, true."""
    return [r < p]


def proved(lemmas, claims, of=RING):
    helped = with_lemmas(of, lemmas, claims)
    return {one.obligation.name: one.holds for one in answered(helped, second_opinion=True, encoding="wrap")}


@pytest.mark.parametrize(
    ("lemmas", "box", "claim", "holds"),
    [
        (counting_down, during(RING), t < RING.steps(p), True),
        (counting_down, (*always(RING), within(t, RING.steps(p) + 1)), t < RING.steps(p), False),
        (counting_down, (*always(RING), within(t, RING.steps(p))), t < RING.steps(p), True),
        (inside, (p >= 1, within(t, RING.steps(p))), r < p, False),
        (inside, (p >= 1, within(t, RING.steps(p)), within(r)), r < p, True),
    ],
    ids=["a step", "the end", "a step again", "no rank", "a rank"],
)
def test_a_lemma_says_nothing_beyond_what_it_is_proved_of(lemmas, box, claim, holds):
    assert proved(lemmas, [Obligation("claimed", box, claim)]) == {"lemma 1": True, "claimed": holds}


@pytest.mark.parametrize(("beyond", "right"), [(1, False), (0, True)])
def test_formulas_have_values_in_the_end_as_well(beyond, right):
    """Planted: what a page says that ranks hold shifts by -1 after the last step, which a lemma about steps denies."""

    def holds(q, r, c, t, p):
        return both(RING.holds(q, r, c, t, p), 1 << (RING.steps(p) - beyond - t) > 0)

    wrong = replace(RING, holds=holds)
    claims = [one for one in valued(wrong) if one.name.startswith("shifts of holds")]
    assert proved(counting_down, claims, wrong) == {
        "lemma 1": True,
        "shifts of holds": True,
        "shifts of holds in the end": right,
    }


LAST, FALSE = RING.steps(p) - 1 - t >= 0, r < p - 1
STEPS = {
    "a step": ([Stepwise(LAST, [t < RING.steps(p)])], {"lemma 1, step 1": True, "lemma 1": True}),
    "a false step": ([Stepwise(FALSE, [FALSE])], {"lemma 1, step 1": False, "lemma 1": True}),
    "a step that helps no other lemma": (
        [Stepwise(LAST, [FALSE]), FALSE],
        {"lemma 1, step 1": False, "lemma 1": True, "lemma 2": False},
    ),
    "no lemma before it": ([FALSE, Stepwise(FALSE, [], 0)], {"lemma 1": False, "lemma 2": False}),
    "itself and one after it": ([Stepwise(FALSE, [], 2), FALSE], {"lemma 1": False, "lemma 2": True}),
}


@pytest.mark.parametrize(("lemmas", "words"), STEPS.values(), ids=STEPS)
def test_steps_of_a_lemma_are_proved_and_help_it_alone(lemmas, words):
    """Nor does a lemma rest on itself, or on later ones, whichever it names."""
    found = proved(lambda r, t, p: lemmas, [Obligation("claimed", during(RING), both(LAST, r < p))])
    assert {name: holds for name, holds in found.items() if name != "claimed"} == words
