"""What Moshpit All-Reduce sends at most: in each round what the two-shot allreduce of a full group does.

A member sends all but its own part, and that part to all others.  Where groups are smaller, parts are larger:
with enough entries members of these send no more, although their parts are rounded up, too.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from sparring.errors import Undecided
from sparring.proofs.core.obligations import RANKS, Obligation, j, n, p, r
from sparring.proofs.core.parts import Bounded, Part, Played
from sparring.spec import two_shot
from sparring.spec.core.digits import log_of, power_of
from sparring.spec.core.model import Page, load
from sparring.spec.core.numbers import Int

ROUNDS = "rounds of groups"
PLAIN = ("weights", "bandwidths", "dead", "failing")
"""Parameters with which members of a group differ."""
SIZES = 32
"""Of larger groups it is not proved that smaller ones send no more."""
ENTRIES = 20_000
"""Of all ranks together, up to which smaller groups are counted."""


def bounded(page: Page) -> Bounded:
    """What a call sends at most; raises InputError for parameters that the page does not take.

    Raises Undecided where members differ, or die.
    """
    module: Any = page.module
    module.checked(module.Params(**page.params))
    if given := [name for name in PLAIN if page.params[name]]:
        raise Undecided(f"{page.name}: with {given[0]} it depends on who is in which group: without it has a cost")
    m = page.params["m"]
    claims = (*turns(module), *parts(module, m), *(smaller(m) if m <= SIZES else ()))
    part = Part(ROUNDS, load(two_shot), 1, claims, ranks=m, times=page.params["rounds"] or None)
    note = "least messages: those are of ranks that all hear from all, which here they do on a full grid alone"
    return Bounded("M1-M3" if least(m) else "M1-M2", hypotheses(m), (part,), notes=(note,))


def hypotheses(m: int) -> list[tuple[str, str]]:
    """Each with its name.  All groups are full where ``p`` is a power of ``m``: the page's theorem of its result."""
    full, long = f"p is a power of {m}", f"vectors have at least {least(m)} entries"
    alike = [("M1", "all weights are alike, and all bandwidths"), ("M2", "nobody dies")]
    return [*alike, *([("M3", f"{full}, or {long}" if m <= SIZES else full)] if least(m) else [])]


def least(m: int) -> int:
    """With so many entries members of smaller groups send no more than those of full ones; of pairs with any number."""
    return m * (m - 2) ** 2


def turns(module: Any) -> Iterator[Obligation]:
    """Members send to whom the ranks of the two-shot allreduce do; there are ``p`` in the group."""
    one, turn = load(two_shot), (*RANKS, j >= 0, j < p - 1)
    for step in range(2):
        yield Obligation(f"to whom, step {step}", turn, module.turn(r, j + 1, p) == one.dst(r, step, p, j))


def parts(module: Any, m: int) -> Iterator[Obligation]:
    """Parts of ``s`` members have ``n / s`` entries, rounded down, and at most one of what is left over."""
    for s in range(2, min(m, SIZES) + 1):
        score = module.scores([1] * s)[0]
        top, left = score.numerator, n - s * (n // s)
        yield Obligation(f"parts of {s}", (n >= 0,), module.rounded(n * top, s * top) == n // s)
        yield Obligation(f"fewer than {s} left", (n >= 0,), left < s)


def smaller(m: int) -> Iterator[Obligation]:
    """Members of smaller groups send and add no more: in both steps, and in each of them."""

    def largest(s: int) -> Int:
        part: Int = (n + (s - 1)) // s
        return part

    for s in range(2, m):
        some, what = (n >= least(m),), f"of {s}, not {m}"
        yield Obligation(f"all {what}", some, (s - 2) * largest(s) <= (m - 2) * largest(m))
        yield Obligation(f"copies {what}", some, n // s >= n // m)
        yield Obligation(f"means {what}", some, (s - 1) * largest(s) <= (m - 1) * largest(m))


def played(page: Page, ranks: int) -> Iterator[Played]:
    """Calls on so many ranks: of a full grid, on which all that the bound says is sent, and of any."""
    m, rng = page.params["m"], random.Random(ranks)
    full = ranks == power_of(m, log_of(ranks, m))

    def call(what: str, many: int, reaches: tuple[str, ...]) -> Played:
        return Played(what, page, [[float(rng.randrange(9)) for _ in range(many)] for _ in range(ranks)], None, reaches)

    if full:
        yield call("equal parts", m, (ROUNDS, "") if ranks > 1 else ())
        yield call("parts of two lengths", m + 1, ())
    if m <= SIZES and ranks * least(m) <= ENTRIES:
        yield call("any parts", least(m) + rng.randrange(1, 3 * m), ())
