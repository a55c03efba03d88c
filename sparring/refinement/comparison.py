"""Makes vectors full of what goes wrong, and compares results on them with the page's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sparring.refinement.bits import judge_bits
from sparring.refinement.example import Example
from sparring.refinement.observing import Observed
from sparring.spec.core.model import Page

PAIRED = 9  # ranks; with more, evaluating terms takes longer than it teaches
DTYPES = ("float32", "float64", "int32", "int64")
SPECIAL = (0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 1e-40, 1.0, -1.0, 1e38)


class Flaw(NamedTuple):
    """A property that is falsified, and one sentence that says how."""

    property: str
    detail: str


LONG = 65  # entries a chunk: enough for an encoding without indices to be the cheapest before all are there


def sizes(p: int, sparse: bool = False) -> list[int]:
    """Return lengths at which chunks are empty, single, even and uneven; where vectors are sparse, also long ones.

    With more ranks than ``PAIRED``, a run takes long: of these lengths three are left.
    """
    if p > PAIRED:
        return [1, p, 2 * p + 1]
    return sorted({0, 1, p - 1, p, p + 1, 2 * p + 1, *([LONG * p] if sparse else [])})


def compared(page: Page, xs: Sequence[Any], ys: Sequence[Any], prop: str) -> list[Flaw]:
    """Return the flaw of the first rank whose result is not the page's, bit for bit; any NaN equals any NaN."""
    example = Example(list(xs), prop)
    flaws = judge_bits(page, example, Observed([list(ys)], [], None, {}), strict=True)
    return [Flaw(prop, f"{example.place}: {why}") for prop, why in flaws.items()]


def vectors(dtype: str, p: int, n: int) -> list[Any]:
    """Return one vector a rank, full of what goes wrong: signed zeros, infinities, NaN, subnormals, wrap-around."""
    rng = np.random.default_rng([p, n, DTYPES.index(dtype)])
    if dtype.startswith("int"):
        info = np.iinfo(dtype)
        return [rng.integers(info.min, info.max, n, dtype, endpoint=True) for _ in range(p)]
    with np.errstate(all="ignore"):
        special = np.array(SPECIAL).astype(dtype)
    normal = [rng.standard_normal(n).astype(dtype) for _ in range(p)]
    return [np.where(rng.random(n) < 0.3, rng.choice(special, n), x).astype(dtype) for x in normal]
