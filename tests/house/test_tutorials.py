"""The tutorials, as a reader goes through them: files are saved, diffs applied, and commands print what is shown."""

from __future__ import annotations

import re
import shlex
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from sparring import cost_summaries
from sparring.cli import cli
from sparring.costs.derivation import comparison
from tests.house.conftest import ROOT

ENDS = {"prove": [0, 0, 0, 1, 3, 0], "paper": [0] * 5, "choose": [0, 0], "hang": [1, 0, 1]}
"""What the commands of each tutorial exit with.  The tutorial ``judge`` has a test of its own."""


def rows(text: str) -> list[str]:
    """Lines with single spaces."""
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def followed(text: str, folder: Path) -> list[int]:
    """Do in ``folder`` what a tutorial says; what its commands exit with.  What they print holds all that is shown."""
    ends = []
    for kind, block in re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        if kind == "python":
            play(block, re.search(rf"Save this as `(.*?)`[^`]*```python\n{re.escape(block)}", text), folder)
        elif kind == "diff":
            mend(block, folder)
        elif kind == "latex":
            assert set(rows(block)) <= set(rows((folder / "costs.tex").read_text(encoding="utf-8")))
        elif kind == "console":
            ends += [end for command in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:] for end in typed(command)]
    return ends


def play(program: str, named: re.Match[str] | None, folder: Path) -> None:
    """Save a program that is to be saved, and run any other."""
    if named:
        (folder / named[1]).write_text(program, encoding="utf-8")
    else:
        exec(program, {})


def mend(diff: str, folder: Path) -> None:
    """Apply a diff to the one file that has its old lines, once."""
    old, new = ("".join(line[1:] for line in diff.splitlines(keepends=True) if line[0] == sign) for sign in "-+")
    (file,) = [path for path in folder.glob("*.py") if path.read_text(encoding="utf-8").count(old) == 1]
    file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def typed(command: str) -> list[int]:
    """Type one command, whose first line it is; the others are printed, or stand in the file that it writes."""
    line, _, shown = command.partition("\n")
    call, _, file = line.partition(" > ")
    program, *arguments = shlex.split(call)
    assert program == "sparring"
    done = CliRunner(env={"COLUMNS": "400"}).invoke(cli, arguments)
    if file:
        Path(file).write_text(done.stdout, encoding="utf-8")
    missing = [row for row in rows(shown) if not any(row in printed for printed in rows(done.output))]
    assert missing == [], done.output
    return [done.exit_code]


@pytest.mark.parametrize("name", sorted(ENDS))
def test_the_tutorial_is_followed(name, tmp_path, monkeypatch):
    """Each command prints what is shown below it, and exits as it should; all of it in this process.

    Costs are counted on few ranks, since what is told of them is what is looked at.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cost_summaries, "cores", lambda: 1)
    monkeypatch.setattr(comparison, "compared", partial(comparison.compared, ranks=range(1, 9)))
    assert followed((ROOT / f"docs/tutorials/{name}.md").read_text(encoding="utf-8"), tmp_path) == ENDS[name]


def test_every_tutorial_is_followed():
    """Each has a test."""
    assert {path.stem for path in (ROOT / "docs/tutorials").glob("*.md")} == {*ENDS, "judge"}


def test_a_tutorial_that_lies_is_seen(tmp_path, monkeypatch):
    """Another output than what is shown fails."""
    monkeypatch.chdir(tmp_path)
    text = "```console\n$ sparring list --json\nan output that nothing prints\n```\n"
    with pytest.raises(AssertionError, match="an output that nothing prints"):
        followed(text, tmp_path)
