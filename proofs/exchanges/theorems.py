"""Which theorems an exchange needs beyond that of the page that carries it out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from sparring.proofs.core.obligations import Obligation
from sparring.proofs.exchanges import balancing, regions, turns
from sparring.spec.core.exchanges import Balance, ReduceScatter
from sparring.spec.core.model import Page

Claims = Callable[[], Iterator[Obligation]]


def of(exchange: Any, served: Callable[[str], Page]) -> Mapping[str, Mapping[str, Claims]]:
    """By theorem and by what it is about, the obligations."""
    if isinstance(exchange, Balance):
        return {"result": {"balance": balancing.moves}}
    if not isinstance(exchange, ReduceScatter):
        return {}
    found: dict[str, dict[str, Claims]] = {"result": {}, "partition": {}, "contention": {}}
    if given(exchange.bounds):
        found["result"]["regions"] = found["partition"]["regions"] = regions.partition
    if given(exchange.bucket):
        page = served(exchange.through)
        found["result"][f"{page.name} in turns"] = partial(turns.own, page)
        found["contention"][f"{page.name} in turns"] = partial(turns.apart, page)
    return found


def given(term: Any) -> bool:
    """Whether a term of an exchange is not its default; letters never are."""
    return not (isinstance(term, int | tuple) and not term)
