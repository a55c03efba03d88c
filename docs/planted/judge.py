"""Runs `sparring check` on every wrong allreduce of the catalogue and on its twin, and keeps here what it says.

Run:  python docs/planted/judge.py [KIND ...]        dense nonblocking sparse stateful torch C

The catalogue is `tests/sparring/checks/suites.py`.  Two commands run at a time.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from defusedxml import ElementTree

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT))

from tests.sparring.checks.suites import CATALOGUE, Suite, command_line  # noqa: E402  # the checkout is no package

JOBS = 2
LIMIT = 600
"""Seconds for one command."""
MACHINE = f"{os.cpu_count()} cores, {platform.machine()}; {JOBS} checks at a time"


class Asked(NamedTuple):
    """A target's source, or its place, and what the command is told."""

    name: str
    source: str
    options: list[str]


class Told(NamedTuple):
    """What a command said: the properties that it refutes, when it said so first, and when it ended."""

    name: str
    options: str
    refuted: list[str]
    first: float | None
    seconds: float


def told(suite: Suite, asked: Asked) -> Told:
    """What the command says of a target, in a folder of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        target = suite.written(folder, asked.source)
        words = [target] if isinstance(target, str) else ["--", *target]
        command = [sys.executable, "-m", "sparring", "check", *asked.options, "--junit", "told.xml", *words]
        first, seconds, said = timed(command, folder)
        try:
            cases = ElementTree.parse(folder / "told.xml").iter("testcase")
        except OSError:
            raise SystemExit(f"{asked.name}: the command gave no verdict:\n{said}") from None
        refuted = [str(case.get("name")) for case in cases if case.find("failure") is not None]
    return Told(asked.name, " ".join(asked.options), refuted, first, seconds)


def timed(command: list[str], folder: Path) -> tuple[float | None, float, str]:
    """When the first refutation was printed, when the command ended, and what it printed."""
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    environ = {**os.environ, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1", "COLUMNS": "200"}
    start, first, said = time.monotonic(), None, []
    with subprocess.Popen(
        command, cwd=folder, env=environ, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as running:
        for line in running.stdout or ():
            said.append(line)
            if first is None and line.startswith("refuted: "):
                first = round(time.monotonic() - start, 1)
        running.wait(LIMIT)
    return first, round(time.monotonic() - start, 1), "".join(said)


def judged(kind: str, names: list[str] | None = None) -> dict[str, Any]:
    """What is said of the wrong ones of a kind, and of their twins with the same options."""
    suite = CATALOGUE[kind]
    wrong, twins = [], {}
    for name, defect in suite.defects.items():
        if names is None or name in names:
            options = command_line(suite.options(defect))
            wrong.append(Asked(name, suite.wrong(defect), options))
            twins[suite.twin(defect), *options] = Asked("twin", suite.twin(defect), options)
    with ThreadPoolExecutor(JOBS) as pool:
        found = [one._asdict() for one in pool.map(partial(told, suite), [*wrong, *twins.values()])]
    return {"machine": MACHINE, "defects": found[: len(wrong)], "twins": found[len(wrong) :]}


def main(*kinds: str) -> None:
    """Writes a file a kind."""
    for kind in kinds or CATALOGUE:
        text = json.dumps(judged(kind), indent=1)
        Path(__file__).with_name(f"{kind}.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
