"""What programs send whose messages are codes: in each step the same number of bytes, about, to each other rank.

How long the codes of some entries are is the page's own formula; that it never falls as these get more is proved
of entries of 4 and of 8 bytes.  Chunks are those of the two-shot allreduce, and so are steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from sparring.proofs.core.obligations import RANKS, Obligation, j, n, p, r
from sparring.proofs.core.parts import Bounded, Part, Played
from sparring.spec import two_shot
from sparring.spec.core.model import Page, bound, load
from sparring.spec.core.numbers import Int, Sym

Sizes = Callable[[Int], Int]
"""The bytes of a message of so many entries."""

a, b, d, width = (Sym.var(name) for name in ("a", "b", "d", "width"))

WIDTHS = (4, 8)
"""Bytes of an entry."""
HYPOTHESES = (("Q1", "entries of vectors have 4 or 8 bytes"), ("Q2", "nothing is sent beside the codes"))
COPIES, SUMS = "codes of chunks", "codes of sums"
MANY, FEW, LONG = 32, 4, 256
"""On more ranks one call is counted; on a few longer vectors, too, in which no group of more entries is filled."""


def bounded(*parts: Part) -> Bounded:
    """What a call sends that has these parts."""
    return Bounded("Q1-Q2", HYPOTHESES, parts)


def of_chunks(m: Any, name: str, step: int, sizes: Sizes, claims: Sequence[Obligation] = ()) -> Part:
    """Each rank sends each other one the codes of a chunk: of the receiver's in step 0, of its own in step 1."""
    share = bound(r + 1, n, p) - bound(r, n, p)
    claims = (*to_all(m, step), *growing(sizes), *claims)
    return Part(name, direct(step), p, claims, longest=share, octets=sizes)


def of_vectors(m: Any, name: str, sizes: Sizes, *, adds: bool) -> Part:
    """Each rank sends each other one the same message, of ``n`` entries."""
    step = 0 if adds else 1
    return Part(name, direct(step), p, (*turns(m, step), *growing(sizes)), longest=n, octets=sizes)


def direct(step: int) -> Page:
    """A step of the two-shot allreduce, its messages one after the other."""
    from sparring.proofs.cost.bundles import apart  # noqa: PLC0415  # who proves a page needs no sympy

    return apart(load(two_shot), step)


def turns(m: Any, step: int) -> Iterator[Obligation]:
    """Messages go where those of the two-shot allreduce go."""
    yield Obligation("to whom", (*RANKS, j >= 0, j < p - 1), m.dst(r, j + 1, p) == load(two_shot).dst(r, step, p, j))


def to_all(m: Any, step: int) -> Iterator[Obligation]:
    """And chunks are its chunks."""
    yield from turns(m, step)
    owner, turn = m.dst(r, j + 1, p) if step == 0 else r, (*RANKS, j >= 0, j < p - 1)
    yield Obligation("whose chunk", turn, load(two_shot).chunk(r, step, p, j) == owner)
    yield Obligation("chunks", (*RANKS, n >= 0), m.bound(r, n, p) == bound(r, n, p))


def growing(sizes: Sizes) -> Iterator[Obligation]:
    """Codes of fewer entries are no longer."""
    for octets in WIDTHS:
        yield Obligation(f"no longer, {octets} bytes", (a >= 0, b >= a, d >= 0, width == octets), sizes(a) <= sizes(b))


def calls(page: Page, ranks: int, parts: Sequence[str], full: int = 1, *, cut: bool = True) -> Iterator[Played]:
    """Calls on so many ranks: of ``full`` entries a chunk, which reaches the bound, of one width or the other.

    ``cut``: messages have chunks; else all of a vector.  On fewer ranks also of any number of entries, and on a
    few of more than a group in each chunk, of both widths.
    """
    rng, kinds = np.random.default_rng(ranks), (np.float32, np.float64)
    reaches, chunks = (*parts, "") if ranks > 1 else (), ranks if cut else 1

    def call(what: str, many: int, kind: Any, reached: Sequence[str]) -> Played:
        rows = rng.integers(-9, 10, (ranks, many)).astype(kind)
        return Played(what, page, list(rows), None, reached)

    yield call("chunks of one length", full * chunks, kinds[ranks % 2], reaches)
    if ranks <= MANY:
        yield call("any chunks", int(rng.integers(1, 3 * chunks + 2)), kinds[1 - ranks % 2], ())
    if ranks <= FEW:
        group = min(page.params.get("g", 8), LONG)
        for kind in kinds:
            yield call("more than a group", full * (2 * group + 1) * chunks, kind, reaches)
