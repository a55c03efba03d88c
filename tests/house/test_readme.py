"""The README tells the truth: its snippets run and its commands exist."""

from __future__ import annotations

import doctest
import shlex
from pathlib import Path

import pytest
from click import Context
from click.testing import CliRunner

from sparring.cli import cli

README = Path(__file__).parents[2] / "README.md"
COMMANDS = [
    shlex.split(line.removeprefix("$ "), comments=True)
    for line in README.read_text(encoding="utf-8").splitlines()
    if line.startswith("$ sparring")
]


def test_the_snippets_run():
    """Every Python example prints what the README says."""
    failed, tried = doctest.testfile(str(README), module_relative=False)

    assert tried >= 6
    assert failed == 0


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_the_commands_are_understood(command):
    """Each command line parses: no option is named that does not exist."""
    _, name, *args = command
    subcommand = cli.get_command(Context(cli), name)

    assert subcommand is not None
    subcommand.make_context(name, args)


def test_the_picture_is_there():
    """The file that the README shows exists."""
    assert (README.parent / "docs" / "ring.svg").is_file()


def test_the_commands_without_files_run():
    """Those that are quick and need nothing are run."""
    for command in COMMANDS:
        if command[1] in ("list", "show") or command[1:] == ["run", "ring", "--ranks", "128"]:
            assert CliRunner().invoke(cli, command[1:]).exit_code == 0, command
