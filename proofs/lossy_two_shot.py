"""What is proved of the lossy two-shot allreduce, for every number of ranks, whatever is lost.

These are theorems about every single run.  What is true on average, over all patterns of losses, is in
:mod:`sparring.analysis.packet_loss`.

A shard's entry is ``x`` before a call and ``x + d`` after it, at most ``e`` more or less; a replica has
``a``, another ``b``, and ``m`` and ``k`` bound how far they are behind.  In the call packets come with
versions ``i`` and ``j``, entries ``y`` and ``z``: of this call they are what the shard is now, else anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sparring.impl import lossy_two_shot
from sparring.proofs.logic.obligations import RANKS, Obligation, iff, implies, n, p, r
from sparring.proofs.reading.annotations import Served, Stated
from sparring.spec.core.model import Page, bound
from sparring.spec.core.numbers import Bool, Int, Sym, both, negate, where

a, b, d, e, i, j, k, m, x, y, z = (Sym.var(name) for name in "abdeijkmxyz")
call = Sym.var("call")

TURN = (*RANKS, j >= 0, j < p - 1)
"""A message of a step."""

others = (
    {"aggregator": "ratio", "lost": 300, "packet": 2, "seed": 3},
    {"aggregator": "ratio0", "lost": 600, "packet": 1, "running": 1},
    {"aggregator": "zero", "lost": 1000, "packet": 3},
    {"lost": 500, "packet": 1, "running": 1, "seed": 7},
    {"aggregator": "ratio0", "lost": 0, "packet": 2},
)
refused = ({"aggregator": "mean"}, {"lost": -1}, {"lost": 1001, "aggregator": "zero"}, {"lost": 1000}, {"packet": 0},
           {"running": -1}, {"running": 2}, {"seed": -1})  # fmt: skip


def owed(p: int) -> Sequence[Mapping[str, Any]]:  # noqa: ARG001  # as for every page
    """Return parameters with which nothing is lost, whoever makes a mean."""
    return [{"lost": 0, "packet": 2, "aggregator": name} for name in ("ht", "ratio", "ratio0", "zero")]


def certificates(page: Page) -> Mapping[tuple[str, str], tuple[str, tuple[Obligation, ...]]]:
    """Return a fault that is none, with what this rests on."""
    fresh = page.module.fresh
    same = Obligation("two versions are one, or the other way round", (p >= 1,), iff(fresh(i, call), fresh(call, i)))
    changed = "each(fresh, back.version, now) becomes each(fresh, now, back.version)"
    line = "replica = where(each(fresh, back.version, now), back.entries, held)"
    return {(line, changed): ("whether two are the same does not depend on their order", (same,))}


shown = {"versions": lambda state, r: np.array([one for shard in state.versions[r] for one in shard], np.int64)}


def kept(state: Any, xs: Sequence[Any], calls: int) -> Iterator[str]:
    """Yield what is wrong with the number of calls, with versions, or with who is always up to date."""
    if state.call != calls:
        yield f"after {calls} calls it has counted {state.call}"
    for rank, versions in enumerate(state.versions):
        if any(not 0 <= one <= calls for shard in versions for one in shard):
            yield f"rank {rank} has versions {versions} after {calls} calls"
        if {*versions[rank]} - {calls}:
            yield f"rank {rank}'s own shard has versions {versions[rank]} after {calls} calls"
    if {len(y) for y in state.replicas} != {len(x) for x in xs}:
        yield "a replica is not as long as the vectors"


def theorems(page: Page) -> Iterator[Stated]:
    """State all theorems on its functions."""
    mod: Any = page.module
    yield Stated(
        "staleness",
        "Whatever is lost, late or twice, a replica's packet is as its owner made it in the last call in "
        "which it came. While at most k in a row get lost, of a shard that moves by at most d a call, no replica is "
        "further than k d from its owner's, nor from another.",
        (*counting(mod), *drifting(mod)),
    )


def counting(mod: Any) -> Iterator[Obligation]:
    """State which packets count: those of this call, and of these all have the same entries."""
    some = (p >= 1, call >= 1)
    yield Obligation("this call's count", some, mod.fresh(call, call))
    yield Obligation("late ones do not", (*some, i < call), negate(mod.fresh(i, call)))
    yield Obligation("nor what was never sent", some, negate(mod.fresh(0 * p, call)))
    yield Obligation(
        "two that count are of one version", some, implies(both(mod.fresh(i, call), mod.fresh(j, call)), i == j)
    )


def near(one: Int, other: Int, bound: Int) -> Bool:
    """Return whether two are no further apart."""
    return both(one - other <= bound, other - one <= bound)


def more(one: Int, other: Int) -> Int:
    """Return the larger."""
    return where(one < other, other, one)


def drifting(mod: Any) -> Iterator[Obligation]:
    """State a call of two replicas: ``m`` and ``k`` are times their ages the most that the shard moves, ``e``."""
    moved = (p >= 1, call >= 1, i <= call, j <= call, e >= 0, near(d, 0 * p, e))
    one = (m >= 0, near(x, a, m), implies(i == call, y == x + d))
    other = (k >= 0, near(x, b, k), implies(j == call, z == x + d))
    first, second = where(mod.fresh(i, call), y, a), where(mod.fresh(j, call), z, b)
    behind, also = where(i == call, 0 * p, m + e), where(j == call, 0 * p, k + e)
    yield Obligation("from the owner's", (*moved, *one), near(x + d, first, behind))
    yield Obligation(
        "from another", (*moved, *one, *other, near(a, b, more(m, k))), near(first, second, more(behind, also))
    )
    yield Obligation("all alike at first", (p >= 1,), near(x, x, 0 * p))


def peers(page: Page, served: Served) -> Iterator[Obligation]:  # noqa: ARG001 - blocks are all pages'
    """Compare with ``impl``, which counts distances from 1; all ranks whom it sends to it hears from, too."""
    impl: Any = lossy_two_shot
    for name in ("direct_reduce_scatter", "direct_allgather"):
        one = served(name)
        yield Obligation(f"{name}: to whom", TURN, impl.above(r, j + 1, p) == one.dst(r, 0, p, j))
    yield Obligation("shards", (*RANKS, n >= 0), impl.cut(r, n, p) == bound(r, n, p))
