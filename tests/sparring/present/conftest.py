"""Pages to draw, besides sparring's own; and a browser for what is drawn, one for each module of tests."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest

from sparring.api import page
from sparring.spec.core.loading import load
from sparring.spec.core.model import Page
from sparring.trace.compare import compare
from sparring.trace.divergence import Divergence
from sparring.trace.events import Trace, from_outcome
from sparring.world import run

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Vary = Callable[..., Page]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The system's Chromium, without a window."""
    found = shutil.which("chromium")
    if found is None:
        pytest.skip("there is no Chromium here; Debian's package is called chromium")
    sync_api = pytest.importorskip("playwright.sync_api", reason="pip install 'sparring[test]'")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found)
        yield browser
        browser.close()


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
    return vary(dst=lambda r, t, p: (r - 1) % p, src=lambda r, t, p: (r + 1) % p, chunk=lambda r, t, p: (r + t) % p)


@pytest.fixture
def direct(vary: Vary) -> Page:
    """Everybody exchanges with everybody, nearer and farther, without a neighbour in common."""
    return vary(
        dst=lambda r, t, p: (r + 1 + t % (p - 1)) % p,
        src=lambda r, t, p: (r - 1 - t % (p - 1)) % p,
        chunk=lambda r, t, p: (r + 1 + t) % p if t < p - 1 else r,
    )


class Case(NamedTuple):
    """A run that leaves its page, and where."""

    page: Page
    trace: Trace
    divergence: Divergence


@pytest.fixture
def case() -> Callable[..., Case]:
    """``case(fault, t, r, p=4, n=…, level=…)``: rank ``r`` leaves the ring in step ``t``, in the simulated world."""
    file = Path(__file__).with_name("faulty_ring.py")

    def made(fault: str, t: int = 0, r: int = 0, p: int = 4, n: int = 37, level: str = "steps") -> Case:
        xs = [np.arange(n) + 100.0 * rank for rank in range(p)]
        target = f"{file}:{'library' if fault == 'library' else 'ring'}"
        told = ([value] * p for value in (fault, t, r))
        trace = from_outcome(run(target, p, xs, *told, record=True, buffers="unbounded"), p)
        divergence = compare(page("ring"), xs, trace, level)
        assert divergence is not None
        return Case(page("ring"), trace, divergence)

    return made
