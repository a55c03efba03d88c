"""The generator of obligations, fuzzed: the kernel's verdict against running the page, p <= 16.

A page that is proved though it runs wrong would be the worst fault that sparring could have.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from sparring import page
from sparring.errors import SparringError
from sparring.proofs.kernel import kernel
from sparring.proofs.logic.verdicts import Word
from sparring.proofs.mutants.sites import in_page
from sparring.proofs.mutants.syntax import FURTHER, OPERATORS
from sparring.proofs.reading.annotations import Subject
from sparring.proofs.statements import conjectures, formulas
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import where
from sparring.spec.core.schedule import number, truth
from tests.proofs.planted import MUTATIONS, planted
from tests.sweeps import sweep, third

RANKS = range(1, 17)


def two_chunks(page: Page, count: int, late: int) -> Page:
    """The same schedule with twice as many chunks, of which a message should have two: in the first lap, and later."""
    return replace(
        page,
        chunks=lambda p: 2 * p,
        count=lambda r, t, p: where(t < p - 1, count, late),
        chunk=lambda r, t, p: 2 * page.chunk(r, t, p),
        holds=lambda q, r, c, t, p: page.holds(q, r, c // 2, t, p),
    )


FAMILIES = {"one": page("ring"), "messages": page("two_shot"), "chunks": page("ring")}
"""A step has one message of one chunk for each rank, or several messages, or a message has several chunks."""
SYNTAX = {
    name: [*in_page(Subject(right, None, {}, None), {**OPERATORS, **FURTHER})] for name, right in FAMILIES.items()
}


def by_syntax(family: str, rng: random.Random) -> Subject:
    """Any one place of its source changed."""
    return rng.choice(SYNTAX[family]).plant()


BOASTFUL = planted(holds=lambda page: lambda q, r, c, t, p: True, adds=lambda page: lambda t, p: False)
"""Says from the beginning that everything is there."""


def from_a_rank_on(whole: Subject, rng: random.Random) -> Subject:
    """Right with few ranks."""
    few, page = rng.choice([3, 5, 9, 12]), whole.page
    wrong = MUTATIONS["wrong chunk"](whole).page.chunk
    late = {"chunk": lambda r, t, p, *j: where(p < few, page.chunk(r, t, p, *j), wrong(r, t, p, *j))}
    return replace(whole, page=replace(page, **late))


def drawn(rng: random.Random, family: str = "one") -> Page:
    """A family that is right, with up to two changes."""
    whole = Subject(FAMILIES[family], None, {}, None)
    for change in rng.choice([[], ["syntax"], ["syntax"], ["formula"], ["late"], ["syntax", "formula"]]):
        if change == "syntax":
            whole = by_syntax(family, rng)
        elif change == "late":
            whole = from_a_rank_on(whole, rng)
        else:
            whole = rng.choice([BOASTFUL, *MUTATIONS.values()])(whole)
    counts = rng.choice([(2, 2), (2, 2), (2, 2), (1, 2), (2, 1), (3, 2)])
    return two_chunks(whole.page, *counts) if family == "chunks" else whole.page


def sent(page: Page, t: int, p: int) -> list[tuple[int, int, range]] | None:
    """Who sends whom which chunks in a step; None where that is no schedule."""
    letters = [(j,) for j in range(number(page.messages(t, p)))] if page.several else [()]
    found = []
    for r, j in [(r, j) for r in range(p) for j in letters]:
        try:
            d, s, first = (number(formula(r, t, p, *j)) for formula in (page.dst, page.src, page.chunk))
        except ZeroDivisionError:
            return None
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


def judged(seed: int, family: str = "one") -> Word | None:
    """The kernel's verdict on a drawn page, once compared with running it; None where formulas have no meaning."""
    mine = drawn(random.Random(seed), family)
    whole = Subject(mine, None, {}, None)
    try:
        result = next(iter(conjectures.conjectures(whole)))
        attempt = kernel.judge(whole, result, second_opinion=False)
        first_wrong = next((p for p in RANKS if not runs_right(mine, p)), None)
    except (TypeError, NameError, SparringError):
        return None
    match attempt.verdict.word:
        case Word.REFUTED:
            assert first_wrong == attempt.witness["p"] or attempt.witness["p"] > RANKS[-1], (seed, attempt.detail)
        case Word.PROVED | Word.NOT_INDUCTIVE:
            assert first_wrong is None, (seed, attempt.verdict, first_wrong)
    return attempt.verdict.word


@pytest.mark.parametrize("family", third(FAMILIES))
def test_verdicts_agree_with_running_the_page(family):
    """Proved pages run right, refuted ones run wrong first at the witness's p, and all verdicts occur."""
    verdicts = Counter(judged(seed, family) for seed in range(16))

    assert {Word.PROVED, Word.REFUTED, Word.NOT_INDUCTIVE} <= {*verdicts}


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("family", "seeds"), [("one", 90), ("messages", 42), ("chunks", 60)])
def test_verdicts_agree_with_running_the_page_at_length(family, seeds):
    """The same for many more pages."""
    verdicts = Counter(judged(seed, family) for seed in range(16, seeds))

    assert verdicts[Word.PROVED] > seeds / 20


DROPPED = [
    *(("one", name) for name in ("step", "dst(src(r)) = r", "disjoint", "base", "conclusion")),
    *(("messages", name) for name in ("disjoint", "step")),
    *(("chunks", name) for name in ("step", "disjoint", "conclusion")),
]


BEFORE = {"dst(src(r)) = r": 890, "disjoint": 60, "base": 20, "conclusion": 40}
"""Pages that are wrong in this alone are few: before this one there is none."""


@pytest.mark.parametrize(("family", "dropped"), sweep(DROPPED, few=[("one", "step"), ("messages", "disjoint")]))
def test_the_fuzzer_would_see_a_missing_obligation(family, dropped, monkeypatch):
    """Planted in the generator itself: without one of its obligations some wrong page is 'proved' and found out."""
    whole = formulas.result
    hidden = {dropped, "src(dst(r)) = r", "dst in range"} if "dst" in dropped else {dropped}
    first = {"messages": 20 if dropped == "disjoint" else 60}.get(family, BEFORE.get(dropped, 0))
    monkeypatch.setattr(formulas, "result", lambda page: (o for o in whole(page) if o.name not in hidden))
    monkeypatch.setattr(kernel, "FEW", ())  # else runs would find it

    with pytest.raises(AssertionError, match=r"PROVED"):
        Counter(judged(seed, family) for seed in range(first, first + 200))
