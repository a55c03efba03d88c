"""The directive ``explorer``: a run in the page, to be stepped through.

Its argument is an algorithm, on so many ``ranks``, or a name in ``stories.STORIES``.  The run lies in a file of its
own, ``explorers/NAME.html``, which is written when the build ends, and is read when a reader comes near it.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective
from stories import STORIES

from sparring.present.explorer import examples, html, pages

RANKS = 4
"""Ranks, where the page does not say how many."""
FOLDER = "explorers"

FRAME = """\
<figure class="{look}">
<iframe src="{path}#embed{at}" title="{title}" loading="lazy"></iframe>
<figcaption>{caption} <a href="{path}">Open it alone</a>.</figcaption>
</figure>"""
CAPTION = "Step with the arrow keys; choose a message or a copy to see what it holds."


class Explorer(SphinxDirective):
    """An explorer in a frame, and a link to the explorer alone."""

    required_arguments = 1
    option_spec: ClassVar = {
        "ranks": directives.positive_int,
        "step": directives.positive_int,  # to open at, where there are no findings
        "topology": directives.unchanged_required,  # of an algorithm: whose links it opens at
        "caption": directives.unchanged_required,
        "tall": directives.flag,  # where findings stand above the picture
    }

    def run(self) -> list[nodes.Node]:
        """Note which document is needed, and return its frame."""
        name, ranks = self.arguments[0], self.options.get("ranks", RANKS)
        topology = self.options.get("topology")
        key = name if name in STORIES else "-".join(filter(None, (name, str(ranks), topology)))
        kept(self.env).setdefault(self.env.docname, {})[key] = (name, ranks, topology)
        path = "../" * self.env.docname.count("/") + f"{FOLDER}/{key}.html"
        caption = self.options.get("caption", CAPTION)
        look = "explorer tall" if "tall" in self.options else "explorer"
        at = f"&amp;step={self.options['step']}" if "step" in self.options else ""
        at += "&amp;view=topology" if topology else ""
        text = FRAME.format(path=path, at=at, look=look, title=escape(f"Explorer: {key}"), caption=escape(caption))
        return [nodes.raw("", text, format="html")]


Asked = tuple[str, int, str | None]
"""A name, ranks, and a topology if there is one."""


def kept(env: BuildEnvironment) -> dict[str, dict[str, Asked]]:
    """Return which explorers each page has, by the names of their files."""
    found: dict[str, dict[str, Asked]] = vars(env).setdefault("sparring_explorers", {})
    return found


def page(name: str, ranks: int, topology: str | None = None) -> str:
    """Return the page of a story, or else of an algorithm."""
    if name in STORIES:
        return STORIES[name]()
    return html.page(pages.document(examples.page(name, ranks), ranks, topology))


def write(app: Sphinx, failed: Exception | None) -> None:
    """Write the files."""
    if failed is None and app.builder.format == "html":
        folder = Path(app.outdir) / FOLDER
        folder.mkdir(exist_ok=True)
        for name, asked in {key: asked for each in kept(app.env).values() for key, asked in each.items()}.items():
            (folder / f"{name}.html").write_text(page(*asked), encoding="utf-8")


def forget(_app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    """Forget the explorers of a page that is read anew."""
    kept(env).pop(docname, None)


def merge(_app: Sphinx, env: BuildEnvironment, docnames: Any, other: BuildEnvironment) -> None:
    """Take over what another process has read."""
    kept(env).update({name: found for name, found in kept(other).items() if name in docnames})


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx when the extension is loaded."""
    app.add_directive("explorer", Explorer)
    app.connect("build-finished", write)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    return {"parallel_read_safe": True}
