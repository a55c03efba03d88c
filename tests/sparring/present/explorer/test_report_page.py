"""A report in a browser: rows that hide, and a counterexample that runs in a frame which reaches nothing."""

from __future__ import annotations

from functools import partial

import numpy as np

from sparring import world
from sparring.present.explorer import html, worlds
from sparring.proofs.logic.verdicts import PROVED, REFUTED
from sparring.report import Report, Result
from tests.sparring.present.explorer.browsing import until


def both_send_first(comm):
    comm.Send(np.zeros(1), 1 - comm.rank)
    comm.Recv(np.zeros(1), 1 - comm.rank)


def test_a_report_filters_and_shows_its_counterexample(chromium, tmp_path):
    """On a phone, too, it is no wider than the screen; nothing complains, and nothing else is asked for."""
    shown = worlds.document(world.run(both_send_first, 2), "both send first")
    results = [Result("mine", "result", PROVED), Result("mine", "deadlock", REFUTED, "p=2: rank 0 waits for rank 1")]
    Report("check", results, explorers={"deadlock": partial(html.page, shown)}).to_html(tmp_path / "report.html")
    page = chromium.new_page(viewport={"width": 400, "height": 800})
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: complaints.append(request.url) if request.url.startswith("http") else None)
    page.goto((tmp_path / "report.html").as_uri())

    page.select_option("#word", "refuted")
    assert page.inner_text("#told") == "1 of 2 results"
    assert page.inner_text("#results tbody tr:not([hidden]) td:nth-child(2)") == "deadlock"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.click("summary:has-text('counterexample')")
    until(page, "document.querySelector('iframe').offsetHeight > 0")
    inside = page.frame_locator("iframe")
    inside.get_by_text("rank 0 waits for rank 1 in Send").first.wait_for(timeout=30_000)
    assert page.evaluate("document.querySelector('iframe').contentDocument") is None
    page.close()
    assert not complaints
