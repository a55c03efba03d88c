"""Proves the exchange ``averaging``, whoever dies or fails in it, and with whatever weights and bandwidths.

It is about two members of a group of ``p``, ``i`` and ``j``, which may be one, and about the part that ``j`` looks
after: by member a weight, how many messages it has left, how many copies it has to send, how many means, and whether
it dies.  Lists of messages are as long as these numbers, and each message has its own place in them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from sparring.proofs.logic.obligations import Obligation, every, i, iff, implies, j, n, p, s, within
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Sym, both, either, negate

a, b, h, w, x, y, z = (Sym.var(name) for name in ("a", "b", "h", "w", "x", "y", "z"))


class Member(NamedTuple):
    """The letters of one member."""

    weight: Sym
    left: Sym
    copies: Sym
    means: Sym
    mortal: Sym

    @property
    def dies(self) -> Bool:
        return self.mortal >= 1


def member(name: str) -> Member:
    return Member(*(Sym.var(f"{what}_{name}") for what in Member._fields))


one, owner = member("i"), member("j")
entries, copy, mean = (Sym.var(name) for name in ("entries", "copy", "mean"))
"""The entries of the part; and the number of the copy, and of the mean, that goes between ``i`` and ``j``."""


class Met(NamedTuple):
    """The events between ``i`` and the part of ``j``, as truths by the formulas of the page."""

    has: Bool
    """``i`` has a copy to send."""
    came: Bool
    made: Bool
    counted: Bool
    due: Bool
    told: Bool
    up: Bool
    lives: Bool
    takes: Bool


def met(f: Any) -> Met:
    """Return the events between ``i`` and the part that ``j`` looks after."""
    own, full = i == j, entries >= 1
    has = both(negate(own), f.copies(one.weight, full))
    came = both(has, f.sent(copy, one.left))
    up, made = f.complete(one.copies, one.left), f.made(full, f.complete(owner.copies, owner.left))
    counted = f.counted(own, came, one.weight, made)
    due = both(negate(own), f.due(counted, f.hears(one.dies, up)))
    told = both(due, f.sent(mean, owner.left - owner.copies))
    lives = f.lives(one.dies, up, f.complete(one.means, one.left - one.copies))
    return Met(has, came, made, counted, due, told, up, lives, f.takes(own, told, counted, lives))


def lists(m: Met) -> tuple[Bool, ...]:
    """Return the hypotheses that hold of any lists of messages.

    If ``i`` and ``j`` are one member, all their letters are equal.
    """
    same = every(*(u == v for u, v in zip(one, owner)))
    some = [x >= 0 for who in (one, owner) for x in who]
    return (
        p >= 1, within(i), within(j), *some, entries >= 0, implies(i == j, same),
        implies(m.has, both(copy >= 0, copy < one.copies)), implies(m.due, both(mean >= 0, mean < owner.means)),
    )  # fmt: skip


WHOLE = (
    one.left >= one.copies + one.means,
    owner.left >= owner.copies + owner.means,
    negate(one.dies),
    negate(owner.dies),
)
"""Neither ``i`` nor ``j`` dies or fails."""
LATE = (
    implies(one.dies, one.left == 0),
    implies(owner.dies, owner.left == 0),
    either(owner.left < owner.copies, owner.left >= owner.copies + owner.means),
)
"""Neither dies after it has sent, and the owner does not fail between copies and means."""


def averages(page: Page) -> bool:
    """Return whether the page is one of this exchange."""
    return hasattr(page.module, "counted")


def result(page: Page) -> Iterator[Obligation]:
    """Yield the obligations that whoever is there, and has a weight, is in all means and takes them."""
    if not averages(page):
        return
    m = met(page.module)
    known, there = lists(m), (one.weight >= 1, entries >= 1)
    yield Obligation("whoever is there is in the mean", (*known, *WHOLE, *there), m.counted)
    yield Obligation("and takes it", (*known, *WHOLE, *there), m.takes)
    yield Obligation("one vector alone is its own mean", (p >= 1, w >= 1), page.module.weighed(x, 1) == x)


def conservation(page: Page) -> Iterator[Obligation]:
    """Yield the obligations that whoever takes a mean is in it, that whoever is in it takes it, and what a mean is.

    The second has an exception: members that end between copies and means.
    """
    if averages(page):
        m = met(page.module)
        yield from taken(m, lists(m))
        yield from ends(m, lists(m))
        yield from mass(page.module)


def taken(m: Met, known: tuple[Bool, ...]) -> Iterator[Obligation]:
    """Yield the obligations about whose copies are in a mean, and who takes it."""
    came = both(one.weight >= 1, either(i == j, both(copy < one.left, entries >= 1)))
    up = both(owner.copies <= owner.left, entries >= 1)
    yield Obligation("in a mean is who sent its copy", known, iff(m.counted, both(up, came)))
    yield Obligation("whoever takes a mean is in it", known, implies(m.takes, m.counted))
    yield Obligation("and whoever is in it takes it", (*known, *LATE), implies(m.counted, m.takes))
    nothing = either(one.weight == 0, entries == 0)
    yield Obligation("nothing is sent of weight 0, and no empty part", (*known, nothing), negate(either(m.has, m.due)))
    yield Obligation("all others have a copy to send", (*known, negate(nothing), negate(i == j)), m.has)


def ends(m: Met, known: tuple[Bool, ...]) -> Iterator[Obligation]:
    """Yield the obligations about what members get that die or fail."""
    dies, early = (*known, one.dies), one.left < one.copies + one.means
    yield Obligation("who dies keeps what it had", (*dies, early), negate(m.takes))
    yield Obligation(
        "who dies in the first step hears nothing in the second", (*dies, one.left < one.copies), negate(m.due)
    )
    yield Obligation(
        "in the second step it hears", (*dies, one.left >= one.copies), iff(m.due, both(negate(i == j), m.counted))
    )
    stays = (*known, negate(one.dies))
    yield Obligation("who fails is told", stays, iff(m.due, both(negate(i == j), m.counted)))
    sent = either(i == j, mean < owner.left - owner.copies)
    yield Obligation("who fails has the means that come", stays, iff(m.takes, both(m.counted, sent)))


def mass(f: Any) -> Iterator[Obligation]:
    """Yield the obligations about a mean, by induction over members.

    A member with ``x`` and the weight ``w`` joins some whose weighted sum is ``a`` and whose weight is ``b``.

    ``z`` is the mean that all of them get.  For the weighted sum ``s`` of squares, ``s >= a a / b`` says that these
    do not grow: if ``s b - a a >= 0`` holds for some members, it holds with one more.
    """
    more, some = f.weighed(x, w), (p >= 1, w >= 0, b >= 0)
    yield Obligation("what they get", (*some, a == f.weighed(z, b)), a + f.weighed(z, w) == f.weighed(z, b + w))
    yield Obligation("what they had", (*some, a == b * h, x == h), a + more == (b + w) * h)
    rest, square = a - b * x, f.weighed(x * x, w)
    spread = (w + b) * (s * b - a * a) + f.weighed(rest * rest, w)
    yield Obligation(
        "squares stay at least the mean's", some, b * ((s + square) * (b + w) - (a + more) * (a + more)) == spread
    )
    yield Obligation("not above the largest", (*some, a <= b * h, x <= h), a + more <= (b + w) * h)
    yield Obligation("not below the smallest", (*some, a >= b * h, x >= h), a + more >= (b + w) * h)


def parts(f: Any) -> Iterator[Obligation]:
    """Yield the obligations about the lengths of parts, by induction over members.

    ``a`` and ``b`` are ``n`` times the scores of some members and of one more, of ``p`` in all.
    """
    some = (p >= 1, n >= 0, a >= 0, b >= 0)
    yield Obligation("none is less than nothing", some, f.rounded(b, p) >= 0)
    yield Obligation("no more together", (*some, x <= a // p), x + f.rounded(b, p) <= (a + b) // p)
    yield Obligation("less than one is lost", (*some, p * x >= a - z), p * (x + f.rounded(b, p)) >= a + b - z - (p - 1))
    yield Obligation("all scores are n entries", some, (n * p) // p == n)


def words(f: Any) -> Iterator[Obligation]:
    """Yield the obligations about the words sent, where each other member has one turn.

    Copies of their parts are ``a`` words, and the mean of ``s`` goes to each.
    """
    some = (p >= 1, n >= 0, s >= 0, s <= n)
    yield Obligation("copies and means", (*some, a == n - s), a + (p - 1) * s == n + (p - 2) * s)
    even = f.rounded(n, p)
    yield Obligation("equal parts", (*some, n == p * h), p * even == n)
    yield Obligation("of equal parts", (*some, n == p * even), p * (n + (p - 2) * even) == 2 * n * (p - 1))


def volume(page: Page) -> Iterator[Obligation]:
    """Yield the obligations that a member sends at most one copy and one mean to each other one.

    Also yield those about the words sent, given the lengths of the parts.
    """
    m = met(page.module)
    yield Obligation("no copy and no mean to itself", lists(m), implies(i == j, negate(either(m.has, m.due))))
    yield from words(page.module)
