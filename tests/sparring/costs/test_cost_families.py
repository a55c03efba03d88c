"""Whole vectors, blocks of chunks, trees, several messages in a step: what is counted, and what is not summed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparring.costs.derivation import multi_message, whole_vectors
from sparring.costs.derivation.closed_forms import derive
from sparring.costs.derivation.confirmation import so
from sparring.costs.derivation.counted import count
from sparring.costs.derivation.proof import prove
from sparring.errors import Undecided
from sparring.proofs.logic.obligations import p as ranks
from sparring.proofs.logic.verdicts import PROVED
from sparring.proofs.reading.annotations import subject
from sparring.spec.core.digits import log, power
from sparring.spec.core.model import chunk_words
from sparring.spec.core.numbers import Sym, both, negate, where
from tests.sparring.costs.known import page

# -- whole vectors, blocks of chunks, lists


def test_a_path_that_breaks_off_is_not_found():
    """Where each rank is silent in one step, none has messages in all; the counted path is then shorter, too."""
    own = page("recursive_doubling")
    broken = replace(own, active=lambda r, t, p: both(own.active(r, t, p), negate(both(t == 1, r < 2))))
    found = count(broken, 3, 5, 0)
    assert whole_vectors.path(broken) == () and (found.critical, found.path) == (15, 10)


def short(r, t, p):
    """A list less in some round."""
    return page("recursive_doubling_allgather").count(r, t, p) - where(t == 1, 1, 0)


UNLIKE = {
    "two vectors": ("recursive_doubling", {"words": lambda r, t, c, p, n, k: 2 * n}, "words, not n"),
    "three chunks a step": ("rabenseifner", {"count": lambda r, t, p: 3}, "no power of two that halves or doubles"),
    "a list more": ("bruck_allgather", {"count": lambda r, t, p: page("bruck_allgather").count(r, t, p) + 1},
                    "nor twice as many and then what is left"),
    "always twice as many": ("bruck_allgather", {"count": lambda r, t, p: 1 << t},
                             "nor twice as many and then what is left"),
    "a list less": ("recursive_doubling_allgather", {"count": short}, "how many chunks are in a message"),
}  # fmt: skip


@pytest.mark.parametrize("what", UNLIKE)
def test_messages_of_other_sizes_are_undecided(what):
    name, changed, why = UNLIKE[what]
    with pytest.raises(Undecided, match=why):
        whole_vectors.derive_whole(replace(page(name), **changed))


SHRINKING = {
    "one too many": lambda r, t, p: page("spardl").count(r, t, p) + 1,
    "always half": lambda r, t, p: page("spardl").module.gap(t, p),
}


@pytest.mark.parametrize("what", SHRINKING)
def test_parts_that_shrink_in_another_way_are_undecided(what):
    """What messages have is not counted otherwise than it is written; nor are other numbers of chunks summed."""
    count = SHRINKING[what]
    sizes = {
        "words": lambda r, t, c, p, n, k: 2 * chunk_words(c, p, k, count(r, t, p)),
        "added": lambda r, t, c, p, n, k: chunk_words(c, p, k, count(r, t, p)),
    }
    with pytest.raises(Undecided, match="is written as"):
        whole_vectors.derive_whole(replace(page("spardl"), count=count))
    with pytest.raises(Undecided, match="nor that backwards"):
        whole_vectors.derive_whole(replace(page("spardl"), count=count, **sizes))


# -- trees


def silent(r, t, p):
    """Rank 1 sends nothing."""
    return both(page("gtopk").active(r, t, p), negate(r == 1))


@pytest.mark.parametrize(
    ("planted", "why"),
    [
        ({"active": silent}, "the root is sent to"),
        ({"active": lambda r, t, p: True}, "messages sent"),
        ({"words": lambda r, t, c, p, n, k: 2 * k * t}, "depends on who sends it when"),
    ],
    ids=["a silent rank", "all send", "longer messages"],
)
def test_what_is_no_such_tree_is_refused(planted, why, monkeypatch):
    """Nor is one of which it is not known which ranks have nothing left."""
    with pytest.raises(Undecided, match=why):
        whole_vectors.tree(replace(page("gtopk"), **planted))
    monkeypatch.delattr("sparring.proofs.gtopk.spent")
    with pytest.raises(Undecided, match=r"spent\(r, c, t, p\)" if "words" not in planted else why):
        whole_vectors.tree(replace(page("gtopk"), **planted))


# -- several messages in a step


def test_ranks_that_are_silent_are_not_summed():
    """A planted fault, rank 0 sends nothing; p that is no power; and messages of two vectors."""
    own, base = subject(page("recursive_multiplying")).general, Sym.var("radix")
    powers = (ranks == power(base, log(ranks, base)),)
    active = own.page.active
    silent = replace(own, page=replace(own.page, active=lambda r, t, p, j: both(active(r, t, p, j), r > 0)))
    assert so(own.page, multi_message.alike(own, powers))
    assert not so(silent.page, multi_message.alike(silent, powers))
    assert not so(own.page, multi_message.alike(own, ()))
    with pytest.raises(Undecided, match="several messages of a step summed"):
        multi_message.rounds(replace(page("recursive_multiplying"), words=lambda r, t, c, p, n, k: 2 * n))


def test_a_wrong_step_is_not_proved():
    """What the second step sends, in the place of what the first does."""
    one, derived = page("two_shot"), derive(page("two_shot"))
    (first, a), (second, b) = derived.parts
    assert prove(one, replace(derived, parts=((first, b), (second, a)))).verdict != PROVED


def test_who_sends_to_fewer_has_no_path_in_closed_form():
    """A planted page that leaves out the rank before its own; and one that sends to the next rank each time."""
    own = page("two_shot")
    assert multi_message.to_all(own)
    assert not multi_message.to_all(replace(own, messages=lambda t, p: p - 2))
    assert not multi_message.to_all(replace(own, dst=lambda r, t, p, j: (r + 1) % p))


@pytest.mark.parametrize(
    "planted",
    [
        {"active": lambda r, t, p, j: r > 0},
        {"active": lambda r, t, p, j: both(r >= 0, j < 1)},
        {"steps": lambda p: 2},
        {"steps": lambda p: where(p > 5, 3, where(p > 1, 2, 0))},
        {"steps": lambda p: where(p > 1, 17, 0)},
        {"steps": lambda p: p - 1},
    ],
    ids=["a silent rank", "a silent message", "steps of one rank", "more steps", "many steps", "ever more steps"],
)
def test_steps_that_are_not_summed_are_told(planted):
    """No form is made up."""
    with pytest.raises(Undecided, match="several messages in each of so many steps"):
        multi_message.step_by_step(replace(page("two_shot"), **planted))
