"""What sparseness is worth in a run: how supports grow together, and what the dense ring sends instead."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from sparring.proofs.cost.counted import count
from sparring.sparse import Sparse
from sparring.spec.core import pages

DENSE = "ring"
"""The algorithm of whole vectors that a run on sparse ones is compared with."""


class Growth(NamedTuple):
    """How many entries ``s`` neighbouring ranks have together: item ``s - 1``, over the ranks to begin with."""

    least: list[int]
    most: list[int]
    mean: list[Fraction]


def unions(xs: Sequence[Sparse]) -> Growth:
    """The sizes of the unions of the supports of ``1..p`` ranks in ring order.

    >>> unions([Sparse([0, 1], [1, 1], 9), Sparse([1, 2], [1, 1], 9), Sparse([1], [1], 9)])
    Growth(least=[1, 2, 3], most=[2, 3, 3], mean=[Fraction(5, 3), Fraction(7, 3), Fraction(3, 1)])
    """
    p = len(xs)
    every = np.unique(np.concatenate([x.indices for x in xs]))
    places = [np.searchsorted(every, x.indices) for x in xs]
    distance = np.zeros(every.size, np.int64)  # from a rank on, how far off is the next one that has this index?
    sizes = np.empty((p, p), np.int64)
    for r in (*reversed(range(p)), *reversed(range(p))):  # one lap to learn the distances, one to count
        distance += 1
        distance[places[r]] = 0
        sizes[r] = np.bincount(distance, minlength=p)[:p].cumsum()
    totals = sizes.sum(axis=0).tolist()
    return Growth(sizes.min(axis=0).tolist(), sizes.max(axis=0).tolist(), [Fraction(total, p) for total in totals])


def told(xs: Sequence[Sparse], words: Sequence[int], nbytes: Sequence[int]) -> dict[str, Any]:
    """All that a report says of a run on ``xs`` in which the ranks sent so many words and bytes.

    Fractions are texts such as ``"593/3"``, exactly.
    """
    p, n = len(xs), xs[0].n
    growth = unions(xs)
    dense = count(pages.find(DENSE), p, n, 0, paths=False).sent
    dense_bytes = [w * xs[0].dtype.itemsize for w in dense]
    return {
        "entries": [len(x) for x in xs],
        "union": {"min": growth.least, "max": growth.most, "mean": [str(m) for m in growth.mean]},
        "density": str(Fraction(growth.most[-1], n or 1)),
        "dense_ring": {"words": dense, "bytes": dense_bytes},
        "ratio": {"words": ratios(words, dense), "bytes": ratios(nbytes, dense_bytes)},
    }


def ratios(sent: Sequence[int], dense: Sequence[int]) -> dict[str, str | None]:
    """The busiest rank's and all ranks' share of what the dense ring sends; None where that is nothing."""
    pairs = {"most": (max(sent), max(dense)), "all": (sum(sent), sum(dense))}
    return {name: str(Fraction(a, b)) if b else None for name, (a, b) in pairs.items()}
