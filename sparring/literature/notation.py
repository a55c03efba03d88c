"""Finds what papers call the letters of a page."""

from __future__ import annotations

from collections.abc import Sequence

from sparring.costs.published.notation import Letter, beside
from sparring.literature.papers import sources
from sparring.spec.core.model import Page


def notations(page: Page) -> dict[str, Sequence[Letter]]:
    """Return the letters by paper: those that stand beside the page's claims, then those of the literature.

    >>> import sparring
    >>> [(x.theirs, x.ours) for x in notations(sparring.page("ring"))["Patarasuk and Yuan 2009"]]
    [('N', 'p'), ('X', 'n')]
    """
    told = {one.bibliography.rstrip("."): one.notation[page.name] for one in sources() if page.name in one.notation}
    return {**beside(page), **told}
