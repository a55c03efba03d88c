"""The tutorial, as a new user goes through it: what it shows is what is printed, in the time that it promises."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "tutorials/judge.md").read_text(encoding="utf-8")
MINUTES = 10


def blocks(kind: str) -> list[str]:
    """The tutorial's blocks of one kind."""
    return re.findall(rf"^```{re.escape(kind)}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def mended(source: str) -> str:
    """The program after the tutorial's diff."""
    (diff,) = blocks("diff")
    lines = diff.splitlines(keepends=True)
    old, new = ("".join(line[1:] for line in lines if line[0] == sign) for sign in "-+")
    assert source.count(old) == 1
    return source.replace(old, new)


PATIENT = "from sparring.checks import engine; engine.SHRINKING = 60; from sparring.cli import main; main()"
"""The command, with time to find the smallest example also where other tests take the cores."""


def run(command: str) -> tuple[int, str]:
    """What a command prints on a wide terminal, in a new process: hypothesis also draws what loaded modules hold."""
    program, *args = command.split()
    assert program == "sparring"
    env = {**os.environ, "COLUMNS": "400", "PYTHONPATH": str(DOCS.parent)}
    call = [sys.executable, "-c", PATIENT, *args]
    done = subprocess.run(call, env=env, capture_output=True, text=True, timeout=200, check=False)
    return done.returncode, done.stdout


def rows(text: str) -> set[str]:
    """Lines with single spaces."""
    return {" ".join(line.split()) for line in text.splitlines() if line.strip()}


@pytest.mark.timeout(MINUTES * 60)
def test_the_tutorial(tmp_path, monkeypatch):
    """Found, shrunk, seen, mended."""
    start = time.monotonic()
    monkeypatch.chdir(tmp_path)
    program, _ = blocks("python")
    (look,) = blocks("{code-block} python")
    first, _, last = [line[2:] for block in blocks("console") for line in block.splitlines() if line[0] == "$"]
    table, vectors, sentence, right = blocks("text")
    (tmp_path / "mine.py").write_text(program, encoding="utf-8")

    code, printed = run(first)
    assert code == 1
    assert rows(table) <= rows(printed)
    script = (tmp_path / "sparring-failures" / "conservation.py").read_text()
    assert vectors in script

    shown = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, timeout=100, check=True)
    assert shown.stdout == sentence
    assert (tmp_path / "sparring-failures" / "steps.svg").read_text() == (DOCS / "tutorials/judge.svg").read_text()

    (tmp_path / "mine.py").write_text(mended(program), encoding="utf-8")
    again = subprocess.run(
        [sys.executable, "sparring-failures/conservation.py"], capture_output=True, text=True, timeout=100, check=True
    )
    assert again.stdout == "holds: conservation on this example\n"
    code, printed = run(last)
    assert code == 0
    assert rows(right) <= rows(printed)
    assert time.monotonic() - start < MINUTES * 60
