"""Which pages an MPI library chooses where, which the derived costs would choose, and what its choice loses.

Nothing here is measured: counts of messages, a machine and times come in, judgements go out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache
from math import comb
from typing import NamedTuple

import msgspec
import numpy as np

from sparring.calibration.fitting import Floats
from sparring.calibration.profile import short
from sparring.costs.links.levels import Network, counted
from sparring.costs.links.machines import Machine
from sparring.errors import SparringError
from sparring.libraries.counting import WIDTH, Amount, Key, Pair, Sent
from sparring.libraries.matching import Played, candidates, lengths, segments
from sparring.libraries.selection import OWN
from sparring.libraries.timing import Timings
from sparring.proofs.contention import networks
from sparring.spec.core.schedule import number

WITHIN = Fraction(1, 20)
"""Costs that differ by less count as equal."""
DOUBT = Fraction(1, 100)
"""How probable a loss may be by chance alone; it takes 7 rounds at least to show one."""
FREE = "crossbar"
"""Each rank sends, and receives, one message at a time; else no two messages share a link."""
Quartiles = tuple[float, float, float]
Price = Callable[[Played, int, int], Fraction | None]


class Match(NamedTuple):
    """Pages, played one after the other, and into how many segments each of their messages is cut."""

    played: Played
    segments: int

    @property
    def name(self) -> str:
        """The pages' names, and that their messages are cut, if they are."""
        return f"{self.played.name}{' in segments' if self.segments > 1 else ''}"


class Choice(msgspec.Struct, frozen=True):
    """What a library chooses by itself, on ``ranks`` ranks for ``size`` entries.

    ``page``: the pages that send the same, "" where none does; ``alike``: the algorithms that send the same when they
    are chosen; ``derived``: the pages that cost least of those that can be chosen, "" where no costs are derived;
    ``factor``: what the library's own pages cost beside these, None where theirs are not derived.
    """

    ranks: int
    size: int
    page: str
    alike: list[str]
    derived: str = ""
    factor: float | None = None

    @property
    def label(self) -> str:
        """The pages; where none sends the same, the first algorithm that does."""
        return self.page or f"no page{': as ' + self.alike[0] if self.alike else ''}"

    @property
    def otherwise(self) -> bool:
        """Whether the derived costs choose other pages."""
        return self.factor is not None and self.factor > 1 + WITHIN


class Loss(msgspec.Struct, frozen=True):
    """What a library's own choice takes, as a multiple of the fastest algorithm that can be chosen: quartiles.

    ``slower``: in how many of ``rounds`` by more than what counts as equal.
    """

    ranks: int
    size: int
    best: str
    factor: Quartiles
    slower: int
    rounds: int

    @property
    def sure(self) -> bool:
        """Whether so many rounds would hardly show a loss if each did or not by the toss of a coin."""
        return by_chance(self.slower, self.rounds) <= DOUBT


def by_chance(heads: int, tosses: int) -> Fraction:
    """Return how probable it is that a coin shows so many heads, or more.

    >>> by_chance(4, 4), by_chance(1, 2)
    (Fraction(1, 16), Fraction(3, 4))
    """
    return Fraction(sum(comb(tosses, k) for k in range(heads, tosses + 1)), 1 << tosses)


def matched(sent: Mapping[Key, Sent]) -> dict[Key, Match]:
    """Return the pages that send the same, for each algorithm, number of ranks and length where some do.

    Many pages send the same on few ranks.  So an algorithm is given the pages that are its own on more.
    """
    known: list[Played] = []
    found: dict[Key, Match] = {}
    odd: set[tuple[int, int, frozenset[tuple[Pair, Amount]]]] = set()
    for collective, name in dict.fromkeys(key[:2] for key in sent):
        own: Counter[Played] = Counter()
        runs = [key for key in sent if key[:2] == (collective, name) and not sent[key].refused]
        for key in sorted(runs, key=lambda key: key[2:], reverse=True):
            *_, p, n = key
            pattern = (p, n, frozenset(sent[key].pairs.items()))
            first = [*(played for played, _ in own.most_common()), *known]
            match = match_in(first, collective, p, n, sent[key].pairs)
            if (match is None or match.segments > 1) and pattern not in odd:
                match = match_in(candidates(collective), collective, p, n, sent[key].pairs) or match
            if match is None:
                odd.add(pattern)
                continue
            found[key] = match
            own[match.played] += 1
            if match.played not in known:
                known.append(match.played)
                known.sort(key=lambda played: len(played.stages))
        for key in runs:
            often = match_in([played for played, _ in own.most_common()], collective, *key[2:], sent[key].pairs)
            if often and often.segments == 1:
                found[key] = often
    return found


def match_in(among: Iterable[Played], collective: str, p: int, n: int, pairs: Mapping[Pair, Amount]) -> Match | None:
    """Return the first pages whose messages are these; where there are none, those that cut them into fewest."""
    cut: list[Match] = []
    for played in among:
        times = segments(played, collective, p, n, pairs)
        if times == 1:
            return Match(played, 1)
        if times:
            cut.append(Match(played, times))
    return min(cut, key=lambda match: match.segments, default=None)


def pricing(collective: str, machine: Machine) -> Price:
    """Return what prices pages on a machine: seconds in lock step, derived message by message; None where not."""
    network = Network(networks.find(FREE), machine)

    @cache
    def price(played: Played, p: int, n: int) -> Fraction | None:
        if played.apart:  # it sends more messages than its pages
            return None
        with suppress(SparringError):
            return sum((
                counted(stage.page, network, p=p, n=entries(collective, number(stage.page.chunks(p)), p, n),
                        width=WIDTH).time
                for stage in played.stages
            ), Fraction(0))  # fmt: skip
        return None

    return price


def entries(collective: str, chunks: int, p: int, n: int) -> int:
    """Return how many entries all chunks of a page have in all; an alltoall has a chunk for each pair of ranks.

    >>> entries("allreduce", 4, 4, 1000), entries("allgather", 4, 4, 1000), entries("alltoall", 16, 4, 1000)
    (1000, 4000, 4000)
    """
    given = lengths(collective, p, n)
    return chunks * given[0] if len(given) == p and chunks == p * p else sum(given)


def choices(sent: Mapping[Key, Sent], matches: Mapping[Key, Match], price: Price) -> list[Choice]:
    """Return what the library chooses at each number of ranks and each length of one collective."""
    return [chosen(key, sent, matches, price) for key in sent if key[1] == OWN and not sent[key].refused]


def chosen(key: Key, sent: Mapping[Key, Sent], matches: Mapping[Key, Match], price: Price) -> Choice:
    """Return what the library chooses at one point."""
    collective, _, p, n = key
    others = [one for one in sent if one[0] == collective and one[2:] == (p, n) and one[1] != OWN]
    alike = [one[1] for one in others if sent[one] == sent[key]]
    own = matches.get(key)
    priced = {
        match.name: cost for match in uncut(matches, [key, *others]) if (cost := price(match.played, p, n)) is not None
    }
    if not priced:
        return Choice(p, n, own.name if own else "", alike)
    least = min(priced, key=lambda name: priced[name])
    cost = priced.get(own.name) if own else None
    factor = short(float(cost / priced[least])) if cost is not None and priced[least] else None
    return Choice(p, n, own.name if own else "", alike, least, factor)


def uncut(matches: Mapping[Key, Match], keys: Iterable[Key]) -> Iterator[Match]:
    """Yield the pages of these whose messages are not cut: of others, no cost is derived."""
    return (matches[key] for key in keys if key in matches and matches[key].segments == 1)


def losses(timings: Timings) -> list[Loss]:
    """Return what the library's own choice loses at each length that it and another algorithm were timed at.

    The fastest algorithm is found in each half of the rounds and its times are taken from the other half: of several
    that are equally fast, the one that was lucky would else look faster than it is.
    """
    if OWN not in timings.seconds:
        return []
    own = timings.of(OWN)
    others = {name: timings.of(name) for name in timings.seconds if name != OWN}
    found = []
    for i, n in enumerate(timings.sizes):
        columns = {name: times[:, i] for name, times in others.items() if not np.isnan(times[:, i]).any()}
        if columns and not np.isnan(own[:, i]).any():
            ratios = np.concatenate([beside(own[:, i], columns, half) for half in (0, 1)])
            slower = int((ratios > 1 + float(WITHIN)).sum())
            found.append(Loss(timings.ranks, n, fastest(columns), quarters(ratios), slower, len(ratios)))
    return found


def beside(own: Floats, columns: Mapping[str, Floats], half: int) -> Floats:
    """Return the own choice's times over those of the algorithm that is the fastest in the other rounds."""
    best = fastest({name: column[half::2] for name, column in columns.items()})
    return own[1 - half :: 2] / columns[best][1 - half :: 2]


def fastest(columns: Mapping[str, Floats]) -> str:
    """Return the algorithm of the least median."""
    return min(columns, key=lambda name: float(np.median(columns[name])))


def quartiles(timings: Timings) -> dict[str, list[Quartiles | None]]:
    """Return the quartiles of each algorithm's times, a length each; None where a call is refused."""
    return {
        name: [None if np.isnan(column).any() else quarters(column) for column in timings.of(name).T]
        for name in timings.seconds
    }


def quarters(numbers: Sequence[float] | Floats) -> Quartiles:
    """Return the quartiles of numbers, to four digits.

    >>> quarters([1.0, 2.0, 3.0])
    (1.5, 2.0, 2.5)
    """
    low, middle, high = (short(float(x)) for x in np.percentile(numbers, [25, 50, 75]))
    return low, middle, high
