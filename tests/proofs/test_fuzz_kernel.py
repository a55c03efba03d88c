"""The generator of obligations, fuzzed: the kernel's verdict against running the page, p <= 16.

A page that is proved though it runs wrong would be the worst fault that sparring could have.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from sparring import page
from sparring.proofs.core import conjectures, kernel
from sparring.proofs.core.supplement import Subject
from sparring.proofs.core.verdicts import Word
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import both, either, negate, where
from sparring.spec.core.schedule import number, truth
from tests.proofs.planted import MUTATIONS
from tests.sweeps import sweep

RING = page("ring")
RANKS = range(1, 17)


def ring_up(page: Page) -> Page:
    """The ring, travelling the other way."""

    def holds(q, r, c, t, p):
        full = (c - r + 1) % p <= t - (p - 1)
        return where(full, True, where((c - r) % p <= t, (c - q) % p <= (c - r) % p, q == r))

    return replace(page, dst=lambda r, t, p: (r - 1) % p, src=lambda r, t, p: (r + 1) % p,
                   chunk=lambda r, t, p: (r + t) % p, holds=holds)  # fmt: skip


def direct(page: Page) -> Page:
    """Every rank collects its own chunk from each other rank in turn, then hands it to each in turn."""

    def lap(t, p):
        return where(t < p - 1, t, t - (p - 1))

    def holds(q, r, c, t, p):
        collected = where(r == c, (r - q) % p <= t, q == r)
        return where(t < p - 1, collected, either(either((r - c) % p <= t - (p - 1), r == c), q == r))

    return replace(page, dst=lambda r, t, p: (r + lap(t, p) + 1) % p, src=lambda r, t, p: (r - lap(t, p) - 1) % p,
                   chunk=lambda r, t, p: where(t < p - 1, (r + t + 1) % p, r), holds=holds)  # fmt: skip


def all_at_once(page: Page) -> Page:
    """Everybody sends everybody the whole vector in one step."""
    return replace(
        page, steps=lambda p: where(p > 1, 1, 0), messages=lambda t, p: p - 1, chunks=lambda p: 1,
        dst=lambda r, t, p, j: (r + j + 1) % p, src=lambda r, t, p, j: (r - j - 1) % p, chunk=lambda r, t, p, j: 0,
        active=lambda r, t, p, j: True, adds=lambda t, p: True, who=lambda q, r, c, t, p: (r - q - 1) % p,
        holds=lambda q, r, c, t, p: either(q == r, t > 0),
    )  # fmt: skip


def in_two_steps(page: Page) -> Page:
    """Everybody sends everybody their chunk, to be added, and then the finished one of its own."""

    def who(q, r, c, t, p):
        return where(t < 1, (r - q - 1) % p, (r - c - 1) % p)

    return replace(
        all_at_once(page), steps=lambda p: where(p > 1, 2, 0), chunks=lambda p: p, adds=lambda t, p: t < 1, who=who,
        chunk=lambda r, t, p, j: where(t < 1, (r + j + 1) % p, r),
        holds=lambda q, r, c, t, p: either(q == r, either(t > 1, both(t > 0, r == c))),
    )  # fmt: skip


def two_chunks(page: Page) -> Page:
    """The ring with twice as many chunks, of which a message has two."""
    return replace(
        page, chunks=lambda p: 2 * p, count=lambda r, t, p: 2, chunk=lambda r, t, p: 2 * page.chunk(r, t, p),
        holds=lambda q, r, c, t, p: page.holds(q, r, c // 2, t, p),
    )  # fmt: skip


def drawn(rng: random.Random) -> Page:
    """A family that is right, with one or two formulas drawn anew or mutated."""
    family = rng.choice([lambda page: page, ring_up, direct])(RING)
    for _ in range(rng.choice([0, 1, 1, 1, 2])):
        family = rng.choice(CHANGES)(family, rng)
    return family


def new_peers(page: Page, rng: random.Random) -> Page:
    a, b = rng.choice([1, 2, -1]), rng.choice([1, 1, 2, -1])
    return replace(page, dst=lambda r, t, p: (r + a) % p, src=lambda r, t, p: (r - a * b) % p)


def new_chunk(page: Page, rng: random.Random) -> Page:
    e, b, f = rng.choice([1, 1, 2]), rng.choice([-1, -1, 1, 0, -2]), rng.choice([0, 0, 1, -1])
    return replace(page, chunk=lambda r, t, p: (e * r + b * t + f) % p)


def new_adds(page: Page, rng: random.Random) -> Page:
    shift = rng.choice([-2, -1, 0, 1])
    return replace(page, adds=lambda t, p: page.adds(t + shift, p))


def new_steps(page: Page, rng: random.Random) -> Page:
    a, b = rng.choice([(1, -1), (2, -2), (2, -3), (2, -1), (2, 0), (3, -3)])
    return replace(page, steps=lambda p: where(p > 1, a * p + b, 0))


def new_holds(page: Page, rng: random.Random) -> Page:
    late, off = rng.choice([-1, 0, 1]), rng.choice([0, 1])
    return replace(page, holds=lambda q, r, c, t, p: both(page.holds(q, r, c, t + late, p), either(off == 0, q != c)))


def from_a_rank_on(page: Page, rng: random.Random) -> Page:
    few = rng.choice([3, 5, 9, 12])
    return replace(page, chunk=lambda r, t, p: where(p < few, page.chunk(r, t, p), (page.chunk(r, t, p) + t) % p))


def new_messages(page: Page, rng: random.Random) -> Page:
    """One more or fewer; or from some p on not all."""
    fewer, few = rng.choice([-1, 1, 2]), rng.choice([2, 4, 7])
    return replace(page, messages=lambda t, p: where(p < few, p - 1, where(p > fewer, p - fewer, 1)))


def new_who(page: Page, rng: random.Random) -> Page:
    """Another message is said to bring a contribution."""
    off = rng.choice([0, 1, -1])
    return replace(page, who=lambda q, r, c, t, p: page.who(q, r, c, t, p) + off)


def new_distance(page: Page, rng: random.Random) -> Page:
    """Messages go to other ranks, some of them twice to one."""
    a, b = rng.choice([1, 1, 2]), rng.choice([0, 0, 1])
    return replace(page, dst=lambda r, t, p, j: (r + a * j + 1 + b * t) % p,
                   src=lambda r, t, p, j: (r - a * j - 1 - b * t) % p)  # fmt: skip


def silent(page: Page, rng: random.Random) -> Page:
    """One message is not sent in one step."""
    m, step = rng.choice([0, 1, 5]), rng.choice([0, 1])
    return replace(page, active=lambda r, t, p, j: either(negate(j == m), negate(t == step)))


def new_adding(page: Page, rng: random.Random) -> Page:
    until = rng.choice([0, 1, 1, 2])
    return replace(page, adds=lambda t, p: t < until)


def new_count(page: Page, rng: random.Random) -> Page:
    """Other blocks: shorter, longer, of a length that depends on the step, or that begin elsewhere."""
    count, late, off = rng.choice([1, 2, 3]), rng.choice([1, 2, 2]), rng.choice([0, 0, 1, -1])
    return replace(page, count=lambda r, t, p: where(t < p - 1, count, late),
                   chunk=lambda r, t, p: page.chunk(r, t, p) + off)  # fmt: skip


def boastful(page: Page, rng: random.Random) -> Page:
    """Says from the beginning that everything is there."""
    return replace(page, holds=lambda q, r, c, t, p: True, adds=lambda t, p: False)


def planted(page: Page, rng: random.Random) -> Page:
    return MUTATIONS[rng.choice(sorted(MUTATIONS))](Subject(page, None, {}, None)).page


SEVERAL = [new_messages, new_who, new_distance, silent, new_adding, new_holds, planted]
BLOCKS = [new_count, new_peers, new_adds, new_steps, new_holds, planted]


def drawn_several(rng: random.Random) -> Page:
    """The same of pages with several messages in a step."""
    family = rng.choice([all_at_once, in_two_steps])(RING)
    return rng.choice(SEVERAL)(family, rng) if rng.random() < 0.8 else family


def drawn_blocks(rng: random.Random) -> Page:
    """And of pages with several chunks in a message."""
    family = two_chunks(rng.choice([lambda page: page, ring_up])(RING))
    return rng.choice(BLOCKS)(family, rng) if rng.random() < 0.8 else family


CHANGES = [new_peers, new_chunk, new_adds, new_steps, new_holds, from_a_rank_on, boastful, planted]


def sent(page: Page, t: int, p: int) -> list[tuple[int, int, range]] | None:
    """Who sends whom which chunks in a step; None where that is no schedule."""
    letters = [(j,) for j in range(number(page.messages(t, p)))] if page.several else [()]
    found = []
    for r, j in [(r, j) for r in range(p) for j in letters]:
        d, s, first = (number(formula(r, t, p, *j)) for formula in (page.dst, page.src, page.chunk))
        chunks = range(first, first + number(page.count(r, t, p)))
        fits = 0 <= d < p and 0 <= s < p and first >= 0 and chunks.stop <= number(page.chunks(p))
        if not fits or number(page.src(d, t, p, *j)) != r or (awake := truth(page.active(r, t, p, *j))) > (d != r):
            return None
        found += [(r, d, chunks)] * awake
    pairs, cells = Counter((r, d) for r, d, _ in found), Counter((d, c) for _, d, cs in found for c in cs)
    alone = max(pairs.values(), default=1) == 1 and (truth(page.adds(t, p)) or max(cells.values(), default=1) == 1)
    return found if letters and alone else None


def runs_right(page: Page, p: int) -> bool:
    """By brute force with multisets, sharing no code with the kernel nor with the runner."""
    copies = [[Counter([r]) for _ in range(number(page.chunks(p)))] for r in range(p)]
    if number(page.steps(p)) < 0:
        return False
    for t in range(number(page.steps(p))):
        sends = sent(page, t, p)
        if sends is None:
            return False
        moved = [(d, c, copies[r][c].copy()) for r, d, chunks in sends for c in chunks]
        for d, c, message in moved:
            copies[d][c] = copies[d][c] + message if truth(page.adds(t, p)) else message
    return all(cell == Counter(range(p)) for row in copies for cell in row)


def judged(seed: int, draw=drawn) -> Word:
    """The kernel's verdict on a drawn page, once compared with running it."""
    mine = draw(random.Random(seed))
    subject = Subject(mine, None, {}, None)
    result = next(iter(conjectures.conjectures(subject)))
    attempt = kernel.judge(subject, result, second_opinion=False)
    first_wrong = next((p for p in RANKS if not runs_right(mine, p)), None)
    match attempt.verdict.word:
        case Word.REFUTED:
            assert first_wrong == attempt.witness["p"] or attempt.witness["p"] > RANKS[-1], (seed, attempt.detail)
        case Word.PROVED | Word.NOT_INDUCTIVE:
            assert first_wrong is None, (seed, attempt.verdict, first_wrong)
        case other:
            raise AssertionError((seed, other, attempt.detail))
    return attempt.verdict.word


def test_verdicts_agree_with_running_the_page():
    """Proved pages run right, refuted ones run wrong first at the witness's p, and all verdicts occur."""
    verdicts = Counter(judged(seed) for seed in range(30))

    assert set(verdicts) == {Word.PROVED, Word.REFUTED, Word.NOT_INDUCTIVE}


@pytest.mark.parametrize("draw", [drawn_several, drawn_blocks])
def test_verdicts_agree_where_a_step_or_a_message_has_several(draw):
    """The same for pages of which a rank sends several messages in a step, or several chunks in a message."""
    verdicts = Counter(judged(seed, draw) for seed in range(20))

    assert set(verdicts) == {Word.PROVED, Word.REFUTED, Word.NOT_INDUCTIVE}


MORE = [(drawn_several, "step"), *((drawn_blocks, name) for name in ("step", "disjoint", "conclusion"))]


@pytest.mark.parametrize(
    ("draw", "dropped"),
    [
        (drawn_several, "disjoint"),
        *(pytest.param(draw, name, marks=pytest.mark.slow) for draw, name in MORE),
    ],
)
def test_the_fuzzer_would_see_one_missing_there(draw, dropped, monkeypatch):
    """Planted in the generator, too."""
    whole = conjectures.obligations.result
    monkeypatch.setattr(conjectures.obligations, "result", lambda page: (o for o in whole(page) if o.name != dropped))

    with pytest.raises(AssertionError, match=r"PROVED"):
        Counter(judged(seed, draw) for seed in range(60))


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("draw", "seeds"), [(drawn, 200), (drawn_several, 60), (drawn_blocks, 60)])
def test_verdicts_agree_with_running_the_page_at_length(draw, seeds):
    """The same for many more pages."""
    verdicts = Counter(judged(seed, draw) for seed in range(20, seeds))

    assert verdicts[Word.PROVED] > seeds / 20


@pytest.mark.parametrize("dropped", sweep(["dst(src(r)) = r", "step", "disjoint", "base", "conclusion"], few=["step"]))
def test_the_fuzzer_would_see_a_missing_obligation(dropped, monkeypatch):
    """Planted in the generator itself: without one of its obligations some wrong page is 'proved' and found out."""
    whole = conjectures.obligations.result
    hidden = {dropped, "src(dst(r)) = r", "dst in range"} if "dst" in dropped else {dropped}
    monkeypatch.setattr(
        conjectures.obligations, "result", lambda page: (o for o in whole(page) if o.name not in hidden)
    )

    with pytest.raises(AssertionError, match=r"PROVED"):
        Counter(map(judged, range(200)))
