"""What is claimed of qgZ beyond its text: how far off the result is.

In exact arithmetic, of numbers that are scaled until all are whole: the claims are linear and have no constants.
``m`` is a block's greatest magnitude and ``k`` what those of the ranks add up to that have been added; ``v`` is an
entry times ``L = 2**(bits - 1)`` and ``a`` what its code is read as, times ``L``, before it is cut off: a multiple of
``m``, since a step is ``m / L``.  ``q`` is a code.  That codes are rounded is the hypothesis; that the quantiser does
is tested.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sparring.impl.codecs.symmetric_quantiser import Quantiser
from sparring.impl.core import alltoall
from sparring.proofs.flash import WIDTHS, at_most, between
from sparring.proofs.logic.obligations import Obligation
from sparring.proofs.reading.annotations import Served, Stated
from sparring.proofs.reading.rotation import peers_of
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Sym, both, either, where

k, m, v, a, b, q = (Sym.var(name) for name in ("k", "m", "v", "a", "b", "q"))

others = ({"g": 3}, {"bits": 8, "g": 3}, {"bits": 8, "g": 2}, {"g": 1})
long: Sequence[Mapping[str, int]] = ({}, {"g": 2**16})
survivors = {
    "def shown(comm: Intracomm, mine: Vector, y: Vector, blocks: list[slice]) -> None:":
        "Its own block may be filled before those of the others: they are apart.",
}  # fmt: skip
refused = ({"bits": 3}, {"bits": 5}, {"bits": 16}, {"g": 0}, {"g": 2**16 + 1})


def owed(p: int) -> Sequence[Mapping[str, Any]]:  # noqa: ARG001  # as for every page
    """Return parameters: many codes, in few blocks and in several; of four bits a rank left out could be an error."""
    return [{"bits": 8}, {"bits": 8, "g": 3}]


def off(xs: Sequence[Any], params: Mapping[str, Any]) -> float:
    """Return what the theorem on the error says, of a block that has all entries."""
    return float(np.abs(np.stack(xs)).max(axis=2).sum() / 2 ** (params["bits"] - 1))


def theorems(page: Page) -> Iterator[Stated]:
    """State how far off an entry is."""
    code = page.module.Symmetric(page.params["bits"], page.params["g"])
    half = 2 ** (page.params["bits"] - 1)
    yield Stated(
        "error",
        "If codes are rounded to the nearest, and the ranks' greatest magnitudes in a block add up to M, an entry of "
        f"the result is off by at most M/{half}.",
        (*codes(code, half), *error(half)),
    )


def codes(code: Any, half: Any) -> Iterator[Obligation]:
    """State that a code has room in its bits, and is what is rounded unless that is one too large."""
    yield Obligation("steps of the greatest magnitude", (), code.half == half)
    yield Obligation("a code has room", (), both(-half <= code.bounded(q), code.bounded(q) < half))
    yield Obligation(
        "it is cut off by one step", (-half <= q, q <= half), code.bounded(q) == where(q < half, q, half - 1)
    )


def error(half: int) -> Iterator[Obligation]:
    """State what the codes of each rank put an entry off, and what those of all do."""
    entry = (m >= 0, between(v, half * m), at_most(a - v, m))
    read = where(a <= (half - 1) * m, a, (half - 1) * m)
    multiple = either(a <= (half - 1) * m, a == half * m)
    yield Obligation("a code is within a step", (*entry, multiple), between(read - v, m))
    yield Obligation("errors add up", (k >= 0, m >= 0, between(a, k), between(b, m)), between(a + b, k + m))


def peers(page: Page, served: Served) -> Iterator[Obligation]:
    """Compare with ``impl/qgz.py``, which has neighbours and blocks of its own; and its quantiser's sizes."""
    impl: Any = alltoall
    for name in ("direct_reduce_scatter", "direct_allgather"):
        yield from peers_of(served(name), impl.above, impl.below, impl.begin)
    bits, g = page.params["bits"], page.params["g"]
    for width in WIDTHS:
        made = Quantiser(np.dtype(f"f{width}"), bits=bits, g=g)
        yield Obligation(
            f"sizes, {width} bytes", (a >= 0,), made.size(a) == page.module.Symmetric(bits, g).octets(a, width)
        )
