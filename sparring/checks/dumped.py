"""``check`` of a job that hangs: a folder with what the flight recorders of its ranks dumped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sparring.checks.verdicts import held_against
from sparring.errors import InputError, did_you_mean
from sparring.flight_recorder import dumps
from sparring.flight_recorder.checking import PROPERTIES, check_dumps
from sparring.report import Report

is_job = dumps.is_job


def report(
    target: Any, ranks: Iterable[int] | None, *, expected: Mapping[str, str], only: Sequence[str] | None
) -> Report:
    """Judge the dumps; ``ranks`` is the number of ranks that the job had.  Raises InputError for unknown properties."""
    sizes = set(ranks or ())
    if len(sizes) > 1:
        raise InputError(f"ranks: {len(sizes)} numbers; right for dumps: one, how many ranks the job had")
    for name in (*expected, *(only or ())):
        if name not in PROPERTIES:
            raise InputError(
                f"no property {name!r} of dumps; {did_you_mean(name, PROPERTIES)}there are {', '.join(PROPERTIES)}"
            )
    found = check_dumps(target, *sizes)
    results = [held_against(expected, one) for one in found.results if not only or one.property in only]
    return replace(found, results=results)
