"""The tutorial, as a new user goes through it: what it shows is what is printed, in the time that it promises."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from sparring.checks import engine
from sparring.cli import check

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "tutorial.md").read_text(encoding="utf-8")
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


def run(command: str, monkeypatch) -> tuple[int, str]:
    """What a command prints on a wide terminal, each line's spaces as one."""
    monkeypatch.setenv("COLUMNS", "400")
    program, *args = command.split()
    assert program == "sparring"
    assert args.pop(0) == "check"
    done = CliRunner().invoke(check.command, args)
    return done.exit_code, done.output


def rows(text: str) -> set[str]:
    """Lines with single spaces."""
    return {" ".join(line.split()) for line in text.splitlines() if line.strip()}


@pytest.mark.timeout(MINUTES * 60)
def test_the_tutorial(tmp_path, monkeypatch):
    """Found, shrunk, seen, mended."""
    start = time.monotonic()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(engine, "SHRINKING", 60.0)  # other tests may take the cores
    program, _ = blocks("python")
    (look,) = blocks("{code-block} python")
    first, _, last = [line[2:] for block in blocks("console") for line in block.splitlines() if line[0] == "$"]
    table, vectors, sentence, right = blocks("text")
    (tmp_path / "mine.py").write_text(program, encoding="utf-8")

    code, printed = run(first, monkeypatch)
    assert code == 1
    assert rows(table) <= rows(printed)
    script = (tmp_path / "sparring-failures" / "conservation.py").read_text()
    assert vectors in script

    shown = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, timeout=100, check=True)
    assert shown.stdout == sentence
    assert (tmp_path / "sparring-failures" / "steps.svg").read_text() == (DOCS / "tutorial.svg").read_text()

    (tmp_path / "mine.py").write_text(mended(program), encoding="utf-8")
    again = subprocess.run(
        [sys.executable, "sparring-failures/conservation.py"], capture_output=True, text=True, timeout=100, check=True
    )
    assert again.stdout == "holds: conservation on this example\n"
    code, printed = run(last, monkeypatch)
    assert code == 0
    assert rows(right) <= rows(printed)
    assert time.monotonic() - start < MINUTES * 60
