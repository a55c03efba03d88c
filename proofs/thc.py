"""What is proved of tensor homomorphic compression beyond what its text says, whatever the vectors hold.

Codes are letters: ``q`` is a sum of codes of ``a`` ranks, ``x`` one of ``b`` more.  ``d`` is the least entry,
``e`` the step: claims are linear in both, so that they hold of real numbers if they hold of whole ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sparring.impl.codecs import integer_bytes as impl_wholes
from sparring.impl.core import alltoall
from sparring.proofs.logic.obligations import Obligation
from sparring.proofs.qsgd import near, points
from sparring.proofs.reading.annotations import Served, Stated
from sparring.proofs.reading.rotation import peers_of
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Sym

a, b, d, e, q, x = (Sym.var(name) for name in "abdeqx")

WIDE = range(1, 21)
"""Bits of codes and of sums whose messages' sizes are proved."""

others = ({"bits": 1, "seed": 7}, {"bits": 3}, {"bits": 8, "seed": 1})
refused = ({"bits": 0}, {"bits": 9}, {"seed": -1})


def owed(p: int) -> Sequence[Mapping[str, Any]]:  # noqa: ARG001  # as for every page
    """Return parameters: few codes and many."""
    return [{}, {"bits": 8}]


def off(xs: Sequence[Any], params: Mapping[str, Any]) -> float:
    """Return six standard deviations of results over all calls, of variance at most a quarter of the step's square."""
    step = np.ptp(np.stack(xs), axis=(0, 2)) / (2 ** params["bits"] - 1)
    return float(6 * np.sqrt(len(xs) * np.square(step).sum() / 4))


def kept(state: Any, xs: Sequence[Any], i: int) -> Iterator[str]:
    """Yield what is wrong with the number of calls, all that is kept."""
    if state.call != i:
        yield f"after {i} calls it has counted {state.call}, on {len(xs)} ranks"


def theorems(page: Page) -> Iterator[Stated]:
    """State all theorems on its functions."""
    m: Any = page.module
    yield Stated(
        "result",
        "What is read of a sum of codes is the sum of what is read of each, for any codes, any grid and any "
        "number of ranks; and a code is beside its entry and at most the greatest.",
        (*homomorphic(m), *codes_near(m)),
    )


def homomorphic(m: Any) -> Iterator[Obligation]:
    """State the induction over the ranks, from none."""
    yield Obligation("of no rank", (), m.value(d, e, 0, 0) == 0)
    whole = m.value(d, e, q + x, a + b)
    yield Obligation("of more ranks", (), whole == m.value(d, e, q, a) + m.value(d, e, x, b))
    yield Obligation("a code is read on the grid", (), m.value(d, e, x, 1) == d + e * x)


def codes_near(m: Any) -> Iterator[Obligation]:
    """State that codes are near, for any entry, grid and chance."""
    v, low, step, chance, bits = points("v", "low", "step", "chance", "bits")
    yield from near(m, m.code(v, low, step, chance, bits), m.above(v - low, step), chance, m.most(bits))


def peers(page: Page, served: Served) -> Iterator[Obligation]:
    """Compare with ``impl/thc.py``, which has neighbours, blocks and sizes of its own."""
    impl: Any = alltoall
    m: Any = page.module
    for name in ("direct_reduce_scatter", "direct_allgather"):
        yield from peers_of(served(name), impl.above, impl.below, impl.begin)
    for bits in WIDE:
        yield Obligation(f"sizes, {bits} bits", (a >= 0,), impl_wholes.size(a, bits) == m.Packed(bits).octets(a, 0))
