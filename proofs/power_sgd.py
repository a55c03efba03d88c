"""What is claimed of PowerSGD beyond its text: that products are linear, and when factors are sent.

Entries and sizes are letters.  What is said of projections, which need roots and fractions, is in
:mod:`sparring.analysis.compression.low_rank`; what of rows, in :mod:`sparring.proofs.functions.matrices`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from sparring.impl import arc_top_k as rows_of_impl
from sparring.impl import power_sgd
from sparring.proofs.arc_top_k import of_sums
from sparring.proofs.functions import matrices
from sparring.proofs.logic.obligations import Obligation, iff
from sparring.proofs.reading.annotations import Served, Stated
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Sym, negate
from sparring.spec.core.vectors import Vector

m_, columns, rank, rate = (Sym.var(name) for name in ("m", "columns", "rank", "rate"))

SIZES = (m_ >= 0, columns >= 1, rank >= 0, rate >= 0)
WIDTH = 2
"""Columns of a factor that is looked at."""

others = ({"columns": 2, "rate": 0, "through": "two_shot"}, {"columns": 3, "rank": 2, "rate": 0, "epsilon": 0},
          {"rank": 3, "rate": 0, "seed": 5}, {"rate": 9})  # fmt: skip
long = ({"columns": 70_000, "rate": 0}, {"columns": 1061, "rank": 2, "rate": 0})
shown = {"residual": lambda state, r: [*state.kept[r]] if state.kept else np.zeros(0, np.bool_)}
refused = ({"rank": 0}, {"columns": -1}, {"rate": -1}, {"epsilon": -1}, {"seed": -1}, {"through": "tree"})


def kept(state: Any, xs: Sequence[Any], calls: int) -> Iterator[str]:  # noqa: ARG001  # as for every page
    """Yield what is wrong with the number of calls."""
    if state.call != calls:
        yield f"after {calls} calls it has counted {state.call}"


SPEED = "How many are taken together is for speed; it changes no bit."
survivors = {
    "np.add(mine, x, out=mine) if self._calls else np.copyto(mine, x)":
        "Zeros wait before the first call; adding them changes no number, the sign of a zero alone.",
    "size = min(columns, BLOCK // PIECE)": SPEED,
    "size = max(1, BLOCK // (columns * len(p)))": SPEED,
}  # fmt: skip


def theorems(page: Page) -> Iterator[Stated]:
    """State what holds of its functions."""
    m: Any = page.module
    yield Stated(
        "result",
        "The products of a sum of matrices are the sums of those of each (of up to 8 entries, in rows of 1 or 3).",
        linear(m),
    )
    yield Stated(
        "partition",
        "Factors are sent where they are less than a rate-th of the matrix, and never for a single row or "
        "column unless the rate is 0.",
        chosen(m),
    )


def linear(m: Any) -> Iterator[Obligation]:
    """State what texts are read by: both products are linear in the matrix."""
    for many in matrices.LENGTHS:
        for across in (1, 3):
            shape = m.square(Vector([0] * many), across, WIDTH)
            p, q = (Vector(matrices.letters(z, shape.width * long_)) for z, long_ in (("p", shape.rows), ("q", across)))
            yield from matrices.additive(f"M Q, {across} columns", partial(m.product, q=q, shape=shape), many)
            yield from matrices.additive(f"M' P, {across} columns", partial(m.crossed, p=p, shape=shape), many)


def chosen(m: Any) -> Iterator[Obligation]:
    """State when factors are sent."""
    less = rank * (m_ + columns) * rate < m_ * columns
    yield Obligation("less than the matrix", SIZES, iff(m.worth(m_, columns, rank, rate), less))
    some = (*SIZES, rank >= 1, rate >= 1)
    yield Obligation("one column", some, negate(m.worth(m_, 1, rank, rate)))
    yield Obligation("one row", some, negate(m.worth(1, columns, rank, rate)))


def peers(page: Page, served: Served) -> Iterator[Obligation]:
    """Compare with ``impl``, which counts rows upwards from below, and compares sizes the other way round."""
    impl: Any = power_sgd
    yield from matrices.high(rows_of_impl.high)
    alike = iff(impl.pays(m_, columns, rank, rate), page.module.worth(m_, columns, rank, rate))
    yield Obligation("factors are sent", SIZES, alike)
    yield from of_sums(page, served)
