"""What the lossy two-shot allreduce sends, which no loss changes: and calls in which a rank sends all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from sparring.proofs.core.obligations import p
from sparring.proofs.core.parts import Bounded, Part, Played
from sparring.proofs.cost.oktopk import sharing
from sparring.spec.core.model import Page, load
from sparring.spec.core.numbers import Int

COLLECTED, HANDED = "reduce-scatter", "broadcast"
HYPOTHESES = (("H1", "every packet is sent once, and none again"),)


def bounded(page: Page) -> Bounded:
    """What a call sends at most, and where p divides n exactly; InputError for parameters that it does not take."""
    mod: Any = page.module
    mod.checked(mod.Params(**page.params))
    parts = (
        Part(COLLECTED, to_all(page, lambda r, t, p: mod.dst(r, t, p), adds=True), p, (*sharing(mod),)),
        Part(HANDED, to_all(page, lambda r, t, p: r, adds=False), p, (*sharing(mod),)),
    )
    return Bounded("H1", HYPOTHESES, parts)


def to_all(page: Page, whose: Callable[[Int, Int, Int], Int], *, adds: bool) -> Page:
    """Each rank sends to each other one, in turn, the shard that is somebody's."""
    mod: Any = page.module
    return replace(
        page, data="vector", program=None, steps=lambda p: p - 1, messages=lambda t, p: 1,
        active=lambda r, t, p: True, dst=lambda r, t, p: mod.dst(r, t, p), src=lambda r, t, p: mod.src(r, t, p), chunk=whose, count=lambda r, t, p: 1,
        adds=lambda t, p: adds, words=lambda r, t, c, p, n, k: mod.bound(c + 1, n, p) - mod.bound(c, n, p),
        added=lambda r, t, c, p, n, k: mod.bound(c + 1, n, p) - mod.bound(c, n, p),
    )  # fmt: skip


def played(page: Page, ranks: int) -> Iterator[Played]:
    """Calls on so many ranks of which some rank sends all that it may; in both steps together where shards are alike."""
    every, reached = load(page.module, **{**page.params, "packet": 2}), (COLLECTED, HANDED) if ranks > 1 else ()
    yield Played("shards of one length", every, [[1] * ranks] * ranks, None, (*reached, "") if reached else ())
    yield Played("shards of two lengths", every, [[1] * (2 * ranks - 1)] * ranks, None, reached)
