"""Draws how many messages each link carries whenever the documentation is built."""

from __future__ import annotations

import logging
from pathlib import Path

from sphinx.application import Sphinx

import sparring
from sparring.present import linkload
from sparring.proofs.contention import networks


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx when the extension is loaded."""
    app.connect("builder-inited", draw)
    return {"parallel_read_safe": True}


def draw(app: Sphinx) -> None:
    """Write ``generated/linkload.svg`` in the sources."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # that it looks for fonts the first time is no fault here
    path = Path(app.srcdir) / "generated" / "linkload.svg"
    path.parent.mkdir(exist_ok=True)
    linkload.save(linkload.loads(sparring.page("recursive_doubling"), networks.find("ring"), 8), path)
