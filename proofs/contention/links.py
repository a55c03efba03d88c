"""Links as formulas: which messages cross a link, for every number of ranks at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from sparring.spec.core.numbers import Bool, Int


class Link(NamedTuple):
    """A directed link, or a family of them by symbolic place."""

    name: str
    place: tuple[Bool, ...]
    """Where the link may be: hypotheses on the symbols that place it."""
    carries: Callable[[Int, Int], Bool]
    """``carries(src, dst)``: a message from src to dst crosses it."""
