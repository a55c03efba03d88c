"""What papers call what a page calls otherwise.

``notation``, a mapping from a paper to a list of :class:`Letter`, stands beside ``claims``; of a paper with a module in
``sparring.literature.papers`` it stands there, as a mapping from a page's name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sparring.costs.published.claim import holder
from sparring.spec.core.model import Page


class Letter(NamedTuple):
    """A letter of a paper, and the same in the letters of a page."""

    theirs: str
    ours: str
    """An expression in the page's letters and parameters; empty where the page has nothing for it."""
    tag: str
    """How sure it is that the paper writes so: one of ``sparring.literature.statements.TAGS``."""
    means: str = ""
    """In words; empty where ``ours`` is one letter, whose meaning the documentation tells."""


# The comment in MPICH has no unit of n; in the paper n counts bytes.
MPICH = {
    "MPICH's source; Thakur et al. 2005": [
        Letter("p", "p", "V"),
        Letter("n", "n * width", "VM", "the size of a vector, in bytes in the paper"),
        Letter("lgp", "log2(p)", "V", "the binary logarithm"),
        Letter("alpha", "alpha", "V", "seconds a message"),
        Letter("beta", "beta", "VM", "seconds a byte"),
        Letter("gamma", "gamma / width", "VM", "seconds to add a byte"),
    ]
}


def beside(page: Page) -> Mapping[str, Sequence[Letter]]:
    """Return the letters that stand beside the page's claims, by paper."""
    found: Mapping[str, Sequence[Letter]] = getattr(holder(page), "notation", {})
    return found
