"""Faults planted in a page's formulas, for tests of what finds them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from sparring.proofs.reading.annotations import Subject
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import where


def planted(**formulas: Callable[[Page], Any]) -> Callable[[Subject], Subject]:
    """What gives a page other formulas, each made of the page that is right."""
    return lambda whole: replace(whole, page=replace(whole.page, **{f: new(whole.page) for f, new in formulas.items()}))


def neighbour(page: Page) -> Any:
    return lambda r, t, p, *j: (page.dst(r, t, p, *j) + 1) % p


MUTATIONS: Mapping[str, Callable[[Subject], Subject]] = {
    "wrong neighbour": planted(dst=neighbour),
    "further neighbour": planted(dst=neighbour, src=lambda page: lambda r, t, p, *j: (page.src(r, t, p, *j) - 1) % p),
    "one receiver": planted(dst=lambda page: lambda r, t, p, *j: 0),
    "wrong chunk": planted(chunk=lambda page: lambda r, t, p, *j: (page.chunk(r, t, p, *j) + t) % p),
    "step short": planted(steps=lambda page: lambda p: where(page.steps(p) > 0, page.steps(p) - 1, 0)),
    "step long": planted(steps=lambda page: lambda p: where(page.steps(p) > 0, page.steps(p) + 1, 0)),
    "always adds": planted(adds=lambda page: lambda t, p: True),
    "never adds": planted(adds=lambda page: lambda t, p: False),
    "remainder dropped": lambda whole: replace(whole, bound=lambda c, n, p: c * (n // p)),
    "byte more": planted(octets=lambda page: lambda m, size, w: page.octets(m, size, w) + 1),
}
