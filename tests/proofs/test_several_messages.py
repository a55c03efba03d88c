"""Where a rank sends several messages in a step: what is false is refuted, as the two-shot's page shows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparring import page
from sparring.errors import InputError, ScheduleFault, Undecided
from sparring.proofs.kernel import coq, kernel
from sparring.proofs.logic.verdicts import REFUTED
from sparring.proofs.proving import timing
from sparring.proofs.reading.annotations import subject
from sparring.proofs.statements.conjectures import conjectures
from sparring.spec.core.numbers import either, where
from sparring.spec.core.runner import Run

PAGE = page("two_shot")
WHOLE = subject(PAGE)


def having(**formulas):
    return replace(WHOLE, page=replace(PAGE, **formulas))


TO_ONE = having(dst=lambda r, t, p, j: (r + 1) % p, src=lambda r, t, p, j: (r - 1) % p)
OVERWRITTEN = having(adds=lambda t, p: False)
WRONG = {
    "all to one": (TO_ONE, "result", "refuted"),
    "one too few": (having(messages=lambda t, p: where(p > 2, p - 2, 1)), "result", "refuted"),
    "to oneself": (having(messages=lambda t, p: p), "result", "refuted"),
    "overwritten": (OVERWRITTEN, "result", "refuted"),
    "listens elsewhere": (having(src=lambda r, t, p, j: (r - j - 2) % p), "deadlock", "refuted"),
    "who says it wrongly": (having(who=lambda q, r, c, t, p: PAGE.who(q, r, c, t, p) + 1), "result", "not inductive"),
    "agrees too early": (
        replace(WHOLE, same=lambda r, s, c, t, p: either(r == s, t >= 0)),
        "agreement",
        "not inductive",
    ),
    "boasts": (replace(WHOLE, contention={"crossbar": "lock step"}), "lock step on crossbar", "refuted"),
}


@pytest.mark.parametrize(("whole", "claim", "verdict"), WRONG.values(), ids=WRONG)
def test_planted_faults_are_found(whole, claim, verdict):
    """Each by the claim that it breaks; where the page runs right, what it says of itself is wrong."""
    one = next(conjectures(whole, claim))
    assert str(kernel.judge(whole, one, second_opinion=False).verdict) == verdict


def test_at_once_messages_meet():
    """Under any timing, too."""
    assert timing.under_any_timing(replace(WHOLE, contention={"crossbar": "lock step"})).verdict == REFUTED


@pytest.mark.parametrize(
    ("whole", "why"),
    [
        (TO_ONE, "rank 0 sends 2 messages to rank 1"),
        (OVERWRITTEN, "2 messages overwrite rank"),
        (having(messages=lambda t, p: 0 * p), r"messages\(0, 3\) = 0; a step has at least 1"),
    ],
)
def test_the_runner_names_what_makes_no_schedule(whole, why):
    with pytest.raises(ScheduleFault, match=why):
        Run(whole.page, [["a", "b", "c"]] * 3).results


def test_what_is_not_covered_says_so(monkeypatch):
    """Coq instances know one message a step, and so does what a page says of what is spent."""
    with pytest.raises(Undecided, match="several messages in a step have no Coq instance"):
        coq.instance(PAGE)
    monkeypatch.setattr("sparring.proofs.two_shot.spent", lambda r, c, t, p: False, raising=False)
    with pytest.raises(InputError, match="spent is not covered where a rank sends several messages"):
        subject(PAGE)
