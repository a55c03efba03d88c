"""What tests of the face share."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from sparring import disk_cache
from sparring.costs.derivation import comparison
from sparring.proofs.kernel.kernel import Attempt
from sparring.proofs.proving import proving
from sparring.spec.core.model import Page

PROVED: list[tuple[Page, list[Attempt]]] = []


@pytest.fixture
def proved_once(monkeypatch):
    """What comes of a page's proofs is kept for the next test that asks for the very same page.

    For tests of what comes of its runs; a page of which one formula is another is proved anew.
    """
    prove = proving.prove

    def once(page: Page, **given: Any) -> list[Attempt]:
        found = next((attempts for known, attempts in PROVED if known == page), None)
        if found is None:
            PROVED.append((page, found := list(prove(page, **given))))
        return found

    monkeypatch.setattr(proving, "prove", once)


@pytest.fixture
def counted_on_few(monkeypatch):
    """Costs are compared with counts on few ranks: for tests of what is told of them."""
    monkeypatch.setattr(comparison, "compared", partial(comparison.compared, ranks=range(1, 9)))


@pytest.fixture(autouse=True)
def nothing_is_recalled(monkeypatch):
    """Tests plant faults where no digest of files sees them: no result of an earlier run is told here."""
    monkeypatch.setattr(disk_cache, "recall", lambda *_: None)
    monkeypatch.setattr(disk_cache, "keep", lambda *_: None)
