"""Loops of a composition's text: some rounds, each with one exchange among those who meet in it.

A round is a generator of its own, ``one_round(t, *carried, ...)``, which gives what the next one begins with.  How many
there are may be any number; so where the text is read, a round is read once, and what is so after ``t`` rounds is what
the page says beside it:

``holds(q, cell, t, *given)``
    after ``t`` rounds a rank in this cell has the vector of rank ``q`` in its mean, as often as each other one there
``everyone(t, *given)``
    after ``t`` rounds all have all
``mate(cell, j, t, *given)`` and ``place(cell, t, *given)``
    the cells of those who meet in round ``t``, for each ``j`` from 0 to ``m - 1``; and which of them a cell is;
    the key by which they meet is the first of these, and who looked after part ``j`` is then in the ``j``-th

That it is so is proved from the text, see ``proofs/reading/loops.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

from sparring.spec.core.vectors import at_point


@dataclass(frozen=True)
class Rounds:
    """What a text that is read yields in the place of a loop: see :func:`rounds`."""

    one: Callable[..., Any]
    many: Any
    carried: tuple[Any, ...]
    given: tuple[Any, ...]
    through: str = ""


def rounds(one: Callable[..., Any], many: Any, carried: tuple[Any, ...], *given: Any) -> Generator[Any, Any, Any]:
    """``carried`` after so many rounds, each of which is ``one(t, *carried, *given)``; what is ``given`` stays."""
    if at_point((many, carried)) is not None:
        return (yield Rounds(one, many, carried, given))
    for t in range(many):
        carried = yield from one(t, *carried, *given)
    return carried
