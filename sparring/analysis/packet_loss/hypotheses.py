"""Shows on the page what the closed forms suppose of losses, and what is true where it does not hold.

Every hypothesis has a witness: a law of losses, or a links, that breaks this one and no other.  It tells
what the closed form says there and what is, both exact; and beside it the same with the hypothesis kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

import sympy

from sparring.analysis.packet_loss import ages, replicas, weights
from sparring.analysis.packet_loss.patterns import Pattern, Slot, Vector, call, over, slots
from sparring.spec.library.lossy_links import COLLECTING, HANDING, WHOLE, Links, Packet
from sparring.spec.lossy_two_shot import Params

LOSS = Fraction(3, 10)
XS: Sequence[Vector] = [[Fraction(3)], [Fraction(5)], [Fraction(-2)]]
"""Three ranks' vectors of one entry, which rank 2 owns."""
OWNER = len(XS) - 1
VALUES = [x[0] for x in XS]


class Shown(NamedTuple):
    """The value that a closed form claims, and the true value."""

    says: Any
    true: Any


class Hypothesis(NamedTuple):
    """``breaks``: which of the closed forms need it; ``kept`` and ``broken`` show one of these."""

    name: str
    words: str
    breaks: str
    kept: Callable[[], Shown]
    broken: Callable[[], Shown]


Law = Callable[[Pattern], Fraction]
"""The probability of each pattern of losses of the first step."""


def each_alone(some: Sequence[Slot], rates: Mapping[int, Fraction]) -> Law:
    """Return the law in which each packet is lost independently, at its sender's rate."""

    def law(lost: Pattern) -> Fraction:
        found = Fraction(1)
        for slot in some:
            found *= rates[slot[1]] if slot in lost else 1 - rates[slot[1]]
        return found

    return law


def all_or_none(some: Sequence[Slot], q: Fraction) -> Law:
    """Return the law in which all packets are lost together or none is; each is lost with probability ``q``."""
    return lambda lost: {0: 1 - q, len(some): q}.get(len(lost), Fraction(0))


def collecting(aggregator: Any) -> tuple[Params, list[Slot]]:
    """Return the parameters, and the slots in which packets to the owner may be lost."""
    params = Params(aggregator=aggregator, lost=int(LOSS * WHOLE), packet=1)
    return params, slots(params, 1, len(XS), (COLLECTING,), [OWNER])


def moments(aggregator: str, law: Callable[[Sequence[Slot]], Law]) -> tuple[Fraction, Fraction]:
    """Return the mean and the variance of the owner's value."""
    params, some = collecting(aggregator)
    first = second = Fraction(0)
    for which in product((False, True), repeat=len(some)):
        lost = frozenset(s for s, gone in zip(some, which) if gone)
        value, probability = call(XS, None, params, lost).replicas[OWNER][0], law(some)(lost)
        first, second = first + probability * value, second + probability * value**2
    return first, second - first**2


def alike(some: Sequence[Slot], q: Fraction = LOSS) -> Law:
    """Return the law in which each packet is lost independently, at one rate for all senders."""
    return each_alone(some, dict.fromkeys(range(len(XS)), q))


def uneven(some: Sequence[Slot]) -> Law:
    """Return a law in which rank 0's packets are lost more often than the others'."""
    return each_alone(some, {0: Fraction(9, 10), 1: LOSS, OWNER: LOSS})


def of_mean(aggregator: str, law: Callable[[Sequence[Slot]], Law]) -> Shown:
    """Compare an aggregator's mean with the mean of all values; for ``ratio0`` only where anything is left."""
    none = law(collecting(aggregator)[1])(frozenset(collecting(aggregator)[1])) if aggregator == "ratio0" else 0
    return Shown(sum(VALUES) / len(VALUES), moments(aggregator, law)[0] / (1 - none))


def of_variance(law: Callable[[Sequence[Slot]], Law]) -> Shown:
    """Compare the variance of ``ht``."""
    return Shown(weights.variance("ht", VALUES, OWNER, LOSS), moments("ht", law)[1])


def bursts(stays: Fraction) -> replicas.Weighing:
    """Weigh losses on rank 1's and 2's links: each repeats its last outcome with ``stays``; half of all are lost."""

    def one(was: bool, lost: bool) -> Fraction:
        return stays if was == lost else 1 - stays

    def weighing(before: Pattern | None, lost: Pattern) -> Fraction:
        ends = [(HANDING, 0, r, 0) for r in (1, 2)]
        if before is None:
            return Fraction(1, 2) ** len(ends)
        return one(ends[0] in before, ends[0] in lost) * one(ends[1] in before, ends[1] in lost)

    return weighing


CALLS = 4


def of_age(stays: Fraction) -> Shown:
    """Compare the mean square of a replica's distance from its owner, for uncorrelated steps."""
    half = Fraction(1, 2)
    found = replicas.drift(replicas.uncorrelated(CALLS), bursts(stays)).owner
    return Shown(ages.age(half, CALLS), found)


def noticed(copies: int) -> Links:
    """Return links on which every packet arrives ``copies`` times, unchanged."""
    return lambda step, src, dst, i, sent: [sent] * copies


def added_up(copies: int) -> Links:
    """Return links that show an owner which adds each copy: entries arrive multiplied by ``copies``."""
    return lambda step, src, dst, i, sent: [sent._replace(entries=sent.entries * copies)]


def of_copies(links: Links) -> Shown:
    """Compare the owner's mean where all packets arrive."""
    state = over(links, XS, None, Params(aggregator="zero", lost=0, packet=1))
    return Shown(sum(VALUES) / len(VALUES), state.replicas[OWNER][0])


def of_late(relabelled: bool) -> Shown:
    """Compare how far rank 0 is behind after a call in which its packet arrives, and the first call's once more.

    If rank 0 takes the old packet for one of this call, its replica goes back.  The rule that only packets with this
    call's count are accepted leaves the replica as it was.
    """
    steps, seen = 4, []
    state: Any = None

    def arriving(step: int, _src: int, _dst: int, _i: int, sent: Packet) -> Sequence[Packet]:
        if step == HANDING:
            seen.append(sent)
        if step == COLLECTING or sent.version < steps:
            return [sent]
        return [sent, seen[0]._replace(version=sent.version if relabelled else seen[0].version)]

    params = replicas.RUNNING._replace(packet=1)
    for _ in range(steps):
        state = over(arriving, [[Fraction(1)]] * 2, state, params)
    return Shown(Fraction(0), state.replicas[1][0] - state.replicas[0][0])


def of_distance(packets: int) -> Shown:
    """Compare the mean distance of a replica after some calls, of constant steps, with the bound on it."""
    steps = [[Fraction(1)] * packets] * 3
    params = replicas.RUNNING._replace(packet=1)
    some = slots(params, packets * 2, 2, (HANDING,), [0])
    mean = sympy.Integer(0)

    def weighing(_: Pattern | None, lost: Pattern) -> Fraction:
        return LOSS ** len(lost) * (1 - LOSS) ** (len(some) - len(lost))

    for one in replicas.walks(steps, 2, weighing, params):
        mean += sympy.Rational(one.probability) * sympy.sqrt(sympy.Rational(replicas.squared(one.state, 0, 1, packets)))
    return Shown(sympy.sqrt(packets) * sympy.Rational(ages.age(LOSS, len(steps))), sympy.nsimplify(sympy.expand(mean)))


def hypotheses() -> Iterator[Hypothesis]:
    """Yield all hypotheses."""
    yield Hypothesis(
        "independent ranks",
        "what is lost of one rank's packets says nothing of another's",
        "the variances, and who ratio weighs; ht stays unbiased",
        lambda: of_variance(alike),
        lambda: of_variance(lambda some: all_or_none(some, LOSS)),
    )
    yield Hypothesis(
        "equal rates",
        "all ranks' packets are lost equally often",
        "that ratio0 is unbiased where anything is left",
        lambda: of_mean("ratio0", alike),
        lambda: of_mean("ratio0", uneven),
    )
    yield Hypothesis(
        "known rate",
        "the loss that ht weighs with is the one that there is",
        "that ht is unbiased",
        lambda: of_mean("ht", alike),
        lambda: of_mean("ht", lambda some: alike(some, Fraction(1, 10))),
    )
    yield Hypothesis(
        "independent calls",
        "what is lost in one call says nothing of the next: no bursts",
        "how old replicas are, and how far apart",
        lambda: of_age(Fraction(1, 2)),
        lambda: of_age(Fraction(9, 10)),
    )
    yield Hypothesis(
        "no copy twice",
        "a packet that comes more than once counts once",
        "all means: it weighs as often as it comes",
        lambda: of_copies(noticed(2)),
        lambda: of_copies(added_up(2)),
    )
    yield Hypothesis(
        "nothing late",
        "a packet of an earlier call is not taken for one of this",
        "the bound of k d after k losses",
        lambda: of_late(relabelled=False),
        lambda: of_late(relabelled=True),
    )
    yield Hypothesis(
        "one packet a shard",
        "a shard is lost as a whole or not at all",
        "the bound d q / (1 - q) on the mean distance; the bounds on mean squares need it not",
        lambda: of_distance(1),
        lambda: of_distance(2),
    )
