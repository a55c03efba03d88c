"""Chooses the inputs of test vectors: every edge of sizes, every sort of numbers, every shape of supports."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from sparring.proofs.reading.annotations import companion
from sparring.sparse import Sparse
from sparring.sparse_lists import fills
from sparring.spec.core.loading import load
from sparring.spec.core.model import Page
from sparring.vectors.numbers import DTYPES, RECIPES, TIED, WHOLE, Draw, Recipe, rows

RANKS = (1, 2, 3, 4, 6, 8, 9)
"""Powers of two, of three and of neither; one beyond a power, and several."""
CALLS = 3
"""How many vectors a rank of a stateful algorithm gets."""


class Given(NamedTuple):
    """The input of a test: a page with its parameters, and for each call a vector a rank."""

    page: Page
    comment: str
    calls: list[list[Any]]

    @property
    def p(self) -> int:
        """The number of ranks."""
        return len(self.calls[0])


class Support(NamedTuple):
    """A choice of entries: of every ``stretch``-th place, ``length(p)`` in all, those with ``has(draw, q, i, p)``."""

    words: str
    has: Callable[[Draw, int, int, int], bool]
    length: Callable[[int], int] = lambda p: p + 5
    stretch: int = 1


SOME = Support("some at random", lambda draw, q, i, p: draw() < 0.4)
MOST = Support("most", lambda draw, q, i, p: draw() < 0.6 or i < 5)
SUPPORTS = (
    Support("none on the last rank", lambda draw, q, i, p: q < p - 1 and draw() < 0.6),
    Support("none at all", lambda draw, q, i, p: False),
    Support("the same on all ranks", lambda draw, q, i, p: i % 3 == 1),
    Support("no two ranks have the same", lambda draw, q, i, p: i % p == q),
    Support("all", lambda draw, q, i, p: True),
    Support("few in long chunks", lambda draw, q, i, p: draw() < 0.04, lambda p: 64 * p),
    Support("a third of long chunks", lambda draw, q, i, p: draw() < 0.3, lambda p: 64 * p),
    Support(
        "chunks of two blocks of 2^16 places", lambda draw, q, i, p: draw() < 0.4 or i == 0, lambda p: 4 * p, 2**15
    ),
    Support("so far apart that an index takes 8 bytes", lambda draw, q, i, p: draw() < 0.4, lambda p: 3 * p, 2**31),
    Support("all but one in each of long chunks", lambda draw, q, i, p: i % 64 != 7, lambda p: 64 * p),
    Support("2^31 places, whose indices take 4 bytes", lambda draw, q, i, p: i > 0 or draw() < 0.5, lambda p: 2, 2**30),
    Support("3 * 2^30 places, whose indices take 8", lambda draw, q, i, p: i > 0 or draw() < 0.5, lambda p: 3, 2**30),
    Support("chunks of 2^32 places", lambda draw, q, i, p: draw() < 0.6, lambda p: p, 2**32),
)


def cases(page: Page) -> Iterator[Given]:
    """Yield the inputs of all tests of this page, by number of ranks."""
    for p in RANKS:
        for number, (words, recipe, support, n, dtype) in enumerate(plans(page, p)):
            for params in parameters(page, p, n, number):
                bound = load(page.module, **{**page.params, **params})
                draw = random.Random(f"{words} {p} {n} {dtype}").random
                calls = [vectors(recipe, support, draw, p, n, dtype) for _ in range(CALLS if page.stateful else 1)]
                yield Given(bound, words, calls)


Plan = tuple[str, Recipe, Support | None, int, str]


def plans(page: Page, p: int) -> Iterator[Plan]:
    """Yield for each test its comment, numbers, support, number of places, and dtype."""
    some, most = (SOME, MOST) if page.sparse else (None, None)
    for i, n in enumerate(sorted({0, 1, p - 1, p, p + 1, 2 * p + 1})):
        yield f"{WHOLE.words}, n = {n}", WHOLE, some, n, DTYPES[(p + i) % 4]
    for recipe in RECIPES:
        for dtype in recipe.dtypes:
            yield recipe.words, recipe, most, p + 5, dtype
    supports = [one for one in SUPPORTS if page.sparse and not (fills(page) and one.stretch > 1)]
    for i, support in enumerate(supports):
        dtype = DTYPES[(p + i) % 4]
        yield f"entries: {support.words}", (WHOLE, TIED)[i % 2], support, support.length(p), dtype


def parameters(page: Page, p: int, n: int, number: int) -> Iterator[Mapping[str, int]]:
    """Yield the parameters of a test: ``k`` by turns; and each that has a least value, from that to the page's own.

    A composition gets by turns its own parameters and others, too.
    """
    kept: dict[str, int] = (
        {"k": (0, 1, p - 1, n // 2, n, 2 * n + 3)[(number + p) % 6]} if page.stateful and "k" in page.params else {}
    )
    least: Mapping[str, int] = getattr(companion(page), "least", {})
    if page.composed:
        others = ({}, *getattr(companion(page), "others", ()))
        kept |= others[(number // 2 + p) % len(others)]
    spans = [range(low, page.params[name] + 1) for name, low in least.items()]
    for values in product(*spans):
        yield {**kept, **dict(zip(least, values))}


def vectors(recipe: Recipe, support: Support | None, draw: Draw, p: int, n: int, dtype: str) -> list[Any]:
    """Return a vector a rank, with ``n`` places: whole, or sparse with the entries of ``support``."""
    numbers = rows(recipe, draw, p, n, dtype)
    if support is None:
        return numbers
    return [sparse(support, [i for i in range(n) if support.has(draw, q, i, p)], x) for q, x in enumerate(numbers)]


def sparse(support: Support, places: Sequence[int], x: Any) -> Sparse:
    """Return the entries of ``x`` at these places as a sparse vector, the places stretched."""
    at = np.array(places, np.int64)
    return Sparse(at * support.stretch, x[at], x.size * support.stretch)
