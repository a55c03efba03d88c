"""The map in CONTRIBUTING.md: what it draws is what commands do now, and the files that it names are there."""

from __future__ import annotations

import re
from functools import cache
from types import ModuleType

import pytest

from sparring.spec.core.modules import from_file
from tests.house.conftest import ROOT

SURELY = 200  # a door behind which so large a part is done cannot be missing, however calls are counted elsewhere
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


@cache
def drawing() -> ModuleType:
    """What draws the map."""
    return from_file(ROOT / "docs" / "map.py")


@pytest.mark.slow
@pytest.mark.parametrize("command", ["verify ring", "check mine.py:f", "cost ring"])
def test_the_map_is_drawn_from_what_commands_do(command):
    """Each line is a door that a run goes through now, and no door through which much goes is missing."""
    (mine,) = (part for part in drawing().shown().split("\n\n") if part.startswith(f"sparring {command}\n"))
    lines = {line.strip() for line in mine.splitlines()[1:]}
    new = {f"{door.file}: {door.function}": door.part for door in reversed(drawing().traced(command))}
    assert lines <= {*new} and {line for line, part in new.items() if part <= SURELY} <= lines


def test_what_the_guide_names_is_there():
    """Every path in it that stands for no name."""
    paths = sorted(set(re.findall(r"`((?:spec|impl|proofs|sparring|tests|docs)/[\w./]+)`", TEXT)))
    assert [path for path in paths if not re.search("NAME|COMMAND", path) and not (ROOT / path).exists()] == []


def test_how_long_files_are_that_it_walks_through():
    """To a tenth, since they change."""
    found = re.findall(r"\| `((?:spec|impl|proofs|sparring)/[\w./]+)` \| (\d\d+) \|", TEXT)
    lengths = [(file, int(said), len((ROOT / file).read_text(encoding="utf-8").splitlines())) for file, said in found]
    assert len(lengths) > 5 and [file for file, said, now in lengths if abs(said - now) > now // 10] == []
