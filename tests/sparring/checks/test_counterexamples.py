"""What is wrong with a user's code opens in the explorer: at the right step, with the right ranks, and only then."""

from __future__ import annotations

import base64
import re
import zlib
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from sparring import world
from sparring.checks.checking import check
from sparring.checks.reproducer import FOLDER
from sparring.cli import check as command
from sparring.present.explorer import worlds
from sparring.present.explorer.document import decoded, positions

RING = """\
import numpy as np

def parts_of(comm, x):
    return np.split(x.copy(), [x.size * c // comm.size for c in range(1, comm.size)])

def allreduce(comm, x):
    p, r, parts = comm.size, comm.rank, parts_of(comm, x)
    for t in range(2 * (p - 1)):
        sent, came = (r - t) % p, (r - 1 - t) % p
        got = np.empty_like(parts[came])
        {exchange}
        parts[came] = parts[came] + got if t < p - 1 else got
    return np.concatenate(parts)
"""
RIGHT = "comm.Sendrecv(parts[sent], (r + 1) % p, recvbuf=got, source=(r - 1) % p)"
WRONG_CHUNK = RIGHT.replace("parts[sent]", "parts[came if (r, t) == (1, 2) else sent]")
SILENT = f"{RIGHT} if t < 2 * p - 3 else got.fill(0)"
CROSSED = "comm.Send(parts[sent], (r + 1) % p); comm.Recv(got, (r - 1) % p)"
XS = [np.arange(3) + 10 * r for r in range(3)]


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """A user's folder; ``mine(exchange, prop)`` judges a ring with that exchange on three ranks."""
    monkeypatch.chdir(tmp_path)

    def judged(exchange, prop, page="ring", **asked):
        (tmp_path / "mine.py").write_text(RING.replace("{exchange}", exchange), encoding="utf-8")
        return check("mine.py:allreduce", page, level="steps" if page == "ring" else "result", only=[prop],
                     examples=[(XS, "result")], **asked)  # fmt: skip

    return judged


def in_page(text: str) -> Any:
    """The document of a page."""
    (data,) = re.findall(r'octet-stream">([^<]*)<', text)
    return decoded(zlib.decompress(base64.b64decode(data)))


def written(prop: str) -> Any:
    """The document beside the script."""
    return in_page((FOLDER / f"{prop}.html").read_text(encoding="utf-8"))


def step_of(document: Any) -> Any:
    """The step at which the document opens, of the run that its first finding is about."""
    finding = document.findings[0]
    stages = document.runs[finding.run].stages
    return [step for stage in stages for step in stage.steps or [None]][finding.step]


def details(document: Any, look: str):
    """The ends of the messages of a look in the step at which it opens, with their values and the right ones."""
    step = step_of(document)
    return [
        (step.messages[one.message].src, step.messages[one.message].dst, one.values, one.wanted)
        for one in step.details
        if one.look == look
    ]


@pytest.mark.parametrize("prop", ["steps", "result"])
def test_a_wrong_chunk_opens_where_it_is_sent(mine, prop):
    """Beside the page's run: what was sent in step 2 by rank 1, and what the page sends there, at that line."""
    mine(WRONG_CHUNK, prop)
    shown = written(prop)

    assert shown.kind == "failure" and [run.heading for run in shown.runs] == ["the page", "observed"]
    assert (shown.findings[0].step, shown.findings[0].ranks[:2]) == (2, [1, 2])
    assert shown.findings[0].where == "mine.py:11"
    assert details(shown, "wrong") == [(1, 2, ["11"], ["36"])]
    planned = [one for one in shown.runs[0].stages[0].steps[2].details if one.look == "expected"]
    assert [one.values for one in planned] == [["36"]]
    assert shown.command == f"python {FOLDER}/{prop}.py"


def test_a_missing_message_is_marked_missing(mine):
    """In the last step nobody sends; the first that is missing is rank 0's."""
    mine(SILENT, "steps")
    shown = written("steps")

    assert (shown.findings[0].step, shown.findings[0].ranks) == (3, [0, 1])
    assert details(shown, "missing") == [(0, 1, [], ["30"])]


def test_the_wrong_order_is_located_too(mine):
    """Rank 1 sends its last two chunks the other way round: the first of both is wrong."""
    mine(RIGHT.replace("parts[sent]", "parts[(r - 5 + t) % p if r == 1 and t > 1 else sent]"), "steps")
    shown = written("steps")

    assert (shown.findings[0].step, shown.findings[0].ranks) == (2, [1, 2])
    assert len(details(shown, "wrong")) == 1


def test_a_deadlock_shows_who_waits_for_whom(mine):
    """All three send first: a circle of waits, each with its call and line, and three messages that nobody takes."""
    report = mine(CROSSED, "deadlock", page="allreduce")
    shown = written("deadlock")

    assert shown.kind == "world"
    assert [(w.rank, w.on, w.call, w.where) for w in shown.findings[0].waits] == [
        (r, [(r + 1) % 3], "Send", "mine.py:11") for r in range(3)
    ]
    assert shown.findings[0].ranks == [0, 1, 2]
    assert [ends[:2] for ends in details(shown, "wrong")] == [(0, 1), (1, 2), (2, 0)]
    assert report.results[0].detail.endswith(
        ". Run: python sparring-failures/deadlock.py. See: sparring-failures/deadlock.html"
    )


def test_without_a_page_it_opens_at_the_results(mine):
    """What was sent stands before them; the sentence names the rank and both sides."""
    mine(WRONG_CHUNK, "result", page="allreduce")
    shown = written("result")
    finding = shown.findings[0]

    assert finding.step == positions(shown.runs[0].stages) - 1
    assert "rank 1 returns [30 33 36]" in shown.runs[0].stages[-1].text
    assert finding.ranks == [0]  # the first with a wrong sum, which it got from rank 2
    assert "rank 0 puts in [0 1 2]" in shown.prose


DOUBLING = """\
import numpy as np

def allreduce(comm, x):
    x, t = x.copy(), 1
    while t < comm.size:
        got = np.empty_like(x)
        comm.Sendrecv(x, comm.rank ^ t, recvbuf=got, source=comm.rank ^ t)
        x, t = x + got, 2 * t
    return x
"""


def test_messages_that_meet_open_at_their_link(tmp_path, monkeypatch):
    """On the topology that was named: with the link, all ranks whose messages cross it, and the step where they do."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(DOUBLING, encoding="utf-8")
    xs = [np.arange(3) + 10 * r for r in range(4)]
    asked = {"only": ["contention"], "topology": "ring", "examples": [(xs, "result")], "ranks": [4]}
    report = check("mine.py:allreduce", "allreduce", **asked)
    shown = written("contention")
    (finding,) = shown.findings

    assert "messages from rank 0 to 1 and from rank 0 to 2" in report.results[0].detail
    assert (finding.link, finding.ranks, finding.step) == ("0 -> 1", [0, 1, 2, 3], 1)
    assert [ends[:2] for ends in details(shown, "wrong")] == [(0, 2), (3, 1)]
    assert shown.topology.name == "ring" and finding.link in shown.topology.links
    ways = {(one.src, one.dst): [shown.topology.links[i] for i in one.links] for one in shown.topology.routes}
    assert all(finding.link in ways[ends[:2]] for ends in details(shown, "wrong"))


def test_a_race_has_both_orders(tmp_path, monkeypatch):
    """The same messages come in another order when it is called again; it opens where they part."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "race.py").write_text(RACE, encoding="utf-8")
    check("race.py:first", only=["reproducibility"], examples=[(XS, "result")])
    shown = written("reproducibility")

    assert len(shown.runs) == 2 and shown.findings[0].run == 1
    first, second = ([m.src for s in run.stages for t in s.steps for m in t.messages] for run in shown.runs)
    assert first == [1, 2] and second[shown.findings[0].step] != first[shown.findings[0].step % 2]


RACE = """\
import numpy as np

def first(comm, x):
    y = x.copy()
    if comm.rank == 0:
        comm.Recv(y)
        comm.Recv(np.empty_like(x))
    else:
        comm.Send(x, 0)
    return y
"""


def test_a_right_one_has_no_counterexample(mine):
    """Nothing is written, and the report has no pages."""
    report = mine(RIGHT, "steps")

    assert report.verdict == "holds" and not report.explorers and not FOLDER.exists()


@pytest.mark.parametrize(
    ("kind", "program"),
    [
        ("unmatched message", lambda comm: comm.Isend(np.zeros(1), 0, tag=7) if comm.rank == 1 else None),
        ("truncation", lambda comm: comm.Sendrecv(np.zeros(2), 1 - comm.rank, recvbuf=np.zeros(1))),
    ],
)
def test_what_the_world_finds_is_a_document(kind, program):
    """Each finding names its ranks and opens at a step; a run without findings has none."""
    shown = worlds.document(world.run(program, 2), "mine")

    assert shown.findings[0].text.startswith(kind)
    assert 1 in shown.findings[0].ranks and shown.findings[0].step == 0
    calm = worlds.document(
        world.run(lambda comm: comm.Sendrecv(np.zeros(1), 1 - comm.rank, recvbuf=np.zeros(1)), 2), ""
    )
    assert not calm.findings and all(not one.look for one in calm.runs[0].stages[0].steps[0].details)


def test_a_stranger_s_name_stays_text(tmp_path, monkeypatch):
    """A file whose name ends a script ends none, neither in the explorer nor in the report."""
    monkeypatch.chdir(tmp_path)
    name = "a<script>alert(1)<!--.py"
    (tmp_path / name).write_text(RING.replace("{exchange}", WRONG_CHUNK), encoding="utf-8")
    report = check(f"{name}:allreduce", "ring", level="steps", only=["steps"], examples=[(XS, "result")])
    report.to_html("report.html")

    for text in ((FOLDER / "steps.html").read_text("utf-8"), (tmp_path / "report.html").read_text("utf-8")):
        assert "<script>alert" not in text and text.lower().count("</script>") == text.lower().count("<script")
    assert name in written("steps").title


def test_a_folder_that_cannot_be_written_is_one_sentence(mine):
    """The refutation stays."""
    FOLDER.write_text("a file is in the way", encoding="utf-8")
    report = mine(WRONG_CHUNK, "steps")

    assert report.verdict == "refuted"
    assert re.search(r"\. sparring-failures cannot be written: \w[\w ]+$", report.results[0].detail)


def test_the_command_writes_a_page(tmp_path, monkeypatch):
    """With the counterexample in it; a file that cannot be written is one sentence."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(RING.replace("{exchange}", WRONG_CHUNK), encoding="utf-8")
    asked = ["mine.py:allreduce", "--only", "result", "--max-examples", "5", "--html"]
    done = CliRunner().invoke(command.command, [*asked, "report.html"])

    assert done.exit_code == 1
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "srcdoc=" in text and "counterexample to result" in text
    failed = CliRunner().invoke(command.command, [*asked, "nowhere/report.html"])
    assert str(failed.exception) == "nowhere/report.html cannot be written: No such file or directory"
