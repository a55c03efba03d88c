"""What the tests know of each collective: a module ``NAME.py`` with one :class:`Collective` in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.algorithms import read


class Collective(NamedTuple):
    """What the tests know of one collective; the name is that of the module.

    It needs ``peers`` or ``messages``, as another program works them out for a number of ranks.
    """

    peers: Callable[[int], Counter[Any]] | None = None
    """How many messages there are from one rank to another."""
    messages: Callable[[int], Iterable[Any]] | None = None
    """The messages step by step, with their chunks."""
    powers: bool = False
    """The other program is for powers of two alone."""
    wrong_texts: Sequence[tuple[str, str]] = ()
    """What stands in the page, and what instead, by which the result is refuted."""
    in_vain: bool = False
    """Some messages bring nothing new: those to the root, which has all."""
    slow: bool = False
    """The proofs take many seconds."""
    steps_forms: Sequence[str | None] = ()
    """Where senders change: messages of the steps, of one rank, of a path; additions of one rank and of the steps."""
    forms: tuple[str, str, str] | None = None
    """Where closed forms hold, and those of messages and words."""
    slow_forms: bool = False
    """Forms take many seconds."""


COLLECTIVES: dict[str, Collective] = read(Path(__file__).parent, __name__)
