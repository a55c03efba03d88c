"""The tables of a page that set a paper's letters beside ours."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from letters import ENTRIES, MEANINGS
from markup import escaped, table

from sparring.costs.published.notation import Letter
from sparring.literature.notation import notations
from sparring.literature.statements import TAGS
from sparring.present.explorer.formulas import formulas
from sparring.spec.core.model import Page

SAID = """\
The letters of the paper stand beside those of this page.  A row with *here* has a letter that means something else on
this page."""
COSTS = {
    "alpha": "seconds a message",
    "beta": "seconds a byte",
    "gamma": "seconds an addition",
    "width": "bytes a word",
}
"""The letters of the section on costs, beside those of the formulas."""
FUNCTIONS = {"log2"}
HEAD = ("in the paper", "here", "meaning", "how it is known")


def notation(page: Page) -> str:
    """Return a table for each paper whose letters are known; raise ValueError for a letter that the page lacks."""
    parts = []
    for paper, letters in notations(page).items():
        wrong = {letter.theirs: missing for letter in letters if (missing := strangers(page, letter))}
        if wrong:
            raise ValueError(f"page {page.name}: {paper} is said to have what the page lacks: {wrong}")
        parts += [f"In {escaped(paper)}:", table(HEAD, [row(page, letter) for letter in letters], "notation")]
    return "\n\n".join([SAID, *parts]) if parts else ""


def row(page: Page, letter: Letter) -> tuple[str, str, str, str]:
    """Return the row of one letter."""
    known = "; ".join(TAGS[tag].partition(":")[0] for tag in letter.tag)
    ours = f"``{letter.ours}``" if letter.ours else "no letter"
    return f"``{letter.theirs}``", ours, "; ".join(meanings(page, letter)), known


def meanings(page: Page, letter: Letter) -> Iterator[str]:
    """Yield what the paper's letter means, and what the same letter means here, where that is something else."""
    yield letter.means or MEANINGS[letter.ours]
    if letter.theirs == letter.ours:
        return
    told = {**COSTS, **dict.fromkeys(arguments(page), "another letter of the formulas above"), **ours(page)}
    if letter.theirs in told:
        yield f"*here* ``{letter.theirs}`` is {told[letter.theirs]}"


def ours(page: Page) -> dict[str, str]:
    """Return what letters and parameters mean here: a letter of ours means the same on every page."""
    known = MEANINGS if page.composed else {**MEANINGS, ENTRIES[0]: ENTRIES[1]}
    return {**dict.fromkeys(page.params, "a parameter"), **known}


def strangers(page: Page, letter: Letter) -> list[str]:
    """Return the names in our side of a letter that neither formulas nor parameters nor costs of the page have."""
    names = {node.id for node in ast.walk(ast.parse(letter.ours)) if isinstance(node, ast.Name)}
    return sorted(names - FUNCTIONS - used(page))


def used(page: Page) -> set[str]:
    """Return the letters of formulas, parameters and costs; a cost has ``k`` only where vectors are sparse."""
    sparse = page.data not in ("dense", "vector")
    return {"p", "n", *COSTS, *("k" if sparse else "")} | set(page.params) | arguments(page)


def arguments(page: Page) -> set[str]:
    """Return what the formulas take."""
    return {letter for formula in formulas(page.module) for letter in formula.letters}
