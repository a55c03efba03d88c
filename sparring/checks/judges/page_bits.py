"""Judges a target whose page is a composition on whole vectors: it must return the page's bits."""

from __future__ import annotations

from typing import Any

from sparring.checks.examples.drawn import Example
from sparring.checks.judges.stateful import when
from sparring.checks.judges.sums import misshapen
from sparring.checks.places import Observed
from sparring.checks.ranks.vectors import shown, unequal
from sparring.refinement import comparison, stateful
from sparring.spec.core.model import Page


def judge_bits(example: Example, seen: Observed, page: Page) -> dict[str, str]:
    """Return the property that a wrong result falsifies -> the first wrong result."""
    wanted = expected(page, example)
    for i, ys in enumerate(seen.ys):
        for r, (y, right) in enumerate(zip(ys, wanted[i % len(wanted)])):
            if why := unlike(y, right):
                return {example.prop: f"{when(example, i)}rank {r} {why}"}
    return {}


def expected(page: Page, example: Example) -> list[list[Any]]:
    """Return the page's results, by call and rank."""
    if not page.stateful:
        return [comparison.expected(page, example.xs)]
    return [[done.result for done in call] for call in stateful.expected(page, example.xs)]


def unlike(y: Any, wanted: Any) -> str:
    """Say what is wrong with a result; "" if nothing is."""
    if why := misshapen(y, wanted):
        return why
    return f"has {shown(y)}, reference {shown(wanted)}" if unequal(y, wanted) else ""
