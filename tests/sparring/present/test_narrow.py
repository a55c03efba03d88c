"""Tables in narrow terminals: no line is wider, and no word is broken that has room in a line."""

from __future__ import annotations

import re
from functools import cache

import pytest
from click.testing import CliRunner
from rich.text import Text

from sparring.cli import cli
from tests.sweeps import sweep, third

RING = "sparring.impl.ring:allreduce"
ASKED = {
    "list": ["list"],
    "claims": ["claims", "ring/", "bruck_allgather/"],
    "a claim": ["claims", "ring/bandwidth"],
    "check": ["check", RING, "--algorithm", "ring", "--ranks", "1-3", "--max-examples", "5"],
    "prove": ["prove", "ring_allgather"],
    "doctor": ["doctor"],
    "cost": ["cost", "ring"],
    "crossing": ["cost", "ring_allgather", "--versus", "ring", "--over", "rho", "--at", "p=8,n=1000000"],
}
WHOLE = 400
"""Columns in which everything has room."""
WORD = re.compile(r"\S*[A-Za-z]\S*")
"""Neither numbers, which may be seconds, nor what bars and spinners are made of."""


@cache
def screen(name: str, width: int) -> list[str]:
    """What stands in a terminal of so many columns."""
    env = {"COLUMNS": str(width), "LINES": "40", "TTY_COMPATIBLE": "1", "TERM": "xterm-256color"}
    done = CliRunner(env=env).invoke(cli, ASKED[name])
    assert done.exit_code == 0, done.output
    return [line.rstrip() for line in Text.from_ansi(done.stdout).plain.splitlines()]


def words(lines: list[str]) -> set[str]:
    """All that have a letter."""
    return {word for line in lines for word in line.split() if WORD.fullmatch(word)}


@pytest.mark.usefixtures("counted_on_few")
@pytest.mark.parametrize("width", sweep([60, 100], few=[60]))
@pytest.mark.parametrize("name", third(ASKED))
def test_no_line_is_wider_and_no_word_is_broken(name, width):
    """But a word that is longer than a line."""
    narrow = screen(name, width)
    assert words(narrow) - words(screen(name, WHOLE)) == set()
    assert [line for line in narrow if len(line) > width and len(line.split()) > 1] == []
