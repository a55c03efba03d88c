"""Which allreduce, for gradients that were measured and a machine: every algorithm's derived cost, compared.

Seconds are those of the derived formulas, in lock step.  For chunks that are sparse they need the sizes
of unions of so many ranks' supports.  Up to the number of workers that was measured these are known;
beyond, they lie between no new entry at all and as many with every rank as that worker has alone which
has the most of its own: a union grows ever more slowly where ranks are alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, get_args

from sparring.advising.amounts import amount, lasting, percent
from sparring.advising.measuring import Measured, Profile, Track, together
from sparring.errors import InputError, Undecided
from sparring.proofs.contention import networks
from sparring.proofs.contention.judgement import judge
from sparring.proofs.cost import unioncost
from sparring.proofs.cost.costs import Cost, Point, cost
from sparring.proofs.cost.handling import work
from sparring.proofs.cost.levels import Nodes, leveled, linked
from sparring.proofs.cost.machines import Machine
from sparring.proofs.cost.profiles import Kind
from sparring.proofs.cost.published import holds
from sparring.proofs.cost.unioncost import UnionCost, UnionPoint
from sparring.spec.core import supports
from sparring.spec.core.model import Page
from sparring.spec.core.runner import number

FREE = "crossbar"
"""The topology on which the messages of a step of no page share a link but those of one rank."""
RANKS = 65_536  # up to which steps are summed one by one
SMALL = 8  # ranks on which contention is looked at
STARTUP = Fraction(1, 10)  # of a bucket's time; our own choice
RESULTS = {
    "vector": "all",
    "lists": "kept",
    "sparse": "kept",
    "selected": "cut",
}
"""Which entries are summed, by what an algorithm takes: all, those that are kept, or such that are cut on the way."""


class Range(NamedTuple):
    """From the most favourable case to the least."""

    low: Fraction
    expected: Fraction
    high: Fraction


class Option(NamedTuple):
    """One algorithm on so many ranks."""

    algorithm: str
    result: str
    messages: int
    nbytes: Range
    """That a rank sends, where the entries lie evenly in the chunks."""
    time: Range
    """Seconds; but for the lowest, with chunks as full as the fullest."""
    startup: Fraction
    """The part of the expected time that goes with the number of messages alone."""
    risks: tuple[str, ...]


class Plan(NamedTuple):
    """Layers reduced together, bucket by bucket, in the order in which backpropagation has them ready."""

    buckets: tuple[tuple[str, ...], ...]
    least: int
    """Entries from which on a bucket's start-up is a tenth of its time."""
    time: Fraction
    by_layer: Fraction
    fused: Fraction


class Answer(NamedTuple):
    """What is advised for so many ranks: the options, fastest first."""

    ranks: int
    options: tuple[Option, ...]
    left_out: tuple[tuple[str, str], ...]
    """Algorithms that are not judged here, and why."""
    plan: Plan
    reason: str


class Place(NamedTuple):
    """Where an allreduce runs."""

    machine: Machine
    topology: str = FREE
    """Whose links messages share, and where they could meet."""
    nodes: Nodes | None = None
    """Where ranks sit in nodes: these, of which the machine is what lies between."""


@dataclass(frozen=True)
class Advice:
    """Gradients, a place, and an answer for each number of ranks."""

    profile: Profile
    place: Place
    answers: tuple[Answer, ...]


def advise(
    profile: Profile, place: Place, pages: Sequence[Page], ranks: Sequence[int], track: Track = lambda items, _: items
) -> Advice:
    """The advice; raises InputError for a number of ranks that is not from 2 to RANKS, and for no such topology."""
    if wrong := [p for p in ranks if not 2 <= p <= RANKS]:
        raise InputError(f"ranks={wrong[0]}: advice is for 2 to {RANKS} ranks")
    networks.find(place.topology)  # before what takes long
    derived, left_out = derivations(track(pages, "deriving costs"))
    answers = tuple(answer(profile, place, derived, left_out, p) for p in ranks)
    return Advice(profile, place, answers)


Derived = Cost | UnionCost


def derivations(pages: Iterable[Page]) -> tuple[list[Derived], list[tuple[str, str]]]:
    """Their costs, and the pages that have none, with the reason."""
    found: list[Derived] = []
    without: list[tuple[str, str]] = []
    for page in pages:
        try:
            found.append(unioncost.derive(page) if page.data == "sparse" else cost(page))
        except Undecided as why:
            without.append((page.name, str(why)))
    return found, without


def answer(
    profile: Profile, place: Place, derived: Sequence[Derived], left_out: Sequence[tuple[str, str]], p: int
) -> Answer:
    """What is advised for ``p`` ranks."""
    options, without = [], [*left_out]
    for one in derived:
        try:
            options.append(option(one, profile, place, p))
        except (InputError, Undecided) as why:
            without.append((one.page.name, str(why)))
    if not options:
        raise Undecided(f"no algorithm has a cost for {p} ranks: {'; '.join(why for _, why in without)}")
    options.sort(key=lambda option: option.time.expected)
    best = next(one for one in derived if one.page.name == options[0].algorithm)
    return Answer(p, tuple(options), tuple(without), plan(best, profile, place, p), reason(options))


def option(derived: Derived, profile: Profile, place: Place, p: int) -> Option:
    """What an algorithm costs, and its risks."""
    page, fused, width = derived.page, profile.fused, profile.width
    full = fused.crowding(p) if page.data == "sparse" else Fraction(1)
    sent = [needed(derived, fused, p, width, case, Fraction(1)) for case in Range._fields]
    cases = [
        spent(derived, fused, p, width, place, case, crowded)
        for case, crowded in zip(Range._fields, (Fraction(1), full, full))
    ]
    times, expected = [one.time for one in cases], cases[1]
    return Option(
        algorithm=page.name,
        result=RESULTS[page.data],
        messages=sent[0].messages,
        nbytes=Range(*(one.nbytes for one in sent)),
        time=Range(min(times), expected.time, max(times)),  # a table may have more for fewer entries
        startup=expected.startup / expected.time if expected.time else Fraction(0),
        risks=tuple(risks(derived, profile, p, place)),
    )


class Spent(NamedTuple):
    """Seconds, and those of them that go with the number of messages alone."""

    time: Fraction
    startup: Fraction


def spent(derived: Derived, what: Measured, p: int, width: int, place: Place, case: str, full: Fraction) -> Spent:
    """What one allreduce of ``what`` takes; ``case`` and ``full`` as for :func:`needed`."""
    machine, nodes, page = place.machine, place.nodes, derived.page
    found = needed(derived, what, p, width, case, full)
    handled = handling(found, page, what, p, case, nodes.inside if nodes else machine)
    if nodes is None and place.topology == FREE:
        startup = machine.alpha * found.messages
        return Spent(startup + machine.beta * found.nbytes + machine.gamma * found.added + handled, startup)
    n = what.size if isinstance(derived, UnionCost) else known(derived, what.size, p)
    union = crowded(what, case, full) if isinstance(derived, UnionCost) else None
    if nodes is None:
        shared = linked(page, networks.find(place.topology), machine, p=p, n=n, k=kept(what, case), width=width,
                        union=union)  # fmt: skip
        return Spent(shared.time + handled, machine.alpha * shared.steps)
    counted = leveled(page, nodes, p=p, n=n, k=kept(what, case), width=width, union=union)
    return Spent(counted.time + handled, nodes.inside.alpha * counted.inside + nodes.outside.alpha * counted.outside)


def handling(found: Needed, page: Page, what: Measured, p: int, case: str, machine: Machine) -> Fraction:
    """Seconds for selecting, merging and packing entries, where the machine says what these take."""
    if (not page.sparse and page.data != "selected") or {*get_args(Kind)} - machine.work.keys():
        return Fraction(0)
    selecting = machine.seconds("select", what.size) if page.sparse else Fraction(0)  # else it is the page's own
    return selecting + work(machine, page.data, found.point, p, what.size, kept(what, case))


class Needed(NamedTuple):
    """What a rank sends and adds."""

    messages: int
    nbytes: Fraction
    added: Fraction
    point: Point | UnionPoint
    """All that the cost says there."""


def needed(derived: Derived, what: Measured, p: int, width: int, case: str, full: Fraction) -> Needed:
    """That of one allreduce of ``what``; ``case``: a field of Range; ``full``: the fullest chunk against the mean."""
    page, n = derived.page, what.size
    if isinstance(derived, UnionCost):
        found = unioncost.measured(page, p, n, crowded(what, case, full), width)
        return Needed(found.messages, found.nbytes, found.added, found)
    k = kept(what, case)
    length = known(derived, n, p)
    point = derived.at(p=p, n=length, **({} if page.data == "vector" else {"k": k}), width=width)
    if point.critical is None:
        raise Undecided(f"{page.name}: no closed form of what is sent: {'; '.join(derived.gaps)}")
    entries = point.critical if page.data == "vector" else point.critical // 2
    nbytes = Fraction(number(page.octets(entries, length, width)))
    return Needed(point.messages, nbytes, Fraction(point.added or 0), point)


def kept(what: Measured, case: str) -> int:
    """How many entries a rank has."""
    return min(what.growth.k) if case == "low" else max(what.growth.k)


def crowded(what: Measured, case: str, full: Fraction) -> Callable[[int], Fraction]:
    """Sizes of unions, were all chunks as full as the fullest."""
    union = growing(what, case)
    return lambda s: min(Fraction(what.size), full * union(s))


def known(derived: Cost, n: int, p: int) -> int:
    """``n``, or the next length for which the formulas hold, where they ask for halves without a remainder."""
    power = 1 << p.bit_length() - 1
    longer = -(-n // power) * power
    here, there = (holds(derived.given, length, p, 0, **derived.derived.letters) for length in (n, longer))
    return longer if there and not here else n


def growing(measured: Measured, case: str) -> Callable[[int], Fraction]:
    """The size of the union of ``s`` ranks' supports, measured as far as there are workers, then as ``case`` says."""
    growth, workers = measured.growth, measured.growth.ranks
    by_case: dict[str, Sequence[int | Fraction]] = {"low": growth.low, "expected": growth.mean, "high": growth.high}
    sizes = [Fraction(size) for size in by_case[case]]
    last, most = sizes[-1], max(measured.own)

    def union(s: int) -> Fraction:
        if s <= workers:
            return sizes[s - 1]
        if workers == 1:
            return Fraction(supports.MODELS[ALONE[case]](s, growth.n, growth.k[0]))
        more = s - workers
        new = {"low": 0, "expected": min(unseen(measured, more), more * most), "high": more * most}[case]
        return min(Fraction(growth.n), last + new)

    return union


ALONE = dict(zip(Range._fields, supports.MODELS))
"""The models of supports where one worker alone was measured."""


def unseen(measured: Measured, more: int) -> int:
    """How many new entries so many more workers are expected to have, by how many entries few of them share.

    Chao's estimate of what nobody has yet, and of how it shrinks: Colwell et al., "Models and estimators linking
    individual-based and sample-based rarefaction, extrapolation and comparison of assemblages", Journal of
    Plant Ecology 5 (2012), for species in samples.  Exact for supports that are independent or identical.
    """
    workers, once, twice = measured.growth.ranks, measured.shared[0], measured.shared[1]
    pairs = once**2 / (2 * twice) if twice else once * (once - 1) / 2
    left = min(pairs * (workers - 1) / workers, measured.growth.n - float(measured.growth.mean[-1]))
    return round(left * (1 - (1 - once / (workers * left + once)) ** more)) if left else 0


def risks(derived: Derived, profile: Profile, p: int, place: Place) -> Iterator[str]:
    """What may be worse than the formulas say."""
    page, fused = derived.page, profile.fused
    if page.data != "vector" and (lost := 1 - min(fused.kept)) > 0:
        yield f"{percent(lost)} of the squared norm is not kept: carry it over as residuals"
    if page.data == "selected":
        yield "sums are cut again on the way: the result is not the sum of what ranks keep"
    if page.data == "sparse":
        full = fused.crowding(p)
        if full >= 2:
            yield f"the fullest of {p} chunks has {float(full):.1f} times its even part: shuffle the entries once"
        if p > fused.growth.ranks:
            yield f"unions of more than {fused.growth.ranks} workers are not measured"
    yield from uneven(derived, fused, p)
    if isinstance(derived, Cost) and (length := known(derived, fused.size, p)) != fused.size:
        yield f"its formulas are those of {length} entries, which they can halve without a remainder"
    level = judge(page, place.topology, min(p, SMALL)).freedom.level
    if level != "exclusive":
        yield f"messages can meet on a {place.topology} ({level}, seen at p={min(p, SMALL)})"


def uneven(derived: Derived, fused: Measured, p: int) -> Iterator[str]:
    """Whether more ranks, a power of two of them, would send fewer messages."""
    power = 1 << (p - 1).bit_length()
    if power == p or isinstance(derived, UnionCost):
        return
    here, there = (needed(derived, fused, q, 4, "expected", Fraction(1)).messages for q in (p, power))
    if here > there:
        yield f"{p} is no power of two: {here} messages one after the other, {there} on {power} ranks"


def reason(options: Sequence[Option]) -> str:
    """Why the first is the first, in a sentence."""
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


def plan(best: Derived, profile: Profile, place: Place, p: int) -> Plan:
    """Buckets of layers, for the algorithm that is fastest."""

    def timed(what: Measured) -> Spent:
        full = what.crowding(p) if best.page.data == "sparse" else Fraction(1)
        return spent(best, what, p, profile.width, place, "expected", full)

    def time(what: Measured) -> Fraction:
        return timed(what).time

    layers = profile.layers
    one = together(layers)
    whole, startup = timed(one)
    moving = whole - startup
    least = -(-one.size * startup * (1 - STARTUP) // (STARTUP * moving)) if moving > 0 else one.size
    buckets = packed(layers, min(max(int(least), 1), one.size))
    names = tuple(tuple(layer.name for layer in bucket) for bucket in buckets)
    in_buckets = sum((time(together(bucket)) for bucket in buckets), Fraction(0))
    return Plan(names, int(least), in_buckets, sum(map(time, layers), Fraction(0)), whole)


def packed(layers: Sequence[Measured], least: int) -> list[list[Measured]]:
    """Neighbouring layers from the last to the first, as few as have ``least`` entries together; the rest joins."""
    buckets: list[list[Measured]] = [[]]
    for layer in reversed(layers):
        if sum(one.size for one in buckets[-1]) >= least:
            buckets.append([])
        buckets[-1].append(layer)
    if len(buckets) > 1 and sum(one.size for one in buckets[-1]) < least:
        rest = buckets.pop()
        buckets[-1] += rest
    return buckets
