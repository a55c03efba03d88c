"""The directive ``commands``: the help of every command, as the command line itself prints it."""

from __future__ import annotations

import click
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from sparring.cli import cli


class Commands(SphinxDirective):
    """A section a command."""

    def run(self) -> list[nodes.Node]:
        with click.Context(cli, info_name="sparring") as top:
            names = cli.list_commands(top)
            return [self.section(top, name) for name in names]

    def section(self, top: click.Context, name: str) -> nodes.section:
        """The command's name and its help."""
        command = cli.get_command(top, name)
        if command is None:
            raise self.error(f"no command {name!r}")
        context = click.Context(command, info_name=name, parent=top, max_content_width=100, terminal_width=100)
        text = command.get_help(context)
        block = nodes.literal_block(text, text, language="none")
        return nodes.section("", nodes.title("", f"sparring {name}"), block, ids=[f"sparring-{name}"], names=[name])


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx when the extension is loaded."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True}
