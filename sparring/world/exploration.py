"""Every schedule on given inputs: run after run, until no way that MPI leaves open is left to go.

What two runs do in another order only, one of them leaves out (sleep sets).  Runs with fewer
choices come first.
"""

from __future__ import annotations

import heapq
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from sparring.errors import InputError
from sparring.sparse import Sparse
from sparring.world.core.choices import Step
from sparring.world.core.findings import Finding, Kind, Outcome, Taken
from sparring.world.core.schedules import Branching, Path, Redundant
from sparring.world.simulation import run_along
from sparring.world.targets import Target

PARTLY = ("Cancel ", "Waitsome ", "Testsome ")
"""Calls of which not everything that MPI permits is tried."""
Start = tuple[int, tuple[int, ...], frozenset[Step]]  # how many choices, which, and what then sleeps


class Seen(NamedTuple):
    """A finding, or all ranks' results, with the fewest choices that lead there; ``taken`` says more of them.

    ``world.run(..., choices=seen.choices)`` goes there again.
    """

    what: Any
    choices: tuple[int, ...]
    taken: tuple[Taken, ...]

    @property
    def told(self) -> tuple[str, ...]:
        """Return the choices in words."""
        return tuple(taken.text for taken in self.taken)


@dataclass(frozen=True, slots=True)
class Exploration:
    """The findings and results of all schedules, each different one once.

    ``runs``: how many were made; ``left``: beginnings of runs that were not, since there were too many;
    ``partly``: calls that may take effect at other times than they were tried.
    """

    runs: int
    left: int
    partly: tuple[str, ...]
    results: tuple[Seen, ...]
    findings: tuple[Seen, ...]

    @property
    def exhausted(self) -> bool:
        """Whether every schedule was covered."""
        return not self.left and not self.partly

    def __str__(self) -> str:
        left = f"{self.left} beginnings of others are left" if self.left else f"but for {', '.join(self.partly)}"
        covered = "every schedule is covered" if self.exhausted else left
        return f"{self.runs} runs, {covered}; {len(self.results)} results, {len(self.findings)} findings"


def explore(
    target: Target,
    p: int,
    *per_rank_args: Sequence[Any],
    buffers: str | int = "any",
    runs: int = 10_000,
    **options: Any,
) -> Exploration:
    """Run ``target`` along every schedule.

    A schedule is: which message a receive from any source gets, what ``Waitany`` and ``Test``
    return, and, with ``buffers="any"``, which standard sends MPI completes by copying.  A test
    that returned nothing is repeated only after something has happened.  Behind a deadlock with
    synchronous sends nothing is explored.  ``Cancel`` is tried only when no rank can go on otherwise,
    and of more than four requests that are done ``Waitsome`` tells all or one.

    Parameters
    ----------
    target, p, per_rank_args, buffers, options : as of ``run``; arguments must not be changed by the target.
    runs : how many at most.

    Raises
    ------
    InputError : an argument is not as above.

    >>> def first(comm):
    ...     y = np.zeros(1)
    ...     if comm.rank == 0:
    ...         comm.Recv(y)
    ...         comm.Recv(np.zeros(1))
    ...     else:
    ...         comm.Send(np.full(1, float(comm.rank)), 0)
    ...     return y[0]
    >>> seen = explore(first, 3, buffers="synchronous")
    >>> print(seen)
    2 runs, every schedule is covered; 2 results, 1 findings
    >>> print(seen.findings[0].what.text)  # doctest: +ELLIPSIS
    rank 0 returns 1.0 or 2.0, as MPI chooses: rank 0's Recv from any rank (...) gets rank 2's message (...)
    """
    if runs < 1:
        raise InputError(f"runs={runs}: at least 1")
    noted, made = _Notes(), 0
    starts: list[Start] = [(0, (), frozenset())]
    while starts and made < runs:
        _, numbers, asleep = heapq.heappop(starts)
        path = Path(numbers, asleep)
        try:
            noted.take(run_along(path, target, p, per_rank_args, buffers, **options))
            made += 1
        except Redundant:
            pass
        for start in _starts(path.branchings):
            heapq.heappush(starts, start)
    return noted.exploration(made, len(starts))


def _starts(branchings: Sequence[Branching]) -> Iterator[Start]:
    """Yield the other ways at each branching, on which those before them sleep where they commute."""
    for taken, awake, asleep in branchings:
        before = set(asleep)
        for i, (number, step) in enumerate(awake):
            if i:
                yield len(taken) + 1, (*taken, number), frozenset(s for s in before if s.commutes(step))
            before.add(step)


class _Notes:
    """The runs so far, each finding and result with the fewest choices."""

    def __init__(self) -> None:
        self.partly: dict[str, None] = {}
        self.results: dict[Any, Seen] = {}
        self.findings: dict[Any, Seen] = {}

    def take(self, outcome: Outcome) -> None:
        """Note a run."""
        self.partly |= dict.fromkeys(reason for reason in outcome.why_not if reason.startswith(PARTLY))
        if not outcome.findings:
            self._note(self.results, content(outcome.results), outcome.results, outcome.taken)
        for finding in outcome.findings:
            message = finding.text if finding.kind is Kind.UNMATCHED else ""  # of one line's, each is a finding
            key = finding.kind, finding.rank, finding.call, finding.where, message
            self._note(self.findings, key, finding, outcome.taken)

    def exploration(self, runs: int, left: int) -> Exploration:
        """Return all of them; two different results are a race."""
        results = sorted(self.results.values(), key=_fewest)
        findings = sorted(self.findings.values(), key=_fewest)
        if len(results) > 1:
            findings.append(_race(*results[:2]))
        return Exploration(runs, left, tuple(self.partly), tuple(results), tuple(findings))

    def _note(self, seen: dict[Any, Seen], key: Any, what: Any, taken: Sequence[Taken]) -> None:
        numbers = [t.number for t in taken]
        while numbers and not numbers[-1]:  # the first way is what is taken anyway
            numbers.pop()
        new = Seen(what, tuple(numbers), tuple(taken))
        seen[key] = min(seen.get(key, new), new, key=_fewest)


def _fewest(seen: Seen) -> tuple[int, tuple[int, ...]]:
    return len(seen.choices), seen.choices


def _race(one: Seen, other: Seen) -> Seen:
    """Return the finding that the result depends on the schedule."""
    rank, a, b = next((r, a, b) for r, (a, b) in enumerate(zip(one.what, other.what)) if content(a) != content(b))
    cause = next(taken for taken, before in zip(other.taken, [*one.told, ""]) if taken.text != before)
    text = f"rank {rank} returns {a} or {b}, as MPI chooses: {cause.text}"
    return Seen(Finding(Kind.RACE, *cause.place, text), other.choices, other.taken)


def content(x: Any) -> Any:
    """Return a key that is the same for two values of the same bits."""
    match x:
        case np.ndarray():
            return x.dtype.str, x.shape, x.tobytes()
        case list() | tuple():
            return type(x).__name__, tuple(map(content, x))
        case dict():
            return "dict", tuple((content(k), content(v)) for k, v in x.items())
        case Sparse():
            return "Sparse", content(x.indices), content(x.values), x.n
    with np.printoptions(threshold=sys.maxsize, floatmode="unique"):  # of long arrays, numpy leaves out the middle
        return type(x).__name__, repr(x)
