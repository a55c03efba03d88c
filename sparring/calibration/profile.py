"""Turns times into a machine: fits, tables, and predictions beside what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, get_args

import numpy as np

from sparring.calibration import predicting
from sparring.calibration.fitting import Fitted, Floats, Line, fitted
from sparring.calibration.measuring import Times
from sparring.calibration.quantities import Quantity
from sparring.costs.costs import Cost
from sparring.costs.links.machines import Kind, Letter, Machine, Measured, Timed, Work
from sparring.costs.union_cost import UnionCost
from sparring.errors import InputError
from sparring.spec.core.model import Page

LEAST = 3
"""Rounds in which each quantity must have been measured."""


class Fits(NamedTuple):
    """The fits of exchanges by their bytes (alpha and beta), and of additions (time of the call, and gamma)."""

    exchange: Fitted
    add: Fitted

    def at(self, quantity: Quantity) -> float | None:
        """Return the time that the fits predict for a quantity; None if no fit covers it."""
        lines: dict[str, Line] = {"exchange": self.exchange.line, "add": self.add.line}
        return lines[quantity.what].at(quantity.size) if quantity.what in lines else None


def profile(times: Times, found: Sequence[Quantity], pages: Sequence[Page]) -> Machine:
    """Return the machine that these times of the quantities ``found`` show, with all that was measured.

    Raises InputError where time was over before each quantity was measured ``LEAST`` times.
    """
    rounds = seen(times, found)
    fits = Fits(*(fit(what, rounds, found) for what in ("exchange", "add")))
    timed = [compare_times(q, rounds[:, i], fits.at(q)) for i, q in enumerate(found)]
    machine = assembled(times, fits, timed, {})
    judged, unjudged = predicted(machine, timed, sum(ranks for ranks, _ in times.hosts), pages)
    return assembled(times, fits, judged, unjudged)


def seen(times: Times, found: Sequence[Quantity]) -> Floats:
    """Return the rounds as an array, NaN where time was over.

    Raises InputError if a quantity was timed fewer than ``LEAST`` times.
    """
    rounds = np.array(times.rounds, float).reshape(-1, len(found))
    often = (~np.isnan(rounds)).sum(axis=0)
    if few := [str(q) for q, count in zip(found, often.tolist()) if count < LEAST]:
        raise InputError(
            f"in {times.seconds:.1f} s {len(few)} of {len(found)} calls were timed fewer than {LEAST} times, {few[0]} "
            f"for instance; right: more --seconds, or fewer ALGOs"
        )
    return rounds


def fit(what: str, rounds: Floats, found: Sequence[Quantity]) -> Fitted:
    """Fit the times of what is not held out."""
    columns = [i for i, q in enumerate(found) if q.what == what and q.fitted]
    return fitted(np.array([float(found[i].size) for i in columns]), rounds[:, columns])


def compare_times(q: Quantity, column: Floats, predicted: float | None) -> Timed:
    """Return one quantity's times, beside what the fit says."""
    least, low, middle, high = (short(float(x)) for x in np.nanpercentile(column, [0, 25, 50, 75]))
    at = None if predicted is None else short(predicted)
    return Timed(q.what, q.size, (least, low, middle, high), at, q.fitted, q.distance, q.algorithm, q.k)


def assembled(times: Times, fits: Fits, timed: list[Timed], unjudged: dict[str, str]) -> Machine:
    """Assemble the machine."""
    letters: dict[Letter, tuple[float, float]] = {
        "alpha": fits.exchange.a,
        "beta": fits.exchange.b,
        "gamma": fits.add.b,
    }
    measured = Measured(
        ranks=sum(ranks for ranks, _ in times.hosts), hosts=len(times.hosts), cores=sum(c for _, c in times.hosts),
        mpi=times.mpi, rounds=len(times.rounds), seconds=round(times.seconds, 1), clock=short(times.clock),
        intervals={letter: (short(low), short(high)) for letter, (low, high) in letters.items()},
        timed=timed, crowded=any(ranks > cores for ranks, cores in times.hosts), unjudged=unjudged,
    )  # fmt: skip
    (alpha, beta), gamma = fits.exchange.line, fits.add.line.b
    work = tables(timed)
    return Machine(short(alpha), short(beta), short(gamma), source=source(measured), work=work, measured=measured)


def tables(timed: Sequence[Timed]) -> Work:
    """Return the seconds an entry, by size, for each kind of work."""
    return {kind: [(t.size, short(t.median / t.size)) for t in timed if t.what == kind] for kind in get_args(Kind)}


def source(measured: Measured) -> str:
    """Describe in words where the numbers are from."""
    crowd = f"; {CROWDED}" if measured.crowded else ""
    return f"sparring calibrate: {where(measured)}, {measured.rounds} rounds{crowd}"


def where(measured: Measured) -> str:
    """Describe the ranks, MPI library, hosts and cores on which it was measured."""
    hosts = f"{measured.hosts} host{'s' * (measured.hosts > 1)}"
    return f"{measured.ranks} ranks of {measured.mpi} on {hosts} with {measured.cores} core{'s' * (measured.cores > 1)}"


CROWDED = "more ranks than cores, so these times are those of waiting for a core, not of the network"


def predicted(
    machine: Machine, timed: Sequence[Timed], ranks: int, pages: Sequence[Page]
) -> tuple[list[Timed], dict[str, str]]:
    """Return the times with the machine's predictions for algorithms; and why it predicts nothing for some."""
    costs = {page.name: predicting.cost(page) for page in pages}
    unjudged: dict[str, str] = {}

    def judged(t: Timed) -> Timed:
        if t.what != "algorithm":
            return t
        cost: Cost | UnionCost | str = costs[t.algorithm]
        said = cost if isinstance(cost, str) else predicting.seconds(machine, cost, ranks, t.size, t.k)
        if isinstance(said, str):
            unjudged[t.algorithm] = said
            return t
        return Timed(t.what, t.size, t.seconds, short(said), algorithm=t.algorithm, k=t.k)

    return [judged(t) for t in timed], unjudged


def short(x: float) -> float:
    """Round to four digits: more were not measured.

    >>> short(1.23456e-6)
    1.235e-06
    """
    return float(f"{x:.4g}")
