"""Allgather, reduce-scatter and alltoall as MPI libraries do them: right for every p, and the messages are theirs."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate

import pytest

import sparring
from sparring.errors import ScheduleFault
from sparring.proofs.kernel import kernel
from sparring.proofs.logic.verdicts import PROVED, REFUTED
from sparring.proofs.proving import proving
from sparring.proofs.reading.annotations import subject
from sparring.proofs.statements.conjectures import conjectures
from sparring.spec.core.numbers import where
from sparring.spec.core.runs import Run
from sparring.spec.core.schedule import step_sends
from tests.sweeps import sweep

ROOM = "sparring.spec.collectives"
RANKS = range(1, 10)


def page(name):
    return sparring.page(f"{ROOM}.{name}")


def neighbours(p):
    """Neighbour exchange, by what came last: first one's own chunk, then one's own pair; where p is odd, a ring."""
    if p % 2:
        yield from ring_chunks(p)
        return
    own = [tuple(sorted({r, r ^ 1})) for r in range(p)]
    last = [(r,) for r in range(p)]
    for i in range(p // 2):
        peers = [(r + (1 if (r + i) % 2 == 0 else -1)) % p for r in range(p)]
        yield {(r, peers[r], last[r]) for r in range(p)}
        last = [last[peers[r]] for r in range(p)] if i else own


def ring_chunks(p):
    """The ring, by what came last."""
    last = [*range(p)]
    for _ in range(p - 1):
        yield {(r, (r + 1) % p, (last[r],)) for r in range(p)}
        last = [last[-1], *last[:-1]]


def ring_sums(p):
    """A reduce-scatter in a ring: a sum that a rank sends is the next one's own last, and began one after its own."""
    last = [(r - 1) % p for r in range(p)]
    for _ in range(p - 1):
        yield {(r, (r + 1) % p, (last[r],)) for r in range(p)}
        last = [last[-1], *last[:-1]]


def bruck(p):
    """Bruck's, with its buffer."""
    buffers, many = [[r] for r in range(p)], 1
    while many < p:
        count = min(many, p - many)
        yield {(r, (r - many) % p, (*buffers[r][:count],)) for r in range(p)}
        buffers = [buffers[r] + buffers[(r + many) % p][:count] for r in range(p)]
        many *= 2


def doubled(p):
    """Recursive doubling, for powers of two, by where what a rank has begins."""
    begins, distance = [*range(p)], 1
    while distance < p:
        yield {(r, r ^ distance, (*range(begins[r], begins[r] + distance),)) for r in range(p)}
        begins = [min(begins[r], begins[r ^ distance]) for r in range(p)]
        distance *= 2


def doubled_sums(p):
    """Recursive doubling of sums, by rank the chunks that it sends: all but those of numbers that it has heard."""
    half = 1 << p.bit_length() - 1
    rest = p - half
    rank = [2 * v + 1 if v < rest else v + rest for v in range(half)]
    chunks = [(2 * v, 2 * v + 1) if v < rest else (v + rest,) for v in range(half)]
    if rest:
        yield {(2 * v, 2 * v + 1, (*range(p),)) for v in range(rest)}
    mask = 1
    while mask < half:
        after = [[w % half for w in range(v // mask * mask + mask, v // mask * mask + half)] for v in range(half)]
        yield {(rank[v], rank[v ^ mask], tuple(c for w in after[v] for c in chunks[w])) for v in range(half)}
        mask *= 2
    if rest:
        yield {(2 * v + 1, 2 * v, (2 * v,)) for v in range(rest)}


def halved(p):
    """Recursive halving, by the numbers between which a rank's part lies, with the sizes of parts summed up."""
    half = 1 << p.bit_length() - 1
    rest = p - half
    rank = [2 * v + 1 if v < rest else v + rest for v in range(half)]
    at = [0, *accumulate(2 if v < rest else 1 for v in range(half))]
    if rest:
        yield {(2 * v, 2 * v + 1, (*range(p),)) for v in range(rest)}
    low, high = [0] * half, [half] * half
    while half > 1:
        half //= 2
        sent = set()
        for v, up in [(v, bool(v & half)) for v in range(len(rank))]:
            ends = (low[v], low[v] + half) if up else (low[v] + half, high[v])
            sent.add((rank[v], rank[v ^ half], (*range(*(at[x] for x in ends)),)))
            low[v], high[v] = (low[v] + half, high[v]) if up else (low[v], low[v] + half)
        yield sent
    if rest:
        yield {(2 * v + 1, 2 * v, (2 * v,)) for v in range(rest)}


def butterfly(p):
    """The butterfly, by where what a rank has begins, of so many parts, and how many of them it has."""
    half = 1 << p.bit_length() - 1
    rest = p - half
    rank = [2 * v + 1 if v < rest else v + rest for v in range(half)]
    at = [0, *accumulate(2 if v < rest else 1 for v in range(half))]
    if rest:
        yield {(2 * v, 2 * v + 1, (*range(p),)) for v in range(rest)}
    begins, many, mask = [0] * half, half, 1
    while mask < half:
        many //= 2
        given = [begins[v] + (0 if v & mask else many) for v in range(half)]
        yield {(rank[v], rank[v ^ mask], (*range(at[given[v]], at[given[v] + many]),)) for v in range(half)}
        begins = [begins[v] + (many if v & mask else 0) for v in range(half)]
        mask *= 2
    if half > 2:
        yield {(rank[v], rank[begins[v]], (rank[begins[v]],)) for v in range(half) if begins[v] != v}
    if rest:
        yield {(rank[v], 2 * begins[v], (2 * begins[v],)) for v in range(half) if begins[v] < rest}


def turns(p):
    """One after the other."""
    yield from [{(r, (r + i) % p, ((r + i) % p,)) for r in range(p)} for i in range(1, p)]


def at_once(p):
    """All in one step."""
    yield from [{(r, d, (d,)) for r in range(p) for d in range(p) if r != d}] if p > 1 else []


OTHERS = {
    "ring_reduce_scatter": ring_sums, "dense_ring_allgather": ring_chunks, "dense_bruck_allgather": bruck,
    "dense_recursive_doubling_allgather": doubled, "neighbor_exchange_allgather": neighbours,
    "recursive_halving_reduce_scatter": halved, "butterfly_reduce_scatter": butterfly, "pairwise_alltoall": turns,
    "linear_alltoall": at_once, "recursive_doubling_reduce_scatter": doubled_sums,
}  # fmt: skip
"""By page, its messages step by step as other programs work them out."""
LONG = ("butterfly_reduce_scatter", "recursive_doubling_reduce_scatter")
"""Pages whose proofs take many seconds."""
POWERS = ("dense_recursive_doubling_allgather",)
"""Pages that speak with other programs for powers of two alone."""


@pytest.mark.parametrize("name", OTHERS)
def test_messages_are_those_of_other_programs(name):
    """The same ranks, and the same chunks in the same order, from buffers and not from formulas."""
    one = page(name)
    for p in (*range(1, 20), 31, 32, 33):
        if name not in POWERS or p & p - 1 == 0:
            steps = [{(r, d, (*some,)) for r, d, some in step_sends(one, t, p)} for t in range(one.steps(p))]
            assert steps == [*OTHERS[name](p)], p


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in LONG)) for name in OTHERS])
def test_all_is_proved_for_every_p(name):
    """By both solvers, each claim with a refuted fault of its own; nothing is bounded."""
    found = [*proving.prove(page(name))]
    assert {one.name for one in found} == {"result", "economy", "partition", "deadlock"}
    assert {one.verdict for one in found} == {PROVED}
    assert all(isinstance(one, kernel.Theorem) and one.mutant for one in found)


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
    whole = replace(subject(page(name)), page=FAULTS[fault](page(name)))
    result = next(conjectures(whole, "result"))
    assert kernel.judge(whole, result, second_opinion=False).verdict == REFUTED


def test_chunks_of_a_vector_go_around_only_where_the_page_says_so():
    """A block past the last chunk is bad in a page that says nothing, and is sent in one that does."""
    around = page("dense_bruck_allgather")
    plain = replace(around, module=sparring.page("ring").module)
    assert Run(around, letters(5)).results == [[f"<{c},{c}>" for c in range(5)]] * 5
    with pytest.raises(ScheduleFault, match=r"block\(4, 1, 5\) = \(4, 2\) is no block of the chunks 0..4"):
        Run(plain, letters(5)).results
