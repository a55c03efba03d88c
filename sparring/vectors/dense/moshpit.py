"""Test vectors of Moshpit All-Reduce: whole grids and others, weights, bandwidths, ranks that die or fail."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

from sparring.spec.library.bandwidth_shares import scores, shares
from sparring.spec.library.group_average import given
from sparring.spec.moshpit import sides
from sparring.vectors.dense.flags import parameter
from sparring.vectors.dense.recording import Case
from sparring.vectors.flag import Flag

OTHERS = (
    {"weights": (2, 1, 3, 0, 5)},
    {"m": 3, "dead": ((0, 0, 0), (3, 1, 1))},
    {"m": 5, "bandwidths": (3, 0, 1, 4, 1), "chance": 3},
)


def length(p: int) -> int:
    """Return a length for parts of several lengths."""
    return 2 * p + 3


def ending(how: str, holds: Callable[[int], bool]) -> Callable[[Case], bool]:
    """Return the predicate that some rank of the test ends as ``how`` says, in a round that the test has.

    ``holds``: the condition on the number of messages that the rank sends.
    """

    def found(case: Case) -> bool:
        params = case.page.params
        rounds = params["rounds"] or sides(case.p, params["m"])
        return any(r < case.p and t < rounds and holds(sent) for r, t, sent in params[how])

    return found


def ranked(name: str, holds: Callable[[list[int]], bool]) -> Callable[[Case], bool]:
    """Return the predicate that ``holds`` is true of the ranks' weights or bandwidths."""
    return lambda case: holds([given(case.page.params[name], r) for r in range(case.p)])


def incomplete(case: Case) -> bool:
    """Return whether there are cells without a rank."""
    m = case.page.params["m"]
    return bool(case.p < m ** sides(case.p, m))


def dealt(case: Case) -> bool:
    """Return whether bandwidths differ, and shares of all ranks as one group would leave entries to deal out."""
    wanted = scores([given(case.page.params["bandwidths"], r) for r in range(case.p)])
    total, found = sum(wanted), shares(case.n, wanted)
    return len({*wanted}) > 1 and any(one != case.n * score / total for one, score in zip(found, wanted))


def long(case: Case) -> bool:
    """Return whether some message has more entries than another of its step."""
    sizes = [[len(m.entries) for m in wire] for call in case.calls for wire in call.wires]
    return any(a != b for step in sizes for a, b in pairwise(step))


FLAGS: Mapping[str, Flag] = {
    "DeadBefore": Flag(
        "faults",
        "Some rank dies before the groups of a round are formed.",
        "Its group has one member less, and parts are cut for the others; its result is what it had.",
        ending("dead", lambda sent: sent < 0),
    ),
    "DeadMidway": Flag(
        "faults",
        "Some rank dies in a round, after some of its messages or before the first.",
        "Parts that it sent count, with its weight; what it looked after stays as it is where no mean of it comes.",
        ending("dead", lambda sent: sent >= 0),
    ),
    "FailingMidway": Flag(
        "faults",
        "Some rank sends no more in a round, and goes on in the next.",
        "It gets the means that have its copies, and no others; its own part has no mean unless all copies went out.",
        ending("failing", lambda sent: sent >= 0),
    ),
    "Auxiliary": Flag(
        "faults",
        "Some rank has a weight of 0.",
        "It looks after a part, sends no copies, and keeps its vector.",
        ranked("weights", lambda weights: 0 in weights),
    ),
    "Weighted": Flag(
        "arithmetic",
        "Ranks have different weights.",
        "Each vector is multiplied by its weight before it is added, and the sum is divided by those that were added.",
        ranked("weights", lambda weights: len({*weights} - {0}) > 1),
    ),
    "Client": Flag(
        "faults",
        "Some rank has a bandwidth of 0.",
        "It looks after no part, and hears of all.",
        ranked("bandwidths", lambda widths: 0 in widths),
    ),
    "DealtEntries": Flag(
        "edge",
        "The vector's entries in proportion to all ranks' bandwidths are no whole numbers.",
        "Those left are dealt out by the largest quotients, of equal ones to the member with the lower chunk index.",
        dealt,
    ),
    "OddParts": Flag(
        "edge",
        "In some step messages have different lengths.",
        "Parts are not alike.",
        long,
    ),
    "IncompleteGrid": Flag(
        "edge",
        "The number of ranks is no power of the largest group's size.",
        "Some cells are empty, and groups have different sizes, or one member.",
        incomplete,
    ),
    "OtherDraws": Flag(
        "chance",
        "The parameter chance is not 0.",
        "Chunk indices are a permutation that is drawn from it, the round and the group's key.",
        parameter(lambda params: params["chance"] > 0),
    ),
}
