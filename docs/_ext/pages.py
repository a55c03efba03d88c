"""Writes the documentation's page of each algorithm from the algorithm's module, before Sphinx reads its sources.

Nothing here names an algorithm: whatever ``sparring.pages()`` lists gets its page.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from judged import claims, costs, theorems, verdicts
from letters import letters
from markup import code, conditions, escaped, fields, footnoted, heading, table
from notation import notation
from sphinx.application import Sphinx

import sparring
from sparring.present import spacetime
from sparring.spec.core.model import Page
from sparring.verification.algorithm import implementation

RANKS = 4  # in the picture

LISTING = """\
Every page below is made from the algorithm's own module whenever this documentation is built: its prose, its
formulas and its picture are the module's, and its verdicts are those of this code."""

LEGEND = """\
Ranks stand across, time runs down, every message is an arrow.  A bar is a rank's copy of the vector, with a
cell for each chunk that fills up as contributions arrive."""

FORMULAS = "They stand here as they run, as they are proved and as they are drawn."

LOCAL = "any, in front: :doc:`how to choose </howto/selection>`"

PROGRAM = """\
Who sends what depends on the data: the explorer shows one example.  The program stands here as it runs; what is proved
is proved of its small functions."""


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx when the extension is loaded."""
    app.connect("builder-inited", write_all)
    return {"parallel_read_safe": True}


def write_all(app: Sphinx) -> None:
    """Write ``algorithms/`` in the sources: a page and a picture an algorithm, and their list."""
    folder = Path(app.srcdir) / "algorithms"
    folder.mkdir(exist_ok=True)
    pages = [sparring.page(name) for name in sparring.pages()]
    texts = {"index.rst": listing(pages)}
    for page in pages:
        texts[f"{page.name}.rst"] = written(page)
        if not page.composed:
            texts[f"{page.name}.svg"] = spacetime.svg(page, RANKS)
    for path in folder.iterdir():
        if path.name not in texts:
            path.unlink()
    for name, text in texts.items():
        write(folder / name, text)


def write(path: Path, text: str) -> None:
    """Write the file unless it holds that already: an unchanged page is not read again."""
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def listing(pages: Sequence[Page]) -> str:
    """The list of all algorithms."""
    rows = [(f":doc:`{page.name}`", f"``{page.name}``", page.kind.replace("_", "-")) for page in pages]
    tree = ".. toctree::\n   :hidden:\n\n" + "\n".join(f"   {page.name}" for page in pages)
    listed = table(("algorithm", "name", "kind"), rows)
    parts = [heading("Algorithms"), LISTING, listed, heading("What is proved", "-"), theorems(pages), tree]
    return "\n\n".join(parts) + "\n"


def written(page: Page) -> str:
    """The page of one algorithm; each section has a name of its own that links may rest on."""
    sections = {
        "Explorer": explorer(page),
        "Picture": "" if page.composed else f"{picture(page)}\n\n{LEGEND}",
        "Program" if page.composed else "Formulas": text(page),
        "Costs": costs(page),
        "Claims": claims(page),
        "Verdicts": verdicts(page),
        "Run it": code("console", commands(page)),
    }
    parts = [heading(page.title), facts(page), prose(page.doc)]
    for title, section in sections.items():
        parts += [heading(title, "-"), section] if section else []
    return "\n\n".join(parts) + "\n"


def explorer(page: Page) -> str:
    """The explorer on a few ranks."""
    return f".. explorer:: {page.name}\n   :ranks: {RANKS}"


def text(page: Page) -> str:
    """The page's own text, what its letters mean, and what papers call them."""
    said = PROGRAM if page.composed else FORMULAS
    return "\n\n".join([said, code("python", formulas(page.module)), letters(page), notation(page)]).rstrip("\n")


def facts(page: Page) -> str:
    """Name, kind, parameters, whether it takes a selector, source and implementation."""
    target = implementation(page)
    return fields(
        {
            "Name": f"``{page.name}``",
            "Kind": page.kind.replace("_", "-"),
            "Parameters": ", ".join(f"``{name} = {value}``" for name, value in page.params.items()),
            **({"Selector": LOCAL} if page.stateful and not page.composed else {}),
            "Source": footnoted(" ".join(re.findall(r"\[\w+\]_", page.doc.split("\n")[0]))),
            "Implementation": f"``{target}``" if target else "none yet",
        }
    )


def prose(doc: str) -> str:
    """The docstring below its title."""
    return footnoted("\n\n".join(conditions(paragraph) for paragraph in doc.strip().split("\n\n")[1:]))


def picture(page: Page) -> str:
    """The space-time picture."""
    alt = f"{escaped(page.title)} on {RANKS} ranks: who sends which chunk to whom, step by step"
    return f".. image:: {page.name}.svg\n   :class: spacetime\n   :alt: {alt}"


def formulas(module: ModuleType) -> str:
    """The module's source below its docstring and its imports, except for what it has from another page."""
    source = inspect.getsource(module)
    head = [node for node in ast.parse(source).body if isinstance(node, (ast.Expr, ast.Import)) or of_core(node)]
    return "\n".join(source.splitlines()[head[-1].end_lineno :]).strip("\n")


def of_core(node: ast.stmt) -> bool:
    """Whether it imports what is no page."""
    return isinstance(node, ast.ImportFrom) and not re.fullmatch(r"sparring\.spec\.\w+", node.module or "")


def commands(page: Page) -> str:
    """What to type."""
    name = page.name
    told = {
        f"show {name} --ranks 8": "all this in the terminal",
        f"prove {name}": "the verdicts above",
    }
    if not page.composed:
        told[f"cost {name} --at p=16,n=1000000,k=1000"] = "the costs above, and numbers"
    told[f"check mine.py:{'T' if page.stateful else 'f'} --algorithm {name} --level steps"] = (
        "does yours send the same?"
    )
    if implementation(page):
        told[f"run {name} --ranks 16"] = "the implementation beside the reference"
        told[f"verify {name} --on both"] = "everything, simulated and under mpiexec"
    width = max(map(len, told))
    return "\n".join(f"$ sparring {command:<{width}}  # {why}" for command, why in told.items())
