"""Broadcasts, reductions and what is made of them: proved for every p, with the peers that Open MPI's trees have."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import sparring
from sparring.proofs.kernel.kernel import Theorem
from sparring.proofs.proving import proving
from sparring.spec.core.schedule import step_sends

KINDS = ("allreduce", "bcast", "gather", "reduce", "scatter")
ROOM = "sparring.spec.collectives"
FOLDER = Path(sparring.__file__).parent / "spec" / "collectives"


def lowest(r):
    """The parent in Open MPI's in-order binomial tree."""
    return r & (r - 1)


def highest(r):
    """The parent in its binomial tree."""
    return r - (1 << r.bit_length() - 1)


def binary(r):
    """The parent in its tree of fan-out 2: below a rank of a level of ``d`` are those ``d`` and ``2 d`` further."""
    begins, many = 0, 1
    while True:
        for parent in range(begins, begins + many):
            if r in (parent + many, parent + 2 * many):
                return parent
        begins, many = begins + many, 2 * many


def fourfold(r):
    """The parent in its 4-nomial tree."""
    size = 1
    while r % (4 * size) == 0:
        size *= 4
    return r // (4 * size) * (4 * size)


def pairs(parent, p):
    """Who sends to whom in a broadcast along a tree, once each."""
    return Counter((parent(r), r) for r in range(1, p))


def turned(sends):
    return Counter({(d, r): many for (r, d), many in sends.items()})


def chained(r, p):
    """The parent on one of four chains: the root, where one begins."""
    long, more = divmod(p - 1, 4)
    lengths = [long + 1] * more + [long] * (4 - more)
    heads = {1 + sum(lengths[:i]) for i in range(4)}
    return 0 if r in heads else r - 1


def folds(rem):
    """Each of the first pairs exchanges halves; then the odd rank gives its half."""
    return [(a, b) for v in range(rem) for a, b in ((2 * v, 2 * v + 1), (2 * v + 1, 2 * v), (2 * v + 1, 2 * v))]


def gathered(p):
    """Of Rabenseifner's reduction: pairs fold, all exchange in each round, then sums go along the binomial tree."""
    rounds = p.bit_length() - 1
    rem = p - (1 << rounds)
    rank = [*range(0, 2 * rem, 2), *range(2 * rem, p)]
    exchanges = [(rank[v], rank[v ^ 1 << i]) for i in range(rounds) for v in range(1 << rounds)]
    return Counter([*folds(rem), *exchanges, *((rank[v], rank[highest(v)]) for v in range(1, 1 << rounds))])


def swapped(p):
    """Of the split binary tree: along it, then odd ranks and even ones after them both ways; the root only sends."""
    swaps = [(r, r + 1) for r in range(1, p - 1, 2)]
    last = [(0, p - 1)] if p % 2 == 0 else []
    return pairs(binary, p) + Counter([*swaps, *((b, a) for a, b in swaps), *last])


def ringed(p):
    """Of scatter and ring: along the in-order binomial tree, then ``p - 1`` times around."""
    return pairs(lowest, p) + Counter({(r, (r + 1) % p): p - 1 for r in range(p) if p > 1})


def doubled(p):
    """Of scatter and doubling: along the in-order binomial tree, exchanges in each round, and to those left over."""
    many = 1 << p.bit_length() - 1
    exchanges = Counter((r, r ^ 1 << i) for i in range(p.bit_length() - 1) for r in range(many))
    return pairs(lowest, many) + exchanges + Counter((r - many, r) for r in range(many, p))


def halves(p):
    """Of Rabenseifner's allreduce: pairs fold, all exchange in each round, and again backwards, and pairs unfold."""
    rounds = p.bit_length() - 1
    rem = p - (1 << rounds)
    rank = [*range(0, 2 * rem, 2), *range(2 * rem, p)]
    exchanges = [(rank[v], rank[v ^ 1 << i]) for i in range(rounds) for v in range(1 << rounds)] * 2
    return Counter([*folds(rem), *exchanges, *((2 * v, 2 * v + 1) for v in range(rem))])


def both_ways(p):
    """A ring in each direction; of two ranks, and of one, no more than one."""
    ways = (1, -1) if p > 2 else (1,)
    return Counter({(r, (r + way) % p): 2 * (p - 1) for r in range(p) for way in ways if p > 1})


PEERS = {
    "bidirectional_ring": both_ways,
    "linear_bcast": lambda p: pairs(lambda r: 0, p),
    "binomial_bcast": lambda p: pairs(highest, p),
    "chain_bcast": lambda p: pairs(lambda r: r - 1, p),
    "binary_bcast": lambda p: pairs(binary, p),
    "knomial_bcast": lambda p: pairs(fourfold, p),
    "split_binary_bcast": swapped,
    "scatter_ring_bcast": ringed,
    "scatter_doubling_bcast": doubled,
    "four_chains_bcast": lambda p: pairs(lambda r: chained(r, p), p),
    "linear_reduce": lambda p: turned(pairs(lambda r: 0, p)),
    "binomial_reduce": lambda p: turned(pairs(lowest, p)),
    "chain_reduce": lambda p: turned(pairs(lambda r: r - 1, p)),
    "binary_reduce": lambda p: turned(pairs(binary, p)),
    "four_chains_reduce": lambda p: turned(pairs(lambda r: chained(r, p), p)),
    "rabenseifner_reduce": gathered,
    "rabenseifner_halves": halves,
    "halving_reduce": lambda p: turned(pairs(highest, p)),
    "linear_gather": lambda p: turned(pairs(lambda r: 0, p)),
    "binomial_gather": lambda p: turned(pairs(lowest, p)),
    "linear_scatter": lambda p: pairs(lambda r: 0, p),
    "binomial_scatter": lambda p: pairs(lowest, p),
}

FAULTS = {
    "linear_bcast": ("return r == 0", "return r == 1"),
    "binomial_bcast": ("both(r < 1 << t, other", "both(r < 2 << t, other"),
    "chain_bcast": ("return r == t", "return r == t + 1"),
    "binary_bcast": ("r + (1 << (t + j))", "r + (1 << t) + j"),
    "knomial_bcast": ("where(j == 1, r ^ two, (r ^ one) ^ two)", "where(j == 1, r ^ one, (r ^ one) ^ two)"),
    "split_binary_bcast": ("either(p % 2 == 0, r > 0)", "r > 0"),
    "scatter_ring_bcast": ("rounds(p) + p - 1", "rounds(p) + p - 2"),
    "scatter_doubling_bcast": ("where(last(t, p), r < rem(p), ", "where(last(t, p), r + 1 < rem(p), "),
    "linear_reduce": ("dst(r, t, j, p) == 0", "dst(r, t, j, p) == 1"),
    "binomial_reduce": ("both(zeros(r, t), negate", "both(zeros(r, t - t), negate"),
    "chain_reduce": ("return r == p - 1 - t", "return r == p - 2 - t"),
    "four_chains_bcast": ("where(j < longer(p), j, longer(p))", "j"),
    "four_chains_reduce": ("r == lower(back(t, p), j, p)", "r > 0"),
    "rabenseifner_reduce": ("1 << bit(t, p) <= number(r, p)", "1 < number(r, p)"),
    "rabenseifner_halves": ("where(either(r % 2 == 0, t == 1), half(p), 0)", "where(r % 2 == 0, half(p), 0)"),
    "bidirectional_ring": ("p + (r + t) % p)", "p + (r - t) % p)"),
    "halving_reduce": ("r < 1 << (bit(t, p) + 1)", "r < p"),
    "linear_gather": ("return r\n", "return p - 1 - r\n"),
    "binomial_gather": ("where(r + (1 << t) < p, 1 << t, p - r)", "1"),
    "linear_scatter": ("return dst(r, t, j, p)  # the receiver's", "return r  # its own"),
    "binomial_scatter": ("where(first + size < p, size, p - first)", "1"),
    "binary_reduce": ("both(on(r, level(t, p)), j == side(r, t, p))", "on(r, level(t, p))"),
}


VAIN = {"scatter_doubling_bcast", "scatter_ring_bcast"}
"""They send messages in vain: those to the root, which has all."""
LONG = {"binary_reduce", "rabenseifner_halves", "rabenseifner_reduce", "scatter_ring_bcast"}
"""Their proofs take many seconds."""


def long(names):
    return [pytest.param(name, marks=[pytest.mark.slow] * (name in LONG)) for name in names]


def found(name):
    return sparring.page(f"{ROOM}.{name}")


def judged(page):
    return {attempt.name: attempt for attempt in proving.prove(page)}


def test_every_page_of_the_room_is_tested():
    """A new page needs its peers and a fault here."""
    names = {file.stem for file in FOLDER.glob("*.py")} - {"__init__"}
    there = {name for name in names if found(name).kind in KINDS}

    assert there == PEERS.keys() == FAULTS.keys()


@pytest.mark.parametrize("name", PEERS)
def test_messages_are_open_mpis(name):
    """Between each two ranks there are as many as in its trees, worked out rank by rank."""
    page = found(name)
    for p in (*range(1, 40), 63, 64, 65):
        sends = Counter((r, d) for t in range(page.steps(p)) for r, d, _ in step_sends(page, t, p))
        assert sends == PEERS[name](p)


@pytest.mark.parametrize("name", PEERS)
def test_results_are_what_the_collective_promises(name):
    """A broadcast gives all ranks the root's vector, a reduction gives the root the sum."""
    for p in range(1, 10):
        xs = [[10**r * (i + 1) for i in range(p)] for r in range(p)]
        results = sparring.run(f"{ROOM}.{name}", xs).results
        sums, kind = [sum(column) for column in zip(*xs)], found(name).kind
        if kind in ("bcast", "allreduce"):
            assert all([*y] == (xs[0] if kind == "bcast" else sums) for y in results)
        elif kind == "scatter":
            assert [y[r] for r, y in enumerate(results)] == xs[0]
        else:
            assert [*results[0]] == (sums if kind == "reduce" else [x[r] for r, x in enumerate(xs)])


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", long(PEERS))
def test_it_is_proved_for_every_number_of_ranks(name):
    """And but for a few they send nothing in vain."""
    attempts = judged(found(name))

    refuted = {"economy"} if name in VAIN else set()
    assert {"result", "economy", "deadlock"} <= attempts.keys()
    assert {about for about, attempt in attempts.items() if str(attempt.verdict) == "refuted"} == refuted
    for about in attempts.keys() - refuted - {"timing"}:  # which is decided pair by pair
        assert isinstance(attempts[about], Theorem)
        assert str(attempts[about].verdict) == "proved for every p"


@pytest.mark.parametrize("name", long(FAULTS))
def test_a_planted_fault_is_refuted(name, tmp_path):
    """The same text without the fault is proved."""
    text, (right, wrong) = (FOLDER / f"{name}.py").read_text(encoding="utf-8"), FAULTS[name]
    assert text.count(right) == 1
    file = tmp_path / f"{name}.py"
    file.write_text(text.replace(right, wrong), encoding="utf-8")

    result = next(proving.prove(sparring.page(str(file)), planted=False))
    assert str(result.verdict) == "refuted", result
