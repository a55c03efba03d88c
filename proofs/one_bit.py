"""What is asked of the 1-bit allreduce beyond its text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np

from sparring.impl.codecs import sign_codec as impl_signs
from sparring.impl.core import alltoall
from sparring.proofs.logic.obligations import Obligation
from sparring.proofs.reading.annotations import Served
from sparring.proofs.reading.rotation import peers_of
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Sym

a = Sym.var("a")

WIDTHS = (4, 8)
"""Bytes of an entry."""

others = ({"norm": 1},)
refused = ({"norm": 0}, {"norm": 3})
shown = {"residual": lambda state, r: [*state.worker[r]], "server_residual": lambda state, r: [*state.server[r]]}


def off(xs: Sequence[Any], params: Mapping[str, Any]) -> float:  # noqa: ARG001  # as for every page
    """What is on its way gets smaller from call to call, and never nothing: then it is a hundredth of an entry."""
    return float(np.abs(np.stack(xs)).max() / 100)


def kept(state: Any, xs: Sequence[Any], i: int) -> Iterator[str]:
    """Yield what is wrong with the errors, whose entries are finite whatever the vectors hold."""
    n, p = len(xs[0]), len(xs)
    if [len(error) for error in state.worker] != [n] * p or sum(map(len, state.server)) != n or len(state.server) != p:
        yield f"after call {i} errors are not those of {p} ranks and their chunks of {n} entries"
    if not all(isfinite(value) for error in (*state.worker, *state.server) for value in error):
        yield f"after call {i} an error is not finite"


def peers(page: Page, served: Served) -> Iterator[Obligation]:
    """Compare with ``impl/one_bit.py``, which has neighbours, blocks and sizes of its own."""
    impl: Any = alltoall
    for name in ("direct_reduce_scatter", "direct_allgather"):
        yield from peers_of(served(name), impl.above, impl.below, impl.begin)
    code = page.module.Signs(page.params["norm"])
    for width in WIDTHS:
        yield Obligation(f"sizes, {width} bytes", (a >= 0,), impl_signs.size(a, width) == code.octets(a, width))
