"""What is asked of EF21 beyond its text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sparring.proofs.error_feedback import others, peers, refused

__all__ = ["others", "peers", "refused"]  # of the selector and of the allreduce that are named

survivors = {
    'with np.errstate(over="ignore", invalid="ignore"):  # infinities cancel, and estimates overflow':
        "Of the two sums either may be added to first: they are arrays apart.",
}  # fmt: skip
shown = {"residual": lambda state, r: [*state.estimate[r]]}


def off(xs: Sequence[Any], params: Mapping[str, Any]) -> float:
    """Return what is not sent of vectors that stay, as long as there is any: calls after the first send as much."""
    rows = np.abs(np.stack(xs)[:, 0])
    late = -(-rows.shape[1] // params["k"]) - 1
    return float(late * rows.sum(axis=0).max())


def kept(state: Any, xs: Sequence[Any], calls: int) -> Iterator[str]:
    """Yield what is wrong with the estimates."""
    if [len(one) for one in state.estimate] != [len(x) for x in xs]:
        yield f"after call {calls} estimates are not as long as the vectors"
