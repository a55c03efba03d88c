"""What the lossy two-shot allreduce sends, which no loss changes: all that the two-shot allreduce sends, no more.

A bound, since a program's cost is one; in each call some rank sends all of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sparring.proofs.core.obligations import RANKS, Obligation, j, n, p, r
from sparring.proofs.core.parts import Bounded, Part, Played
from sparring.spec import two_shot
from sparring.spec.core.model import Page, bound, load

STEPS = "reduce-scatter and broadcast"
HYPOTHESES = (("H1", "every packet is sent once, and none again"),)


def bounded(page: Page) -> Bounded:
    """What a call sends; raises InputError for parameters that the page does not take."""
    mod: Any = page.module
    mod.checked(mod.Params(**page.params))
    return Bounded("H1", HYPOTHESES, (Part(STEPS, load(two_shot), 1, (*alike(mod),), length=n),))


def alike(mod: Any) -> Iterator[Obligation]:
    """Messages go where those of the two-shot allreduce go, and shards are its chunks."""
    one, turn = load(two_shot), (*RANKS, j >= 0, j < p - 1)
    yield Obligation("to whom", turn, mod.dst(r, j, p) == one.dst(r, 0, p, j))
    yield Obligation("what the receiver owns", turn, one.chunk(r, 0, p, j) == mod.dst(r, j, p))
    yield Obligation("to whom then", turn, mod.dst(r, j, p) == one.dst(r, 1, p, j))
    yield Obligation("what the sender owns", turn, one.chunk(r, 1, p, j) == r)
    yield Obligation("shards", (*RANKS, n >= 0), mod.bound(r, n, p) == bound(r, n, p))


def played(page: Page, ranks: int) -> Iterator[Played]:
    """Calls on so many ranks of which some rank sends all that the bound has."""
    every, reached = load(page.module, **{**page.params, "packet": 2}), (STEPS, "") if ranks > 1 else ()
    yield Played("shards of one length", every, [[1] * ranks] * ranks, None, reached)
    yield Played("shards of two lengths", every, [[1] * (2 * ranks - 1)] * ranks, None, reached)
