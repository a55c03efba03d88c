"""Keeps what ``verify`` found of an algorithm, as long as nothing has changed on which it rests.

What stands against an algorithm is not kept, nor what rests on a real MPI.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from contextlib import suppress
from itertools import groupby

from sparring import disk_cache, parallel
from sparring.parallel import Done
from sparring.report import Result
from sparring.spec.core import selectors
from sparring.spec.core.model import Page
from sparring.verification import theorems
from sparring.verification.plans import Plan, Track
from sparring.verification.reached_lines import TRACED_BY_ANOTHER
from sparring.verification.theorems import Found


def verified(
    asked: Sequence[str | Page], plan: Plan, track: Track, jobs: int | Executor, done: Done, *, keep: bool
) -> tuple[list[Result], list[str]]:
    """Return the results for all, in their order, and the names of those whose results an earlier run found.

    ``keep``: keep what is found, and return it again as long as nothing has changed.
    """
    earlier = {name: some for name in asked if keep and isinstance(name, str) and (some := recalled(name, plan))}
    for name, results in earlier.items():
        done(name, results, None)

    def new(name: str, results: Sequence[Result], seconds: float | None) -> None:
        if keep:
            remember(name, plan, results)
        done(name, results, seconds)

    known = [earlier.get(one) if isinstance(one, str) else None for one in asked]
    judged = parallel.verified(
        [one for one, some in zip(asked, known) if not some], plan._replace(keep=keep), track, jobs, new
    )
    by_subject = (list(own) for _, own in groupby(judged, lambda r: r.subject))
    parts = [some or next(by_subject, []) for some in known]
    return [r for part in parts for r in part], [*earlier]


def recalled(name: str, plan: Plan) -> list[Result] | None:
    """Return the kept results on an algorithm or selector, if nothing has changed since; else None."""
    if not ours(name, plan):
        return None
    some = disk_cache.recall(f"verify-{name}", theorems.key(name, plan), list[Found])
    with suppress(KeyError):
        return None if some is None else [one.result() for one in some]
    return None


def remember(name: str, plan: Plan, results: Sequence[Result]) -> None:
    """Keep the results if they may be kept: none is against the subject, and no debugger or such traced the run."""
    if ours(name, plan) and not any(r.verdict.word.exit_code or r.detail == TRACED_BY_ANOTHER for r in results):
        disk_cache.keep(f"verify-{name}", theorems.key(name, plan), [*map(Found.of, results)])


def ours(name: str, plan: Plan) -> bool:
    """Return whether all that the results rest on is known: no real MPI, which selectors never use."""
    return theorems.ours(name) and (plan.on == "simulated" or name in selectors.names())
