"""The command line, called as a user calls it."""

import json
from functools import partial

from click.testing import CliRunner

from sparring.cli import cli, exit_code
from sparring.errors import SparringError


def called(command, *args):
    """The exit code, standard output and error of ``sparring COMMAND ARGS``."""
    result = CliRunner().invoke(cli, [command, *map(str, args)])
    if isinstance(result.exception, SparringError):  # which main() turns into one sentence and its exit code
        return exit_code(result.exception), result.stdout, str(result.exception)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def envelope_of(*args, code=0):
    """The envelope of ``sparring ARGS --json``, which ends with that exit code."""
    ended, out, error = called(*args, "--json")
    assert ended == code, out + error
    return json.loads(out)


def refused(*args):
    """The one sentence with which ``sparring ARGS`` refuses bad input: exit code 2, and nothing is printed."""
    code, out, error = called(*args)
    assert (code, out) == (2, "")
    return error


def command(name):
    """``sparring NAME`` as a function."""
    return partial(called, name)
