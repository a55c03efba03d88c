"""Pages whose costs are known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import sparring
from sparring.proofs.cost.derivation import derive

TEMPLATE = Path(sparring.__file__).parent / "templates" / "page.py"


@pytest.fixture(scope="session")
def ring():
    """The dense ring."""
    return sparring.page("ring")


@pytest.fixture(scope="session")
def pairwise():
    """Pairwise exchange: two laps of which the second sends one chunk again and again."""
    return sparring.page(str(TEMPLATE))


@pytest.fixture(scope="session")
def backwards(ring):
    """A ring whose chunks go up from step to step, so that no message is passed on."""
    return replace(ring, chunk=lambda r, t, p: (r + t) % p)


@pytest.fixture(scope="session")
def lists():
    """Ring allgather of lists of k entries."""
    return sparring.page("ring_allgather")


@pytest.fixture(scope="session")
def selected():
    """The ring on which k entries are kept."""
    return sparring.page("ring_topk")


@pytest.fixture(scope="session", params=["ring", "pairwise", "backwards", "lists", "selected"])
def page(request):
    """Each of the pages."""
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="session")
def derived(page):
    """The derivation for that page."""
    return derive(page)
