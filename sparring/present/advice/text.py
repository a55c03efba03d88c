"""Advice for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from sparring.advising.advice import Advice, Answer
from sparring.advising.measuring import Profile
from sparring.present.advice.told import COLUMNS, OPTIONS, bounded, cells, heading, option_cells, planned, shared

LAYERS = 12  # lines of layers: the largest


def text(advice: Advice) -> Iterator[RenderableType]:
    """Yield the advice line by line: what was measured, then an answer for each number of ranks."""
    for label, told in heading(advice):
        yield line(label, told)
    if len(advice.profile.layers) > 1:
        yield Text()
        yield layers(advice.profile)
    for answer in advice.answers:
        yield Text()
        yield Text(f"{answer.ranks} ranks", style="bold")
        yield options(answer)
        yield line("reason", answer.reason)
        yield line("fusion", planned(answer))
        if told := bounded(answer):
            yield line("at least", told)
        for names, risk in shared(answer.options):
            yield line("risk", f"{names}: {risk}")
        for name, why in answer.left_out:
            yield line("left out", f"{name}: {why}")


def line(label: str, told: str) -> RenderableType:
    """Return a sentence with its label as a line."""
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column(width=9, style="dim")
    table.add_column()
    table.add_row(label, Text(told))
    return table


def layers(profile: Profile) -> Table:
    """Return a table of the largest layers, and of all layers fused."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    first, *others = COLUMNS
    table.add_column(first, no_wrap=True, overflow="ellipsis", max_width=26)
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    shown = sorted(profile.layers, key=lambda layer: -layer.size)[:LAYERS]
    for layer in shown:
        table.add_row(*cells(layer))
    if more := len(profile.layers) - len(shown):
        table.add_row(f"... and {more} more")
    table.add_row(*cells(profile.fused), style="bold")
    return table


def options(answer: Answer) -> Table:
    """Return a table of the algorithms, fastest first."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    first, *others = OPTIONS
    table.add_column(first, no_wrap=True)
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    for place, one in enumerate(answer.options):
        table.add_row(*option_cells(one), style="bold" if place == 0 else "")
    return table
