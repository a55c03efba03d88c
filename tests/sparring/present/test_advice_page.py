"""The advice as a page: complete, alone, escaped, and what a browser shows of it."""

from __future__ import annotations

import json
import shutil
import subprocess
from html.parser import HTMLParser

import numpy as np
import pytest

import sparring
from sparring.present.advice import page

RINGS = ("ring", "ring_allgather", "ring_sparse")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SMALL = "--disable-dev-shm-usage"  # containers have little of it
VOID = {"meta", "rect", "path", "polyline", "polygon"}


@pytest.fixture(scope="module")
def advice():
    rng = np.random.default_rng(1)
    layers = {"<script>alert(1)</script>": rng.standard_normal((5, 300)), "b & c": rng.standard_normal((5, 200))}
    return sparring.advise(layers, "ib-hdr", [4, 30], algorithms=RINGS)


class Read(HTMLParser):
    """What a page holds; complains where its tags are not closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.words, self.asked = [], [], [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.asked += [value for name, value in attrs if name in {"src", "href", "onclick", "onload"}]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_startendtag(self, tag, attrs):
        self.seen.append(tag)

    def handle_data(self, data):
        self.words.append(data)


def test_the_page_stands_alone(advice):
    """It runs nothing and asks for nothing, whatever layers are called."""
    text = page.page(advice)
    read = Read(text)

    assert not read.asked
    assert not {"script", "link", "img", "iframe", "object"} & {*read.seen}
    assert "url(" not in text
    assert "@import" not in text


def test_the_page_says_all(advice):
    words = " ".join(Read(page.page(advice)).words)

    for answer in advice.answers:
        assert f"{answer.ranks} ranks: {answer.options[0].algorithm}" in words
        assert answer.reason in words
        for option in answer.options:
            assert option.algorithm in words
            assert all(risk in words for risk in option.risks)
    for layer in advice.profile.layers:
        assert layer.name in words


def test_a_bar_is_as_long_as_its_time(advice):
    for answer in advice.answers:
        most = max(option.time.high for option in answer.options)
        for option in answer.options:
            drawn = page.bar(option, most)
            assert f'width="{100 * float(option.time.expected / most):.2f}" height="6"' in drawn


def test_the_data_are_the_advice(advice):
    """As JSON has them: the same numbers."""
    told = json.loads(json.dumps(page.enveloped(advice)))

    assert [one["ranks"] for one in told["answers"]] == [4, 30]
    for answer, found in zip(advice.answers, told["answers"]):
        assert [one["algorithm"] for one in found["options"]] == [one.algorithm for one in answer.options]
        for option, one in zip(answer.options, found["options"]):
            assert one["seconds"] == {name: float(x) for name, x in option.time._asdict().items()}
    assert told["fused"]["union"]["mean"] == [float(x) for x in advice.profile.fused.growth.mean]
    assert sum(told["fused"]["shared"]) == advice.profile.fused.union.size


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here; Debian's package is called chromium")
def test_a_browser_shows_it(advice, tmp_path):
    """It lays the page out: the tables are there, nothing sticks out, and the console stays silent."""
    file = tmp_path / "advice.html"
    probe = "<script>document.title = [innerWidth, document.documentElement.scrollWidth].join()</script>"
    file.write_text(page.page(advice).replace("</body>", f"{probe}</body>"), encoding="utf-8")
    browser = [
        CHROMIUM,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        SMALL,
        f"--user-data-dir={tmp_path / 'profile'}",
    ]
    command = [*browser, "--enable-logging=stderr", "--window-size=1000,800", "--dump-dom", file.as_uri()]

    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)

    inner, scrolled = map(int, done.stdout.split("<title>")[1].split("<")[0].split(","))
    assert scrolled <= inner
    assert done.stdout.count("<tr") == 2 * (1 + len(RINGS)) + 1 + 3
    assert "<script>alert" not in done.stdout
    assert "CONSOLE" not in done.stderr
