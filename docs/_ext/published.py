"""The directive ``published``: every claim that `sparring claims` knows, by its source, and what became of it.

``docs/published/claims.json`` has them, written by ``docs/published/keep.py``; their numbers stand nowhere else.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from docutils import nodes
from mutants import table
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import sparring
from sparring.literature.papers import sources

Claim = Mapping[str, Any]

WRONG = ("different", "false")
MEANT = {
    "equal": "the derived cost, as a formula or at all points that were tried",
    "bound": "an upper bound, as it is stated to be",
    "follows": "a relation that holds for all values of its letters",
    "different": "another cost than the derived one; what is right is derived, too",
    "false": "a relation that fails somewhere",
    "not judged": "nothing here decides it, for a reason that is told",
}
"""The verdicts, in their order."""


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx when the extension is loaded."""
    app.add_config_value("published_results", "published/claims.json", "env", [str])
    app.add_directive("published", Published)
    return {"parallel_read_safe": True}


class Published(SphinxDirective):
    """The numbers, what does not hold as it was stated, and a table a source."""

    def run(self) -> list[nodes.Node]:
        path = Path(self.env.app.srcdir) / self.config.published_results
        self.env.note_dependency(path)
        found = json.loads(path.read_text(encoding="utf-8"))
        wrong = [one for one in found if one["judged"] in WRONG]
        sections = [section(source, [*some]) for source, some in groupby(sorted(found, key=of), key=of)]
        text = "\n\n".join(["## The numbers", numbers(found), "## Not as it was stated", differing(wrong), *sections])
        return self.parse_text_to_nodes(text, allow_section_headings=True)


def of(claim: Claim) -> str:
    """The source of a claim, or the page that has it."""
    source: str = claim["id"].partition("/")[0]
    return source


def numbers(found: Sequence[Claim]) -> str:
    """How many claims have each verdict, and what it means."""
    counts = Counter(one["judged"] for one in found)
    rows = [[word, str(counts[word]), meaning] for word, meaning in MEANT.items()]
    return table(["verdict", "claims", "meaning"], [*rows, ["**all**", str(len(found)), ""]])


def differing(wrong: Sequence[Claim]) -> str:
    """The claims that do not hold, each with the reason, which is known beforehand."""
    return table(["claim", "it states", "why it does not hold"], [
        [f"`{one['id']}`", states(one), right(one) + escaped(one["detail"])] for one in wrong
    ])  # fmt: skip


def right(claim: Claim) -> str:
    """The derived cost beside which a claim is wrong; nothing of a relation."""
    return f"it is `{bars(claim['derived'])}`: " if claim["derived"] else ""


def section(source: str, claims: Sequence[Claim]) -> str:
    """The claims of one source."""
    cited = {one.id: one.bibliography for one in sources()}
    own = f"Beside the page of {source}" if source in sparring.pages() else ""
    rows = [
        [f"`{one['id'].partition('/')[2]}`", states(one), escaped(where(one, cited.get(source, ""))), judged(one)]
        for one in claims
    ]
    return "\n\n".join([
        f"## {source}", escaped(cited.get(source, f"{own}.")), table(["claim", "it states", "where", "verdict"], rows)
    ])  # fmt: skip


def states(claim: Claim) -> str:
    """What a claim states, and under which hypotheses."""
    given = f", where {escaped(claim['given'])}" if claim["given"] else ""
    return f"`{bars(claim['statement'])}`{given}"


def where(claim: Claim, cited: str) -> str:
    """Where the source says so, and how sure that is."""
    place: str = claim["source"].removeprefix(f"{cited.rstrip('.')}; ")
    return f"{place} ({claim['tag']})" if claim["tag"] else place


def judged(claim: Claim) -> str:
    """The verdict, and what it rests on; for what is not judged, the reason."""
    rests = claim["detail"] if claim["judged"] == "not judged" else claim["verdict"]
    return f"*{claim['judged']}*: {escaped(rests)}"


def escaped(text: str) -> str:
    """A text in a cell of a table, in which no sign has a meaning."""
    return bars(text).replace("*", "\\*").replace("<", "\\<")


def bars(text: str) -> str:
    """Code in a cell of a table: there only a bar has a meaning."""
    return text.replace("|", "\\|")
