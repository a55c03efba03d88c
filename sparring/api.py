"""The Python face: what the commands do, as functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sparring.spec.core import pages as registry
from sparring.spec.core import runner
from sparring.spec.core.model import Page


def pages() -> list[str]:
    """The names of all algorithms."""
    return registry.names()


def page(algo: str, **params: Any) -> Page:
    """The page called ``algo``: a name, a module ``pkg.mod``, or a file ``./mine.py``."""
    return registry.find(algo, **params)


def run(algo: str | Page, xs: Sequence[Any], **params: Any) -> runner.Run:
    """Run the reference on ``xs``, one vector a rank.

    Iterating yields ``(t, wire, states)`` after each step; ``.trace`` and ``.results`` hold all.

    >>> run("ring", [[1.0, 2.0], [10.0, 20.0]]).results
    [[11.0, 22.0], [11.0, 22.0]]
    """
    return runner.run(algo if isinstance(algo, Page) else page(algo, **params), xs)
