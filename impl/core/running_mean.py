"""Running means, in which a new number counts a part that is told in thousandths."""

from __future__ import annotations

from typing import Any

WHOLE = 1000
"""Thousandths."""


def mixed(mean: Any, x: Any, momentum: Any) -> Any:
    """A running mean with a new vector in it, which counts so many thousandths; times ``WHOLE``."""
    return mean * (WHOLE - momentum) + x * momentum
