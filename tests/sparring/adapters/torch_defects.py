"""Wrong functions and hooks on torch, by name; their sources stand in torch_targets.py."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from pathlib import Path

from tests.sparring.checks.defect import Defect, elsewhere

FILE = Path(__file__).with_name("torch_targets.py")
SUMS = {"result", "edge sizes", "dtypes"}
ENDED = {*SUMS, "agreement", "reproducibility", "deadlock"}
TWIN = ""


def function(name: str, refuted: AbstractSet[str], also: AbstractSet[str] = frozenset()) -> Defect:
    """A function on a process group."""
    return elsewhere(f"{FILE}:{name}", f"{FILE}:allreduce", refuted, also, options={"on": "torch"})


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
    "hook leaves its own gradient out": hook("mean_of_others", {"result"}, {*SUMS, "agreement"}),
    "hook adds and does not divide": hook("sum_of_all", {"result"}, SUMS),
}
"""By name, the wrong targets."""
