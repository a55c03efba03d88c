"""What is asked of error feedback beyond its text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sparring.proofs.logic.obligations import Obligation
from sparring.proofs.reading.annotations import Served, subject
from sparring.spec.core.model import Page

others = (
    {"k": 2, "selector": "threshold", "period": 2, "allreduce": "bruck_allgather"},
    {"k": 3, "selector": "sampled", "stride": 2, "allreduce": "two_shot_sparse"},
)
shown = {"residual": lambda state, r: [*state.residual[r]]}
survivors = {"if not isinstance(allreduce, str):": "A page names its allreduce; functions in its place have tests."}
refused = ({"k": -1}, {"selector": "least"}, {"allreduce": "tree"}, {"period": 2})


def kept(state: Any, xs: Sequence[Any], calls: int) -> Iterator[str]:
    """Yield what is wrong with the residuals."""
    if [len(one) for one in state.residual] != [len(x) for x in xs]:
        yield f"after call {calls} residuals are not as long as the vectors"


def peers(page: Page, served: Served) -> Iterator[Obligation]:
    """State that an implementation adds by that of this page."""
    through = subject(served(page.params["allreduce"]))
    if through.peers:
        yield from through.peers(through.page)
