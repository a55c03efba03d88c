"""Pages of the explorer in a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sparring.present.explorer.document import Document
from sparring.present.explorer.html import write
from tests.sparring.present.explorer.browsing import until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

    Opened = Callable[..., Page]


@pytest.fixture
def opened(chromium: Browser, tmp_path: Path) -> Iterator[Opened]:
    """``opened(document, "step=3", width=400)``: its page, which complains of nothing and asks for nothing else."""
    complaints: list[str] = []
    contexts = []

    def goes(route: Route) -> None:
        if route.request.url.split("#")[0].split("?")[0] == (tmp_path / "page.html").as_uri():
            route.continue_()
        else:
            complaints.append(f"asks for {route.request.url}")
            route.abort()

    def made(document: Document, at: str = "", width: int = 1280, height: int = 900, **options: Any) -> Page:
        write(document, tmp_path / "page.html")
        context = chromium.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce", **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.route("**/*", goes)
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(f"{(tmp_path / 'page.html').as_uri()}#{at}")
        until(page, "Boolean(window.explorer)")
        return page

    yield made
    for context in contexts:
        context.close()
    assert not complaints
