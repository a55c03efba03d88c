"""Messages of whole vectors are counted in closed form, equal to what a run sends."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparring import page
from sparring.errors import InputError, Undecided
from sparring.proofs import recursive_doubling
from sparring.proofs.cost import comparison, counted, whole
from sparring.proofs.cost.claims import judge
from sparring.proofs.cost.costs import Cost
from sparring.proofs.cost.derivation import derive
from sparring.proofs.cost.symbols import CeilLog2, FloorLog2, exact, k, n, p
from sparring.spec.core.model import chunk_words
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
    assert comparison.compared(PAGE, derived) is None
    assert [(j.verdict, str(j.checked)) for j in Cost(PAGE, derived).claims] == [
        *[("equal", "proved for every p")] * 3, *[("different", "refuted as expected")] * 3
    ]  # fmt: skip
    assert "V_max at" in str(comparison.compared(PAGE, replace(derived, largest=derived.largest + n)))
    assert "V_path at" in str(comparison.compared(PAGE, replace(derived, path=derived.largest)))


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


HALVING = page("rabenseifner")
HALVED = "2^floor(log2 p) | n"


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_blocks_that_halve_and_double_in_closed_form():
    """Where chunks are equal: 2 n (p - 1) / p words where p is a power of two, else one or two times n more."""
    derived = derive(HALVING)
    chunks, folds = 2 ** FloorLog2(p), CeilLog2(p) - FloorLog2(p)
    once = n * (chunks - 1) / chunks

    assert derived.given == HALVED
    assert derived.steps == 2 * CeilLog2(p)
    forms = [(derived.largest, 2, 1), (derived.path, 2, 2), (derived.critical, 2, 2), (derived.added_most, 1, 1)]
    assert [(form - times * once - fold * folds * n).simplify() for form, times, fold in forms] == [0] * 4
    assert comparison.compared(HALVING, derived) is None
    assert "V_max at" in str(comparison.compared(HALVING, replace(derived, largest=derived.largest + n)))
    cost = Cost(HALVING, derived, derived.given)
    assert [j.verdict for j in cost.claims] == ["equal"] * 4 + ["bound"] * 2
    assert str(cost.simplify("p = 2^m, p | n").words) == "2*n*(p - 1)/p"
    with pytest.raises(InputError, match="this cost holds where"):
        cost.at(p=3, n=5)


@pytest.mark.parametrize("ranks", [*range(1, 20), 31, 32, 33, 64])
def test_counting_blocks_agrees_with_the_closed_form(ranks):
    """Counted message by message, for equal chunks."""
    chunks = 1 << ranks.bit_length() - 1
    found, once, folds = counted.count(HALVING, ranks, 5 * chunks, 0), 5 * (chunks - 1), int(chunks < ranks)

    assert max(found.sent) == 2 * once + folds * 5 * chunks
    assert found.critical == 2 * once + folds * 10 * chunks
    assert max(found.added) == once + folds * 5 * chunks
    assert found.sent == counted.traced(HALVING, ranks, 5 * chunks, 0).sent


def test_messages_that_shrink_in_another_way_are_undecided():
    """One chunk a step, of as many as there are: no power of two that halves."""
    with pytest.raises(Undecided, match="no power of two that halves or doubles"):
        whole.whole(replace(HALVING, count=lambda r, t, p: 1))


BRUCK = page("bruck_allgather")


def test_lists_that_double_until_none_is_missing_in_closed_form():
    """For every p: each rank sends all lists but one, however they are spread over the rounds; counts agree."""
    derived = derive(BRUCK)

    assert derived.steps == CeilLog2(p)
    assert derived.sent == derived.largest == derived.path == derived.critical == (2 * k * (p - 1)).expand()
    assert (derived.given, derived.below, derived.gaps) == ("", False, ())
    assert comparison.compared(BRUCK, derived) is None
    assert [(j.verdict, str(j.checked)) for j in Cost(BRUCK, derived).claims] == [("equal", "proved for every p")] * 2
    assert "words sent by rank 0" in str(comparison.compared(BRUCK, replace(derived, sent=derived.sent + k)))


GROWING = {"one too many": lambda r, t, p: BRUCK.count(r, t, p) + 1, "twice as many": lambda r, t, p: 1 << t}


@pytest.mark.parametrize("fault", GROWING)
def test_lists_that_grow_in_another_way_are_undecided(fault):
    """One too many in each message, or twice as many in the last round, too, though fewer are missing."""
    with pytest.raises(Undecided, match="nor twice as many and then what is left"):
        whole.whole(replace(BRUCK, count=GROWING[fault]))


SPARDL = page("spardl")


def test_parts_of_k_that_halve_from_what_is_missing_in_closed_form():
    """For every p: each rank sends all parts but one on the way down, and all but one on the way up; counts agree."""
    derived = derive(SPARDL)

    assert derived.steps == 2 * CeilLog2(p)
    assert derived.sent == derived.largest == derived.path == derived.critical == (4 * k * (p - 1) / p).expand()
    assert derived.added_most == derived.added_critical == (k * (p - 1) / p).expand()
    assert (derived.given, derived.below, len(derived.gaps)) == ("p | k", False, 1)
    assert comparison.compared(SPARDL, derived) is None
    cost = Cost(SPARDL, derived, derived.given)
    assert (cost.even, [(j.verdict, str(j.checked)) for j in cost.claims]) == (
        "p | k, p = 2^m", [("equal", "proved for every p")] * 2,
    )  # fmt: skip
    assert "words sent by rank 0" in str(comparison.compared(SPARDL, replace(derived, sent=derived.sent + k)))
    assert "most additions" in str(comparison.compared(SPARDL, replace(derived, added_most=k)))


def test_where_p_does_not_divide_k_no_form_is_given():
    """A point there is refused; the nearest that is compared has equal parts."""
    cost = Cost(SPARDL, derive(SPARDL), "p | k")
    assert cost.at(p=5, n=100, k=20).words == 64
    with pytest.raises(InputError, match=r"holds where p \| k, not for p=5, n=100, k=21"):
        cost.at(p=5, n=100, k=21)
    assert comparison.even(SPARDL, cost.derived, {"p": 5, "n": 100, "k": 21}) == {"p": 5, "n": 100, "k": 20}


SHRINKING = {
    "one too many": lambda r, t, p: SPARDL.count(r, t, p) + 1,
    "always half": lambda r, t, p: SPARDL.module.gap(t, p),
}


@pytest.mark.parametrize("fault", SHRINKING)
def test_parts_that_shrink_in_another_way_are_undecided(fault):
    """What messages have is not counted otherwise than it is written; nor are other numbers of chunks summed."""
    count = SHRINKING[fault]

    def words(r, t, c, p, n, k):
        return 2 * chunk_words(c, p, k, count(r, t, p))

    def added(r, t, c, p, n, k):
        return chunk_words(c, p, k, count(r, t, p))

    with pytest.raises(Undecided, match="is written as"):
        whole.whole(replace(SPARDL, count=count))
    with pytest.raises(Undecided, match="nor that backwards"):
        whole.whole(replace(SPARDL, count=count, words=words, added=added))
