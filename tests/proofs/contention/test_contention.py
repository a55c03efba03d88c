"""The contention claims agree with routing every message by hand, and are refuted where messages meet."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from sparring import page
from sparring.proofs.contention import claims
from sparring.proofs.contention.networks import find
from sparring.proofs.kernel import kernel
from sparring.proofs.logic import queries
from sparring.proofs.logic.verdicts import EXPECTED, PROVED
from sparring.proofs.reading.annotations import subject
from sparring.spec.core.numbers import both, evaluate, where
from tests.sweeps import third

RING = page("ring")


def holds(claim, page, topology) -> bool:
    """Whether both solvers prove the claim for every p."""
    return all(a.holds for a in queries.answered(tuple(claim(page, find(topology))), second_opinion=True))


def runs_free(page, topology, p, across_steps: bool) -> bool:
    """The same claim by brute force at one p: count what crosses each link."""
    places = {
        "ring": [{"link": i} for i in range(p)],
        "tree": [{"a": a, "b": b} for a in range(p) for b in range(a + 1, p + 1)],
        "crossbar": [{"link": i} for i in range(p)],
        "fat_tree": [{"link": i, "leaf": i // 4, "spine": i % 4} for i in range(4 * p)],
    }
    for link in find(topology).links:
        for place in places[topology]:
            users = {
                (None if across_steps else t, r, page.dst(r, t, p, *j) if across_steps else None)
                for t in range(page.steps(p))
                for r in range(p)
                for j in numbers(page, t, p)
                if page.active(r, t, p, *j) and evaluate(link.carries(r, page.dst(r, t, p, *j)), p=p, **place)
            }
            if max(Counter(t for t, *_ in users).values(), default=0) > 1:
                return False
    return True


def numbers(page, t, p):
    """Those of a rank's messages in a step, as formulas take them."""
    return [(j,) for j in range(page.messages(t, p))] if page.several else [()]


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
BOTH_WAYS = replace(
    RING,
    messages=lambda t, p: where(p > 2, 2, 1),
    active=lambda r, t, p, j: True,
    chunk=lambda r, t, p, j: 0,
    dst=lambda r, t, p, j: where(j == 0, (r + 1) % p, (r - 1) % p),
    src=lambda r, t, p, j: where(j == 0, (r - 1) % p, (r + 1) % p),
)
TO_ALL = replace(
    BOTH_WAYS,
    messages=lambda t, p: p,
    steps=lambda p: 1,
    dst=lambda r, t, p, j: j,
    active=lambda r, t, p, j: both(r == 0, j > 0),
)
FROM_ALL = replace(TO_ALL, dst=lambda r, t, p, j: 0, active=lambda r, t, p, j: both(r == j, j > 0))
ASKED = {
    "ring": {"ring": RING, "backwards": BACKWARDS, "two on": TWO_ON, "there and back": THERE_AND_BACK,
             "both ways": BOTH_WAYS},
    "tree": {"ring": RING, "rotation": ROTATION, "there and back": THERE_AND_BACK},
    "crossbar": {"rotation": ROTATION, "both ways": BOTH_WAYS, "to all": TO_ALL, "from all": FROM_ALL},
    "fat_tree": {"backwards": BACKWARDS, "two on": TWO_ON},
}  # fmt: skip


@pytest.mark.parametrize(
    ("topology", "name"), third((topology, name) for topology, some in ASKED.items() for name in some)
)
def test_the_solvers_say_what_counting_says(topology, name):
    """Proved for every p exactly if no p <= 9 shows messages of two sources, or pairs, on a link."""
    one = ASKED[topology][name]
    for claim, across_steps in ((claims.lock_step, False), (claims.exclusive, True)):
        counted = all(runs_free(one, topology, p, across_steps) for p in range(1, 10))

        assert holds(claim, one, topology) == counted, (claim.__name__, counted)


@pytest.mark.parametrize(
    ("radix", "name", "verdict"),
    [(2, "rendezvous on crossbar", PROVED), (4, "lock step on crossbar", EXPECTED), (4, "lock step on ring", EXPECTED)],
)
def test_theorems_for_every_p(radix, name, verdict):
    """As claimed for the radix that is asked for."""
    whole = subject(page("recursive_multiplying", radix=radix))
    found = next(c for c in kernel.readable(whole.general) if c.name == name)
    attempt = kernel.judge(whole, found, second_opinion=not found.contended)

    assert found.statement.endswith(f", for radix = {radix}.")
    assert (kernel.expected(attempt) if found.contended else attempt).verdict == verdict
