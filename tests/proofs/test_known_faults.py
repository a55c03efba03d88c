"""Faults that authors of compressed allreduces know: proof alone refuses each, with its reason; no run is asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

import sparring
from sparring.proofs.core.conjectures import conjectures
from sparring.proofs.core.questions import answered
from sparring.proofs.core.supplement import Subject, subject
from sparring.proofs.mutants.texts import beside
from sparring.spec.core.exchanges import served
from tests.proofs.wrong_texts import wrong

LEFT = "x.only(~(sent & y.support()))"
KEPT = "kept = sums.only"
OTHER, LOST = "the result is what the page ensures", "nothing is lost"
KNOWN = {
    "sums added twice": ("oktopk", KEPT, f"sums = sums + sums; {KEPT}", "result", OTHER),
    "what was selected in vain is lost": ("oktopk", LEFT, "x.only(~sent)", "conservation", LOST),
    "ranks end with different results": ("oktopk", "return y, x", "return where(sent, y, 0), x", "agreement",
                                         "the result is partial"),
    "the residual is always zero": ("power_sgd", "State(m - y, right)", "State(m - m, right)", "conservation", LOST),
    "each rank its own factor": (
        "power_sgd", "(yield allreduce(crossed(m, left, shape), through=params.through))", "crossed(m, left, shape)",
        "agreement", "the result is partial",
    ),
    "codes drawn as another rank's": ("qsgd", "r, x), params.levels)\n    y", "r + 1, x), params.levels)\n    y",
                                      "result", OTHER),
    "a rank's vector left out of the sum": ("lossy_two_shot", "where(own, v, weighed(v, lost))",
                                            "where(own, 0, weighed(v, lost))", "result", OTHER),
    "groups always along the same digit": ("moshpit", "e = t % d", "e = 0", "result", "nobody else meets it"),
    "means not stored": ("moshpit", "    x, index = yield", "    _, index = yield", "conservation",
                         "the next round begins with the mean"),
    "shards made from the wrong replica": ("lossy_two_shot", "own_chunk(held, r, p) + new", "own_chunk(x, r, p) + new",
                                           "result", OTHER),
    "the first entry of each message dropped": ("ring_sparse", "def sends(x: SparseVector, w: Int) -> SparseVector:\n",
        "def sends(x: SparseVector, w: Int) -> SparseVector:\n    x = x.at(x.indices[1:])\n", "result",
        "what is there is sent"),
}  # fmt: skip
"""By what is wrong: the page, what stands in its text and what instead, which theorem falls, and why."""


def unproved(whole: Subject, theorem: str) -> Iterator[str]:
    """The obligations of a theorem that have no proof, by their names."""
    one = next(conjectures(whole, theorem))
    yield from (a.obligation.name for a in answered(one.obligations, False, one.encoding) if not a.holds)


@pytest.mark.parametrize("fault", KNOWN)
def test_a_known_fault_is_refused(fault):
    name, old, new, theorem, why = KNOWN[fault]
    assert any(why in claim for claim in unproved(subject(wrong(name, old, new)).general, theorem))


def test_messages_with_another_ranks_codes_are_refused():
    """In the exchange that a composition goes through, a rank passes off the codes of the rank after it as its own."""
    whole, right = subject(sparring.page("thc")), served("direct_allgather")
    other = replace(right, chunk=lambda r, t, j, p: (r + 1) % p)
    changed = beside(whole, served=lambda name: other if name == right.name else whole.served(name))
    assert any(claim.startswith("direct_allgather: ") for claim in unproved(changed, "result"))
