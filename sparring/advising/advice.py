"""Compares every algorithm's derived cost for measured gradients at a place, and ranks them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from inspect import signature
from typing import NamedTuple

from sparring.advising.amounts import amount, lasting, percent
from sparring.advising.fusing import Plan, plan
from sparring.advising.growing import Range
from sparring.advising.least import Least, least
from sparring.advising.measuring import Measured, Profile, Track
from sparring.advising.spending import WHOLE, Derived, Place, count_kept, in_parts, known, needed, spent
from sparring.costs.costs import Cost
from sparring.costs.pricing import cost, counted
from sparring.costs.union_cost import UnionCost
from sparring.errors import InputError, Refuted, Undecided
from sparring.proofs.contention import networks
from sparring.proofs.contention.judgement import judge
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Sym

RANKS = 65_536  # up to which steps are summed one by one
SMALL = 8  # ranks on which contention is looked at
RESULTS = {
    "vector": "all",
    "dense": "all",
    "lists": "kept",
    "sparse": "kept",
    "selected": "cut",
}
"""Which entries are summed, by what an algorithm takes: all, those that are kept, or such that are cut on the way."""


UNLIKE = "what ranks end with is not the sum of what they have: compare it by what training makes of it"
"""Why a composition on whole vectors is left out."""


class Option(NamedTuple):
    """One algorithm on so many ranks."""

    algorithm: str
    result: str
    messages: int
    nbytes: Range
    """The bytes that a rank sends, where the entries lie evenly in the chunks."""
    time: Range
    """Seconds; but for the lowest, with chunks as full as the fullest."""
    startup: Fraction
    """The part of the expected time that goes with the number of messages alone."""
    risks: tuple[str, ...]


class Answer(NamedTuple):
    """The advice for so many ranks: the options, fastest first."""

    ranks: int
    options: tuple[Option, ...]
    left_out: tuple[tuple[str, str], ...]
    """Algorithms that are not judged here, and why."""
    plan: Plan
    reason: str
    least: Least | None
    """The time that no allreduce of all entries goes below."""


@dataclass(frozen=True)
class Advice:
    """Gradients, a place, and an answer for each number of ranks."""

    profile: Profile
    place: Place
    answers: tuple[Answer, ...]


def advise(
    profile: Profile, place: Place, pages: Sequence[Page], ranks: Sequence[int], track: Track = lambda items, _: items
) -> Advice:
    """Return the advice; raise InputError for a number of ranks outside 2 to RANKS, and for an unknown topology."""
    if wrong := [p for p in ranks if not 2 <= p <= RANKS]:
        raise InputError(f"ranks={wrong[0]}: advice is for 2 to {RANKS} ranks")
    networks.find(place.topology)  # before what takes long
    derived, left_out = derivations(track(pages, "deriving costs"))
    answers = tuple(answer(profile, place, derived, left_out, p) for p in ranks)
    return Advice(profile, place, answers)


def derivations(pages: Iterable[Page]) -> tuple[list[Derived], list[tuple[str, str]]]:
    """Return the derived costs, and the pages that have none, with the reason."""
    found: list[Derived] = []
    without: list[tuple[str, str]] = []
    for page in pages:
        if page.dense and not summing(page):
            without.append((page.name, UNLIKE))
            continue
        try:
            found.append(counted(cost(page)))
        except (Refuted, Undecided) as why:
            without.append((page.name, str(why)))
    return found, without


def summing(page: Page) -> bool:
    """Return whether a composition ensures the sum of all entries, and nothing else."""
    a, b = (Sym.var(name) for name in "ab")
    ensures = getattr(page.module, "ensures", None)
    return ensures is not None and [*signature(ensures).parameters] == ["x"] and repr(ensures([a, b])) == repr(a + b)


def answer(
    profile: Profile, place: Place, derived: Sequence[Derived], left_out: Sequence[tuple[str, str]], p: int
) -> Answer:
    """Return the advice for ``p`` ranks; raise Undecided if no algorithm has a cost for them."""
    found: list[tuple[Option, Derived]] = []
    without = [*left_out]
    for one in derived:
        try:
            found.append((option(one, profile, place, p), one))
        except (InputError, Undecided) as why:
            without.append((one.page.name, str(why)))
    if not found:
        raise Undecided(f"no algorithm has a cost for {p} ranks: {'; '.join(why for _, why in without)}")
    found.sort(key=lambda pair: pair[0].time.expected)
    options, best = [option for option, _ in found], found[0][1]  # two pages may have one name
    return Answer(p, tuple(options), tuple(without), plan(best, profile, place, p), reason(options),
                  least(place, profile.fused.size, p, profile.width))  # fmt: skip


def option(derived: Derived, profile: Profile, place: Place, p: int) -> Option:
    """Return an algorithm's cost and its risks."""
    page, fused, width = derived.page, profile.fused, profile.width
    full = fused.crowding(p) if page.data == "sparse" and page.cuts else Fraction(1)
    sent = [needed(derived, fused, p, width, case, Fraction(1)) for case in Range._fields]
    cases = [
        spent(derived, fused, p, width, place, case, crowded)
        for case, crowded in zip(Range._fields, (Fraction(1), full, full))
    ]
    times, expected = [one.time for one in cases], cases[1]
    return Option(
        algorithm=page.name,
        result=RESULTS["lists" if page.once else page.data],
        messages=sent[0].messages,
        nbytes=Range(*(one.nbytes for one in sent)),
        time=Range(min(times), expected.time, max(times)),  # a table may have more for fewer entries
        startup=expected.startup / expected.time if expected.time else Fraction(0),
        risks=tuple(risks(derived, profile, p, place)),
    )


def risks(derived: Derived, profile: Profile, p: int, place: Place) -> Iterator[str]:
    """Yield what may be worse than the formulas say."""
    page, fused = derived.page, profile.fused
    if page.data not in WHOLE and (lost := 1 - min(fused.kept)) > 0:
        yield f"{percent(lost)} of the squared norm is not kept: carry it over as residuals"
    if page.data == "selected" and not page.once:
        yield "sums are cut again on the way: the result is not the sum of what ranks keep"
    if page.data == "sparse":
        full = fused.crowding(p) if page.cuts else Fraction(1)
        if full >= 2:
            yield f"the fullest of {p} chunks has {float(full):.1f} times its even part: shuffle the entries once"
        if p > fused.growth.ranks:
            yield f"unions of more than {fused.growth.ranks} workers are not measured"
    yield from uneven(derived, fused, p)
    if isinstance(derived, Cost) and (length := known(derived, fused.size, p)) != fused.size:
        yield f"its formulas are those of {length} entries, which they can halve without a remainder"
    k = count_kept(fused, "expected")
    if isinstance(derived, Cost) and (parts := in_parts(derived, k, p)) != k:
        yield f"its formulas are those of {parts} kept entries, of which all chunks have as many"
    if page.composed:
        yield f"{derived.qualified[0]}; how its messages meet depends on the data"
        return
    level = judge(page, place.topology, min(p, SMALL)).freedom.level
    if level != "exclusive":
        yield f"messages can meet on a {place.topology} ({level}, seen at p={min(p, SMALL)})"


def uneven(derived: Derived, fused: Measured, p: int) -> Iterator[str]:
    """Yield a risk if the next higher power of two of ranks would send fewer messages."""
    power = 1 << (p - 1).bit_length()
    if power == p or isinstance(derived, UnionCost):
        return
    here, there = (needed(derived, fused, q, 4, "expected", Fraction(1)).messages for q in (p, power))
    if here > there:
        yield f"{p} is no power of two: {here} messages one after the other, {there} on {power} ranks"


def reason(options: Sequence[Option]) -> str:
    """Say in a sentence why the first option is first."""
    best, *others = options
    told = f"{best.algorithm}: {amount(best.nbytes.expected)} a rank in {best.messages} messages"
    told += f", start-up is {percent(best.startup)} of its time"
    if others:
        more = others[0].time.expected / best.time.expected - 1 if best.time.expected else 0
        told += f"; the next, {others[0].algorithm}, takes {percent(more)} longer"
        if best.time.high > others[0].time.low:
            told += ", but their ranges overlap"
    exact = next((one for one in others if one.result == RESULTS["vector"]), None)
    if best.result != RESULTS["vector"] and exact:
        told += f"; to sum all entries, {exact.algorithm} takes {lasting(exact.time.expected)}"
    return told
