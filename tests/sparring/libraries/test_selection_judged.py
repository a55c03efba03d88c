"""What a library chooses, judged on counts and times that are made up: which answer is right is known."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import sparring
from sparring.costs import pricing as costs
from sparring.costs.links.machines import Machine
from sparring.libraries import choices as judging
from sparring.libraries.choices import choices, losses, matched, pricing, quartiles
from sparring.libraries.counting import Amount, Sent
from sparring.libraries.matching import candidates
from sparring.libraries.selection import OWN
from sparring.libraries.timing import Timings

RANKS, SIZES = (2, 3, 4), (12, 120_000)
MACHINE = Machine("10us", "1ns", "0.1ns")
"""On it, messages are dear: short vectors are for few messages, long ones for few bytes."""


@cache
def page(name):
    """The pages of this name, as they are played."""
    return next(played for played in candidates("allreduce") if played.name == name)


def counts(name, p, n):
    return Sent(page(name).sent("allreduce", p, n))


def library(own):
    """The counts of a library that has doubling and ring; ``own(p, n)``: the page of its own choice."""
    algorithms = {OWN: own, "doubling": lambda p, n: "recursive_doubling", "circle": lambda p, n: "ring"}
    return {("allreduce", name, p, n): counts(which(p, n), p, n)
            for name, which in algorithms.items() for p in RANKS for n in SIZES}  # fmt: skip


def judged(sent, machine=MACHINE):
    """The choices, by ranks and entries."""
    return {(one.ranks, one.size): one for one in choices(sent, matched(sent), pricing("allreduce", machine))}


def by_length(p, n):
    return "recursive_doubling" if n == SIZES[0] else "ring"


def backwards(p, n):
    return "ring" if n == SIZES[0] else "recursive_doubling"


def test_pages_are_found_and_who_sends_the_same():
    found = judged(library(by_length))
    assert {run: one.page for run, one in found.items()} == {(p, n): by_length(p, n) for p in RANKS for n in SIZES}
    assert found[4, SIZES[0]].alike == ["doubling"] and found[4, SIZES[1]].alike == ["circle"]


def test_a_right_choice_is_not_blamed():
    assert not any(one.otherwise for one in judged(library(by_length)).values())


def test_a_wrong_choice_is_and_the_factor_is_that_of_the_closed_forms():
    found = judged(library(backwards))
    (ring, doubling) = (sparring.cost(name) for name in ("ring", "recursive_doubling"))
    for n, own, best in ((SIZES[0], ring, doubling), (SIZES[1], doubling, ring)):
        one = found[4, n]
        times = [cost.at(p=4, n=n, width=8, **MACHINE.letters).time for cost in (own, best)]
        assert (one.page, one.derived) == (own.page.name, best.page.name)
        assert one.otherwise and one.factor == pytest.approx(float(times[0] / times[1]), rel=1e-3)


@pytest.mark.parametrize("swapped", [Machine("1ns", "10us", "0.1ns"), Machine("1ns", "0.1ns", "10us")])
def test_swapped_letters_show(swapped):
    """Where messages are free, a short vector goes round the ring, too."""
    right, wrong = judged(library(by_length)), judged(library(by_length), swapped)
    assert {one.derived for one in right.values()} == {"recursive_doubling", "ring"}
    assert wrong[4, SIZES[0]].derived == "ring" and wrong[4, SIZES[0]].otherwise


def test_costs_that_differ_little_count_as_equal(monkeypatch):
    """Just below and just above the limit."""
    for factor, otherwise in ((1.049, False), (1.051, True)):
        assert judging.Choice(4, 1, "a", [], "b", factor).otherwise is otherwise
    assert not judging.Choice(4, 1, "", ["x"], "b", None).otherwise


def test_messages_of_no_page_are_no_page():
    """One byte more between two ranks is enough; the algorithm that sends the same is named instead."""
    sent = library(by_length)
    at = ("allreduce", OWN, 4, SIZES[1])
    odd = dict(sent[at].pairs)
    odd[0, 1] = Amount(odd[0, 1].messages, odd[0, 1].nbytes + 1)
    for name in (OWN, "circle"):
        sent["allreduce", name, 4, SIZES[1]] = Sent(odd)
    one = judged(sent)[4, SIZES[1]]
    assert (one.page, one.alike, one.label) == ("", ["circle"], "no page: as circle")
    assert (one.derived, one.factor, one.otherwise) == ("recursive_doubling", None, False)


def test_messages_in_segments_are_named_and_not_priced():
    sent = library(by_length)
    at = ("allreduce", OWN, 4, SIZES[1])
    sent[at] = Sent({pair: Amount(3 * one.messages, one.nbytes) for pair, one in sent[at].pairs.items()})
    one = judged(sent)[4, SIZES[1]]
    assert one.page == "ring in segments"
    assert (one.alike, one.derived, one.factor) == ([], "ring", None)


def test_what_is_refused_is_no_choice():
    sent = library(by_length)
    sent["allreduce", OWN, 3, SIZES[0]] = Sent({}, "MPI_ERR_ARG")
    assert (3, SIZES[0]) not in judged(sent) and (3, SIZES[1]) in judged(sent)


def test_a_page_on_few_ranks_is_that_on_more():
    """On two ranks, many pages send what doubling does."""
    names = [
        one.name
        for one in candidates("allreduce")
        if one.sent("allreduce", 2, 8) == counts("recursive_doubling", 2, 8).pairs
    ]
    assert len({*names}) > 2
    assert judged(library(by_length))[2, SIZES[0]].page == "recursive_doubling"


def test_a_page_on_most_ranks_is_that_on_the_others():
    """Of powers of two another page sends the same, and on the most ranks it is found first."""
    sent = {("allreduce", OWN, p, 840): counts("rabenseifner_halves", p, 840) for p in (2, 3, 5, 6, 7, 8)}
    assert {match.name for match in matched(sent).values()} == {"rabenseifner_halves"}


@pytest.mark.parametrize(
    ("collective", "name"), [("allgather", "dense_ring_allgather"), ("reduce_scatter", "ring_reduce_scatter")]
)
def test_other_collectives_are_priced_by_all_their_entries(collective, name):
    """An allgather's vectors are the blocks of one that is as long as all."""
    played = next(one for one in candidates(collective) if one.name == name)
    entries = 4 * 120 if collective == "allgather" else 120
    closed = costs.cost(played.stages[0].page).at(p=4, n=entries, width=8, **MACHINE.letters).time
    assert pricing(collective, MACHINE)(played, 4, 120) == closed


def timings(seconds, sizes=(1,), **failed):
    """``seconds``: for each algorithm, the times of each round, a number or one a length."""
    rows = {name: [list(np.atleast_1d(x)) for x in times] for name, times in seconds.items()}
    return Timings(2, list(sizes), rows, failed)


def test_what_is_lost_is_the_own_time_over_the_fastest():
    (one,) = losses(timings({OWN: [4.0, 4.4, 4.0, 3.6] * 2, "slow": [9.0] * 8, "fast": [2.0] * 8}))
    assert (one.ranks, one.size, one.best, one.slower, one.rounds) == (2, 1, "fast", 8, 8)
    assert one.sure
    assert one.factor == pytest.approx((1.95, 2.0, 2.05))


@pytest.mark.parametrize(
    ("own", "sure"),
    [
        ([4.0, 2.0] * 8, False),  # in half of the rounds
        ([4.0] * 6, False),  # in so few rounds, chance may do it
        ([4.0] * 7, True),
        ([4.0] * 10 + [2.0], True),
        ([4.0] * 8 + [2.0] * 2, False),
        ([2.08] * 20, False),  # what is lost counts as equal
    ],
)
def test_a_loss_must_be_seen_too_often_for_chance(own, sure):
    (one,) = losses(timings({OWN: own, "fast": [2.0] * len(own)}))
    assert one.sure is sure


def test_the_luckiest_of_equals_shows_no_loss():
    """Times of twelve algorithms are drawn alike: the least median of all is lower, and is no finding."""
    draw = np.random.default_rng(5)
    sizes = range(1, 101)
    drawn = {name: np.exp(draw.normal(0, 0.2, (8, 100))).tolist() for name in (OWN, *"abcdefghijkl")}
    found = losses(timings(drawn, sizes))
    naive = [
        np.median(drawn_own) / min(np.median([row[i] for row in drawn[name]]) for name in "abcdefghijkl")
        for i, drawn_own in enumerate(zip(*drawn[OWN]))
    ]
    assert np.mean([one.factor[1] for one in found]) == pytest.approx(1, abs=0.03)
    assert sum(one.sure for one in found) <= 1
    assert np.mean(naive) > 1.1


def test_lengths_that_are_refused_and_algorithms_without_times():
    told = timings({OWN: [[1.0, 2.0]] * 4, "a": [[None, 1.0]] * 4, "b": [[3.0, None]] * 4}, (1, 2), c="it died")
    assert [(one.size, one.best, one.factor[1]) for one in losses(told)] == [(1, "b", 0.3333), (2, "a", 2.0)]
    assert quartiles(told)["a"] == [None, (1.0, 1.0, 1.0)]
    assert losses(timings({"a": [1.0] * 4})) == []
