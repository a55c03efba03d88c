"""``sparring cost A B C --phase rho,p``: which of several algorithms costs least where."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sparring.cli import _options, _versus
from sparring.errors import InputError, Undecided

if TYPE_CHECKING:
    from sparring.costs.regions import Phases
    from sparring.costs.supports.break_even import Band
    from sparring.report import Report

BETWEEN = "compared at each point of the grid; nothing is claimed between points"
HOW = f"exact costs of the derived formulas, {BETWEEN}"
COUNTED = f"exact costs, counted message by message from the pages' formulas, {BETWEEN}"
MEASURED = (
    " Measured unions are means over the ranks that may be first; their entries are taken to lie evenly in the chunks."
)
RANKS = 8  # of measured vectors, unless asked otherwise; as many as the shipped gradients have


class Asked(NamedTuple):
    """The options of a diagram."""

    over: tuple[str, ...]
    start: tuple[str | None, ...]
    end: tuple[str | None, ...]
    support: str
    file: str | None
    within: Fraction
    plot: Path | None

    @property
    def in_nodes(self) -> bool:
        """Whether one of the letters is of nodes."""
        return bool({"nodes", "node"} & {*self.over})

    @property
    def how(self) -> str:
        """What a diagram's costs are."""
        return COUNTED if self.in_nodes else HOW


def read_options(
    phase: str, start: str | None, end: str | None, support: str, file: str | None, within: str, plot: Path | None
) -> Asked:
    """Read the options; ``start`` and ``end`` have a value for each letter of ``phase``, or are empty."""
    from sparring.run_inputs import fraction

    over = tuple(phase.split(","))
    low, high = (tuple(part.strip() or None for part in (text or ",").split(",")) for text in (start, end))
    if any(len(side) != len(over) for side in (low, high)):
        raise InputError(f"--phase {phase}: --from and --to have as many values, such as --from 0.001,2 --to 1,64")
    try:
        share = fraction(within)
    except InputError as error:
        raise InputError(str(error).replace("--density", "--within")) from error
    return Asked(over, low, high, "independent" if support == "union" else support, file, share, plot)


def print_regions(
    algos: Sequence[str], at: dict[str, Any], params: Mapping[str, Any], asked: Asked, json_: bool
) -> Report:
    """Compare, print it unless one JSON object is wanted, and the report of it."""
    from sparring.costs.regions import bands
    from sparring.present import crossing
    from sparring.present import phases as picture
    from sparring.proofs.logic.verdicts import tested
    from sparring.report import Report, Result

    if asked.plot:
        crossing.check(asked.plot)
    start = time.perf_counter()
    costs: list[Any] = []
    if asked.in_nodes:
        with _options.console(json_=True).status("counting …"):
            panels = compared_in_nodes(algos, at, params, asked)
    else:
        costs, panels = compared(algos, at, params, asked)
    first = next(iter(panels.values()))
    marked = bands(costs, first, int(at.get("width", 4)))
    if asked.plot:
        picture.save(panels, asked.within, marked, asked.plot)
    supposed = _versus.supposed(asked.support) if f"{asked.support} supports" in panels else []
    console = _options.console(json_)
    for line in () if json_ else [*lines(panels, at, asked.within, marked, asked.how), *supposed]:
        _options.tell(console, line)
    points = sum(len(found.along) * len(found.up) for found in panels.values())
    extra = {
        "phases": {name: enveloped(found, asked.within) for name, found in panels.items()},
        "bands": {
            name: {p: None if one is None else [float(one.begins.low), float(one.ends.low)] for p, one in found.items()}
            for name, found in marked.items()
        },
    }
    result = Result(", ".join(first.names), "phases", tested(points), asked.how)
    gaps = list(dict.fromkeys(told for found in panels.values() for told in found.left_out))
    return Report("cost", [result], gaps, time.perf_counter() - start, extra)


def compared_in_nodes(
    algos: Sequence[str], at: Mapping[str, Any], params: Mapping[str, Any], asked: Asked
) -> dict[str, Phases]:
    """Return the diagram of costs in nodes."""
    from sparring import api
    from sparring.costs import node_regions

    if asked.file is not None:
        raise InputError(f"--input {asked.file}: vectors are for --phase without nodes")
    pages = [api.page(algo, **params) for algo in algos]
    for page in pages:
        with suppress(Undecided):  # what is counted needs no closed form
            api.cost(page)
    sized = [partial(api.in_nodes, page) for page in pages]
    title = supports(asked, pages)
    over: Any = asked.over
    return {title: node_regions.phases(sized, over, at, asked.support, asked.start, asked.end)}


def supports(asked: Asked, pages: Sequence[Any]) -> str:
    """Return what a diagram supposes of supports, in words."""
    return f"{asked.support} supports" if any(page.data == "sparse" for page in pages) else "any supports"


def compared(
    algos: Sequence[str], at: dict[str, Any], params: Mapping[str, Any], asked: Asked
) -> tuple[list[Any], dict[str, Phases]]:
    """Return the costs and the diagrams, by what these suppose of supports; given vectors add a measured one."""
    from sparring import api
    from sparring.costs.regions import phases
    from sparring.support_growth import measured_sizes

    costs = [api.cost(algo, support=asked.support, **params) for algo in algos]
    over: Any = asked.over
    title = supports(asked, [cost.page for cost in costs])
    if asked.file is None:
        return costs, {title: phases(costs, over, at, asked.support, None, asked.start, asked.end)}
    ranks = dict(zip_longest(over, asked.end)).get("p") or at.get("p") or RANKS
    vectors = read(asked.file, int(ranks))
    at = {"n": Fraction(vectors[0].size), **at}
    end = [str(ranks) if letter == "p" else value for letter, value in zip(over, asked.end)]
    return costs, {
        title: phases(costs, over, at, asked.support, None, asked.start, end),
        f"measured: {asked.file}": phases(costs, over, at, "measured", measured_sizes(vectors), asked.start, end),
    }


def read(file: str, ranks: int) -> list[Any]:
    """Return the shipped gradients of so many ranks, or those in a file, its layers one after the other."""
    from sparring import inputs
    from sparring.advising import gradients

    name, _, moment = file.partition(":")
    if name in inputs.SHIPPED:
        return inputs.shipped(name, ranks, moment or None)
    found = gradients.load([file])
    if found.workers < ranks:
        raise InputError(f"{file}: holds vectors of {found.workers} workers; {ranks} are asked for")
    return [found.vector(r) for r in range(ranks)]


def lines(panels: Mapping[str, Phases], at: Mapping[str, Any], within: Fraction,
          bands: Mapping[str, Mapping[int, Band | None]], how: str) -> Iterator[str]:  # fmt: skip
    """Yield each row of the grid, in stretches of one cheapest algorithm."""
    for title, found in panels.items():
        x, y = found.over
        kept = {letter: value for letter, value in at.items() if letter not in found.over}
        where = ", ".join([*(f"{letter}={_versus.shown(letter, value)}" for letter, value in kept.items()), title])
        yield f"{', '.join(found.names)} over {x} and {y}: {_versus.QUANTITIES[found.quantity]} ({where})"
        for j, value in enumerate(found.up):
            row = "; ".join(stretch(found, run) for run in found.runs(j))
            yield f"  {y} = {float(value):.4g}: {row}"
        near = sum(len(found.close(j, i, within)) > 1 for j in range(len(found.up)) for i in range(len(found.along)))
        all_ = len(found.up) * len(found.along)
        yield f"  at {near} of {all_} points another costs at most {float(100 * within):g} % more"
        yield from (f"  not compared: {told}" for told in found.left_out)
    for name, by_ranks in bands.items():
        told = (f"p={p} {band_told(one)}" for p, one in by_ranks.items())
        yield f"{name} pays in long vectors even if lists are encoded as its messages are: {'; '.join(told)}"
    yield f"{how[0].upper()}{how[1:]}.{MEASURED if len(panels) > 1 else ''}"


def band_told(one: Band | None) -> str:
    """Return as text where it pays."""
    return "in no one band" if one is None else f"from rho = {float(one.begins.high):.4g} to {float(one.ends.low):.4g}"


def stretch(found: Phases, run: Any) -> str:
    """Return a stretch of a row as text."""
    low, high = (float(found.along[i]) for i in (run.first, run.last))
    span = f"{low:.4g}" if low == high else f"{low:.4g} to {high:.4g}"
    return f"{run.name or 'several alike'} {span}"


def enveloped(found: Phases, within: Fraction) -> dict[str, Any]:
    """Return a diagram for the envelope, with rows from the smallest value of the letter that goes up."""
    rows, columns = range(len(found.up)), range(len(found.along))
    return {
        "algorithms": [*found.names], "over": [*found.over], "quantity": found.quantity, "support": found.support,
        "along": [*map(float, found.along)], "up": [*map(float, found.up)], "within": float(within),
        "cheapest": [[found.cheapest(j, i) for i in columns] for j in rows],
        "close": [[found.close(j, i, within) for i in columns] for j in rows],
    }  # fmt: skip
