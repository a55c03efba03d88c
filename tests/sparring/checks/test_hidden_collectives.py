"""A vector that goes through a collective beside a page's messages: whatever the page is, and whoever asks."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import sparring
from sparring.checks.checking import check
from sparring.impl import hierarchical, micro, ring
from sparring.proofs.logic.verdicts import Word
from sparring.refinement import differential, running
from sparring.refinement.example import Example
from tests.impl.algorithms import TARGETS, planted

P, N = 3, 400
BEGINS = "own, y = opened(comm, x, out, validate)\n"
CALLED = "    held, comm = self._admitted(x), self._comm\n"
HIDDEN = {
    "hierarchical": (BEGINS, f"{BEGINS}    comm.allgather([(x.size, x)])\n"),
    "micro": (CALLED, f"{CALLED}        comm.Allreduce(x, x.copy())\n"),
}
"""What sends all of the vector once more, by the algorithm in which it is planted; micro tells others its indices."""


def flaws(name):
    """What a run beside the page shows; of vectors in which micro selects a few entries."""
    page = sparring.page(name)
    xs = [np.where(np.arange(N) % 40 == r, 1.0, 1e-9) for r in range(P)]
    if page.stateful:
        return running.on_calls(page, TARGETS[name], Example([np.stack([x, x]) for x in xs], "dtypes"))
    call = partial(differential.called, **differential.options(page, TARGETS[name]))
    return running.on_numbers(page, TARGETS[name], xs, "dtypes", call)


@pytest.mark.parametrize("name", HIDDEN)
def test_verify_finds_what_goes_beside_the_messages(name):
    """Notes, and indices that the page tells apart, may go there."""
    assert not flaws(name)
    with planted(name, HIDDEN[name]):
        (found,) = flaws(name)
    assert found.property == "steps" and "whose messages nobody counts" in found.detail


def hiding(comm, x, /, **params):
    """All of the vector once more."""
    comm.Allreduce(x, x.copy())
    return hierarchical.allreduce(comm, x, **params)


class Hiding(micro.Allreduce):
    """The same beside indices, which the page tells apart."""

    def __call__(self, x, /):
        self._comm.Allreduce(x, x.copy())
        return super().__call__(x)


@pytest.mark.parametrize(
    ("target", "page", "word"),
    [
        ("sparring.impl.hierarchical:allreduce", "hierarchical", Word.TESTED),
        (hiding, "hierarchical", Word.REFUTED),
        ("sparring.impl.micro:Allreduce", "micro", Word.TESTED),
        (Hiding, "micro", Word.REFUTED),
    ],
)
def test_check_finds_what_goes_beside_the_messages_of_a_composition(target, page, word, unshrunk):
    """Which it was told of pages of formulas alone."""
    (volume,) = check(target, page, ranks=[2, 3], only=["volume"], level="volume", max_examples=30).results
    assert volume.verdict.word is word, volume


def beside(comm, x, /):
    """All of the vector once more, beside the ring's messages."""
    comm.Allreduce(x, x.copy())
    return ring.allreduce(comm, x)


@pytest.mark.parametrize("prop", ["volume", "steps"])
def test_check_finds_it_whichever_property_is_asked_for(prop, unshrunk):
    """Beside short vectors it would pass for notes; messages themselves are the page's, one by one."""
    (judged,) = check(beside, "ring", ranks=[2, 3], only=[prop], level="steps", max_examples=30).results
    assert judged.verdict.word is Word.REFUTED and "whose messages nobody counts" in judged.detail, judged
