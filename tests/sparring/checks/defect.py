"""What is planted in a right target: a row of the matrix."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple


class Defect(NamedTuple):
    """A wrong target, made of a right one, its twin, and what the check must say of it.

    ``changes``: what stands in the twin, and what is planted in its place; ``refuted``: the properties that this
    falsifies, message by message; ``also``: those that it may falsify too, in some examples; ``twin``: the twin's
    source, where it is not that of the kind, or its file and name; ``wrong``: the same of the wrong one, where it has
    its own; ``options``: what the check must be told, where it is not what the kind is always told.
    """

    changes: Mapping[str, str]
    refuted: AbstractSet[str]
    also: AbstractSet[str] = frozenset()
    twin: str = ""
    wrong: str = ""
    options: Mapping[str, Any] | None = None


def swapped(old: str, new: str, refuted: AbstractSet[str], also: AbstractSet[str] = frozenset(), **more: Any) -> Defect:
    """One change."""
    return Defect({old: new}, refuted, also, **more)


def elsewhere(
    wrong: str, twin: str, refuted: AbstractSet[str], also: AbstractSet[str] = frozenset(), **more: Any
) -> Defect:
    """One that stands in a file beside its twin."""
    return Defect({}, refuted, also, twin, wrong, **more)
