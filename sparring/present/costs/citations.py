"""Reads a page's citations as BibTeX, from footnotes ``.. [KEY] A. Author and B. Other, "Title", venue, year.``

A footnote of another form is kept whole, as a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sparring.spec.core.model import Page

FOOTNOTE = re.compile(r"^\.\. \[(\w+)\] (.+?)(?=^\S|^\s*$|\Z)", re.MULTILINE | re.DOTALL)
PAPER = re.compile(r'(?P<authors>[^"]+), "(?P<title>[^"]+)", (?P<venue>.+?),? (?P<year>[12]\d{3})(?P<more>, .+)?\.')


class Citation(NamedTuple):
    """A key and what it stands for, in words."""

    key: str
    text: str

    def bibtex(self) -> str:
        """Return the entry; names, title and year in fields of their own where they are told apart."""
        told = PAPER.fullmatch(self.text)
        fields = (
            {"key": self.key, "note": breakable(escaped(self.text.rstrip(".")))} if told is None else described(told)
        )
        lines = [f"  {name:<12} = {{{value}}}," for name, value in fields.items()]
        return "\n".join([f"@misc{{{self.key},", *lines, "}"])


SOURCES: Mapping[str, Citation] = {
    "Patarasuk and Yuan 2009": Citation(
        "PY09", 'P. Patarasuk and X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", '
        "J. Parallel Distrib. Comput. 69(2), 2009."),
    "Li and Hoefler 2022": Citation(
        "LH22", 'S. Li and T. Hoefler, "Near-optimal sparse allreduce for distributed deep learning", PPoPP, 2022.'),
    "Chan et al. 2007": Citation(
        "CHPG07", 'E. Chan, M. Heimlich, A. Purkayastha and R. van de Geijn, "Collective communication: theory, '
        'practice, and experience", Concurr. Comput. Pract. Exper. 19(13), 2007.'),
}  # fmt: skip
"""The papers that lower bounds are from, by the name that the bounds have."""


def described(told: re.Match[str]) -> dict[str, str]:
    """Return the fields of a paper; braces keep the title's capitals."""
    authors = " and ".join(re.split(r", | and ", told["authors"]))
    venue = told["venue"] + (told["more"] or "")
    return {
        "author": escaped(authors),
        "title": f"{{{escaped(told['title'])}}}",
        "howpublished": escaped(venue),
        "year": told["year"],
    }


def cited(page: Page) -> list[Citation]:
    """Return the citations in the page's docstring, in their order."""
    return [Citation(key, " ".join(text.split())) for key, text in FOOTNOTE.findall(page.doc)]


def bibtex(citations: Iterable[Citation]) -> str:
    """Return all entries, each key once, in alphabetical order."""
    by_key = {one.key: one for one in citations}
    return "\n\n".join(by_key[key].bibtex() for key in sorted(by_key))


def cite(citations: Sequence[Citation]) -> str:
    r"""Return the command that cites the entries.

    >>> cite([Citation("A", ""), Citation("B", "")]), cite([])
    ('\\cite{A,B}', '')
    """
    return rf"\cite{{{','.join(one.key for one in citations)}}}" if citations else ""


def breakable(text: str) -> str:
    r"""Return the text with places in long names at which a line may end.

    >>> print(breakable(r"at src/mpi/coll/a\_b.c"))
    at src/\allowbreak{}mpi/\allowbreak{}coll/\allowbreak{}a\_\allowbreak{}b.c
    """
    return re.sub(r"(/|\\_)", r"\1\\allowbreak{}", text)


SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


def escaped(text: str) -> str:
    r"""``text`` with what LaTeX gives a meaning made plain; literals of reStructuredText become type of one width.

    >>> print(escaped("ring_allgather 5%, ``a_b``"))
    ring\_allgather 5\%, \texttt{a\_b}
    """
    plain = "".join(SPECIAL.get(ch, "\\" + ch if ch in "#$%&_{}" else ch) for ch in text)
    return re.sub(r"``(.+?)``", r"\\texttt{\1}", plain)
