"""Reports what sparseness saves in a run: the growth of the supports' union, and what the dense ring sends instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from sparring.costs.derivation.counted import count
from sparring.sparse import Sparse
from sparring.spec.core import pages
from sparring.spec.core.model import Page, list_words
from sparring.spec.core.runner import Message, run
from sparring.spec.core.schedule import number
from sparring.support_growth import union_growth

DENSE, LISTS = "ring", "ring_allgather"
"""The algorithms on whole vectors, and on whole lists, with which a run on sparse vectors is compared."""


def report_traffic(page: Page, xs: Sequence[Sparse], words: Sequence[int], nbytes: Sequence[int]) -> dict[str, Any]:
    """Return all that a report says of a run of ``page`` on ``xs`` in which the ranks sent so many words and bytes.

    Fractions are exact, as texts such as ``"593/3"``.
    """
    p, n, width = len(xs), xs[0].n, xs[0].dtype.itemsize
    growth = union_growth(xs)
    dense = count(pages.find(DENSE), p, n, 0, paths=False).sent
    dense_bytes = [w * width for w in dense]
    return {
        "entries": [len(x) for x in xs],
        "union": {"min": [*growth.low], "max": [*growth.high], "mean": [str(m) for m in growth.mean]},
        "density": str(Fraction(growth.high[-1], n or 1)),
        "dense_ring": {"words": dense, "bytes": dense_bytes},
        "ratio": {"words": ratios(words, dense), "bytes": ratios(nbytes, dense_bytes)},
        "steps": [step(page, wire, width) for wire in run(page, xs).trace],
        **({} if page.name == LISTS else {LISTS: passed_around([len(x) for x in xs], n, width)}),
    }


def step(page: Page, wire: Sequence[Message], width: int) -> dict[str, Any]:
    """Return what the page sends in one step: entries of a message, least and most; encodings; bytes in all."""
    sizes = [(len(m.entries.indices), m.entries.n, width) for m in wire]
    return {
        "entries": [min(m for m, _, _ in sizes), max(m for m, _, _ in sizes)],
        "encodings": dict(Counter(page.encoded(*size) for size in sizes).most_common()),
        "bytes": sum(number(page.octets(*size)) for size in sizes),
    }


def passed_around(entries: Sequence[int], n: int, width: int) -> dict[str, list[int]]:
    """Return what each rank sends in a ring allgather of lists of so many entries."""
    page, p = pages.find(LISTS), len(entries)
    lists = [[entries[number(page.chunk(r, t, p))] for t in range(number(page.steps(p)))] for r in range(p)]
    return {
        "words": [sum(number(list_words(m)) for m in sent) for sent in lists],
        "bytes": [sum(number(page.octets(m, n, width)) for m in sent) for sent in lists],
    }


def ratios(sent: Sequence[int], dense: Sequence[int]) -> dict[str, str | None]:
    """Return the busiest rank's and all ranks' share of what the dense ring sends; None where that is nothing."""
    pairs = {"most": (max(sent), max(dense)), "all": (sum(sent), sum(dense))}
    return {name: str(Fraction(a, b)) if b else None for name, (a, b) in pairs.items()}
