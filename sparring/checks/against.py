"""Compares a target bit by bit with another target, or with itself under another setting of the library."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from sparring.refinement.observing import Observed
from sparring.refinement.vectors import comparable, unequal

SAME = "same bits"
SETTING = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)


class Against(NamedTuple):
    """``target``: another target, or None for the same; ``environment``: variables set for its ranks, if any."""

    target: Any = None
    environment: Mapping[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self.target or self.environment)

    def __str__(self) -> str:
        if self.environment:
            return " ".join(f"{name}={value}" for name, value in self.environment.items())
        return self.target if isinstance(self.target, str) else getattr(self.target, "__qualname__", repr(self.target))


ITSELF = Against()


def parsed(text: Any) -> Against:
    """Read what to compare with: a setting ``NAME=VALUE`` or a target."""
    if isinstance(text, str) and (found := SETTING.fullmatch(text)):
        return Against(environment={found[1]: found[2]})
    return Against(text)


def compare_bits(seen: Observed, other: Observed, against: Against) -> dict[str, str]:
    """Name the first entry whose bits differ, or the first rank whose result is of another kind."""
    for ys, others in zip(seen.ys, other.ys):
        for r, (y, theirs) in enumerate(zip(ys, others)):
            if not comparable(y, theirs):
                return {SAME: f"rank {r} returns something of another kind with {against}"}
            if odd := unequal(y, theirs):
                return {SAME: f"rank {r} {odd[0]} is {odd[1]}, and {odd[2]} with {against}"}
    return {}


def unseen(seen: Observed, other: Observed, against: Against) -> dict[str, str]:
    """Say why the two runs cannot be compared, if only the other one did not end."""
    ended = seen.ys and not other.ys
    why = other.refused or next(iter(other.flaws.values()), "")
    return {SAME: f"{against} does not come to its end: {why}"} if ended else {}
