"""The lossy two-shot allreduce: proved from its text, wrong texts refused by proof alone; its claims are judged."""

from __future__ import annotations

from fractions import Fraction

import pytest

import sparring
from sparring.proofs import lossy_two_shot
from sparring.proofs.core import kernel
from sparring.proofs.core.questions import answered
from sparring.proofs.core.verdicts import PROVED
from sparring.proofs.cost.following import decide
from sparring.proofs.cost.literature import packet_loss
from sparring.proofs.cost.statements import Shown, Theorem
from sparring.spec.core.compositions import Memory
from sparring.spec.core.runner import run
from tests.proofs.wrong_texts import refusals, wrong

PAGE = sparring.page("lossy_two_shot")
RESULT = "the result is what the page ensures"
WRONG = {
    "a late packet counts": ("return version == call", "return version <= call", {"result": RESULT}),
    "any packet counts": ("where(each(fresh, back.version, now), back.entries, held)",
                          "where(back.version > 0, back.entries, held)", {"result": RESULT}),
    "what is lost is zero": ("back.entries, held)", "back.entries, 0)", {"result": RESULT}),
    "an owner's own replica is not its news": ("back.entries, held)", "held, held)", {"result": RESULT}),
    "shards of another rank": ("own_chunk(held, r, p) + new", "own_chunk(held, r - 1, p) + new", {"result": RESULT}),
    "a rank adds what it has everywhere": ("own_chunk(held, r, p) + new", "held + new",
                                           {"result": "what it has itself with what only the owner of the index has"}),
    "the shard alone": ("return replica, State", "return new, State", {"result": RESULT}),
    "what came is no sum": ("new = mean(got, now, p, params)", "new = got.entries", {"result": "not the owner's"}),
    "versions of the call before": ("State(replica, newest(state.versions, back.packets, now))",
                                    "State(replica, newest(state.versions, back.packets, call))",
                                    {"result": "versions is what a call leaves"}),
    "an owner weighs its own, too": ("return where(own, v, weighed(v, lost))", "return weighed(v, lost)",
                                     {"result": RESULT}),
    "its own may get lost": ('now, own=params.aggregator != "ratio0")', "now, own=False)", {"result": RESULT}),
    "losses of the call before": ("now, held = call + 1,", "now, held = call,", {"result": RESULT}),
    "a rank's own seed": ("Losing(params.seed, params.lost), x", "Losing(r, params.lost), x",
                          {"deadlock": "ranks yield exchanges with different terms"}),
}  # fmt: skip


def test_all_are_proved_for_every_p():
    found = list(kernel.prove(PAGE))
    assert all(isinstance(one, kernel.Theorem) and one.verdict == PROVED and one.mutant for one in found)
    assert {"result", "deadlock", "claim: staleness", "peers"} <= {one.name for one in found}
    assert "agreement" not in {one.name for one in found}


@pytest.mark.parametrize(("old", "new", "why"), WRONG.values(), ids=WRONG)
def test_wrong_texts_are_refused(old, new, why):
    found = refusals(wrong("lossy_two_shot", old, new))
    assert all(told in found[prop] for prop, told in why.items()), found


@pytest.mark.parametrize(("old", "new"), [("own_chunk(held, r, p) + new", "new + own_chunk(held, r, p)")])
def test_the_same_in_other_words_is_not(old, new):
    assert not refusals(wrong("lossy_two_shot", old, new))


def test_a_late_packet_that_counts_takes_a_replica_far_back():
    """The bound after k losses rests on the version."""
    late = wrong("lossy_two_shot", "return version == call", "return version <= call")
    refuted = [one.obligation.name for one in answered(lossy_two_shot.drifting(late.module), False) if one.witness]
    assert refuted == ["from the owner's", "from another"]


@pytest.mark.parametrize("hypothesis", ["steps no longer than e", "the bound so far"])
def test_without_a_hypothesis_the_bound_is_passed(hypothesis):
    """The obligation is about just this: each is needed."""
    (whole,) = (one for one in lossy_two_shot.drifting(PAGE.module) if one.name == "from the owner's")
    gone = {"steps no longer than e": 5, "the bound so far": 7}[hypothesis]
    kept = tuple(h for i, h in enumerate(whole.hypotheses) if i != gone)
    (good,), (without,) = answered([whole], True), answered([whole._replace(hypotheses=kept)], False)
    assert good.holds and without.witness and not without.holds


def having(state, **fields):
    """With another state of rank 0."""
    first, *others = state.ranks
    return Memory(state.call, [first._replace(**fields), *others])


def test_what_it_keeps_is_looked_at():
    """A state with another number of calls, versions to come, or an own shard that is stale, is told."""
    xs = [[1.0, 2.0], [3.0, 4.0]]
    state = run(PAGE, xs).state
    assert [*lossy_two_shot.kept(state, xs, 1)] == []
    assert "has counted 1" in next(lossy_two_shot.kept(state, xs, 2))
    late = having(state, versions=[[1], [2]])
    assert [*lossy_two_shot.kept(late, xs, 1)] == ["rank 0 has versions [[1], [2]] after 1 calls"]
    stale = having(state, versions=[[0], [1]])
    assert [*lossy_two_shot.kept(stale, xs, 1)] == ["rank 0's own shard has versions [0] after 1 calls"]
    short = having(state, replicas=[1.0])
    assert [*lossy_two_shot.kept(short, xs, 1)] == ["a replica is not as long as the vectors"]


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
