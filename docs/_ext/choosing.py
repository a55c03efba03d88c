"""The directive ``library-choices``: what MPI libraries choose by themselves, from ``docs/choices``, with pictures.

Each file is what ``sparring check --library NAME allreduce --selection FILE --json`` printed, as
``docs/choices/keep.py`` keeps it; its numbers stand nowhere else.
"""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from sparring.libraries import choice_picture
from sparring.libraries.choice_audit import ChoiceAudit
from sparring.libraries.choice_tables import lines

FOLDER = "choices"


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx when the extension is loaded."""
    app.connect("builder-inited", draw)
    app.add_directive("library-choices", LibraryChoices)
    return {"parallel_read_safe": True}


def read(path: Path) -> ChoiceAudit:
    """What one file holds."""
    return msgspec.json.decode(path.read_bytes(), type=ChoiceAudit)


def draw(app: Sphinx) -> None:
    """Write ``generated/choices-NAME.svg`` in the sources, for each file."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # that it looks for fonts the first time is no fault here
    folder = Path(app.srcdir) / "generated"
    folder.mkdir(exist_ok=True)
    for path in sorted((Path(app.srcdir) / FOLDER).glob("*.json")):
        choice_picture.save(read(path), folder / f"choices-{path.stem}.svg")


class LibraryChoices(SphinxDirective):
    """Where it was measured, and what the command told."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        path = Path(self.env.app.srcdir) / FOLDER / f"{self.arguments[0]}.json"
        self.env.note_dependency(path)
        return self.parse_text_to_nodes(told(read(path)))


def told(found: ChoiceAudit) -> str:
    """The machine, and the command's answer as it stands in a terminal, as Markdown."""
    here = found.machine
    machine = f"{here['cpu']}, {here['cores']} cores, {here['system']}; before, {here['load']:g} processes ran"
    letters = f" Letters of costs: {found.source}." if found.source else ""
    return "\n".join([f"Measured on {machine}.{letters}", "", "```text", *lines(found), "```"])
