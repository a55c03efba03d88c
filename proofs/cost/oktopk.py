"""What Ok-Topk sends at most, under the hypotheses of its published volume; and calls that keep to them.

The letters are those of ``proofs/oktopk.py``: of all entries in the order of ranks, a rank has those at or
after ``begin`` and before ``end``, and a share those from ``start`` to ``stop``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sparring.proofs.core.obligations import Obligation, j, n, p, q, r, within
from sparring.proofs.core.parts import Bounded, Part, Played
from sparring.proofs.exchanges.volumes import leaving, moving, sharing
from sparring.spec import bruck_allgather
from sparring.spec.core.model import Page, load
from sparring.spec.core.numbers import Int, Sym, where
from sparring.spec.core.sparse import SparseVector

__all__ = ["sharing"]

d, x, k, e, a, b = (Sym.var(name) for name in ("d", "x", "k", "e", "a", "b"))
BOX = (p >= 1, n >= 0, within(j))
"""``n`` entries, and one of the shares that they are dealt out in."""

HYPOTHESES = (
    ("H1", "no rank selects more than k entries"),
    ("H2", "floor(k/p) or ceil(k/p) of them lie in each region"),
    ("H3", "at most k sums stay"),
    ("H4", "an index is a word; sizes and bounds, which are exchanged apart, are none"),
)
SPLIT, DEALT, GATHERED = "split and reduce", "dealing out", "allgather"
EVEN = 2
"""Lists of so many times the mean cost no more than dealing out."""


def bounded(page: Page) -> Bounded:
    """What a call with older thresholds sends at most; raises InputError for parameters that the page does not take."""
    m: Any = page.module
    m.checked(m.Params(**page.params))
    times = max(EVEN, page.params["trigger"])
    lists, share = load(bruck_allgather), m.bound(r + 1, k, p) - m.bound(r, k, p)
    dealt = DEALT if times == EVEN else f"{DEALT}, or lists of up to {times} times the mean"
    parts = (
        Part(SPLIT, to_all(page, 1, adds=True), page.params["bucket"], (*leaving(),)),
        Part(dealt, to_all(page, times - 1, adds=False), p, (*moving(m), *dealing(m), *longer(times)),
             once=True),
        Part(GATHERED, lists, 1, (*sharing(m),), longest=share),
    )  # fmt: skip
    anew = Part("a call that finds thresholds anew gathers all sums first", lists, 1, (), longest=p * share)
    note = f"the lower bound of a trigger of {EVEN} or less, with which longer lists cost no more than dealing out"
    notes = (note,) if times > EVEN else ()
    return Bounded("H1-H4", HYPOTHESES, parts, (anew,), notes, calls="a call with older thresholds")


def to_all(page: Page, times: int, *, adds: bool) -> Page:
    """Each rank sends of ``k`` entries, in turn, ``times`` the share of each other rank: the most that one may send."""
    m: Any = page.module

    def share(c: Int, p: Int, k: Int) -> Int:
        entries: Int = m.bound(c + 1, k, p) - m.bound(c, k, p)
        return times * entries

    return replace(
        page, program=None, steps=lambda p: p - 1, messages=lambda t, p: 1, active=lambda r, t, p: True,
        dst=lambda r, t, p: m.dst(r, t + 1, p), src=lambda r, t, p: m.src(r, t + 1, p),
        chunk=lambda r, t, p: m.dst(r, t + 1, p), count=lambda r, t, p: 1, adds=lambda t, p: adds,
        words=lambda r, t, c, p, n, k: 2 * share(c, p, k), added=lambda r, t, c, p, n, k: share(c, p, k),
    )  # fmt: skip


def dealing(m: Any) -> Iterator[Obligation]:
    """A rank that has all ``n`` of at most ``k`` sums keeps its share, and sends no more than with ``k``."""
    yield Obligation("a share of them stays", BOX, m.bound(j + 1, n, p) - m.bound(j, n, p) >= n // p)
    yield Obligation("of fewer no more leave", (p >= 1, n >= 0, n <= k), n - n // p <= k - k // p)


def longer(times: int) -> Iterator[Obligation]:
    """Lists of up to ``times`` the mean that are not dealt out cost no more than is granted for dealing out.

    With ``k = p e + q`` each has at most ``times e + d`` entries, ``x = p d <= times q``, in the place of ``e``
    or, where ``p`` does not divide ``k``, of ``e + 1``; ``p - 1`` lists are sent.
    """
    nothing: Int = 0
    one_more = where(q >= 1, p - 1, nothing)
    short = (p >= 1, within(q), d >= 0, x <= times * q)
    yield Obligation("longer lists", short, x - d <= one_more + (times - 1) * q)


LEAST = 9
"""An entry of this size is selected."""


@dataclass(frozen=True)
class Calls:
    """Calls of a page with so many entries, ``k``, on ``p`` ranks; a region has ``width`` places."""

    page: Page
    p: int
    k: int

    @property
    def width(self) -> int:
        """Enough for the entries of all ranks."""
        return 2 * self.k + 1

    def share(self, c: int) -> range:
        """The ``c``-th of ``p`` shares."""
        return range(c * self.k // self.p, (c + 1) * self.k // self.p)

    def call(self, what: str, rows: Sequence[dict[int, int]], least: int, reaches: Sequence[str] = ()) -> Played:
        """A call of which sums of at least this size stay; ``rows``: by rank, values by index."""
        m: Any = self.page.module
        page = load(m, **{**self.page.params, "k": self.k, "tau": 2, "tau_prime": 2})
        xs = [SparseVector(tuple(sorted(row)), tuple(row[i] for i in sorted(row)), self.p * self.width) for row in rows]
        state = m.State(
            call=1, local=[m.threshold([LEAST], 1)] * self.p, least=m.threshold([least], 1),
            bounds=[self.width * c for c in range(self.p + 1)],
        )  # fmt: skip
        return Played(what, page, xs, state, reaches if self.p > 1 else ())

    def rows(self, places: Callable[[int, int], range], value: Callable[[int], int]) -> list[dict[int, int]]:
        """Rank ``r`` has in region ``c`` entries at ``places(r, c)``, all with ``value(c)``."""
        return [
            {c * self.width + i: value(c) for c in range(self.p) for i in places(r, c)} for r in range(self.p)
        ]  # fmt: skip

    def alike(self) -> Played:
        """The same entries on all ranks, evenly in the regions: all sums stay where they are."""
        rows = self.rows(lambda r, c: self.share(c), lambda c: LEAST)
        return self.call("the same entries on all ranks", rows, LEAST, (SPLIT, GATHERED))

    def lone(self) -> Played:
        """All sums that stay are rank 0's, which deals them out if that is more than ``trigger`` times the mean."""
        rows = self.rows(lambda r, c: self.share((r + c) % self.p), lambda c: LEAST * (1 + (c == 0)))
        trigger = self.page.params["trigger"]
        all_dealt = (SPLIT, DEALT, GATHERED, "") if trigger <= EVEN else (SPLIT, GATHERED)
        return self.call("all sums on rank 0", rows, 2 * LEAST, all_dealt if self.p > trigger else (SPLIT,))

    def lopsided(self) -> Played:
        """A few ranks have ``trigger`` times the mean of the sums that stay, which are not dealt out then."""
        trigger, each = self.page.params["trigger"], self.k // self.p
        few = self.p // trigger

        def places(r: int, c: int) -> range:
            first = (r % trigger if c < few else r) * each
            return range(first, first + each)

        return self.call("some lists longer", self.rows(places, lambda c: LEAST * (1 + (c < few))), 2 * LEAST)

    def drawn(self, rng: random.Random) -> Played:
        """Anything that keeps to the hypotheses."""
        rows = []
        for _ in range(self.p):
            order = rng.sample(range(self.p), self.p)
            at = [(c, i) for c in range(self.p) for i in rng.sample(range(self.width), len(self.share(order[c])))]
            rows.append({c * self.width + i: rng.choice((-1, 1)) * rng.randrange(LEAST, 10**9) for c, i in at})
        sums: dict[int, int] = {}
        for i, value in ((i, value) for row in rows for i, value in row.items()):
            sums[i] = sums.get(i, 0) + value
        sizes = sorted(map(abs, sums.values()), reverse=True)
        return self.call("drawn", rows, 1 + sizes[self.k] if len(sizes) > self.k else 1)


def played(page: Page, p: int) -> Iterator[Played]:
    """Calls on ``p`` ranks that keep to the hypotheses, of which some send all that they may."""
    rng, even = random.Random(p), Calls(page, p, p)
    yield even.alike()
    yield even.lone()
    if page.params["trigger"] > EVEN and p % page.params["trigger"] == 0:
        yield even.lopsided()
    yield Calls(page, p, rng.randrange(2 * p)).drawn(rng)
