"""What the theorems of SparDL need beyond its formulas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sparring.impl import spardl
from sparring.proofs.logic.obligations import Obligation, always, c, i, n, p, r, t, within
from sparring.spec import spardl as formulas
from sparring.spec.core.model import Page, bound
from sparring.spec.core.numbers import Bool, Int, Sym, both, either, where

contention = {"crossbar": "rendezvous", "ring": "contended", "tree": "contended", "torus": "contended"}

k = Sym.var("k")


def near(r: Int, c: Int, t: Int, p: Int) -> Bool:
    """Return whether chunk ``c`` is one of those that rank ``r`` looks after, after ``t`` steps."""
    return (c - r) % p < 1 << formulas.depth(t, p)


def same(r: Int, s: Int, c: Int, t: Int, p: Int) -> Bool:
    """Return whether two ranks hold the identical term once both have the complete chunk."""
    return either(r == s, both(formulas.rounds(p) <= t, both(near(r, c, t, p), near(s, c, t, p))))


def spent(r: Int, c: Int, t: Int, p: Int) -> Bool:
    """Return whether a rank gave it away, as it no longer looks after it; it is back, complete, when it does again."""
    return (c - r) % p >= 1 << formulas.depth(t, p)


def peers(page: Page) -> Iterator[Obligation]:
    """Compare with ``impl``, which counts rounds of either half from 0, and blocks of a message from its first."""
    impl: Any = spardl  # its functions are typed for int and run here on symbols
    to, back = impl.after(r, impl.gap(t, p), p), impl.before(r, impl.begun(t), p)
    yield Obligation("rounds", always(page), impl.rounds(p) == formulas.rounds(p))
    yield Obligation("parts", (*always(page), k >= 0), impl.part(c, k, p) == formulas.part(c, p, k))
    yield Obligation("blocks", (*always(page), n >= 0), impl.cut(c, n, p) == bound(c, n, p))
    yield Obligation("in which place", (*always(page), within(i)), impl.place(impl.after(r, i, p), r, p) == i)
    yield from half(page, "summing", t, impl.gap(t, p), to, impl.before(r, impl.gap(t, p), p), to)
    yield from half(page, "showing", t + formulas.rounds(p), impl.begun(t), back, impl.after(r, impl.begun(t), p), r)


def half(page: Page, name: str, step: Int, d: Int, to: Int, source: Int, first: Int) -> Iterator[Obligation]:
    """State who exchanges in that step and which blocks, over a distance ``d`` and from block ``first`` on."""
    impl: Any = spardl
    lap, missing = (*always(page), within(t, formulas.rounds(p))), impl.missing(d, p)
    begins, count = page.chunk(r, step, p), page.count(r, step, p)
    yield Obligation(f"to whom, {name}", lap, to == page.dst(r, step, p))
    yield Obligation(f"from whom, {name}", lap, source == page.src(r, step, p))
    yield Obligation(f"how many, {name}", lap, where(d <= missing, d, missing) == count)
    yield Obligation(f"from which on, {name}", lap, first == begins)
    yield Obligation(f"where they go, {name}", (*lap, within(i, count)), impl.after(first, i, p) == (begins + i) % p)
