"""The directive ``gallery``: a tile an algorithm, with a small picture, its kind, and how much it sends."""

from __future__ import annotations

from html import escape

from docutils import nodes
from judged import derived
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from thumbnails import svg

import sparring
from sparring.present.explorer import examples, pages
from sparring.present.explorer.document import Document
from sparring.spec.core.model import Page

RANKS = 4

TILE = """\
<a class="tile" href="{target}">{picture}
<strong>{title}</strong>
<span class="says">{says}</span>
<span class="facts"><code>{name}</code>, {kind}</span>
<span class="facts">{steps}</span>
<span class="facts">{words}</span></a>"""


class Gallery(SphinxDirective):
    """A tile an algorithm; each leads to the algorithm's page."""

    def run(self) -> list[nodes.Node]:
        """Return the tiles."""
        tiles = "\n".join(self.tile(sparring.page(name)) for name in sparring.pages())
        return [nodes.raw("", f'<div class="tiles">\n{tiles}\n</div>', format="html")]

    def tile(self, page: Page) -> str:
        """Return the tile of one algorithm."""
        shown = pages.document(examples.page(page.name, RANKS), RANKS)
        target = self.env.app.builder.get_relative_uri(self.env.docname, f"algorithms/{page.name}")
        title, _, says = page.title.partition(": ")
        return TILE.format(
            target=target, picture=svg(shown), title=escape(title), says=escape(says), name=page.name,
            kind=page.kind.replace("_", "-"), steps=steps(shown), words=words(page),
        )  # fmt: skip


def steps(shown: Document) -> str:
    """Return how many steps there are."""
    many = sum(len(stage.steps) for stage in shown.runs[0].stages)
    return f"{many} step{'s' if many != 1 else ''} on {shown.ranks} ranks"


def words(page: Page) -> str:
    """Return the most words that one rank sends, where nothing is rounded if there is such a formula."""
    cost = derived(page.name)
    if isinstance(cost, str):
        return "words: no closed form yet"
    divided = cost.simplify(cost.plainest).form("words")
    form = cost.form("words") if divided is None else divided
    return "words: see its costs" if form is None else f"<code>{escape(str(form))}</code> words"


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx when the extension is loaded."""
    app.add_directive("gallery", Gallery)
    return {"parallel_read_safe": True}
