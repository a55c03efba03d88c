"""Lists the theorems that an exchange needs beyond those of the page that carries it out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any

from sparring.proofs.exchanges import balancing, regions, turns
from sparring.proofs.logic.obligations import Obligation
from sparring.proofs.reading import local_functions
from sparring.proofs.reading.annotations import companion
from sparring.spec.core.exchanges import Balance, ReduceScatter
from sparring.spec.core.model import Page
from sparring.spec.library.sparse_allreduce import SparseAllreduce

Claims = Callable[[], Iterator[Obligation]]


def of(exchange: Any, served: Callable[[str], Page]) -> Mapping[str, Mapping[str, Claims]]:
    """Return the obligations by theorem and by what it is about."""
    if isinstance(exchange, Balance):
        return {"result": {"balance": balancing.moves}}
    if isinstance(exchange, SparseAllreduce):
        page = served(exchange.through)
        return {
            "result": {f"entries of {page.name}": partial(local_functions.values, page)},
            "volume": {f"messages of {page.name}": partial(lengths, page)},
        }
    if not isinstance(exchange, ReduceScatter):
        return {}
    found: dict[str, dict[str, Claims]] = {"result": {}, "partition": {}, "contention": {}}
    if is_given(exchange.bounds):
        found["result"]["regions"] = found["partition"]["regions"] = regions.partition
    if is_given(exchange.bucket):
        page = served(exchange.through)
        found["result"][f"{page.name} in turns"] = partial(turns.own, page)
        found["contention"][f"{page.name} in turns"] = partial(turns.apart, page)
    return found


def beyond(name: str, exchanges: Iterable[Any], served: Callable[[str], Page]) -> Iterator[Obligation]:
    """Yield, for a theorem of that name, what it says of all these exchanges, each thing once."""
    seen = set()
    for exchange in exchanges:
        for what, claims in of(exchange, served).get(name, {}).items():
            if what not in seen:
                seen.add(what)
                yield from (claim._replace(name=f"{what}: {claim.name}") for claim in claims())


def lengths(page: Page) -> Iterator[Obligation]:
    """State that messages of a sparse page are as long as it says, no longer than the dense one and its header."""
    own = getattr(companion(page), "sizes", None)
    yield from chain(own(page) if own else (), local_functions.sizes(page))


def is_given(term: Any) -> bool:
    """Return whether a term of an exchange is not its default; letters never are."""
    return not (isinstance(term, int | tuple) and not term)
