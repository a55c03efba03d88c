"""The contention claims agree with routing every message by hand, and are refuted where messages meet."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from sparring import page
from sparring.proofs.contention import claims
from sparring.proofs.contention.networks import find
from sparring.proofs.core import questions
from sparring.spec.core.numbers import evaluate, where

RING = page("ring")


def holds(claim, page, topology) -> bool:
    """Whether both solvers prove the claim for every p."""
    return all(a.holds for a in questions.answered(tuple(claim(page, find(topology))), second_opinion=True))


def runs_free(page, topology, p, across_steps: bool) -> bool:
    """The same claim by brute force at one p: count what crosses each link."""
    places = {
        "ring": [{"link": i} for i in range(p)],
        "tree": [{"a": a, "b": b} for a in range(p) for b in range(a + 1, p + 1)],
        "crossbar": [{"link": i} for i in range(p)],
        "fat_tree": [{"link": i, "leaf": i // 4, "spine": i % 4} for i in range(4 * p)],
    }
    crossing = Counter()
    for link in find(topology).links:
        for place in places[topology]:
            users = [
                (None if across_steps else t, r, page.dst(r, t, p))
                for t in range(page.steps(p)) for r in range(p)
                if evaluate(link.carries(r, page.dst(r, t, p)), p=p, **place)
            ]  # fmt: skip
            distinct = set(users) if across_steps else users
            for key in Counter(user[0] for user in distinct).items():
                crossing[link.name, str(place), key[0]] += key[1]
    return not crossing or max(crossing.values()) <= 1


ROTATION = replace(
    RING, steps=lambda p: p - 1, dst=lambda r, t, p: (r + t + 1) % p, src=lambda r, t, p: (r - t - 1) % p
)
BACKWARDS = replace(RING, dst=lambda r, t, p: (r - 1) % p, src=lambda r, t, p: (r + 1) % p)
TWO_ON = replace(RING, dst=lambda r, t, p: (r + 2) % p, src=lambda r, t, p: (r - 2) % p)
THERE_AND_BACK = replace(
    RING,
    dst=lambda r, t, p: where(t < p - 1, (r + 1) % p, (r - 1) % p),
    src=lambda r, t, p: where(t < p - 1, (r - 1) % p, (r + 1) % p),
)
PAGES = {
    "ring": RING, "backwards": BACKWARDS, "rotation": ROTATION, "two on": TWO_ON, "there and back": THERE_AND_BACK,
}  # fmt: skip


@pytest.mark.parametrize("topology", ["ring", "tree", "crossbar", "fat_tree"])
@pytest.mark.parametrize("name", PAGES)
def test_the_solvers_say_what_counting_says(name, topology):
    """Proved for every p exactly if no p <= 9 shows two messages on a link."""
    for claim, across_steps in ((claims.lock_step, False), (claims.exclusive, True)):
        counted = all(runs_free(PAGES[name], topology, p, across_steps) for p in range(1, 10))

        assert holds(claim, PAGES[name], topology) == counted, (claim.__name__, counted)


def test_the_verdicts_are_told_apart():
    """A schedule that turns round is free in lock step on the tree and exclusive on the ring only."""
    assert holds(claims.exclusive, THERE_AND_BACK, "ring")
    assert holds(claims.lock_step, THERE_AND_BACK, "tree")
    assert not holds(claims.exclusive, THERE_AND_BACK, "tree")
    assert not holds(claims.lock_step, TWO_ON, "ring")
