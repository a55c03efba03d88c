"""Pages to draw, besides sparring's own."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest

from sparring.api import page
from sparring.spec.core.model import Page, load

Vary = Callable[..., Page]


@pytest.fixture
def vary() -> Vary:
    """``vary(doc=…, dst=…)``: the ring with some of its formulas exchanged."""

    def varied(doc: str = "A variant.", **formulas: object) -> Page:
        ring, module = page("ring"), ModuleType("variant", doc)
        own = {name: getattr(ring.module, name) for name in ("steps", "dst", "src", "chunk", "adds", "holds")}
        vars(module).update(own | formulas)
        return load(module)

    return varied


@pytest.fixture
def backwards(vary: Vary) -> Page:
    """The ring the other way round: a right schedule, but another one."""
    return vary(
        dst=lambda r, t, p: (r - 1) % p,
        src=lambda r, t, p: (r + 1) % p,
        chunk=lambda r, t, p: (r + t) % p,
    )


@pytest.fixture
def direct(vary: Vary) -> Page:
    """Everybody exchanges with everybody, nearer and farther, without a neighbour in common."""
    return vary(
        dst=lambda r, t, p: (r + 1 + t % (p - 1)) % p,
        src=lambda r, t, p: (r - 1 - t % (p - 1)) % p,
        chunk=lambda r, t, p: (r + 1 + t) % p if t < p - 1 else r,
    )
