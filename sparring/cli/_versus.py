"""``sparring cost A --versus B``: where one algorithm becomes cheaper than another."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import click

from sparring.cli import _options
from sparring.errors import InputError, Undecided

if TYPE_CHECKING:
    from fractions import Fraction
    from pathlib import Path

    from sparring.costs.crossover import Comparison
    from sparring.report import Report
    from sparring.spec.core.model import Page


def print_crossover(algorithms: tuple[str, ...], versus: str, over: str, between: tuple[Any, Any], support: str,
         at: dict[str, Any], params: dict[str, Any], plot: Path | None, json_: bool) -> Report:  # fmt: skip
    """Compare, print it unless one JSON object is wanted, and the report of it."""
    from sparring import api
    from sparring.present import crossing
    from sparring.proofs.logic.verdicts import UNDECIDED, proved_at, proved_up_to
    from sparring.report import Report, Result

    if len(algorithms) != 1:
        raise InputError(f"--versus compares one algorithm with another; {len(algorithms)} stand before it")
    if plot:
        crossing.check(plot)
    start = time.perf_counter()
    subject = f"{algorithms[0]} against {versus}"
    support = "independent" if support == "union" else support
    a, b = api.page(algorithms[0], **params), api.page(versus)
    try:
        found = api.crossover(a, b, over, support=support, start=between[0], end=between[1], **at)
    except Undecided as why:
        result, extra = Result(subject, "crossings", UNDECIDED, str(why)), {}
    else:
        verdict = proved_up_to(int(found.end)) if over == "p" else proved_at(int(at["p"]))
        detail = f"{HOW}; {span(over, found.start, found.end)}{found.given and ' where '}{found.given}"
        result, extra = Result(subject, "crossings", verdict, detail), {"comparison": enveloped(found)}
        if plot:
            crossing.save(found, plot)
        sparse = "sparse" in (a.data, b.data)
        told = [*lines(found, support if sparse else "", at), *(supposed(support) if sparse else []), *bounds((a, b))]
        console = _options.console(json_)
        for line in () if json_ else told:
            _options.tell(console, line)
    if not (json_ or extra):
        click.echo(f"{subject}: undecided: {result.detail}")
    return Report("cost", [result], [], time.perf_counter() - start, extra)


HOW = "of the derived formulas: opposite signs around each crossing, one sign between, by interval arithmetic"


def lines(found: Comparison, support: str, at: dict[str, Any]) -> Iterator[str]:
    """Yield the comparison, range by range."""
    a, b = found.names
    where = ", ".join(f"{letter}={shown(letter, value)}" for letter, value in at.items() if letter != found.over)
    model = f", {support} supports" if support else ""
    given = f"; where {found.given}" if found.given else ""
    yield f"{a} against {b} over {found.over}: {QUANTITIES[found.quantity]} ({where}{model}{given})"
    if found.formula is not None:
        yield f"  the same at {found.over} = {found.formula}"
    edges = [found.start, *(edge for crossing in found.crossings for edge in crossing), found.end]
    for (low, high), name in zip(list(pairwise(edges))[::2], found.cheaper):
        yield f"  {span(found.over, low, high):<32} {f'{name} costs less' if name else 'the same'}"


def bounds(pages: Sequence[Page]) -> Iterator[str]:
    """Yield the pages whose cost is only an upper bound, in sentences."""
    from sparring import api

    for page in pages:
        if page.composed:
            yield f"{page.name}: {api.cost(page).qualified[0]}"


def supposed(support: str) -> list[str]:
    """Return what a model of supports is, where its name does not say it."""
    from sparring.costs.supports import models

    means = "" if support == "union" else models.find(support).means
    return [f"{support}: {means}."] if means else []


def shown(letter: str, value: Fraction) -> str:
    """Return a letter's value as text, seconds rounded."""
    from sparring.costs.formulas.units import LEVELS, TIMES

    return f"{float(value):.4g}s" if letter in (*TIMES, *LEVELS) else str(value)


QUANTITIES = {"time": "seconds in lock step", "bytes": "bytes, those of the largest message of each step"}


def span(over: str, low: Fraction, high: Fraction) -> str:
    """Return a range as text.

    >>> from fractions import Fraction
    >>> span("n", Fraction(1), Fraction(68750)), span("p", Fraction(7), Fraction(7))
    ('n from 1 to 68750', 'p = 7')
    """
    if over == "p":
        return f"p = {low}" if low == high else f"p from {low} to {high}"
    return f"{over} from {float(low):.6g} to {float(high):.6g}"


def enveloped(found: Comparison) -> dict[str, Any]:
    """Return the comparison for the envelope."""
    return {
        "algorithms": [*found.names], "over": found.over, "quantity": found.quantity, "given": found.given,
        "from": float(found.start), "to": float(found.end), "cheaper": [*found.cheaper],
        "crossings": [{"low": float(c.low), "high": float(c.high)} for c in found.crossings],
        "formula": None if found.formula is None else str(found.formula),
    }  # fmt: skip
