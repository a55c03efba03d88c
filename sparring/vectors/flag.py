"""Defines a flag of a test vector."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from sparring.spec.core.model import Page

On = Callable[[Page], bool]


class Flag(NamedTuple):
    """A flag: ``holds(case)`` says if a test has it, ``on(page)`` if some test of this page must have it.

    ``kind``: edge, arithmetic, sparsity, selection, coding, chance, faults or memory.  ``description``: when a
    test has the flag.  ``effect``: what goes wrong in implementations that do not think of it.
    """

    kind: str
    description: str
    effect: str
    holds: Callable[[Any], bool]
    on: On = lambda page: True
