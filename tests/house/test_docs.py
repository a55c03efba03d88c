"""The documentation builds without a warning, reports what does not exist, and writes a page for each algorithm."""

from __future__ import annotations

import html
import itertools
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click import Context
from click.testing import CliRunner

import sparring
from sparring import api
from sparring.cli import cli
from sparring.inputs import SHIPPED, shipped
from tests.house.conftest import ROOT, python

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1700)]  # a build proves every page, beside other tests
PLANTED = """---
orphan: true
---
# A page with faults

[A broken link](nowhere.md), an unknown function {py:func}`sparring.nothing` and an unknown paper {cite:t}`nobody1900`.
"""
FAULTY = "faulty.md"
MEASURED = {
    "command": "python benchmarks/allreduce.py",
    "machine": {"cpu": "A planted processor", "cores": 2, "system": "An OS"},
    "versions": {"mpi": "Planted MPI 1.2"},
    "environment": {},
    "cells": [
        {
            "ranks": 3, "size": 1000, "density": 0.07, "oversubscribed": True, "rounds": 5,
            "seconds": {"comm.Allreduce": [0.1, 0.2345, 0.3], "selection": [0.1, 0.2, 0.3], "mine": [0.3, 0.4, 0.5]},
            "alone": {"mine": [0.1, 0.125, 0.2]},
            "ratios": {"comm.Allreduce": [1, 1, 1], "mine": [0.1, 0.58, 0.7]},
        }
    ],
}  # fmt: skip
ENTRY = "[sparring.pages]\npairwise = pairwise\n"
SCHEDULES = "tests/sparring/schedules/samples"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
WIDTH = "document.documentElement.scrollWidth"
MISSING = "the extra 'docs' is not installed: pip install '.[docs]'"


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    """Build a copy of the documentation in ``folder``, with a page of planted faults beside the others."""
    pytest.importorskip("furo", reason=MISSING)
    made = shutil.ignore_patterns("algorithms", "timings", "__pycache__")
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=made)
    shutil.copytree(ROOT / "examples/reducers", folder / "examples/reducers", ignore=made)  # a page shows them
    shutil.copytree(ROOT / SCHEDULES, folder / SCHEDULES)  # the gallery shows one
    shutil.copytree(ROOT / "benchmarks/results", folder / "benchmarks/results")
    (folder / "benchmarks/results/planted.json").write_text(json.dumps(MEASURED), encoding="utf-8")
    (folder / "docs" / FAULTY).write_text(PLANTED, encoding="utf-8")
    sphinx = ("-m", "sphinx", "-q", "-W", "--keep-going", str(folder / "docs"), str(folder / "html"))
    return python(*sphinx, PYTHONPATH=str(installed(folder / "packages")))


def installed(packages: Path) -> Path:
    """A folder with an installed package that brings an algorithm: the page that ``sparring new`` writes."""
    notes = packages / "pairwise-1.0.dist-info"
    notes.mkdir(parents=True)
    (notes / "METADATA").write_text("Metadata-Version: 2.1\nName: pairwise\nVersion: 1.0\n", encoding="utf-8")
    (notes / "entry_points.txt").write_text(ENTRY, encoding="utf-8")
    shutil.copy(ROOT / "sparring/templates/page.py", packages / "pairwise.py")
    return packages


def words(page: Path) -> str:
    """The words of a page of HTML, single spaces between."""
    return " ".join(html.unescape(re.sub("<[^>]+>", "", page.read_text(encoding="utf-8"))).split())


@pytest.fixture(scope="session")
def building(once: Callable[..., tuple[Path, Any]]) -> tuple[Path, int, list[str]]:
    """Where the documentation was built, with which exit code, and what Sphinx had to say."""

    def made(folder: Path) -> tuple[int, list[str]]:
        done = build(folder)
        return done.returncode, done.stdout.splitlines()

    folder, (code, said) = once("documentation", made)
    return folder, code, said


@pytest.fixture(scope="session")
def built(building: tuple[Path, int, list[str]]) -> Path:
    """The documentation, built; whatever Sphinx has to say is an error, but of the page with faults."""
    folder, _, said = building
    assert [line for line in said if f"/{FAULTY}:" not in line] == []
    return folder / "html"


def test_a_fault_fails_the_build(building):
    """A broken link, a function and a paper that do not exist are each reported, and the build fails."""
    _, code, said = building
    told = [line for line in said if f"/{FAULTY}:" in line]
    assert (code, len(told)) == (1, 3)
    for missing in ("nowhere.md", "sparring.nothing", "nobody1900"):
        assert sum(missing in line for line in told) == 1


def test_every_algorithm_has_its_page(built):
    """Each algorithm, and one of another package, has a page and a picture, and the list of algorithms leads there."""
    listed = (built / "algorithms/index.html").read_text(encoding="utf-8")
    for name in [*sparring.pages(), "pairwise"]:
        page = (built / f"algorithms/{name}.html").read_text(encoding="utf-8")
        assert f'href="{name}.html"' in listed
    for name in [*api.regular(), "pairwise"]:
        page = (built / f"algorithms/{name}.html").read_text(encoding="utf-8")
        assert f'src="../_images/{name}.svg"' in page
        assert (built / f"_images/{name}.svg").is_file()


def test_every_explorer_is_there(built):
    """Each frame of a page shows a file, and each algorithm's page and the first page have a frame."""
    framed = {
        page: re.findall(r'<iframe src="([^"#]+)#embed[^"]*"', page.read_text(encoding="utf-8"))
        for page in built.rglob("*.html")
    }
    assert {
        page for page, paths in framed.items() if not all((page.parent / path).is_file() for path in paths)
    } == set()
    with_one = {str(page.relative_to(built)) for page, paths in framed.items() if paths}
    assert {"index.html", *(f"algorithms/{name}.html" for name in [*sparring.pages(), "pairwise"])} <= with_one
    assert len(framed[built / "gallery.html"]) >= 7


def test_the_gallery_has_every_algorithm(built):
    """Each has a tile with a small picture that leads to its page."""
    tiles = re.findall(r'class="tile" href="(.+?)"><svg', (built / "gallery.html").read_text(encoding="utf-8"))
    assert tiles == [f"algorithms/{name}.html" for name in [*sparring.pages(), "pairwise"]]


def test_old_addresses_lead_on(built):
    """The page that was the tutorial leads to where it is now."""
    (target,) = re.findall(r'content="0; url=(.+?)"', (built / "tutorial.html").read_text(encoding="utf-8"))
    assert (built / target).is_file()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Debian's Chromium, without a window."""
    api = pytest.importorskip("playwright.sync_api", reason="the extra 'test' is not installed: pip install '.[test]'")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium here; Debian's package is called chromium")
    with api.sync_playwright() as play:
        found = play.chromium.launch(executable_path=CHROMIUM)
        yield found
        found.close()


def test_no_page_scrolls_sideways(built, browser):
    """Every page fits a telephone and a screen; what is wider scrolls in its own box."""
    page = browser.new_page()
    page.route("**/explorers/*", lambda route: route.abort())  # their own tests look at them
    files = [file for file in built.rglob("*.html") if file.parent.name != "explorers" and file.stem != "tutorial"]
    found = {file.stem: wide for file in files if (wide := widths(page, file)) != [400, 1280]}
    page.set_content("<p style='width: 1290px'>wide</p>")
    assert page.evaluate(WIDTH) > 1280  # such a page is seen
    page.close()
    assert len(files) > len(sparring.pages())
    assert found == {}


def widths(page: Any, file: Path) -> list[int]:
    """How wide a page is on a screen of 400 pixels, and on one of 1280."""
    page.goto(file.as_uri(), wait_until="domcontentloaded")
    found = []
    for width in (400, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        found.append(page.evaluate(WIDTH))
    return found


def test_search_finds_an_algorithm(built, browser):
    """Without a network and without a server."""
    page = browser.new_page()
    page.goto((built / "search.html").as_uri() + "?q=bruck")
    page.wait_for_selector("#search-results a", timeout=60_000)
    page.wait_for_function("!document.title.includes('Searching')")
    found = [link.get_attribute("href") for link in page.query_selector_all("#search-results a")]
    page.close()
    assert any("algorithms/bruck_allgather.html" in href for href in found)


def test_commands_are_copied_without_prompts(built, browser):
    """What the button of the first block of commands copies is what is typed."""
    page = browser.new_page()
    page.goto((built / "index.html").as_uri())
    page.evaluate("document.addEventListener('copy', () => { window.copied = document.activeElement.value; })")
    page.locator("button.copybtn").first.click(force=True)  # it shows when the mouse is over it
    copied = page.evaluate("window.copied")
    page.close()
    assert copied.startswith('pip install ".[mpich]"') and "\nsparring verify " in copied


def test_the_page_of_union_growth(built):
    """The picture is there, and the table has the numbers that the shipped gradients give."""
    page, image = built / "howto/union-growth.html", built / "_images/union-growth.svg"
    assert f'src="../_images/{image.name}"' in page.read_text(encoding="utf-8")
    assert image.is_file()
    text = words(page)
    for name, percent in itertools.product(SHIPPED, (0.1, 1, 10, 30)):
        vectors = [shipped(name, 8, f"step{t}") for t in (0, 30, 300)]
        measures = [sparring.union_growth(each, density=percent / 100) for each in vectors]
        one = measures[0]
        sizes = [one.k[0], *(growth.high[-1] for growth in measures), one.independent()[-1], one.disjoint()[-1]]
        assert " ".join([f"{percent} %", *(str(round(size)) for size in sizes)]) in text


def test_the_page_of_the_ring(built):
    """It holds the module's prose, formulas and citation, its costs, and each verdict with its planted fault."""
    text = words(built / "algorithms/ring.html")
    assert "takes up one contribution at each rank it visits" in text
    assert "return (r - t) % p" in text
    assert "P. Patarasuk and X. Yuan" in text
    assert "In Patarasuk and Yuan 2009: in the paper" in text
    assert f"most words that one rank sends {sparring.cost('ring').words}" in text
    report = sparring.prove("ring")
    for theorem, result in zip(report.extra["theorems"], report.results):
        told = theorem["statement"] if theorem["planted"] and theorem["solvers"] else result.detail  # of what was run
        assert " ".join((theorem["name"], theorem["verdict"], told, theorem["planted"])).rstrip() in text


def test_the_commands_of_every_page_work(built):
    """What a page tells to type is understood, and runs where it is quick and needs no file of the reader's."""
    for page in (built.parent / "docs/algorithms").glob("ring*.rst"):
        typed = re.findall(r"^ +\$ sparring (.*?) +#", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert f"show {page.stem} --ranks 8" in typed
        for name, *arguments in map(str.split, typed):
            subcommand = cli.get_command(Context(cli), name)
            assert subcommand is not None
            subcommand.make_context(name, [*arguments])
            if name in ("show", "run", "cost"):
                assert CliRunner().invoke(cli, [name, *arguments]).exit_code == 0, (name, arguments)


def test_the_page_of_benchmarks(built):
    """A planted file's numbers stand in a table, with those of each file what ran them, and each has its picture."""
    text = words(built / "benchmarks.html")
    assert "Vectors of 10³ entries, by density" in text
    assert " 7 % comm.Allreduce 234 mine 400 (125) ×0.58 selection 200 " in text
    assert "3 ranks, oversubscribed: 2 cores" in text
    for path in (built.parent / "benchmarks/results").glob("*.json"):
        assert (built / f"_images/{path.stem}.svg").is_file()
        assert json.loads(path.read_text(encoding="utf-8"))["versions"]["mpi"] in text


def test_the_reference_has_every_name(built):
    """Each public name of the package stands in the reference of functions, each command in that of commands."""
    functions = (built / "reference/api.html").read_text(encoding="utf-8")
    described = {place.rpartition(".")[2] for place in re.findall(r'id="(?:module-)?(sparring\.[\w.]+)"', functions)}
    assert set(sparring.__all__) <= described
    commands = (built / "reference/commands.html").read_text(encoding="utf-8")
    assert re.findall(r'id="sparring-(\w+)"', commands) == cli.list_commands(Context(cli))
