"""Pages of the explorer in a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from sparring.present.explorer.document import Document
from sparring.present.explorer.html import write
from tests.sparring.present.explorer.browsing import until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Error, Page, Route

    Opened = Callable[..., Page]
    Theme = Literal["light", "dark"]


@pytest.fixture(scope="module")
def idle(chromium: Browser) -> Iterator[list[Page]]:
    """Pages that no test has now; each is a process of Chromium's, which takes longer to start than most tests."""
    pages: list[Page] = []
    yield pages
    for page in pages:
        page.context.close()


@pytest.fixture
def opened(chromium: Browser, idle: list[Page], tmp_path: Path) -> Iterator[Opened]:
    """``opened(document, "step=3", width=400)``: its page, which complains of nothing and asks for nothing else."""
    complaints: list[str] = []
    taken: list[Page] = []

    def goes(route: Route) -> None:
        if route.request.url.split("#")[0].split("?")[0] == (tmp_path / "page.html").as_uri():
            route.continue_()
        else:
            complaints.append(f"asks for {route.request.url}")
            route.abort()

    def said(message: ConsoleMessage) -> None:
        complaints.append(f"{message.type}: {message.text}")

    def failed(error: Error) -> None:
        complaints.append(str(error))

    def made(document: Document, at: str = "", width: int = 1280, height: int = 900, theme: Theme = "light") -> Page:
        write(document, tmp_path / "page.html")
        page = idle.pop() if idle else chromium.new_context(reduced_motion="reduce").new_page()
        taken.append(page)
        page.set_default_timeout(20_000)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=theme)
        page.route("**/*", goes)
        page.on("console", said)
        page.on("pageerror", failed)
        page.goto(f"{(tmp_path / 'page.html').as_uri()}#{at}")
        until(page, "Boolean(window.explorer)")
        return page

    yield made
    for page in taken:
        page.goto("about:blank")
        page.remove_listener("console", said)
        page.remove_listener("pageerror", failed)
        page.unroute_all()
    idle += taken
    assert not complaints
