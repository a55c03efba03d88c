"""Draws the map in CONTRIBUTING.md: by which functions three commands go from room to room.  Run: python docs/map.py

A room is a folder of the package, or a module beside the folders.  It stands below the rooms from which it is entered,
with the function under which most calls are made.  Where little is done is left out.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, NamedTuple

import greenlet

from sparring.cli import cli

ROOT = Path(__file__).parents[1]
MAP = ROOT / "CONTRIBUTING.md"
START, END = "<!-- map -->\n```text\n", "```\n<!-- end of map -->"
COMMANDS: Mapping[str, Sequence[str]] = {
    "verify ring": ("verify", "ring", "--no-cache", "--jobs", "1", "--json"),
    "check mine.py:f": ("check", "mine.py:f", "--max-examples", "20", "--json"),
    "cost ring": ("cost", "ring"),
}
MINE = "from sparring.impl.ring import allreduce as f\n"
FEW = 1000
"""Of so many calls one must be made behind a door, or it is left out."""
APART = ("costs", "proofs")
"""Folders whose folders are rooms."""


class Door(NamedTuple):
    """From which room a command enters a room, and in which file by which function.

    ``part``: behind it one of so many calls is made.
    """

    room: str
    by: str
    file: str
    function: str
    part: int


class Entry(NamedTuple):
    """A call of a function of a room; from which room, if it is entered anew; and how many calls were before."""

    room: str
    by: str
    before: int


class Watch:
    """Counts calls, by the door under which they are made; a greenlet goes on where it was switched to first."""

    def __init__(self) -> None:
        self.calls = 0
        self.under: dict[str, dict[str, Counter[tuple[str, str]]]] = {}
        self.stacks: dict[Any, list[Entry]] = {}
        self.rooms: dict[str, str] = {}

    def switched(self, event: str, greenlets: Any) -> None:
        """See what the greenlet calls that runs now."""
        before, now = greenlets
        self.stacks.setdefault(now, [*self.stacks.get(before, [])])
        sys.setprofile(self)

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        if event not in ("call", "return") or not (room := self.room(frame.f_code.co_filename)):
            return
        stack = self.stacks.setdefault(greenlet.getcurrent(), [])
        if event == "call":
            self.calls += 1
            there = any(entry.room == room for entry in stack)
            stack.append(Entry(room, "" if there or not stack else stack[-1].room, self.calls))
        elif stack:
            entry = stack.pop()
            if entry.by:
                by = self.under.setdefault(entry.room, {}).setdefault(entry.by, Counter())
                by[inside(Path(frame.f_code.co_filename)), frame.f_code.co_name] += self.calls - entry.before + 1

    def room(self, file: str) -> str:
        """The room of a file; empty for one that is not of the house."""
        if file not in self.rooms:
            self.rooms[file] = room_of(Path(file))
        return self.rooms[file]

    def doors(self) -> list[Door]:
        """All of them; of a room that has several, most used first."""
        return [
            Door(room, by, *functions.most_common(1)[0][0], self.calls // functions.total())
            for room, rooms in sorted(self.under.items())
            for by, functions in sorted(rooms.items(), key=lambda one: -one[1].total())
        ]


def inside(file: Path) -> str:
    """Where a file lies in the package; empty for one that is not of the house."""
    if not file.is_relative_to(ROOT) or file.is_relative_to(ROOT / "docs"):
        return ""
    return file.relative_to(ROOT).as_posix().removeprefix("sparring/")


def room_of(file: Path) -> str:
    """The room of a file; empty for one that is not of the house."""
    first, *rest = inside(file).split("/")
    return f"{first}/{rest[0]}" if first in APART and len(rest) > 1 else first.removesuffix(".py")


def doors(command: Sequence[str]) -> list[Door]:
    """By which doors a command goes, in this process."""
    watch = Watch()
    greenlet.settrace(watch.switched)
    sys.setprofile(watch)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
            cli.main([*command])
    finally:
        sys.setprofile(None)
        greenlet.settrace(None)
    return watch.doors()


def traced(command: str) -> list[Door]:
    """The same in a process and a folder of its own, where nothing is known of what other commands have done."""
    with TemporaryDirectory() as folder:
        (Path(folder) / "mine.py").write_text(MINE, encoding="utf-8")
        run, env = [sys.executable, str(ROOT / "docs" / "map.py"), command], {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(run, cwd=folder, env=env, timeout=300, check=True, capture_output=True, text=True)
    return [Door(*one) for one in json.loads(done.stdout)]


def tree(doors: Sequence[Door], room: str, indent: str = "") -> Iterator[str]:
    """The rooms that are entered from a room; those that are entered from these below them, where most is done."""
    usual = {door.room: door for door in reversed(doors)}
    for door in (one for one in doors if one.by == room):
        yield f"{indent}{door.file}: {door.function}"
        if usual[door.room] == door:
            yield from tree(doors, door.room, f"{indent}  ")


def drawn(command: str) -> str:
    """The part of the map that is a command's."""
    return "\n".join(
        [f"sparring {command}", *tree([door for door in traced(command) if door.part <= FEW], "cli", "  ")]
    )


def shown() -> str:
    """The map as it stands in the file."""
    return MAP.read_text(encoding="utf-8").partition(START)[2].partition(END)[0]


def main() -> None:
    """Draw it anew."""
    text, new = MAP.read_text(encoding="utf-8"), "\n\n".join(map(drawn, COMMANDS))
    MAP.write_text(text.replace(f"{START}{shown()}{END}", f"{START}{new}\n{END}"), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.stdout.write(json.dumps(doors(COMMANDS[sys.argv[1]])))
    else:
        main()
