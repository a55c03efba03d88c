"""Test vectors of the hierarchical allreduce: one level and two, and chunks of unequal lengths on either."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sparring.vectors.dense.recording import Case
from sparring.vectors.flag import Flag

MORE: tuple[tuple[str, int, int, dict[str, int]], ...] = (
    ("three ranks of one node, added in their order", 3, 40, {"m": 3}),
    ("four ranks of two nodes each", 8, 41, {"m": 4}),
)
OTHERS = ({"m": 4}, {"inside": "ring"}, {"across": "two_shot"})


def length(p: int) -> int:
    """Return a length for chunks of several lengths, inside nodes and across them."""
    return 2 * p + 3


def levelled(holds: Callable[[int, int], bool]) -> Callable[[Case], bool]:
    """Return the predicate that there are two levels, and ``holds`` is true of a node's ranks and of the nodes."""

    def found(case: Case) -> bool:
        m = case.page.params["m"]
        return bool(case.p > 1 and case.p % m == 0 and holds(m, case.p // m))

    return found


def asked(name: str, word: str) -> Callable[[Case], bool]:
    """Return the predicate that a parameter that matters is this word."""
    return lambda case: bool(case.page.params[name] == word and levelled(lambda m, nodes: min(m, nodes) > 1)(case))


FLAGS: Mapping[str, Flag] = {
    "UnequalNodes": Flag(
        "edge",
        "The size of a node does not divide the number of ranks.",
        "All ranks make one sum, without levels.",
        lambda case: case.p % case.page.params["m"] != 0,
    ),
    "TwoLevels": Flag(
        "edge",
        "There are several nodes of several ranks.",
        "Across nodes meet those with the same place in their nodes, not neighbours.",
        levelled(lambda m, nodes: min(m, nodes) > 1),
    ),
    "OneNode": Flag(
        "edge",
        "All ranks are in one node.",
        "Nothing is sent across, and the result is +0.0 for -0.0 all the same.",
        levelled(lambda m, nodes: m > nodes == 1),
    ),
    "RingInside": Flag(
        "edge",
        "Messages inside nodes go in rings.",
        "Chunk c begins at place c + 1, so that it ends at place c.",
        asked("inside", "ring"),
    ),
    "TwoShotAcross": Flag(
        "edge",
        "Nodes send to each other directly.",
        "Sums across nodes are in the order of nodes.",
        asked("across", "two_shot"),
    ),
}
