"""The vectors on which pages are shown whose messages depend on the data: few entries, the same ones every time."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.sparse import Sparse
from sparring.spec.core import pages
from sparring.spec.core.model import Page
from sparring.spec.core.schedule import number

A_CHUNK = 8
"""Entries of a chunk: so few that each can be seen."""
FEWEST = 16
"""Entries of a vector, however few chunks it has."""
PART = 4
"""One of so many entries is there, of sparse vectors."""


def page(algo: str, ranks: int, **params: Any) -> Page:
    """Return the page called ``algo``; one that selects as many entries as the example has, or more, selects few."""
    found = pages.find(algo, **params)
    n = size(found, ranks)
    if "k" in params or not isinstance(k := found.params.get("k"), int) or k < n:
        return found
    return pages.find(algo, **params, k=n // A_CHUNK)


def size(one: Page, ranks: int) -> int:
    """Return how many entries the vectors have."""
    return max(FEWEST, A_CHUNK * (1 if one.data == "lists" else number(one.chunks(ranks))))


def vectors(one: Page, ranks: int) -> list[Any]:
    """Return one vector of float32 a rank, sparse where the page takes such; the values are small whole numbers."""
    return [vector(one, size(one, ranks), np.random.default_rng(r)) for r in range(ranks)]


def vector(one: Page, n: int, rng: np.random.Generator) -> Any:
    """Return a rank's vector of ``n`` entries; none of its values is 0."""
    values = (rng.integers(1, 50, n) * rng.choice([-1, 1], n)).astype(np.float32)
    if not one.sparse:
        return values
    at = np.sort(rng.choice(n, n // PART, replace=False))
    return Sparse(at, values[at], n)
