"""The lossy two-shot allreduce's theorems: its cost is counted, and its claims hold."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import pytest

import sparring
from sparring.errors import InputError
from sparring.proofs import lossy_two_shot
from sparring.proofs.core import kernel
from sparring.proofs.core.questions import answered
from sparring.proofs.core.supplement import planted, subject
from sparring.proofs.core.verdicts import PROVED, REFUTED
from sparring.proofs.cost.following import decide
from sparring.proofs.cost.literature import packet_loss
from sparring.proofs.cost.statements import Shown, Theorem
from sparring.spec.core.runner import run

PAGE = sparring.page("lossy_two_shot")


def test_all_are_proved_for_every_p():
    found = list(kernel.prove(PAGE))
    assert [one.name for one in found] == ["result", "partition", "deadlock", "contention", "volume", "peers"]
    assert all(isinstance(one, kernel.Theorem) and one.verdict == PROVED and one.mutant for one in found)


def test_a_late_packet_that_counts_takes_a_replica_far_back():
    """The bound after k losses rests on the version."""
    late = planted(subject(PAGE), "a late packet counts")
    wrong = [one.obligation.name for one in answered(lossy_two_shot.drifting(late.page.module), False) if one.witness]
    assert wrong == ["from the owner's", "from another"]


@pytest.mark.parametrize("hypothesis", ["steps no longer than e", "the bound so far"])
def test_without_a_hypothesis_the_bound_is_passed(hypothesis):
    """The obligation is about just this: each is needed."""
    (whole,) = (one for one in lossy_two_shot.drifting(PAGE.module) if one.name == "from the owner's")
    gone = {"steps no longer than e": 5, "the bound so far": 7}[hypothesis]
    kept = tuple(h for i, h in enumerate(whole.hypotheses) if i != gone)
    (good,), (without,) = answered([whole], True), answered([whole._replace(hypotheses=kept)], False)
    assert good.holds and without.witness and not without.holds


def test_what_it_keeps_is_looked_at():
    """A state with another number of calls, versions to come, or an own shard that is stale, is told."""
    xs = [[1.0, 2.0], [3.0, 4.0]]
    state = run(PAGE, xs).state
    assert [*lossy_two_shot.kept(state, xs, 1)] == []
    assert "has counted 1" in next(lossy_two_shot.kept(state, xs, 2))
    late = state._replace(versions=[[[1], [2]], state.versions[1]])
    assert [*lossy_two_shot.kept(late, xs, 1)] == ["rank 0 has versions [[1], [2]] after 1 calls"]
    stale = state._replace(versions=[[[0], [1]], state.versions[1]])
    assert [*lossy_two_shot.kept(stale, xs, 1)] == ["rank 0's own shard has versions [0] after 1 calls"]
    short = state._replace(replicas=[[1.0], [1.0]])
    assert [*lossy_two_shot.kept(short, xs, 1)] == ["a replica is not as long as the vectors"]


def test_the_cost_is_the_two_shot_allreduces():
    """In closed form, proved, and counted in runs that reach all of it, with losses."""
    cost = sparring.cost("lossy_two_shot", lost=500)
    two = sparring.cost("two_shot")
    assert [check.verdict.word.name for check in cost.checks][:2] == ["TESTED", "PROVED"]
    for p, n in ((1, 5), (2, 5), (4, 8), (5, 17)):
        assert cost.form("words").subs({"p": p, "n": n}) == two.form("words").subs({"p": p, "n": n})
    with pytest.raises(InputError, match="lost = 1000 with aggregator ht"):
        sparring.cost("lossy_two_shot", lost=1000)


def test_a_page_that_sends_more_is_told_by_its_count():
    """Each shard sent twice as long: the counted run is above the bound."""

    def longer(xs, state, params):
        playing = PAGE.program(xs, state, params)
        try:
            while True:
                yield [m._replace(entries=[*m.entries, *m.entries]) for m in next(playing)]
        except StopIteration as end:
            return end.value

    changed = SimpleNamespace(**{**vars(PAGE.module), "program": longer})
    cost = sparring.cost("lossy_two_shot")
    page = replace(PAGE, module=changed, program=longer)
    runs = [one._replace(page=page) for one in cost.runs() if len(one.xs) == 3]
    doubled = replace(cost, page=page)
    object.__setattr__(doubled, "runs", lambda: iter(runs))
    assert doubled.counted().verdict == REFUTED


DECIDED = [one for one in packet_loss.statements if isinstance(one, (Shown, Theorem))]


@pytest.mark.parametrize("one", DECIDED, ids=lambda one: one.name)
def test_claims_are_as_expected(one):
    assert str(decide(one).checked) == ("refuted as expected" if one.xfail else "proved for every p")


def test_what_the_claims_compute_is_the_law_itself():
    """At q = 2 / 5."""
    q = packet_loss.lost(2, Fraction(3))
    assert q == Fraction(2, 5)
    for p in packet_loss.RANKS:
        assert packet_loss.reciprocal(p, 2, Fraction(3)) == packet_loss.weight(p, 2, Fraction(3)) > Fraction(1, p)
        assert packet_loss.of_any(p, 2, Fraction(3)) == (1 - q**p) / p
    limit = packet_loss.exact(2, Fraction(3), 1)
    assert packet_loss.apart(2, Fraction(3), Fraction(0), 1) == limit > packet_loss.remembered(2, Fraction(3), 1)
    assert packet_loss.apart(2, Fraction(3), Fraction(1), 1) == 0
