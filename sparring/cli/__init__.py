"""The command line: a file a command; each is loaded only when it is called or listed."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from typing import Any

import click

from sparring.errors import InputError, MissingExtra, SparringError, Undecided


class Commands(click.Group):
    """The group of commands: the modules of this folder that hold a ``command``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_")]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = importlib.import_module(f"sparring.cli.{cmd_name}").command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Call the command; Ctrl-C, or a reader that went away, ends it with the exit code that shells have for it."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("sparring: interrupted", err=True)
            ctx.exit(INTERRUPTED)
        except BrokenPipeError as error:  # click itself would end with 1, which says that something is refuted
            from sparring.cli import _unforeseen

            ctx.exit(UNREAD if _unforeseen.unread() else _unforeseen.told(error))


INTERRUPTED, UNREAD = 130, 141


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="sparring")
def cli() -> None:
    """What exactly does an allreduce send, is it right, and does the code do that?

    Exit codes: 0 holds, 1 refuted, 2 bad input, 3 undecided or not inductive, 70 an error of its own.
    """


def main() -> None:
    """Run the command line; end errors that sparring raises on purpose with one sentence and an exit code."""
    try:
        cli()
    except SparringError as error:
        click.echo(f"sparring: {error}", err=True)
        sys.exit(exit_code(error))
    except Exception as error:  # noqa: BLE001 - Python would end with 1, which says that something is refuted
        from sparring.cli import _unforeseen

        sys.exit(_unforeseen.told(error))


def exit_code(error: SparringError) -> int:
    """Return 2 for bad input and missing parts, 3 for undecided, else 1."""
    if isinstance(error, (InputError, MissingExtra)):
        return 2
    return 3 if isinstance(error, Undecided) else 1
