"""Bounds what averages in groups cost: in each round what the exchange's page costs in a full group.

A member sends all but its own part, and that part to all others.  Where groups are smaller, parts are larger:
with enough entries members of these send no more, although their parts are rounded up, too.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from sparring.errors import Undecided
from sparring.proofs.logic.obligations import Obligation, n
from sparring.proofs.reading.ways import Sent
from sparring.spec.core.digits import log_of, power_of
from sparring.spec.core.exchanges import served
from sparring.spec.core.numbers import Int
from sparring.spec.library.bandwidth_shares import scores

UNLIKE = ("weights", "bandwidths", "dead", "failing")
"""Parameters with which members of a group differ."""
SIZES = 32
"""The largest group of which it is proved that smaller ones send no more."""
ENTRIES = 20_000
"""The entries of all ranks together up to which smaller groups are counted."""
NOTE = "least messages: those are of ranks that all hear from all, which here they do on a full grid alone"


def size(sent: Sent) -> int:
    """Return the number of ranks in a full group; raise Undecided where members differ, or die."""
    params = sent.asked.params
    if unlike := [name for name in UNLIKE if getattr(params, name)]:
        raise Undecided(f"with {unlike[0]} it depends on who is in which group: without it has a cost")
    return int(params.m)


def hypotheses(m: int) -> list[tuple[str, str]]:
    """Return the hypotheses, each with its name.

    All groups are full where ``p`` is a power of ``m``: the page's theorem of its result.
    """
    full, long = f"p is a power of {m}", f"vectors have at least {least(m)} entries"
    alike = [("M1", "all weights are alike, and all bandwidths"), ("M2", "nobody dies")]
    return [*alike, *([("M3", f"{full}, or {long}" if m <= SIZES else full)] if least(m) else [])]


def least(m: int) -> int:
    """Return how many entries suffice for members of smaller groups to send no more; 0 for pairs."""
    return m * (m - 2) ** 2


def claims(sent: Sent) -> Iterator[Obligation]:
    """Yield the obligations that no member sends more than a member of a full group."""
    m = size(sent)
    yield from parts(served(sent.through).module.rounded, m)
    yield from smaller(m) if m <= SIZES else ()


def parts(rounded: Any, m: int) -> Iterator[Obligation]:
    """Yield the obligations that a part has ``n / s`` entries, rounded down, and at most one of those left over."""
    for s in range(2, min(m, SIZES) + 1):
        top, left = scores([1] * s)[0].numerator, n - s * (n // s)
        yield Obligation(f"parts of {s}", (n >= 0,), rounded(n * top, s * top) == n // s)
        yield Obligation(f"fewer than {s} left", (n >= 0,), left < s)


def smaller(m: int) -> Iterator[Obligation]:
    """Yield the obligations that members of smaller groups send and add no more, in both steps and in each."""

    def largest(s: int) -> Int:
        part: Int = (n + (s - 1)) // s
        return part

    for s in range(2, m):
        some, what = (n >= least(m),), f"of {s}, not {m}"
        yield Obligation(f"all {what}", some, (s - 2) * largest(s) <= (m - 2) * largest(m))
        yield Obligation(f"copies {what}", some, n // s >= n // m)
        yield Obligation(f"means {what}", some, (s - 1) * largest(s) <= (m - 1) * largest(m))


def lengths(ranks: int, m: int) -> Iterator[tuple[int, bool]]:
    """Yield lengths of vectors to count with, of parts of any length, and whether all that the bound says is sent."""
    if ranks == power_of(m, log_of(ranks, m)):  # they fill a grid
        yield from ((m, True), (m + 1, False))
    if m <= SIZES and ranks * least(m) <= ENTRIES:
        yield least(m) + random.Random(ranks).randrange(1, 3 * m), False


def vectors(ranks: int, many: int) -> Sequence[list[float]]:
    """Return vectors of ``many`` entries, one for each rank, always the same."""
    rng = random.Random(ranks)
    return [[float(rng.randrange(9)) for _ in range(many)] for _ in range(ranks)]
