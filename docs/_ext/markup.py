"""Pieces of reStructuredText."""

from __future__ import annotations

import re
from collections.abc import Iterable


def heading(text: str, rule: str = "=") -> str:
    """A heading; titles get ``=``, sections ``-``."""
    return f"{escaped(text)}\n{rule * len(escaped(text))}"


def code(language: str, text: str) -> str:
    """A block of code."""
    return f".. code-block:: {language}\n\n" + "\n".join(f"   {line}".rstrip() for line in text.splitlines())


def table(columns: Iterable[str], rows: Iterable[Iterable[str]], style: str = "plain") -> str:
    """A table; cells are reStructuredText of one line each."""
    lines = [".. list-table::", "   :header-rows: 1", f"   :class: {style}", ""]
    for row in (columns, *rows):
        first, *others = row
        lines += [f"   * - {first}", *(f"     - {cell}" for cell in others)]
    return "\n".join(lines)


def fields(told: dict[str, str]) -> str:
    """A field list of what is not empty.

    >>> fields({"Kind": "allreduce", "Parameters": ""})
    ':Kind: allreduce'
    """
    return "\n".join(f":{name}: {text}" for name, text in told.items() if text)


def conditions(paragraph: str) -> str:
    r"""A paragraph of ``Requires: …`` and ``Ensures: …`` as a field list; any other as it is.

    >>> print(conditions("Requires: one,\n  two.\nEnsures:  three."))
    :Requires: one, two.
    :Ensures: three.
    """
    if not re.match(r"(Requires|Ensures):", paragraph):
        return paragraph
    parts = re.split(r"^(?=(?:Requires|Ensures):)", paragraph, flags=re.MULTILINE)
    return "\n".join(":" + " ".join(part.split()) for part in parts if part)


def footnoted(text: str) -> str:
    r"""The text with its citations as footnotes, so that two pages may cite one paper.

    >>> footnoted("As in [PY09]_.\n\n.. [PY09] A paper.")
    'As in [#PY09]_.\n\n.. [#PY09] A paper.'
    """
    cited = re.sub(r"\[(\w+)\]_", r"[#\1]_", text)
    return re.sub(r"^\.\. \[(\w+)\] ", r".. [#\1] ", cited, flags=re.MULTILINE)


def escaped(text: str) -> str:
    r"""The text on one line, with nothing in it that is read as markup.

    >>> print(escaped("2 * x_ holds"))
    2 \* x\_ holds
    """
    return re.sub(r"([\\*`|_<>])", r"\\\1", " ".join(text.split()))
