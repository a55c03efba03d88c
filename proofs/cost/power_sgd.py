"""What PowerSGD sends: two sums of whole vectors, the two factors of a matrix."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from sparring.errors import Undecided
from sparring.proofs.core.obligations import Obligation, n
from sparring.proofs.core.parts import Bounded, Part, Played
from sparring.spec.core.model import Page, load
from sparring.spec.core.numbers import Sym, where

k, m = Sym.var("k"), Sym.var("m")

HYPOTHESES = (
    ("W1", "two factors are sent, since they are small enough"),
    ("W2", "a factor has as many columns as the rank says, or fewer where the matrix has fewer rows or columns"),
    ("W3", "drawing the first factor sends nothing"),
)
FEW = 16
"""On more ranks one call is counted."""
FIRST, SECOND = "the factor of the rows", "the factor of the columns"


def bounded(page: Page) -> Bounded:
    """What a call that sends factors sends at most; raises InputError for parameters that the page does not take.

    Raises Undecided where the matrix is the least square: its side is no formula of ``n``.
    """
    module: Any = page.module
    module.checked(module.Params(**page.params))
    columns, rank = page.params["columns"], page.params["rank"]
    if not columns:
        raise Undecided(f"{page.name}: a square's side follows a root of n: -P columns=64 has a cost")
    inner = module.SCHEDULES[page.params["through"]]
    parts = (
        Part(FIRST, inner, 1, (*fewer(),), length=rank * module.rows(n, columns)),
        Part(SECOND, inner, 1, (), length=rank * columns),
    )
    whole = "vectors whose factors are too large are sent whole, in one sum of n words"
    return Bounded("W1-W3", HYPOTHESES, parts, (), (whole,), calls="a call that sends factors")


def fewer() -> Iterator[Obligation]:
    """Where the matrix has fewer rows or columns than the rank says, a factor has fewer columns; ``k`` is the rank."""
    yield Obligation("no more columns than k", (m >= 0, k >= 0), where(m < k, m, k) <= k)


def played(page: Page, p: int) -> Iterator[Played]:
    """Calls on ``p`` ranks: of as many rows as share out evenly; on a few ranks of others, too, and of one."""
    rng, columns, rank = random.Random(p), page.params["columns"], page.params["rank"]
    bound = load(page.module, **{**page.params, "rate": 0})
    for rows in (max(p, rank), rng.randrange(1, 2 * p + 2), 1)[: 3 if p <= FEW else 1]:
        xs = [[float(rng.randrange(-9, 10)) for _ in range(rows * columns)] for _ in range(p)]
        reached = () if min(rows, columns) < rank else (FIRST, SECOND)
        yield Played(f"{rows} rows", bound, xs, page.module.State(), reached)
