"""Pages whose costs are known."""

from __future__ import annotations

import pytest

import sparring


@pytest.fixture(scope="session")
def ring():
    """The dense ring."""
    return sparring.page("ring")


@pytest.fixture(scope="session")
def selected():
    """The ring on which k entries are kept."""
    return sparring.page("ring_topk")
