"""What pages with formulas have in common: sums, their order, messages as others send them, symbols beside numbers."""

from __future__ import annotations

import random
from itertools import product

import pytest

import sparring
from sparring.spec.core.numbers import Sym, evaluate
from sparring.spec.core.schedule import step_sends
from tests.algorithms import ALGORITHMS

PAGES = [
    sparring.page(name, **params)
    for name in sparring.pages()
    if not sparring.page(name).composed
    for params in ALGORITHMS[name].formulas_with
]


def named(page):
    return "-".join([page.name, *map(str, page.params.values())])


def folded(p):
    """MPICH's numbers: how many ranks are left where even ones below ``2 rem`` fold, the rest, and who has which."""
    pof2 = 1 << p.bit_length() - 1
    rem = p - pof2
    return pof2, rem, [2 * v + 1 if v < rem else v + rem for v in range(pof2)]


def bruck(p):
    """MPIR_Allgather_intra_brucks, with its buffer."""
    buffer, pof2 = [[r] for r in range(p)], 1
    while pof2 <= p // 2:
        yield {(r, (r - pof2 + p) % p, tuple(buffer[r])) for r in range(p)}
        buffer = [buffer[r] + buffer[(r + pof2) % p] for r in range(p)]
        pof2 *= 2
    if p > pof2:
        yield {(r, (r - pof2 + p) % p, tuple(buffer[r][: p - pof2])) for r in range(p)}


def doubled_lists(p):
    """MPIR_Allgather_intra_recursive_doubling, for powers of two."""
    mask = 1
    while mask < p:
        yield {(r, r ^ mask, tuple(range(r // mask * mask, r // mask * mask + mask))) for r in range(p)}
        mask *= 2


def doubled(p):
    """MPIR_Allreduce_intra_recursive_doubling."""
    pof2, rem, rank = folded(p)
    if rem:
        yield {(2 * v, 2 * v + 1, (0,)) for v in range(rem)}
    for bit in range(pof2.bit_length() - 1):
        yield {(rank[v], rank[v ^ 1 << bit], (0,)) for v in range(pof2)}
    if rem:
        yield {(2 * v + 1, 2 * v, (0,)) for v in range(rem)}


def halved(p):
    """MPIR_Allreduce_intra_reduce_scatter_allgather, by what begins and ends a rank's part."""
    pof2, rem, rank = folded(p)
    parts, mask, every = dict.fromkeys(range(pof2), (0, pof2)), 1, (*range(pof2),)
    if rem:
        yield {(2 * v, 2 * v + 1, every) for v in range(rem)}
    while mask < pof2:
        sent, kept = set(), {}
        for v, (begin, end) in parts.items():
            middle = (begin + end) // 2
            kept[v], given = ((begin, middle), (middle, end)) if v < v ^ mask else ((middle, end), (begin, middle))
            sent.add((rank[v], rank[v ^ mask], (*range(*given),)))
        parts, mask = kept, mask * 2
        yield sent
    while mask > 1:
        mask //= 2
        yield {(rank[v], rank[v ^ mask], (*range(*part),)) for v, part in parts.items()}
        ends = {v: sorted({*part, *parts[v ^ mask]}) for v, part in parts.items()}
        parts = {v: (both[0], both[-1]) for v, both in ends.items()}
    if rem:
        yield {(2 * v + 1, 2 * v, every) for v in range(rem)}


def multiplied(p, k):
    """MPICH's recursive multiplying, as loops over ranks send, by stage and distance."""
    core, distance = 1, 1
    while core * k <= p:
        core *= k
    fold = {(r, r % core, (0,)) for r in range(core, p)}
    yield from [fold] if fold else []
    while distance < core:
        following = distance * k
        starts = {r: r // following * following for r in range(core)}
        groups = {r: range(first + r % distance, first + following, distance) for r, first in starts.items()}
        yield {(r, other, (0,)) for r, group in groups.items() for other in group if other != r}
        distance = following
    yield from [{(b, a, c) for a, b, c in fold}] if fold else []


def direct(p):
    """Two shots: everybody sends everybody the other's chunk, then its own."""
    pairs = [(r, d) for r in range(p) for d in range(p) if r != d]
    yield from [{(r, d, (c,)) for r, d in pairs for c in [(d, r)[i]]} for i in (0, 1) if pairs]


def distances(p):
    """Gaps and numbers of blocks that ``init_send_info`` of SparDL's public code has for one team."""
    gap = 1 << (p - 1).bit_length() - 1 if p > 1 else 0
    ways = []
    while gap:
        ways.append((gap, min(gap, p - gap)))
        gap //= 2
    yield from [{(r, (r + gap) % p, tuple((r + gap + j) % p for j in range(n))) for r in range(p)} for gap, n in ways]
    yield from [{(r, (r - gap) % p, tuple((r + j) % p for j in range(n))) for r in range(p)} for gap, n in ways[::-1]]


def aggregated(p):
    """PAT by its trees: a binomial tree a chunk, in which a distance's parent is that without its lowest bit."""
    steps = []
    for bit in (1 << i for i in range((p - 1).bit_length())):
        up = [(x, x & (x - 1)) for x in range(1, p) if x - (x & (x - 1)) == bit]
        pairs = {((x + c) % p, (parent + c) % p): [] for x, parent in up for c in range(p)}
        for (x, parent), c in product(up, range(p)):
            pairs[(x + c) % p, (parent + c) % p].append(c)
        steps.append({(a, b, tuple(sorted(some))) for (a, b), some in pairs.items()})
    yield from steps
    yield from [{(b, a, some) for a, b, some in step} for step in reversed(steps)]


OTHERS = {
    "bruck_allgather": bruck, "recursive_doubling_allgather": doubled_lists, "recursive_doubling": doubled,
    "rabenseifner": halved, "ssar_recursive_doubling": doubled, "two_shot": direct, "two_shot_sparse": direct,
    "dsar_split_allgather": direct, "spardl": distances, "pat": aggregated,
}  # fmt: skip
POWERS = {"recursive_doubling_allgather"}


@pytest.mark.parametrize("page", [page for page in PAGES if page.name in (*OTHERS, "recursive_multiplying")], ids=named)
def test_messages_are_those_of_other_programs(page):
    """MPICH's or the paper's: the same ranks and the same chunks in the same order, worked out in another way."""
    for p in (*range(1, 28), 64) if page.several else (*range(1, 40), 63, 64, 65):
        sends = [{(r, d, (*some,)) for r, d, some in step_sends(page, t, p)} for t in range(page.steps(p))]
        if page.name == "recursive_multiplying":
            assert sends == [*multiplied(p, page.params["radix"])]
        elif page.name not in POWERS or p & p - 1 == 0:
            assert sends == [*OTHERS[page.name](p)]


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_symbols_and_numbers_read_alike(page):
    """The formulas on symbols, evaluated, are the formulas on numbers."""
    letters = [Sym.var(name) for name in "rtp"] + [Sym.var("j")] * page.several
    formulas = [page.dst, page.src, page.active] + [page.chunk] * (page.carries is None)
    terms = [formula(*letters) for formula in formulas]
    rng = random.Random(1)
    for p in (*range(1, 10), 13, 16, 19):
        assert evaluate(page.steps(Sym.var("p")), p=p) == page.steps(p)
        for t in range(page.steps(p)):
            for r in range(p):
                at = {"r": r, "t": t, "p": p} | ({"j": rng.randrange(page.messages(t, p))} if page.several else {})
                assert [evaluate(term, **at) for term in terms] == [f(*at.values()) for f in formulas]
                if page.carries:
                    picks = page.carries(letters[0], Sym.var("c"), *letters[1:])
                    assert all(evaluate(picks, **at, c=c) == page.carries(r, c, t, p) for c in range(p))
                if page.blocks:
                    assert evaluate(page.count(*letters), **at) == page.count(r, t, p)
