"""Reducers that break what they promise, and what the command must be told to see it; they stand in reducers.py."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from pathlib import Path

from tests.sparring.checks.defect import Defect, elsewhere

FILE = Path(__file__).with_name("reducers.py")
TWIN = ""
KEEPS, SMALLER = "error-feedback", "contraction"


def reducer(
    name: str, twin: str, contract: str, refuted: AbstractSet[str], also: AbstractSet[str] = frozenset(), **draw: str
) -> Defect:
    """One of the file beside one that keeps the contract, with what is drawn."""
    options = {"contract": contract, "draw": {key.replace("_", "-"): span for key, span in draw.items()}}
    return elsewhere(f"{FILE}:{name}", f"{FILE}:{twin}", refuted, also, options=options)


DEFECTS = {
    "the rest of call 2 is lost": reducer("Forgets", "TopK", KEEPS, {"conservation"}, k="1-6"),
    "the rest of call 33 is lost": reducer(
        "ForgetsLate", "TopK", KEEPS, {"conservation"}, k="1-6", n="1-6", calls="33-34",
    ),
    "the rest of call 33 is lost, after 32 calls": reducer(
        "ForgetsLate", "TopK", KEEPS, {"conservation"}, k="1-6", n="1-6", warm_up="32",
    ),
    "the rest is added twice": reducer("Twice", "TopK", KEEPS, {"conservation"}, k="1-6"),
    "what is sent is kept, too": reducer("KeepsAll", "TopK", KEEPS, {"conservation"}, k="1-6"),
    "sum instead of mean": reducer("Sums", "Mean", f"{KEEPS}:mean=1", {"conservation"}, k="1-6"),
    "infinite results and residuals": reducer("Overflows", "TopK", KEEPS, {"conservation"}, k="1-6"),
    "a residual that is too short": reducer("KeepsLess", "TopK", KEEPS, {"conservation"}, k="1-6"),
    "a residual that was too short once": reducer(
        "KeepsLess", "TopK", KEEPS, {"conservation"}, k="1-6", warm_up="2",
    ),
    "a residual that is too short, as a contraction": reducer("KeepsLess", "TopK", SMALLER, {"contraction"}, k="1-6"),
    "all of equal entries are sent": reducer("More", "TopK", f"{KEEPS}:entries=p*k", {"entries"}, k="1-6"),
    "more entries than promised": reducer("TopK", "Agreed", f"{KEEPS}:entries=k", {"entries"}, k="1-6"),
    "entries lost in subtrees": reducer("Tree", "TopK", KEEPS, {"conservation", "agreement"}, k="1-6"),
    "the memory of the last result": reducer("Reuses", "TopK", KEEPS, {"own memory"}, k="1-6"),
    "a rank with zeros alone forgets": reducer("Idle", "Waits", KEEPS, {"conservation"}, k="1-6"),
    "at most 1,000 is kept": reducer("Clips", "TopK", KEEPS, {"conservation"}, k="1-6"),
    "the rest of each fifth call is lost": reducer("ForgetsFifth", "TopK", KEEPS, {"conservation"}, k="1-6"),
    "the rest of the last entry is lost": reducer("EndsShort", "TopK", KEEPS, {"conservation"}, k="1-6"),
    "floats of 16 bits that overflow": reducer(
        "unscaled_halves", "halves", "bounded-error:relative=0.01", {"result"}, {"edge sizes", "dtypes"},
    ),
    "fails where no entry is kept": reducer("NeedsEntries", "TopK", KEEPS, {"edge sizes"}, k="0-6"),
    "the smallest entries are sent": reducer("Smallest", "TopK", SMALLER, {"contraction"}, k="1-6"),
    "all is kept, as a contraction": reducer(
        "KeepsAll", "TopK", f"{SMALLER}:delta=0.1", {"contraction"}, k="1-6", n="1-12",
    ),
    "rounds down rather than up": reducer("Leaning", "Dithered", "unbiased", {"expectation"}),
    "rounds the same way each time": reducer("Fixed", "Dithered", "unbiased", {"expectation"}),
    "entries at random, not scaled": reducer("Unscaled", "RandomK", "unbiased", {"expectation"}, k="1-6"),
    "steps wider than promised": reducer(
        "rounded", "total", "bounded-error:bound=0.01", {"result", "edge sizes", "dtypes"},
    ),
    "the world": reducer("World", "TopK", KEEPS, {"communicators"}, k="1-6"),
    "the rest is lost on more than 8 ranks": reducer("Few", "TopK", KEEPS, {"many ranks"}, k="1-6"),
    "divides by the world's size": reducer("mean_of_world", "mean", "mean", {"communicators"}),
    "does not divide": reducer("total", "mean", "mean", {"result"}, {"edge sizes", "dtypes"}),
}  # fmt: skip
"""By name, the wrong reducers."""
