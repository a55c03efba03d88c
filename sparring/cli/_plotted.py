"""``sparring cost A B --plot FILE``: what algorithms cost as a letter grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click


def draw(algos: Sequence[str], over: str, between: tuple[Any, Any], support: str, at: dict[str, Any],
         params: Mapping[str, Any], file: Path) -> None:  # fmt: skip
    """Draw the curves into ``file``, and tell on standard error where the cheapest changes."""
    from sparring import api
    from sparring.cli._versus import shown
    from sparring.costs.regions import courses
    from sparring.present import crossing

    crossing.check(file)
    support = "independent" if support == "union" else support
    costs = [api.cost(algo, support=support, **params) for algo in algos]
    found = courses(costs, over, at, support, *between)
    crossing.write_picture(crossing.several(found), file)
    for told in found.left_out:
        click.echo(f"not compared: {told}", err=True)
    for turn in found.turns:
        place = f"{float(turn.place):.4g}" if over == "rho" else shown(over, turn.place)
        click.echo(
            f"from {over} = {place} on {turn.then or 'none'} costs least, before that {turn.before or 'none'}", err=True
        )
