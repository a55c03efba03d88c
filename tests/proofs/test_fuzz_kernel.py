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
from sparring.proofs.mutants.schedules import MUTATIONS
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import both, either, where
from sparring.spec.core.runner import number, truth

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


def boastful(page: Page, rng: random.Random) -> Page:
    """Says from the beginning that everything is there."""
    return replace(page, holds=lambda q, r, c, t, p: True, adds=lambda t, p: False)


def planted(page: Page, rng: random.Random) -> Page:
    return MUTATIONS[rng.choice(sorted(MUTATIONS))](Subject(page, None, {}, None)).page


CHANGES = [new_peers, new_chunk, new_adds, new_steps, new_holds, from_a_rank_on, boastful, planted]


def runs_right(page: Page, p: int) -> bool:
    """By brute force with multisets, sharing no code with the kernel nor with the runner."""
    copies = [[Counter([r]) for _ in range(p)] for r in range(p)]
    if number(page.steps(p)) < 0:
        return False
    for t in range(number(page.steps(p))):
        sends = [(r, number(page.dst(r, t, p)), number(page.chunk(r, t, p))) for r in range(p)]
        for r, d, c in sends:
            if not (
                0 <= d < p
                and 0 <= c < p
                and d != r
                and number(page.src(d, t, p)) == r
                and 0 <= number(page.src(r, t, p)) < p
            ):
                return False
        moved = [(d, c, copies[r][c].copy()) for r, d, c in sends]
        for d, c, message in moved:
            copies[d][c] = copies[d][c] + message if truth(page.adds(t, p)) else message
    return all(cell == Counter(range(p)) for row in copies for cell in row)


def judged(seed: int) -> Word:
    """The kernel's verdict on a drawn page, once compared with running it."""
    mine = drawn(random.Random(seed))
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
    verdicts = Counter(judged(seed) for seed in range(60))

    assert set(verdicts) == {Word.PROVED, Word.REFUTED, Word.NOT_INDUCTIVE}


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_verdicts_agree_with_running_the_page_at_length():
    """The same for many more pages."""
    verdicts = Counter(judged(seed) for seed in range(60, 1000))

    assert verdicts[Word.PROVED] > 50


@pytest.mark.parametrize("dropped", ["dst(src(r)) = r", "step", "disjoint", "base", "conclusion"])
def test_the_fuzzer_would_see_a_missing_obligation(dropped, monkeypatch):
    """Planted in the generator itself: without one of its obligations some wrong page is 'proved' and found out."""
    whole = conjectures.obligations.result
    hidden = {dropped, "src(dst(r)) = r", "dst in range"} if "dst" in dropped else {dropped}
    monkeypatch.setattr(
        conjectures.obligations, "result", lambda page: (o for o in whole(page) if o.name not in hidden)
    )

    with pytest.raises(AssertionError, match=r"PROVED"):
        Counter(map(judged, range(200)))
