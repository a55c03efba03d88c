"""Wrong functions and hooks on torch, by name; sources stand in torch_targets.py and torch_collectives.py."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from pathlib import Path

from tests.sparring.checks.defect import Defect, elsewhere

FILE = Path(__file__).with_name("torch_targets.py")
COLLECTIVES = Path(__file__).with_name("torch_collectives.py")
SUMS = {"result", "edge sizes", "dtypes"}
LONGER = {"result", "dtypes"}
"""What shows in vectors of some entries: of one or two, the last piece is empty."""
ENDED = {*SUMS, "agreement", "reproducibility", "deadlock"}
TWIN = ""


def function(name: str, refuted: AbstractSet[str], also: AbstractSet[str] = frozenset()) -> Defect:
    """A function on a process group."""
    return elsewhere(f"{FILE}:{name}", f"{FILE}:allreduce", refuted, also, options={"on": "torch"})


def collective(name: str, twin: str, refuted: AbstractSet[str], also: AbstractSet[str] = frozenset()) -> Defect:
    """One of torch's own, with a fault in it."""
    return elsewhere(f"{COLLECTIVES}:{name}", f"{COLLECTIVES}:{twin}", refuted, also, options={"on": "torch"})


def hook(name: str, refuted: AbstractSet[str], also: AbstractSet[str] = frozenset()) -> Defect:
    """A communication hook of DDP."""
    return elsewhere(f"{FILE}:{name}", f"{FILE}:mean", refuted, also, options={"on": "ddp", "ranks": "2-3"})


DEFECTS = {
    "last entry lost": function("lossy", SUMS),
    "adds in each rank's own order": function("own_bits", {"agreement"}),
    "works in its input": function("in_place", {"input untouched"}),
    "rank 0 takes no part": function("hangs", {"deadlock"}, ENDED),
    "rank 1 ends": function("dies", {"result"}, ENDED),
    "mean instead of sum": function("mean_of_all", SUMS),
    "one rank left out": function("without_last", SUMS),
    "integers through float32": function("through_float32", {"special values"}, {"result", "dtypes"}),
    "NaN lost": function("without_nan", {"special values"}),
    "returns its buffer": function("returns_its_buffer", {"own memory"}),
    "keeps nothing of what it does not send": elsewhere(
        f"{FILE}:Forgets",
        f"{FILE}:TopK",
        {"conservation"},
        options={"on": "torch", "contract": "error-feedback", "draw": {"k": "1-3"}},
    ),
    "asynchronous all_reduce not waited for": collective(
        "returns_early", "all_reduce", {"result"}, {*SUMS, "agreement", "reproducibility"}
    ),
    "reduce_scatter without the last rank's piece": collective(
        "loses_last_piece", "reduce_scatter", LONGER, {"edge sizes"}
    ),
    "reduce_scatter without the short piece": collective("short_piece_lost", "reduce_scatter", SUMS),
    "all_reduce_coalesced without the last tensor": collective(
        "skips_tensor", "all_reduce_coalesced", {*LONGER, "agreement"}, {"edge sizes"}
    ),
    "last call in a coalescing manager forgotten": collective(
        "skips_call", "coalesced", LONGER, {"edge sizes", "agreement", "reproducibility"}
    ),
    "all_to_all to the wrong rank": collective("to_wrong_rank", "two_shot", SUMS),
    "gathered in each rank's own order": collective("gathers_own_first", "all_gather", {"agreement"}),
    "hook leaves its own gradient out": hook("mean_of_others", {"result"}, {*SUMS, "agreement"}),
    "hook adds and does not divide": hook("sum_of_all", {"result"}, SUMS),
}
"""By name, the wrong targets."""
