"""Waiting for what a page does by itself."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

PATIENCE = 30.0
"""So many seconds a slow machine is given."""


def until(page: Page, condition: str) -> None:
    """Return when ``condition`` holds; Playwright's own way evaluates text in the page, which its policy forbids."""
    end = time.monotonic() + PATIENCE
    while not page.evaluate(condition):
        assert time.monotonic() < end, condition
        time.sleep(0.02)
