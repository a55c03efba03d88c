"""Judges a scene: each call's results against the sum over the ranks that took part in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from sparring.checks.contracts import Contract
from sparring.checks.judges import contract_calls, sums
from sparring.checks.ranks import scenes
from sparring.checks.ranks.scenes import SCENES
from sparring.refinement.example import Example
from sparring.refinement.observing import Observed
from sparring.spec.core.model import Page

OWN = "own memory"


@np.errstate(all="ignore")
def judge_scene(example: Example, seen: Observed, page: Page | None, contract: Contract | None) -> dict[str, str]:
    """Return property -> what is wrong."""
    where, prop = SCENES[example.scene].told, example.prop
    flaws = {found: f"{where}, {why}".lstrip(", ") if found == prop else why for found, why in seen.flaws.items()}
    flaws |= shared_memory(seen)
    if contract and contract.iterated:
        why = contract_calls.expected(example, seen, contract) if seen.ys else ""
        return {prop: why} | flaws if why else flaws
    for call in range(len(seen.ys)):
        if why := first(example, seen, call, page, mean=contract is not None and contract.mean):
            several = f"in call {call + 1} " if len(seen.ys) > 1 else ""
            return {prop: f"{where}, {several}{why}".lstrip(", ")} | flaws
    return flaws


def shared_memory(seen: Observed) -> dict[str, str]:
    """Name the first rank two of whose calls share memory, or change what an earlier one has returned."""
    return next(({OWN: f"rank {r}: {one[0]}"} for r, one in enumerate(seen.remarks) if one), {})


def taken(example: Example, seen: Observed, *, mean: bool) -> str:
    """Say what is wrong if no rank refuses an inter-communicator; "" if some rank does, or all results are right.

    In MPI each rank gets the sum of the other group.
    """
    if seen.refusing or seen.refused:
        return ""
    where, xs = SCENES[example.scene].told, inputs_of_call(example, seen, 0)
    if not seen.ys:
        return f"{where}, no rank raises: {next(iter(seen.flaws.values()))}"
    for r, y in enumerate(seen.ys[0]):
        if why := sums.unlike(y, *sums.references(xs[1 - r % 2 :: 2], None, mean=mean)[0]):
            return f"{where}, no rank raises: rank {r} {why}, the sum of the other group"
    return ""


def refused(example: Example, seen: Observed) -> bool:
    """Return whether some rank raised in a scene where it may; a crash or an abort is no refusal."""
    return bool(example.scene) and SCENES[example.scene].refusable and seen.raised


def first(example: Example, seen: Observed, call: int, page: Page | None, *, mean: bool) -> str:
    """Name the first rank whose result is not the sum; "" if there is none."""
    xs = inputs_of_call(example, seen, call)
    for ranks in parties(example, call):
        for r, right in zip(ranks, sums.references([xs[r] for r in ranks], page, mean=mean)):
            if why := sums.unlike(seen.ys[call][r], *right):
                return f"rank {r} {why}"
    return ""


def inputs_of_call(example: Example, seen: Observed, call: int) -> Sequence[Any]:
    """Return the ranks' inputs in a call; in the fourth of the scene "again" these are the results before it."""
    scene = SCENES[example.scene]
    if scene.play is scenes.again and call == 3:
        return seen.ys[call - 1]
    if scene.play is scenes.again and call in scenes.RESIZED:
        xs = [scenes.RESIZED[call](np.asarray(x)) for x in example.calls[-1]]
    elif scene.play is scenes.again and call == scenes.RENEWED:
        xs = [scenes.longer(np.asarray(example.calls[scenes.renewed(r)][r])) for r in range(example.p)]
    else:
        xs = [np.asarray(x) for x in example.calls[call]]
    return [scenes.present(x) for x in xs] if scene.sparse else xs


def parties(example: Example, call: int) -> Iterator[Sequence[int]]:
    """Yield the sets of ranks whose vectors are added to one another."""
    p, parted = example.p, SCENES[example.scene].play is scenes.split
    for part in range(2 if parted else 1):
        if ranks := [r for r in range(p) if not parted or scenes.part(call, r, p) == part]:
            yield ranks
