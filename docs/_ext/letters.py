"""The table of letters of an algorithm's page: those that its formulas take, each with its meaning."""

from __future__ import annotations

from collections.abc import Iterator

from markup import table

from sparring.present.explorer.formulas import formulas
from sparring.spec.core.model import Page

MEANINGS = {
    "p": "the number of ranks",
    "r": "a rank, ``0 … p - 1``",
    "q": "the rank whose contribution is meant",
    "t": "a step, counted from 0",
    "c": "a chunk",
    "j": "which of the messages that a rank sends in one step",
    "n": "how many entries a vector has",
    "k": "how many entries are kept",
    "x": "a rank's vector, or its copy of a chunk",
    "w": "how many bytes a value takes",
    "size": "how many entries a chunk has",
    "params": "the parameters above",
    "state": "what a rank keeps from call to call",
}
ENTRIES = ("m", "how many entries a message has")
"""Of sparse chunks alone: a composition may have an ``m`` of its own."""


def letters(page: Page) -> str:
    """Return the table."""
    return table(("letter", "meaning"), rows(page), "letters")


def rows(page: Page) -> Iterator[tuple[str, str]]:
    """Yield each letter with its meaning, in the order of ``MEANINGS``."""
    used = {letter for formula in formulas(page.module) for letter in formula.letters}
    known = MEANINGS if page.composed else {**MEANINGS, ENTRIES[0]: ENTRIES[1]}
    yield from ((f"``{letter}``", meaning) for letter, meaning in known.items() if letter in used)
