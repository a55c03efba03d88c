"""Whether real MPI says the same again and again: one list of right targets and planted faults, many times.

    python benchmarks/repeated.py [--runs 100] [--ranks 3] [--limit 120] [--out FILE.json]

Each run is a process of its own, which judges every case on one group of ranks.  Counted are runs that did not end
within the limit in seconds (hangs), processes and files that a run left behind (orphans), and cases whose verdict, or
sentence, is another than in the first run.  It ends with exit code 1 where any of these is not zero.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sparring.checks.checking import check
from sparring.checks.ranks import launch
from sparring.checks.ranks.group import Group
from sparring.errors import RankFailed

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests/sparring/checks"
BAD, ENDING = TESTS / "misbehaving.py", TESTS / "ending.py"
MARK = "SPARRING_REPEATED"
"""A variable that all processes of a run have, with a value of its own."""
MADE = ("sparring-failures", ".hypothesis")
"""Folders that check leaves on purpose."""
ONLY = ("result", "agreement", "input untouched", "reproducibility")
CHECKED = (
    "sparring.impl.ring:allreduce",
    "sparring.impl.recursive_doubling:allreduce",
    f"{BAD}:total",
    f"{BAD}:leaves_message",
    f"{BAD}:wrong",
    f"{BAD}:raises",
    f"{BAD}:exits",
)
FAULTS = (
    ("in_recv", "SIGKILL"),
    ("in_allreduce", "SIGSTOP"),
    ("in_the_midst", "SIGSEGV"),
    ("in_allreduce", "MemoryError"),
    ("in_recv", "for ever"),
    ("in_recv", ""),
)

Verdict = dict[str, Any]


class Run(NamedTuple):
    """What came of one: ``said`` by case, word and sentence; what it ``left``; None for ``said`` where it hung."""

    said: dict[str, Verdict] | None
    left: list[str]
    seconds: float


def main() -> int:
    options = arguments()
    if options.once:
        print(json.dumps(once(options.ranks)))
        return 0
    runs = []
    for i in range(options.runs):
        runs.append(
            run := played([str(Path(__file__).resolve()), "--once", "--ranks", str(options.ranks)], options.limit)
        )
        said = "hangs" if run.said is None else f"{len(run.said)} cases"
        print(f"run {i + 1}: {said}, {len(run.left)} left, {run.seconds:.1f} s", file=sys.stderr, flush=True)
    found = summary(runs)
    print(table(found))
    if options.out:
        options.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return int(any(found[name] for name in ("hangs", "orphans", "differing verdicts", "differing sentences")))


def once(ranks: int) -> dict[str, Verdict]:
    """Every case, on one group of ranks."""
    with Group(ranks) as group:
        said = {target.rpartition("/")[2]: timed(partial(checked, group, target)) for target in CHECKED}
        for name, how in FAULTS:
            said[f"{name} {how}".strip()] = timed(partial(ended, group, name, how))
    return said


def timed(case: Callable[[], Verdict]) -> Verdict:
    """With the seconds that it took."""
    start = time.monotonic()
    said = case()
    return {**said, "seconds": time.monotonic() - start}


def checked(group: Group, target: str) -> Verdict:
    """What check says, property by property."""
    report = check(target, ranks=[group.size], on="mpi", only=ONLY, max_examples=20, group=group)
    words = {result.property: str(result.verdict) for result in report.results}
    return {"word": words, "sentence": {result.property: result.detail for result in report.results}}


def ended(group: Group, name: str, how: str) -> Verdict:
    """What one example says."""
    xs = [np.arange(4.0) + r for r in range(group.size)]
    try:
        ys = group.run(f"{ENDING}:{name}", xs, timeout=1 if how == "for ever" else 30, how=how, who=group.size - 1)
    except RankFailed as failure:
        word = f"{type(failure).__name__} of rank {failure.rank}"
        return {"word": word, "sentence": "\n".join(str(failure).splitlines()[:2])}
    return {"word": "right" if all(np.array_equal(y, sum(xs)) for y in ys) else "wrong", "sentence": ""}


def played(words: Sequence[str], limit: float) -> Run:
    """One run of Python with these words, and what it left; nothing of it lives on."""
    mark, start = uuid.uuid4().hex, time.monotonic()
    shared = {*launch.SHARED.iterdir()} if launch.SHARED.is_dir() else set()
    with tempfile.TemporaryDirectory(prefix="sparring-repeated-") as folder:
        process = subprocess.Popen(
            [sys.executable, "-P", *words], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, cwd=folder,
            env={**os.environ, MARK: mark, "TMPDIR": folder, "PYTHONPATH": str(ROOT)}, start_new_session=True,
        )  # fmt: skip
        try:
            out, _ = process.communicate(timeout=limit)
            said = json.loads(out)
        except subprocess.TimeoutExpired:
            said = None
        seconds = time.monotonic() - start
        living = [pid for pid in marked(mark) if said is not None or pid != process.pid]
        for pid in [*living, process.pid]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.communicate()
        left = [path.name for path in Path(folder).iterdir() if path.name not in MADE]
    left += [f"process {pid}" for pid in living]
    left += [str(path) for path in mine(shared)]
    return Run(said, left, seconds)


def marked(mark: str) -> list[int]:
    """The processes that live half a second after the run's own has ended."""
    time.sleep(0.5)
    found = []
    for pid in launch.processes():
        with suppress(OSError):
            if f"{MARK}={mark}".encode() in Path(f"/proc/{pid}/environ").read_bytes():
                found.append(pid)
    return found


def mine(before: set[Path]) -> list[Path]:
    """New files by which MPI shares memory that no living process has open: others may run MPI beside this."""
    for _ in range(3):  # theirs come and go
        there = {*launch.SHARED.iterdir()} if launch.SHARED.is_dir() else set()
        found = {path for path in there - before if launch.OURS.match(str(path))} - launch.segments(launch.processes())
        if not found:
            break
        time.sleep(1)
    return sorted(found)


def summary(runs: list[Run]) -> dict[str, Any]:
    """The counts, and by case what it said how often."""
    ended = [run.said for run in runs if run.said is not None]
    first = ended[0] if ended else {}
    cases = {
        name: {
            "verdicts": Counter(json.dumps(said[name]["word"]) for said in ended),
            "sentences": Counter(json.dumps(said[name]["sentence"]) for said in ended),
            "seconds": spread([said[name]["seconds"] for said in ended]),
        }
        for name in first
    }
    return {
        "runs": len(runs),
        "hangs": sum(run.said is None for run in runs),
        "orphans": sum(len(run.left) for run in runs),
        "left": [one for run in runs for one in run.left],
        "differing verdicts": sum(len(case["verdicts"]) > 1 for case in cases.values()),
        "differing sentences": sum(len(case["sentences"]) > 1 for case in cases.values()),
        "seconds": spread([run.seconds for run in runs]),
        "cases": cases,
    }


def spread(seconds: list[float]) -> list[float]:
    """Least, median, most."""
    return [round(one, 2) for one in (min(seconds), statistics.median(seconds), max(seconds))]


def table(found: dict[str, Any]) -> str:
    """As text."""
    counts = ", ".join(f"{found[name]} {name}" for name in ("runs", "hangs", "orphans"))
    differing = ", ".join(f"{found[name]} {name}" for name in ("differing verdicts", "differing sentences"))
    lines = [f"{counts}, {differing}; seconds a run {found['seconds']}", ""]
    lines += [f"{'case':45} {'verdicts':>8} {'sentences':>9}  seconds: least, median, most"]
    for name, case in found["cases"].items():
        lines.append(f"{name:45} {len(case['verdicts']):8} {len(case['sentences']):9}  {case['seconds']}")
        for kind in ("verdicts", "sentences"):
            if len(case[kind]) > 1:
                lines += [f"    {number} times: {text}" for text, number in case[kind].most_common()]
    return "\n".join(lines)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--ranks", type=int, default=3)
    parser.add_argument("--limit", type=float, default=120.0)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
