"""The README tells the truth: its commands exist and its numbers are up to date."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from click import Context
from click.testing import CliRunner
from cogapp import Cog

from sparring.cli import cli
from tests.house.conftest import python

README = Path(__file__).parents[2] / "README.md"
COMMANDS = [
    shlex.split(line.removeprefix("$ "), comments=True)
    for line in README.read_text(encoding="utf-8").splitlines()
    if line.startswith("$ sparring")
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_the_commands_are_understood(command):
    """Each command line parses: no option is named that does not exist."""
    _, name, *args = command
    subcommand = cli.get_command(Context(cli), name)

    assert subcommand is not None
    subcommand.make_context(name, args)


def test_the_commands_without_files_run(tmp_path, monkeypatch):
    """Those that are quick and need nothing are run; the picture is there."""
    monkeypatch.chdir(tmp_path)  # one writes a file
    assert (README.parent / "docs" / "ring.svg").is_file()
    for command in COMMANDS:
        if command[1] in ("list", "show") or command[1:] == ["run", "ring", "--ranks", "128"]:
            assert CliRunner().invoke(cli, command[1:]).exit_code == 0, command


@pytest.mark.slow  # it verifies all algorithms
@pytest.mark.timeout(1500)
def test_the_numbers_are_up_to_date():
    """What stands between cog's marks is what the code says now; else: python -m cogapp -r README.md."""
    done = cog(README)
    assert done.returncode == 0, done.stdout


def test_a_stale_number_is_seen(tmp_path):
    """The ring's line of the table of costs is what it says; another number in it is reported."""
    text = README.read_text(encoding="utf-8")
    whole = text[text.index("**What does it cost?**") : text.index("**What would it do")]
    others = re.compile(r"^\| (?!ring \|)\w+ \| `.*\n", re.MULTILINE)
    part = others.sub("", whole.replace("sparring.pages()", '["ring"]'))
    for name, said, code in (("part", part, 0), ("stale", part.replace("1,875,000", "1,875,001"), 5)):
        (tmp_path / name).write_text(said)
        assert Cog().main(["cog", "--check", str(tmp_path / name)]) == code


def cog(file: Path) -> subprocess.CompletedProcess[str]:
    """Compare what stands between cog's marks with what its code prints."""
    return python("-m", "cogapp", "--check", file)
