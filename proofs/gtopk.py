"""What the theorems of gTop-k need beyond its formulas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sparring.impl import gtopk
from sparring.proofs.logic.obligations import Obligation, always, during, every, iff, implies, p, r, t
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int, both, either, negate
from sparring.spec.gtopk import depth, rounds, zeros

contention = {"crossbar": "rendezvous", "ring": "lock step", "tree": "lock step", "torus": "rendezvous"}


def same(r: Int, s: Int, c: Int, t: Int, p: Int) -> Bool:  # noqa: ARG001  # there is one chunk
    """Return whether two ranks hold the identical term once both have been shown the result."""
    return either(r == s, every(rounds(p) <= t, zeros(r, depth(t, p)), zeros(s, depth(t, p))))


def spent(r: Int, c: Int, t: Int, p: Int) -> Bool:  # noqa: ARG001  # there is one chunk
    """Return whether rank ``r`` has sent what it had, and has not been shown the result."""
    return negate(zeros(r, depth(t, p)))


def peers(page: Page) -> Iterator[Obligation]:
    """Compare with ``impl/gtopk.py``, which counts the rounds of each way; the page counts its steps through."""
    impl: Any = gtopk  # its functions are typed for int and run here on symbols
    last = impl.rounds(p)
    up, back = (*during(page), t < last), (*during(page), last <= t)
    i = 2 * last - 1 - t
    there, gives = impl.multiple(r, t), negate(impl.multiple(r, t + 1))
    shows = both(impl.multiple(r, i + 1), impl.after(r, i) < p)
    yield Obligation("rounds", always(page), page.steps(p) == 2 * last)
    yield Obligation("who gives", up, iff(page.active(r, t, p), both(there, gives)))
    yield Obligation("to whom", up, implies(page.active(r, t, p), page.dst(r, t, p) == impl.before(r, t)))
    takes = both(negate(gives), impl.after(r, t) < p)
    yield Obligation("who takes", up, implies(there, iff(page.active(page.src(r, t, p), t, p), takes)))
    yield Obligation("from whom", up, implies(takes, page.src(r, t, p) == impl.after(r, t)))
    yield Obligation("who shows", back, iff(page.active(r, t, p), shows))
    yield Obligation("whom", back, implies(shows, page.dst(r, t, p) == impl.after(r, i)))
    is_shown = both(impl.multiple(r, i), negate(impl.multiple(r, i + 1)))
    yield Obligation("who is shown", back, iff(page.active(page.src(r, t, p), t, p), is_shown))
    yield Obligation("by whom", back, implies(is_shown, page.src(r, t, p) == impl.before(r, i)))
