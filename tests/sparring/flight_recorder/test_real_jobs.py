"""Real jobs on gloo that were made to hang, and their twins that do not, diagnosed by their dumps."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from sparring.checks.checking import check
from sparring.flight_recorder.checking import PROPERTIES
from tests.sparring.flight_recorder.real_jobs import PROGRAM, run_jobs

pytestmark = [
    pytest.mark.torch,
    pytest.mark.timeout(300),
    pytest.mark.skipif(
        importlib.util.find_spec("torch") is None, reason='no torch here: pip install "sparring[torch]"'
    ),
]
SECONDS = 2.0
"""How long a diagnosis may take."""
SAID = {
    "skipped": (
        "arrival",
        (
            r"rank 1 did not come to all_reduce 5 of group 0 \(default_pg\); ranks 0 and 2 at AT came to it; .*"
            r"their lines part at all_reduce 3 of group 0 \(default_pg\), to which rank 1 came at AT, "
            r"ranks 0 and 2 came at {skipped by rank 1}"
        ),
    ),
    "only_rank_0": ("calls", r"call 3 .*: rank 0 called broadcast at AT, ranks 1 and 2 called all_reduce at AT"),
    "shapes": ("calls", r"all_reduce 3 .*: rank 2 brought 5 elements at AT, ranks 0 and 1 brought 4 elements at AT"),
    "dtypes": ("calls", r"all_reduce 3 .*: rank 1 brought Int at AT, ranks 0 and 2 brought Float at AT"),
    "kinds": ("calls", r"call 3 .*: rank 2 called broadcast at AT, ranks 0 and 1 called all_reduce at AT"),
    "swapped": (
        "deadlock",
        (
            r"in all_reduce 2 of group 1 ranks 0 and 2 at AT waited for rank 1; "
            r"in all_reduce 2 of group 2 \(pair\) rank 1 at AT waited for rank 0"
        ),
    ),
    "slow": ("arrival", r"rank 1 did not come to all_reduce 3 .* rank 1: in no recorded call after all_reduce 2 .*AT"),
    "dead": ("dumps", r"rank 1 left no dump: dead, or without time to write one"),
    "pairs": (
        "deadlock",
        (
            r"in broadcast 2 of group (\d) rank \d at AT waited for rank \d; "
            r"in broadcast 2 of group (?!\1)\d rank \d at AT waited for rank \d; "
            r"in broadcast 2 of group (?!\1)\d rank \d at AT waited for rank \d"
        ),
    ),
}
"""The first divergence of each job: the property that it falsifies, and what is said, with AT for a line."""
WATCHED = {
    "receives": (
        "deadlock",
        (
            r"in message 1 from rank (\d) to rank \d .* rank \d at AT waited for rank \1; "
            r"in message 1 .* rank \d at AT waited for rank \d; in message 1 .* rank \d at AT waited for rank \d"
        ),
    ),
    "posted": ("deadlock", r"in message 1 from rank (\d) to rank \d .* rank \d at {waits for the wrong rank} waited"),
    "slow": (
        "arrival",
        r"rank 1: in no recorded call after all_reduce 2 .* at AT, now at {sleeps}",
    ),
}
"""The same of jobs that :func:`sparring.torch.watch` dumped: what the recorder alone does not tell."""


def pattern(said: str) -> str:
    """What is said, with a pattern for lines; ``{WORDS}`` is the line of the program with that comment."""
    lines = PROGRAM.read_text(encoding="utf-8").splitlines()
    said = said.replace("AT", r"hanging_jobs\.py:\d+")
    for words in re.findall(r"\{([\w ]{3,})\}", said):
        [line] = [i for i, text in enumerate(lines, 1) if text.endswith(f"# {words}")]
        said = said.replace(f"{{{words}}}", rf"hanging_jobs\.py:{line}")
    return said


@pytest.fixture
def jobs(once):
    """The folder with the dumps of all jobs, which one process runs: torch takes seconds to import."""
    hows = "wrong", "right"
    names = [f"{name}-{how}" for name in SAID for how in hows] + ["receives-wrong"]
    names += [f"{name}-{how}-watched" for name in WATCHED for how in hows]
    return once("jobs", lambda folder: run_jobs(folder, *names))[0]


def diagnosed(report, prop, said):
    """The first divergence falsifies that property, and is told so."""
    first = report.extra["first_divergence"]
    assert re.search(pattern(said), first["sentence"]), first
    assert (first["property"], report.verdict, report.exit_code) == (prop, "refuted", 1)


@pytest.mark.parametrize("name", SAID)
def test_why_a_job_hangs(name, jobs):
    """The first divergence is found, with the ranks and their lines; the twin's calls agree and all end."""
    report = check(jobs / f"{name}-wrong")
    diagnosed(report, *SAID[name])
    twin = check(jobs / f"{name}-right")
    assert {r.property: str(r.verdict).split(" ")[0] for r in twin.results} == {
        "dumps": "tested", "calls": "tested", "arrival": "tested", "completion": "tested",
        "messages": "not", "deadlock": "not",
    }  # fmt: skip
    assert twin.extra["first_divergence"] is None and twin.exit_code == 0
    assert max(report.seconds, twin.seconds) < SECONDS


def test_who_is_late(jobs):
    """Of a job that a slow rank delayed, and did not stop, the dumps tell which rank it was."""
    report = check(jobs / "slow-right")
    assert re.search(r"; rank 1 came up to 0\.[4-9] s after the first", report.results[2].detail)


def test_receives_are_not_seen(jobs):
    """gloo's recorder lists no sends and receives: their circle is no refutation, and no green word either."""
    report = check(jobs / "receives-wrong")
    found = {r.property: (str(r.verdict), r.detail) for r in report.results}
    why = "gloo's recorder lists no sends and receives: if the job hangs, they may be why"
    assert found["messages"] == found["deadlock"] == ("not covered", why)
    assert all(Path(one["line"]).name.startswith("hanging_jobs.py:") for one in report.extra["stands"])


@pytest.mark.parametrize("name", WATCHED)
def test_what_a_watched_job_tells(name, jobs):
    """Sends and receives are listed, and where ranks are that are in no call; nothing is wrong with the twin."""
    diagnosed(check(jobs / f"{name}-wrong-watched"), *WATCHED[name])
    twin = check(jobs / f"{name}-right-watched")
    said = {r.property: str(r.verdict).split(" ")[0] for r in twin.results}
    assert said == {**dict.fromkeys(PROPERTIES, "tested"), **({"messages": "not"} if name == "slow" else {})}
    assert twin.extra["first_divergence"] is None and twin.exit_code == 0
