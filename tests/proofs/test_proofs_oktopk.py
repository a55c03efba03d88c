"""Ok-Topk's theorems: all proved; wrong texts are refused by proof alone, each with its reason, and right ones pass."""

from __future__ import annotations

from dataclasses import replace
from re import search
from types import SimpleNamespace

import pytest

import sparring
from sparring.proofs import oktopk
from sparring.proofs.core import kernel
from sparring.proofs.core.questions import answered
from sparring.proofs.core.verdicts import PROVED
from sparring.proofs.exchanges import balancing, regions, turns, volumes
from sparring.spec.core import balancing as shares
from sparring.spec.core.exchanges import served
from sparring.spec.core.numbers import where
from tests.proofs.wrong_texts import refusals, wrong

PAGE = sparring.page("oktopk")
PROPERTIES = ["result", "agreement", "conservation", "partition", "deadlock", "contention", "volume",
              "claim: thresholds", "claim: volume", "peers"]  # fmt: skip


def test_all_are_proved_for_every_p():
    found = list(kernel.prove(PAGE))
    assert [one.name for one in found] == PROPERTIES
    assert all(isinstance(one, kernel.Theorem) and one.verdict == PROVED and one.mutant for one in found)


LEFT, SUMS = "x.only(~(sent & y.support()))", "    if due(call, params.tau_prime):\n        least"
BOTH = "with what only the owner of the index has"
WRONG = {
    "what is in the result is cleared": (LEFT, "x.only(~y.support())", "conservation", "nothing is lost"),
    "nothing is cleared": (LEFT, "x", "conservation", "nothing is lost"),
    "all is cleared": (LEFT, "x - x", "conservation", "nothing is lost"),
    "explicit zeros are not in the result": (LEFT, "x.only(~(sent & (y != 0)))", "conservation", "nothing is lost"),
    "summed again": (SUMS, "    sums = yield reduce_scatter(sums)\n" + SUMS, "deadlock",
                     "reduce_scatter of what only the owner of an index has"),
    "the owner's own choice": (LEFT, "x.only(~(sent & reaching(sums, least)))", "result", BOTH),
    "a rank's own threshold": ("    after =", "    y = y.only(reaching(y, local))\n    after =", "result",
                               "a rank's own condition chooses among sums over ranks"),
    "balanced by some": ("uneven(sizes, params.trigger)", "count(kept) > params.trigger", "deadlock",
                         "a rank's own condition, .*, decides what it does next"),
    "balanced by those with much": ("uneven(sizes, params.trigger)", "count(mine) > params.k", "deadlock",
                                    "a rank's own condition, .*, decides what it does next"),
    "sizes of others": ("apart(count(kept))", "apart(count(mine))", "deadlock", "these are not the sizes"),
    "balanced too early": ("yield balance(kept, sizes)", "yield balance(mine, sizes)", "deadlock", "balance of what"),
    "a shard": ("return y, x", "return kept, x", "agreement", "the result is shard"),
    "own bounds": ("means((yield apart(even(mine, p))))", "even(mine, p)", "deadlock", "with different terms"),
    "bounds of nobody": ("means((yield apart(even(mine, p))))", "yield apart(even(mine, p))", "result",
                         "nothing says that these cut the vector"),
    "something else is kept": ("count(y), params), bounds)\n", "count(y), params), least)\n", "result",
                               "bounds is what the page ensures"),
    "not set at first": ("if due(call, params.tau):", "if due(call + 1, params.tau):", "result",
                         "bounds is read before a call has set it"),
    "never kept": ("after = State(followed(local, count(mine), params)", "after = State(local", "result",
                   "local is what"),
    "another period": ("    if due(call, params.tau):", "    if due(call, params.tau_prime):", "result",
                       "bounds is what"),
    "always due": ("return call % period == 0", "return call % 1 == 0", "claim: thresholds", "none between"),
    "half as many": ("3 * found > 4 * k", "3 * found > 2 * k", "claim: thresholds", "it grows"),
    "always dealt out": ("if uneven(sizes, params.trigger):", "if True or uneven(sizes, params.trigger):",
                         "volume", "what is dealt out anew lies unevenly"),
    "dealt out where they lie evenly": ("if uneven(sizes", "if not uneven(sizes", "volume", "lies evenly"),
    "dealt out by the sizes of others": ("uneven(sizes, params.trigger)", "uneven((yield apart(count(sums))), 1)",
                                         "volume", "what is dealt out anew lies unevenly"),
    "never balanced": ("    if uneven(sizes, params.trigger):\n        kept = yield balance(kept, sizes)\n", "",
                       "claim: volume", "the text calls balance"),
}  # fmt: skip


QUICK = ["always dealt out", "the owner's own choice", "balanced by some", "bounds of nobody"]


@pytest.mark.parametrize("fault", [one if one in QUICK else pytest.param(one, marks=pytest.mark.slow) for one in WRONG])
def test_wrong_texts_are_refused(fault):
    old, new, prop, why = WRONG[fault]
    found = refusals(wrong("oktopk", old, new))
    assert prop in found and search(why, found[prop]), found


RIGHT = {
    "the order of words": ("sent & y.support()", "y.support() & sent"),
    "de Morgan": ("~(sent & y.support())", "~sent | ~y.support()"),
    "a difference": (LEFT, "x - x.only(sent & y.support())"),
    "another allgather": ('y = yield allgather(kept, through="bruck_allgather")', "y = yield allgather(kept)"),
}


@pytest.mark.parametrize(
    "change", [one if one == "de Morgan" else pytest.param(one, marks=pytest.mark.slow) for one in RIGHT]
)
def test_right_texts_pass(change):
    assert refusals(wrong("oktopk", *RIGHT[change])) == {}


def failing(claims):
    """The names of those that solvers refute."""
    return [a.obligation.name for a in answered([*claims], False) if a.witness and not a.problem]


def planted(module, **functions):
    return SimpleNamespace(**{**vars(module), **functions})


def test_an_entry_more_in_each_message_is_sent_twice():
    assert failing(balancing.moves()) == []
    longer = planted(shares, sooner=lambda a, b: where(a < b, a, b) + 1)
    assert "in no other rank's" in failing(balancing.moves(longer))
    assert "in its message" in failing(balancing.moves(planted(shares, later=lambda a, b: b + 1)))


def test_means_beyond_the_end_are_no_bounds():
    from sparring.spec.core import regions as cuts

    assert failing(regions.partition()) == []
    assert "ends at n" in failing(regions.partition(planted(cuts, mean=lambda total, p: total // p + 1)))


def test_what_has_been_added_cannot_be_sent_in_turns():
    """The ring sends on what it added: several of its turns cannot be under way at a time."""
    assert failing(turns.own(served("rotation"))) == []
    assert "what is sent is its sender's own" in failing(turns.own(served("ring")))


@pytest.mark.parametrize(
    ("name", "dst"), [("of two ranks", lambda r, t, p: t), ("of two turns", lambda r, t, p: (r + 1) % p)]
)
def test_one_receiver_a_turn_and_one_turn_a_receiver_are_each_claimed(name, dst):
    page = served("rotation")
    assert failing(turns.apart(page)) == []
    assert name in failing(turns.apart(replace(page, dst=dst)))


@pytest.mark.parametrize("name", ["split", "dealt out", "a share ends no later than with e"])
def test_each_hypothesis_of_the_volume_is_needed(name):
    """Without the last one, that the own region has its part, that shares are of all, that there are so few."""
    (whole,) = (one for one in oktopk.volume(PAGE.module) if one.name == name)
    (good,) = answered([whole], True)
    (without,) = answered([whole._replace(hypotheses=whole.hypotheses[:-1])], False)
    assert good.holds
    assert without.witness and not without.problem
    assert {*volumes.VOLUMES} == {"reduce_scatter", "balance", "allgather"}
