"""What is proved of Moshpit All-Reduce, for every number of ranks and every size of groups.

Indices are letters, so what is proved holds for any: ``x``, ``y`` and ``z`` are cells before round ``t``, ``b``
and ``g`` the chunk indices of two members, of which is only known that they differ within a group.  After ``t``
rounds a rank's average has the vectors of those ranks whose first cells have the same digits, from the ``t``-th
on, as its own first cell.  What is proved of the mean is about whole numbers: ``a`` is the sum of some vectors'
entries, each times its weight, and ``b`` of the weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

from sparring.impl.core import parties
from sparring.proofs.core.obligations import Obligation, every, i, iff, implies, n, p, q, r, s, t, within
from sparring.proofs.core.rotation import SAME, TURN, apart, rotation
from sparring.proofs.core.supplement import Stated
from sparring.proofs.cost.moshpit import bounded, played
from sparring.spec.core.digits import digit, power, prefix, put
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Sym, both, negate

__all__ = ["bounded", "played"]

m, d, x, y, z, b, g, a, w, h = (Sym.var(name) for name in ("m", "d", "x", "y", "z", "b", "g", "a", "w", "h"))

GRID = (m >= 2, d >= 1, p == power(m, d), within(t, d), within(q), within(r), within(x), within(y), within(z))
"""A full grid, and a round."""

others = ({"m": 4, "rounds": 3, "failing": ((0, 0, 0), (1, 0, 2), (2, 1, 4), (0, 1, 3), (3, 1, 1), (3, 2, 1)),
           "dead": ((3, 1, 5),)},
          {"m": 3, "rounds": 2, "dead": ((1, 0, 1), (2, 1, -1), (4, 0, 2), (0, 1, 2))},
          {"m": 4, "rounds": 3, "weights": (49, 0, 1, 3), "bandwidths": (3, 1, 0, 2, 9)},
          {"m": 4, "bandwidths": (5, 4, 4, 3)}, {"bandwidths": (0, 0, 1)}, {"m": 3, "chance": 2**63 - 1})  # fmt: skip
refused = ({"m": 1}, {"rounds": -1}, {"chance": -1}, {"weights": (-1,)}, {"bandwidths": (-1,)}, {"dead": ((0, 0),)},
           {"dead": ((0, 0, -2),)}, {"dead": ((-1, 0, 0),)},
           {"dead": ((0, -1, 0),)}, {"dead": ((0, 0, 1), (0, 1, 1))}, {"dead": ((),)},
           {"failing": ((0, 0),)}, {"failing": ((0, 0, -1),)}, {"failing": ((-1, 0, 0),)}, {"failing": ((0, -1, 0),)},
           {"failing": ((0, 0, 1), (1, 0, 1), (0, 0, 0))})  # fmt: skip

survivors = {
    "if refusal:": "the rank is then refused by what all ranks are told; the tests read its own error",
}  # fmt: skip

faults: Mapping[str, Mapping[str, Any]] = {
    "the index goes into the next digit": {"moved": lambda z, e, c, m: put(z, e + 1, c, m)},
    "all lower digits may differ": {"line": lambda z, e, m: prefix(z, e + 1, m)},
    "weights forgotten": {"weighed": lambda x, w: x},
    "parts rounded up": {"rounded": lambda amount, total: (amount + total - 1) // total},
    "parts an entry longer": {"rounded": lambda amount, total: amount // total + 1},
    "sends to the next but one": {"turn": lambda i, j, n: (i + j + 1) % n},
    SAME: {"turn": lambda i, j, n: j},
}


def certificates(page: Page) -> Mapping[tuple[str, str], tuple[str, tuple[Obligation, ...]]]:  # noqa: ARG001  # all
    """Faults that are none, each with what this rests on."""
    before = Obligation("nothing lies between", (p >= 1, y == x - 1), negate(both(x <= i, i < y)))
    base = Obligation("1 is no base", (p >= 1, m == 1), m < 2)
    return {
        ('least, named = {"m": 2, "rounds": 0, "chance": 0}, params._asdict()', "2 becomes 1"):
            ("digits refuse a base of 1 themselves", (base,)),
        ("return [0] * len(wanted)", "0 becomes -1"):
            ("a part that ends before it begins has no entries", (before,)),
    }  # fmt: skip


def theorems(page: Page) -> Iterator[Stated]:
    """All of them."""
    f: Any = page.module
    yield Stated(
        "result", "On a full grid, p = m^d, whichever part each member looks after, every group has m members in every "
        "round; after t of d rounds a rank has the mean of m^t vectors, each once, and after d rounds of all.",
        (*cells(f), *influence(f)), "the index goes into the next digit", "digits",
    )  # fmt: skip
    yield Stated(
        "conservation", "Whatever the groups, and who fails to send: members with the mean of their copies and of no "
        "others have, times their weights, what they had together; squares do not grow, and no mean is beyond the "
        "largest or the smallest that went into it.",
        mass(f), "weights forgotten",
    )  # fmt: skip
    yield Stated(
        "partition", "Parts in proportion to scores, rounded down, are no more than n entries together, and fewer by "
        "less than there are members: one more for some of them makes n.",
        parts(f), "parts rounded up",
    )  # fmt: skip
    yield Stated(
        "deadlock", "In a step a member sends to each other one of its group in one turn, and never to itself.",
        rotation(steps(f)), "sends to the next but one",
    )  # fmt: skip
    yield Stated(
        "volume", "In a round of a group of p, a member that looks after s of n entries sends n + (p - 2) s words at "
        "most, its copies and its mean; where p divides n and all bandwidths are alike, 2 n (p - 1) / p.",
        words(f), "parts an entry longer",
    )  # fmt: skip
    yield Stated(
        "contention", "In a step a member sends at most one message to each other one of its group, hears at most one "
        "from each, and none of another group: on a crossbar p - 1 messages share the port of each sender and of each "
        "receiver, one for each pair of members.",
        (*apart(steps(f)), *rotation(steps(f))), SAME,
    )  # fmt: skip


def cells(f: Any) -> Iterator[Obligation]:
    """All cells are taken, each once: by induction so are all new ones, and a group has the ``m`` ranks of a line."""
    after, other = f.moved(x, t, b, m), f.moved(y, t, g, m)
    two = (*GRID, within(b, m), within(g, m))
    mates = f.line(x, t, m) == f.line(y, t, m)
    yield Obligation("a new cell is in the grid", (*GRID, within(b, m)), within(after))
    yield Obligation("no two take one", two, implies(implies(mates, negate(b == g)), negate(after == other)))
    at = put(x, t, b, m)
    yield Obligation("a line has a cell for each index", (*GRID, within(b, m)), f.line(at, t, m) == f.line(x, t, m))
    yield Obligation("another cell for another index", (*GRID, within(b, m), within(g, m), negate(b == g)),
                     negate(at == put(x, t, g, m)))  # fmt: skip
    yield Obligation("and no other cell", (*GRID, mates), y == put(x, t, digit(y, t, m), m))
    taker = implies(both(mates, g == digit(y, t, m)), f.moved(x, t, g, m) == y)
    yield Obligation("each cell is taken, by who has its index", GRID, taker)


def influence(f: Any) -> Iterator[Obligation]:
    """Whose vectors a rank's average has; ``r`` is its first cell, and ``x`` the one that it has now.

    The two, and those of a member of its group, ``q`` and ``y``, have the same digits from the ``t``-th on.
    """
    mates, after = f.line(x, t, m) == f.line(y, t, m), f.moved(x, t, b, m)
    still = prefix(x, t, m) == prefix(r, t, m)
    yield Obligation("its own at first", GRID, iff(prefix(q, 0, m) == prefix(r, 0, m), q == r))
    yield Obligation("higher digits are as at first", (*GRID, within(b, m), still),
                     prefix(after, t + 1, m) == prefix(r, t + 1, m))  # fmt: skip
    there, then = prefix(q, t, m) == prefix(y, t, m), prefix(q, t + 1, m) == prefix(x, t + 1, m)
    yield Obligation("what a member has comes", (*GRID, mates, there), then)
    bringer = put(x, t, digit(q, t, m), m)
    brings = both(f.line(bringer, t, m) == f.line(x, t, m), prefix(q, t, m) == prefix(bringer, t, m))
    yield Obligation("nothing else comes", (*GRID, then), brings)
    same = every(mates, f.line(x, t, m) == f.line(z, t, m), there, prefix(q, t, m) == prefix(z, t, m))
    yield Obligation("and each from one member", (*GRID, same), y == z)
    yield Obligation("as many times as many", GRID, power(m, t) * m == power(m, t + 1))
    yield Obligation("in the end all", GRID, prefix(q, d, m) == prefix(r, d, m))


def mass(f: Any) -> Iterator[Obligation]:
    """Member by member: one with ``x`` and the weight ``w`` comes to some that are ``a`` together, of the weight ``b``.

    ``z`` is the mean that all of them get.  Where their squares are ``s`` together, ``s >= a a / b`` says that these
    do not grow: from ``s b - a a >= 0`` of some follows that it is no less of one more.
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
    """Member by member: ``a`` and ``b`` are ``n`` times the scores of some and of one more, of ``p`` in all."""
    some = (p >= 1, n >= 0, a >= 0, b >= 0)
    yield Obligation("none is less than nothing", some, f.rounded(b, p) >= 0)
    yield Obligation("no more together", (*some, x <= a // p), x + f.rounded(b, p) <= (a + b) // p)
    yield Obligation("less than one is lost", (*some, p * x >= a - z), p * (x + f.rounded(b, p)) >= a + b - z - (p - 1))
    yield Obligation("all scores are n entries", some, (n * p) // p == n)


def steps(f: Any) -> Any:
    """To which of ``p`` members one sends in each turn, and from which it hears: from those before it."""
    return SimpleNamespace(dst=f.turn, src=lambda r, i, p: (r - i) % p)


def words(f: Any) -> Iterator[Obligation]:
    """Each other member has one turn: copies of their parts are ``a`` words, and the mean of ``s`` goes to each."""
    yield from rotation(steps(f))
    some = (p >= 1, n >= 0, s >= 0, s <= n)
    yield Obligation("copies and means", (*some, a == n - s), a + (p - 1) * s == n + (p - 2) * s)
    even = f.rounded(n, p)
    yield Obligation("equal parts", (*some, n == p * h), p * even == n)
    yield Obligation("of equal parts", (*some, n == p * even), p * (n + (p - 2) * even) == 2 * n * (p - 1))


def peers(page: Page) -> Iterator[Obligation]:
    """``impl/core/parties.py`` counts turns in a function of its own."""
    impl: Any = parties
    yield Obligation("turns", TURN, impl.further(r, i, p) == page.module.turn(r, i, p))
