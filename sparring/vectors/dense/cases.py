"""Chooses inputs and parameters for the test vectors of compositions on whole vectors."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sparring.proofs.reading.annotations import companion
from sparring.spec.core.loading import load
from sparring.spec.core.model import Page
from sparring.vectors import dense
from sparring.vectors.cases import Given
from sparring.vectors.numbers import FLOATS, RECIPES, WHOLE, Draw, Recipe, rows

RANKS = (1, 2, 3, 4, 5, 8)
FEW = 3
"""With more ranks there are fewer tests, of fewer calls: each has messages between any two."""
ONCE = {"zeros of both signs", "infinities, NaN and overflow"}
"""Recipes that only the first call gets, to see what they leave behind."""
LARGE = 1 << 32
"""So large a parameter is at most."""
USUAL = tuple(
    recipe for recipe in RECIPES if "float32" in recipe.dtypes and recipe.words != "large numbers that cancel"
)
SUMMED = next(recipe for recipe in USUAL if recipe.words.endswith("rounded"))

Plan = tuple[str, Recipe, int, str]


def cases(page: Page) -> Iterator[Given]:
    """Yield the inputs of all tests of this page: by number of ranks, and then its further tests."""
    others = parameters(page)
    more: Sequence[Any] = getattr(dense.own(page), "MORE", ())
    for p in RANKS:
        for number, (words, recipe, n, dtype) in enumerate(plans(page, p)):
            bound = load(page.module, **{**page.params, **others[(number + p) % len(others)]})
            draw = random.Random(f"{page.name} {words} {p} {n} {dtype}").random
            yield Given(bound, words, [*calls(page, recipe, draw, p, n, dtype)])
    for number, (words, p, n, params) in enumerate(more):
        draw, dtype = random.Random(f"{page.name} {words}").random, FLOATS[number % 2]
        bound = load(page.module, **{**page.params, **params})
        yield Given(bound, words, [*calls(page, SUMMED, draw, p, n, dtype)])


def parameters(page: Page) -> Sequence[Mapping[str, Any]]:
    """Return the page's own parameters, and others, but for numbers that not every reader of JSON can hold."""
    found = (*getattr(companion(page), "others", ()), *getattr(dense.own(page), "OTHERS", ()))
    return ({}, *(one for one in found if all(isinstance(x, (str, Sequence)) or x <= LARGE for x in one.values())))


def plans(page: Page, p: int) -> Iterator[Plan]:
    """Yield for each test its comment, numbers, number of places, and dtype."""
    module: Any = dense.own(page)
    length: int = module.length(p) if hasattr(module, "length") else p + 5
    few = p > FEW
    for i, n in enumerate([p - 3, 2 * p + 1] if few else sorted({0, 1, p - 1, p, 2 * p + 1})):
        yield f"{WHOLE.words}, n = {n}", WHOLE, n, FLOATS[(p + i) % 2]
    recipes = [*USUAL, *getattr(module, "RECIPES", ())]
    for i, recipe in enumerate(recipes):
        if not few or recipe == SUMMED or (p < RANKS[-1] and i == len(recipes) - 1 - p % 2):
            yield recipe.words, recipe, length, FLOATS[(p + i) % 2]


def calls(page: Page, recipe: Recipe, draw: Draw, p: int, n: int, dtype: str) -> Iterator[list[Any]]:
    """Yield for each call a vector a rank; with more ranks there are fewer calls."""
    yield rows(recipe, draw, p, n, dtype)
    for _ in range(0 if not page.stateful else 2 if p < FEW else 1):
        yield rows(SUMMED if recipe.words in ONCE else recipe, draw, p, n, dtype)
