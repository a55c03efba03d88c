"""Decides what momentum makes of gradients of which some entries wait, and what masking takes of it.

With a velocity ``u = m u + g`` and what waits, ``v = v + u``, each number that comes is given ``1 + m + m^2 + ...``
times: in results, or in ``v`` and in what ``u`` has still to give, ``m / (1 - m)`` times itself.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from sparring.analysis.compression.reals import shown
from sparring.proofs import dgc as theorems
from sparring.proofs.logic.verdicts import Settled, tested
from sparring.spec import dgc
from sparring.spec.core.loading import load
from sparring.spec.core.runner import run

RANKS, MANY, MOMENTA = (1, 2, 3), (1, 2), (500, 750)
"""Halves and quarters, which floats add without rounding."""
GIVEN = ((3, -8, 5), (-7, 2, 4), (1, 9, -6))
"""Entries of a call, rotated from rank to rank."""


def calls(p: int, many: int) -> list[list[list[float]]]:
    """Return by call and rank a vector, and after these calls zeros."""
    rows = [[[float(v) for v in (*g[r:], *g[:r])] for r in range(p)] for g in GIVEN]
    return [*rows, *([[[0.0] * len(GIVEN[0])] * p] * many)]


def played(p: int, **params: Any) -> tuple[list[list[float]], Any]:
    """Return by call the result, and the last state."""
    page, state, found = load(dgc, **params), None, []
    for xs in calls(p, 2):
        ran = run(page, xs, state)
        state = ran.state
        found.append([*ran.results[0]])
    return found, state


def balance(p: int, k: int, momentum: int, masking: int) -> bool:
    """Return whether results, what waits and what velocities have still to give make up what was given."""
    m = momentum / dgc.WHOLE
    results, state = played(p, k=k, momentum=momentum, masking=masking)
    given = [sum(column) for column in zip(*(x for xs in calls(p, 2) for x in xs))]
    waits = [sum(column) for column in zip(*([v + m / (1 - m) * u for v, u in zip(vs, us)]
                                             for vs, us in zip(state.residual, state.velocity)))]  # fmt: skip
    return [sum(column) for column in zip(*results, waits)] == [g / (1 - m) for g in given]


def counted(masking: int) -> Settled:
    """Decide it in exact runs."""
    cases = [*product(RANKS, MANY, MOMENTA)]
    if wrong := next((case for case in cases if not balance(*case, masking)), None):
        return Settled(False, "p = {}, k = {}, momentum = {}: what is given does not come out".format(*wrong))
    return Settled(True, f"{len(cases)} exact runs", tested(len(cases)))


def nothing_lost() -> Settled:
    """Decide whether without masking all that is given comes out or waits: by proof, and in exact runs."""
    runs, found = counted(0), shown(theorems.momenta(dgc), " on the page's own functions")
    return found._replace(detail=f"{found.detail}; {runs.detail}") if runs.holds else runs


def masked() -> Settled:
    """Decide whether that is so with masking."""
    return counted(1)


def all_sent() -> Settled:
    """Decide whether results are the velocities of the sum where all entries are sent in each call."""
    done = 0
    for p, momentum in product(RANKS, MOMENTA):
        u, m = [0.0] * len(GIVEN[0]), momentum / dgc.WHOLE
        results, _ = played(p, k=len(GIVEN[0]), momentum=momentum, masking=0)
        for xs, y in zip(calls(p, 2), results):
            u = [m * v + sum(column) for v, column in zip(u, zip(*xs))]
            if y != u:
                return Settled(False, f"p = {p}, momentum = {momentum}: a result is {y}, the velocity {u}")
            done += 1
    return Settled(True, f"{done} exact calls", tested(done))
