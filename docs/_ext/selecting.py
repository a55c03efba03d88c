"""Writes the documentation's page of each selector from the selector's module, before Sphinx reads its sources.

As with algorithms, nothing here names a selector: whatever ``sparring.api.selectors()`` lists gets its page.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from markup import code, fields, heading, table
from pages import formulas, prose, write
from sphinx.application import Sphinx

from sparring import api
from sparring.spec.core.selectors import Selector, find
from sparring.verification.selector import implementation

LISTING = """\
A selector says which entries of a vector are sent.  Each page below is made from the selector's own module.  Any
of them goes with every sparse allreduce that is not built on a rule of its own: see :doc:`/howto/selection`."""

FORMULAS = """\
They stand here as they run and as they are judged.  Of ``n`` entries a call takes at least ``least(n)`` and at most
``most(n)``."""


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx when the extension is loaded."""
    app.connect("builder-inited", write_all)
    return {"parallel_read_safe": True}


def write_all(app: Sphinx) -> None:
    """Write ``selectors/`` in the sources: a page a selector, and their list."""
    folder = Path(app.srcdir) / "selectors"
    folder.mkdir(exist_ok=True)
    found = [find(name) for name in api.selectors()]
    texts = {"index.rst": listing(found), **{f"{one.name}.rst": written(one) for one in found}}
    for path in folder.iterdir():
        if path.name not in texts:
            path.unlink()
    for name, text in texts.items():
        write(folder / name, text)


def listing(found: Sequence[Selector]) -> str:
    """The list of all selectors."""
    rows = [(f":doc:`{one.name}`", f"``{one.name}``", ", ".join(f"``{x}``" for x in one.params)) for one in found]
    tree = ".. toctree::\n   :hidden:\n\n" + "\n".join(f"   {one.name}" for one in found)
    parts = [heading("Selectors"), LISTING, table(("selector", "name", "parameters"), rows), tree]
    return "\n\n".join(parts) + "\n"


def written(one: Selector) -> str:
    """The page of one selector."""
    parts = [heading(one.title), facts(one), prose(one.doc)]
    parts += [heading("Formulas", "-"), FORMULAS, code("python", formulas(one.module))]
    parts += [heading("Run it", "-"), code("console", commands(one))]
    return "\n\n".join(parts) + "\n"


def facts(one: Selector) -> str:
    """Name, parameters and implementation."""
    made = f"``sparring.impl.selectors.{one.name}:Selector``" if implementation(one) else "none yet"
    return fields(
        {
            "Name": f"``{one.name}``",
            "Parameters": ", ".join(f"``{name} = {value}``" for name, value in one.params.items()),
            "Implementation": made,
        }
    )


def commands(one: Selector) -> str:
    """What to type."""
    told = {
        f"show {one.name} -P k=50": "this in the terminal, and how many entries it takes",
        f"verify {one.name}": "what it takes, for every real input of a few entries",
        f"run ring_topk --selector {one.name}": "before an algorithm that selects by itself",
        f"check mine.py:T --algorithm {one.name}": "does yours take the same?",
    }
    width = max(map(len, told))
    return "\n".join(f"$ sparring {command:<{width}}  # {why}" for command, why in told.items())
