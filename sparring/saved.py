"""What sparseness saves in a run: how supports grow together, and what the dense ring sends instead."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from sparring.proofs.cost.counted import count
from sparring.sparse import Sparse
from sparring.spec.core import pages
from sparring.unions import union_growth

DENSE = "ring"
"""The algorithm of whole vectors that a run on sparse ones is compared with."""


def told(xs: Sequence[Sparse], words: Sequence[int], nbytes: Sequence[int]) -> dict[str, Any]:
    """All that a report says of a run on ``xs`` in which the ranks sent so many words and bytes.

    Fractions are texts such as ``"593/3"``, exactly.
    """
    p, n = len(xs), xs[0].n
    growth = union_growth(xs)
    dense = count(pages.find(DENSE), p, n, 0, paths=False).sent
    dense_bytes = [w * xs[0].dtype.itemsize for w in dense]
    return {
        "entries": [len(x) for x in xs],
        "union": {"min": [*growth.low], "max": [*growth.high], "mean": [str(m) for m in growth.mean]},
        "density": str(Fraction(growth.high[-1], n or 1)),
        "dense_ring": {"words": dense, "bytes": dense_bytes},
        "ratio": {"words": ratios(words, dense), "bytes": ratios(nbytes, dense_bytes)},
    }


def ratios(sent: Sequence[int], dense: Sequence[int]) -> dict[str, str | None]:
    """The busiest rank's and all ranks' share of what the dense ring sends; None where that is nothing."""
    pairs = {"most": (max(sent), max(dense)), "all": (sum(sent), sum(dense))}
    return {name: str(Fraction(a, b)) if b else None for name, (a, b) in pairs.items()}
