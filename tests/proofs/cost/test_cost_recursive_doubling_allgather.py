"""What the recursive doubling of lists costs: derived for powers of two, counted for other numbers of ranks."""

from __future__ import annotations

from dataclasses import replace

import pytest

import sparring
from sparring import page
from sparring.errors import InputError, Undecided
from sparring.proofs.core.verdicts import PROVED
from sparring.proofs.cost import whole
from sparring.proofs.cost.counted import count
from sparring.proofs.cost.symbols import Log2, k, p

PAGE = page("recursive_doubling_allgather")


def test_as_mpich_says():
    """``lgp alpha + (p - 1) / p n beta``, of n = 2 k p words in all."""
    cost = sparring.cost("recursive_doubling_allgather")

    assert cost.given == "p = 2^m"
    assert (cost.words - 2 * k * (p - 1)).expand() == 0
    assert cost.messages == Log2(p)
    assert {(one.verdict, one.checked) for one in cost.claims} == {("equal", PROVED)}


@pytest.mark.parametrize("ranks", [1, 2, 4, 8, 64])
def test_derived_is_counted(ranks):
    """Of lists of seven entries."""
    found, at = count(PAGE, ranks, 1000, 7), sparring.cost("recursive_doubling_allgather").at(p=ranks, n=1000, k=7)

    assert (at.words, at.critical, at.path) == (max(found.sent), found.critical, found.path)
    assert at.messages == found.steps


@pytest.mark.parametrize(("ranks", "words"), [(3, 8), (5, 18), (6, 22), (7, 24)])
def test_where_ranks_fold(ranks, words):
    """No form is given; by count the busiest rank sends the lists that it has, and nearly all of them once more."""
    rem = ranks - (1 << ranks.bit_length() - 1)
    rounds = [(1 << i) + min(1 << i, rem) for i in range(ranks.bit_length() - 1)]

    assert max(count(PAGE, ranks, 100, 1).sent) == words == 2 * (sum(rounds) + ranks - 1)
    with pytest.raises(InputError, match=r"holds where p = 2\^m"):
        sparring.cost("recursive_doubling_allgather").at(p=ranks, n=100, k=1)


def test_other_sizes_are_not_taken_for_these():
    """A message that is a list short in some round has no form, for powers of two either."""

    def short(r, t, p):
        return PAGE.count(r, t, p) - whole.where(t == 1, 1, 0)

    with pytest.raises(Undecided, match="how many chunks are in a message"):
        whole.whole(replace(PAGE, count=short))
