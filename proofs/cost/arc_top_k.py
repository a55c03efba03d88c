"""What ARC-Top-K sends: two sums of whole vectors, of all rows' sketches and of the rows that are kept."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from sparring.errors import Undecided
from sparring.proofs.core.obligations import Obligation, n, p
from sparring.proofs.core.parts import Bounded, Part, Played
from sparring.spec.core.model import Page, load
from sparring.spec.core.numbers import Sym, where

k, m = Sym.var("k"), Sym.var("m")

HYPOTHESES = (
    ("R1", "k rows are kept, or all where there are fewer"),
    ("R2", "drawing the sketching matrix sends nothing"),
)
SKETCHES, ROWS = "sketches", "kept rows"


def bounded(page: Page) -> Bounded:
    """What a call sends at most; raises InputError for parameters that the page does not take.

    Raises Undecided where the length of a row is found by the rule: it is no formula of ``n``.
    """
    module: Any = page.module
    module.checked(module.Params(**page.params))
    columns, sketch = page.params["columns"], page.params["sketch"]
    if not columns:
        raise Undecided(f"{page.name}: a row's length follows divisors of n: -P columns=64 has a cost")
    inner = module.SCHEDULES[page.params["through"]]
    parts = (
        Part(SKETCHES, inner, 1, (), length=sketch * module.rows(n, columns)),
        Part(ROWS, inner, 1, (*fewer(),), length=columns * k),
    )
    first = "the first call with ef21 or ef21m sends whole vectors instead"
    return Bounded("R1-R2", HYPOTHESES, parts, (), (first,) if page.params["feedback"] in module.ESTIMATES else ())


def fewer() -> Iterator[Obligation]:
    """Where there are fewer rows than are to be kept, fewer are sent; ``p`` is the length of a row."""
    kept = where(m < k, m, k)
    yield Obligation("no more rows than k", (p >= 1, m >= 0, k >= 0), kept <= k)


def played(page: Page, p: int) -> Iterator[Played]:
    """Calls on ``p`` ranks: of a few rows, of which all are kept, of many, and of as many as share out evenly."""
    rng, columns = random.Random(p), page.params["columns"]
    for rows, kept in ((2 * p, p), (rng.randrange(1, 3 * p + 2), rng.randrange(3 * p)), (1, 3)):
        bound = load(page.module, **{**page.params, "k": kept})
        size = rows * columns
        xs = [[rng.randrange(-9, 10) for _ in range(size)] for _ in range(p)]
        state = page.module.State()
        if page.params["feedback"] in page.module.ESTIMATES:
            state = state._replace(call=1, kept=[[0] * size] * p, mean=xs, sums=[[0] * size] * p)
        parts = (SKETCHES, ROWS) if kept <= rows else (SKETCHES,)
        yield Played(f"{kept} of {rows} rows", bound, xs, state, (*parts, "") if rows == 2 * p and p > 1 else parts)
