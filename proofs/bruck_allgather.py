"""What the theorems of Bruck's allgather need beyond its formulas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sparring.impl import bruck_allgather
from sparring.proofs.logic.messages import sent
from sparring.proofs.logic.obligations import Obligation, always, c, during, i, iff, p, r, t, within
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, both, either, where

contention = {"crossbar": "rendezvous", "ring": "contended", "tree": "contended", "torus": "contended"}


def same(r: Int, s: Int, c: Int, t: Int, p: Int) -> Bool:
    """Return whether two ranks hold the identical list ``c`` once both have it."""
    return either(r == s, both((c - r) % p < 1 << t, (c - s) % p < 1 << t))


def peers(page: Page) -> Iterator[Obligation]:
    """Compare with ``impl``, which tells rounds by the lists that are there, and lists by their places in a row."""
    impl: Any = bruck_allgather  # its functions are typed for int and run here on symbols
    step, d = during(page), impl.begun(t)
    missing, there = impl.missing(d, p), (*step, within(i, page.count(r, t, p)))
    yield Obligation("rounds", always(page), impl.rounds(p) == page.steps(p))
    yield Obligation("to whom", step, impl.before(r, d, p) == page.dst(r, t, p))
    yield Obligation("from whom", step, impl.after(r, d, p) == page.src(r, t, p))
    yield Obligation("how many", step, where(d <= missing, d, missing) == page.count(r, t, p))
    yield Obligation("which", step, iff(impl.place(c, r, p) < page.count(r, t, p), sent(page, r)))
    yield Obligation("in which place", (*always(page), within(i)), impl.place(impl.after(r, i, p), r, p) == i)
    come = impl.after(impl.after(r, d, p), i, p)
    yield Obligation("where they go", there, come == impl.after(r, d + i, p))
