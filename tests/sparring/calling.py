"""The command line, called as a user calls it."""

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


def command(name):
    """``sparring NAME`` as a function."""
    return partial(called, name)
