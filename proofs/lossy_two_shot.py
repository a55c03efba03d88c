"""What is proved of the lossy two-shot allreduce, for every number of ranks, whatever is lost.

These are theorems about every single run.  What is true on average, over all patterns of losses, is in
:mod:`sparring.proofs.loss`.

A shard's entry is ``x`` before a call and ``x + d`` after it, at most ``e`` more or less; a replica has
``a``, another ``b``, and ``m`` and ``k`` bound how far they are behind.  In the call packets come with
versions ``i`` and ``j``, entries ``y`` and ``z``: of this call they are what the shard is now, else anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np

from sparring.impl import lossy_two_shot
from sparring.proofs.core import obligations
from sparring.proofs.core.obligations import RANKS, Obligation, implies, n, p, r
from sparring.proofs.core.rotation import ASTRAY, SAME, of_ports, of_waiting
from sparring.proofs.core.supplement import Stated
from sparring.proofs.cost.lossy import bounded, played
from sparring.proofs.cost.oktopk import sharing
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, Sym, both, negate, where

__all__ = ["bounded", "played"]

a, b, d, e, i, j, k, m, x, y, z = (Sym.var(name) for name in "abdeijkmxyz")
call, start, end = (Sym.var(name) for name in ("call", "start", "end"))

TURN = (*RANKS, j >= 0, j < p - 1)
"""A message of a step."""
CUT = (p >= 1, e >= 1, start >= 0, i >= 0)
"""Packets of ``e`` entries."""

others = ({"aggregator": "ratio", "lost": 300, "packet": 2, "seed": 3},
          {"aggregator": "ratio0", "lost": 600, "packet": 1, "running": 1},
          {"aggregator": "zero", "lost": 1000, "packet": 3}, {"lost": 500, "packet": 1, "running": 1, "seed": 7},
          {"aggregator": "ratio0", "lost": 0, "packet": 2})  # fmt: skip
refused = ({"aggregator": "mean"}, {"lost": -1}, {"lost": 1001, "aggregator": "zero"}, {"lost": 1000}, {"packet": 0},
           {"running": -1}, {"running": 2}, {"seed": -1})  # fmt: skip

faults: Mapping[str, Mapping[str, Any]] = {
    "a late packet counts": {"fresh": lambda version, call: version <= call},
    "shards of equal length, the rest dropped": {"bound": lambda c, n, p: c * (n // p)},
    "shards of equal length, the rest in the last": {"bound": lambda c, n, p: where(c < p, c * (n // p), n)},
    ASTRAY: {"dst": lambda r, j, p: (r + j + 2) % p},
    SAME: {"dst": lambda r, j, p: j},
    "packets that overlap": {"begins": lambda i, start, packet: start + i * (packet - 1)},
}
asked = {
    "bound": lambda c, n, p: 0 <= c <= p,
    "dst": lambda r, j, p: 0 <= r < p and 0 <= j < p - 1,
    "fresh": lambda version, call: 1 <= version <= call,
    "begins": lambda i, start, packet: i >= 0 and start >= 0 and packet >= 1,
}

shown = {"versions": lambda state, r: np.array([one for shard in state.versions[r] for one in shard], np.int64)}


def kept(state: Any, xs: Sequence[Any], calls: int) -> Iterator[str]:
    """What is wrong with the number of calls, with versions, or with who is always up to date."""
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
    """All of them."""
    mod: Any = page.module
    yield Stated(
        "result", "Whatever is lost, late or twice, a replica's packet is as its owner made it in the last call in "
        "which it came. While at most k in a row get lost, of a shard that moves by at most d a call, no replica is "
        "further than k d from its owner's, nor from another.",
        (*counting(mod), *drifting(mod)), "a late packet counts",
    )  # fmt: skip
    yield Stated(
        "partition", "The shards cut [0, n), and the packets each shard, without gap or overlap.",
        (*obligations.partition(mod.bound), *cut_up(mod)), "packets that overlap",
    )  # fmt: skip
    yield of_waiting(counted(mod))
    yield of_ports(counted(mod))
    yield Stated(
        "volume", "A rank whose shard has s entries sends n + (p - 2) s words, whatever is lost, and where n <= p e it "
        "has at most e: 2 n (p - 1) / p words where p divides n.",
        sharing(mod), "shards of equal length, the rest in the last",
    )  # fmt: skip


def counting(mod: Any) -> Iterator[Obligation]:
    """Which packets count: those of this call, and of these all have the same entries."""
    some = (p >= 1, call >= 1)
    yield Obligation("this call's count", some, mod.fresh(call, call))
    yield Obligation("late ones do not", (*some, i < call), negate(mod.fresh(i, call)))
    yield Obligation("nor what was never sent", some, negate(mod.fresh(0 * p, call)))
    yield Obligation("two that count are of one version", some,
                     implies(both(mod.fresh(i, call), mod.fresh(j, call)), i == j))  # fmt: skip
    for came in product((1, 2), repeat=2):
        held = mod.received(mod.Packet(0, ()), [mod.Packet(one, ()) for one in came], 2).version
        yield Obligation(f"of those of calls {came} in call 2", some, call * held == call * (2 if 2 in came else 0))


def near(one: Int, other: Int, bound: Int) -> Bool:
    """Whether two are no further apart."""
    return both(one - other <= bound, other - one <= bound)


def more(one: Int, other: Int) -> Int:
    """The larger."""
    return where(one < other, other, one)


def drifting(mod: Any) -> Iterator[Obligation]:
    """A call of two replicas: ``m`` and ``k`` are times their ages the most that the shard moves, ``e``."""
    moved = (p >= 1, call >= 1, i <= call, j <= call, e >= 0, near(d, 0 * p, e))
    one = (m >= 0, near(x, a, m), implies(i == call, y == x + d))
    other = (k >= 0, near(x, b, k), implies(j == call, z == x + d))
    first, second = where(mod.fresh(i, call), y, a), where(mod.fresh(j, call), z, b)
    behind, also = where(i == call, 0 * p, m + e), where(j == call, 0 * p, k + e)
    yield Obligation("from the owner's", (*moved, *one), near(x + d, first, behind))
    yield Obligation("from another", (*moved, *one, *other, near(a, b, more(m, k))),
                     near(first, second, more(behind, also)))  # fmt: skip
    yield Obligation("all alike at first", (p >= 1,), near(x, x, 0 * p))


def cut_up(mod: Any) -> Iterator[Obligation]:
    """Each packet begins where the one before ends; the first where the shard does."""
    yield Obligation("the first", CUT, mod.begins(0 * p, start, e) == start)
    yield Obligation("one after the other", CUT, mod.begins(i + 1, start, e) == mod.begins(i, start, e) + e)


def counted(mod: Any) -> Any:
    """To and from whom with messages counted from 1 on; the page counts them from 0."""
    return SimpleNamespace(dst=lambda r, i, p: mod.dst(r, i - 1, p), src=lambda r, i, p: mod.src(r, i - 1, p))


def peers(page: Page) -> Iterator[Obligation]:
    """``impl/lossy_two_shot.py`` counts distances from 1; all ranks whom it sends to it hears from, too."""
    impl: Any = lossy_two_shot
    mod: Any = page.module
    yield Obligation("to whom", TURN, impl.above(r, j + 1, p) == mod.dst(r, j, p))
    yield Obligation("shards", (*RANKS, n >= 0), impl.cut(r, n, p) == mod.bound(r, n, p))
