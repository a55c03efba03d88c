"""How much ``verify`` runs, and what that leaves open."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from sparring.errors import InputError
from sparring.ranges import spans
from sparring.refinement.looks import CALLS
from sparring.refinement.looks import LONG as LONGEST

Track = Callable[[Iterable[Any], str], Iterable[Any]]
"""Goes through what it is given and shows how far it is, under a description."""


class Plan(NamedTuple):
    """The runs that ``verify`` makes, by default those of a first look; proofs need no plan."""

    terms: tuple[int, ...] = tuple(range(1, 10))
    """Numbers of ranks on which the implementation runs on terms."""
    numbers: tuple[int, ...] = tuple(range(1, 9))
    """The same for numbers, simulated and under mpiexec, and for gradients there."""
    gradients: tuple[int, ...] = (3,)
    """Which of these are simulated on gradients."""
    on: str = "simulated"
    """"simulated", "mpi" or "both"."""
    full: bool = False
    """Whether each look goes to all numbers of ranks, dtypes and sizes that it knows; else to those of a first look."""
    keep: bool = False
    """Whether theorems that an earlier run found of the same code are told again."""


PLACES = ("simulated", "mpi", "both")
MANY = tuple(range(1, 65))
FIRST_LOOK, WHOLE_LOOK = Plan(), Plan(terms=MANY, gradients=MANY, full=True)


def plan(ranks: Iterable[int] | None, full: bool, on: str) -> Plan:
    """Return the plan for what was asked: ``ranks``, if given, hold for everything that is run."""
    if on not in PLACES:
        raise InputError(f"on={on!r}; there are {', '.join(PLACES)}")
    if ranks is None:
        return (WHOLE_LOOK if full else FIRST_LOOK)._replace(on=on)
    given = tuple(sorted(set(ranks)))
    if not given or given[0] < 1:
        raise InputError("ranks: at least one number of ranks, each at least 1")
    return Plan(given, given, given, on, full=True)


def limits(plan: Plan) -> str:
    """Return one paragraph on what even a good result of this plan does not say."""
    most = max(plan.numbers)
    where = {"simulated": "simulated ranks", "mpi": "real MPI", "both": "simulated ranks and real MPI"}[plan.on]
    simulated = f" (p = {spans(plan.terms)} on terms), up to {LONGEST} entries and {CALLS} calls"
    more = "" if plan.full else "; --full runs more"
    return (
        f"What is proved rests on the page's text and on z3 and cvc5, which agree. Implementations ran on {where}, "
        f"p = {spans(plan.numbers)}{simulated if plan.on != 'mpi' else ''}, with the page's parameters and those that "
        f"its proof module names{more}. Nothing is said of code beyond that: of more ranks than {most} on all lengths, "
        "of longer vectors, of other parameters, of other MPI libraries, or of time."
    )
