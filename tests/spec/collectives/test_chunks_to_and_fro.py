"""Allgather, reduce-scatter and alltoall as MPI libraries do them: right for every p, and the messages are theirs."""

from __future__ import annotations

from dataclasses import replace

import pytest

import sparring
from sparring.errors import ScheduleFault
from sparring.proofs.kernel import kernel
from sparring.proofs.logic.verdicts import PROVED
from sparring.proofs.proving import proving
from sparring.spec.core.numbers import where
from sparring.spec.core.runs import Run
from sparring.spec.core.schedule import step_sends
from tests.algorithms.collectives import COLLECTIVES
from tests.spec.collectives.judging import judged, refuted
from tests.sweeps import sweep

ROOM = "sparring.spec.collectives"
RANKS = range(1, 10)


def page(name):
    return sparring.page(f"{ROOM}.{name}")


OTHERS = {name: one.messages for name, one in COLLECTIVES.items() if one.messages and not page(name).carries}


@pytest.mark.parametrize("name", OTHERS)
def test_messages_are_those_of_other_programs(name):
    """The same ranks, and the same chunks in the same order, from buffers and not from formulas."""
    one = page(name)
    for p in (*range(1, 20), 31, 32, 33):
        if not COLLECTIVES[name].powers or p & p - 1 == 0:
            steps = [{(r, d, (*some,)) for r, d, some in step_sends(one, t, p)} for t in range(one.steps(p))]
            assert steps == [*OTHERS[name](p)], p


OF_EACH_KIND = ("dense_ring_allgather", "dense_bruck_allgather", "ring_reduce_scatter", "pairwise_alltoall")
CLAIMS = {"result", "economy", "partition", "deadlock"}


@pytest.mark.parametrize("name", OF_EACH_KIND)
def test_one_of_each_kind_has_theorems(name):
    """By both solvers, each claim with a refuted fault of its own; nothing is bounded."""
    found = [*proving.prove(page(name))]
    assert {one.name for one in found} == CLAIMS
    assert {one.verdict for one in found} == {PROVED}
    assert all(isinstance(one, kernel.Theorem) and one.mutant for one in found)


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * COLLECTIVES[name].slow)
        for name in OTHERS
        if name not in OF_EACH_KIND
    ],
)
def test_all_is_proved_for_every_p(name):
    assert dict(judged(page(name))) == dict.fromkeys(CLAIMS, PROVED)


def letters(p):
    """By rank and chunk a word that tells both."""
    return [[f"<{r},{c}>" for c in range(p)] for r in range(p)]


def right(kind, p):
    """By rank, the chunks that it has in the end, each as the sorted words of which it is made."""
    column = [sorted(f"<{q},{c}>" for q in range(p)) for c in range(p)]
    if kind == "allgather":
        return [{c: [f"<{c},{c}>"] for c in range(p)}] * p
    return [{r: column[r]} for r in range(p)]


@pytest.mark.parametrize("name", OTHERS)
def test_ranks_end_with_what_the_collective_promises(name):
    """Every word of the result exactly once."""
    one = page(name)
    for p in RANKS:
        ends = sparring.run(one, letters(p)).results
        for r, chunks in enumerate(right(one.kind, p)):
            assert {c: sorted(ends[r][c].replace("><", "> <").split()) for c in chunks} == chunks


@pytest.mark.parametrize("name", ["pairwise_alltoall", "linear_alltoall"])
def test_parts_are_kept_apart(name):
    """Each message of an alltoall is its sender's one part for its receiver."""
    for p in RANKS:
        for wire in sparring.run(page(name), letters(p)).trace:
            assert all(entries == [f"<{r},{d}>"] for r, d, entries in wire)


def another(one):
    """The chunks one further, as far as there are any."""
    return lambda r, t, p, *j: one.chunk(r, t, p, *j) + where(one.chunk(r, t, p, *j) + one.count(r, t, p) < p, 1, 0)


FAULTS = {
    "another chunk": lambda one: replace(one, chunk=another(one)),
    "a step less": lambda one: replace(one, steps=lambda p: where(p > 1, one.steps(p) - 1, 0)),
    "another peer": lambda one: replace(one, dst=lambda r, t, p, *j: (one.dst(r, t, p, *j) + 1) % p),
    "nothing is put beside": lambda one: replace(one, adds=lambda t, p: False),
}
PLANTED = [
    (name, fault) for name in OTHERS for fault in FAULTS if "allgather" not in name or fault != "nothing is put beside"
]
"""In an allgather nothing is put beside anything."""


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("name", "fault"), sweep(PLANTED, few=[x for x in PLANTED if page(x[0]).encoding == "wrap"]))
def test_planted_faults_are_refuted(name, fault):
    """By the theorem of the result; the right pages pass, see above."""
    assert refuted(FAULTS[fault](page(name)))


def test_chunks_of_a_vector_go_around_only_where_the_page_says_so():
    """A block past the last chunk is bad in a page that says nothing, and is sent in one that does."""
    around = page("dense_bruck_allgather")
    plain = replace(around, module=sparring.page("ring").module)
    assert Run(around, letters(5)).results == [[f"<{c},{c}>" for c in range(5)]] * 5
    with pytest.raises(ScheduleFault, match=r"block\(4, 1, 5\) = \(4, 2\) is no block of the chunks 0..4"):
        Run(plain, letters(5)).results
