"""Reads sparring's docstrings: sections are a ruled heading, then ``name : what it is`` line by line."""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

HEADINGS = ("Parameters", "Returns", "Raises")


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx when the extension is loaded."""
    app.connect("autodoc-process-docstring", rewrite)
    return {"parallel_read_safe": True}


def rewrite(_app: Sphinx, _what: str, _name: str, _obj: Any, _options: Any, lines: list[str]) -> None:
    """Make each section a definition list, in place; what Python writes below a named tuple's fields tells nothing."""
    lines[:] = [] if lines and lines[0].startswith("Alias for field number") else sections(lines)


def sections(lines: list[str]) -> list[str]:
    """The docstring with its sections as reStructuredText.

    >>> sections(["Raises", "------", "InputError : bad", "    indeed."])
    ['.. rubric:: Raises', '', '``InputError``', '    bad', '    indeed.']
    """
    made: list[str] = []
    inside = False
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if line in HEADINGS and set(following) == {"-"}:
            made += [f".. rubric:: {line}", ""]
            inside = True
        elif inside and set(line) == {"-"}:
            continue
        elif inside and (entry := re.match(r"(\w[\w, ]*) : (.*)", line)):
            made += [f"``{entry[1]}``", f"    {entry[2]}"]
        else:
            made.append(line)
            inside = inside and not line.startswith(">>>")
    return made
