"""Tests of algorithms on whole vectors that make messages of their own: what `replay.py` needs to judge them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import averages
import codes
import levels
import matrices
from whole import Malformed, Numbers, Played, Vector, Wrong

Play = Callable[[Numbers, dict[str, Any], list[Vector], dict[str, Any]], Played]

PLAYS: Mapping[str, Play] = {
    "flash": codes.flash,
    "one_bit": codes.one_bit,
    "thc": codes.thc,
    "qsgd": codes.qsgd,
    "moshpit": averages.moshpit,
    "lossy_two_shot": averages.lossy_two_shot,
    "arc_top_k": matrices.arc_top_k,
    "power_sgd": matrices.power_sgd,
    "hierarchical": levels.hierarchical,
}
LARGE, MANY = 1 << 32, 1 << 10
BOUNDS: Mapping[str, tuple[int, int]] = {
    "b1": (1, 8), "b2": (1, 8), "bits": (1, 8), "g": (1, LARGE), "spikes": (0, 1), "norm": (1, 2),
    "levels": (1, 1 << 16), "by_max": (0, 1), "m": (2, MANY), "rounds": (0, 1000), "lost": (0, 1000),
    "packet": (1, LARGE), "running": (0, 1), "columns": (0, MANY), "sketch": (1, MANY), "momentum": (0, 1000),
    "rank": (1, LARGE), "hierarchical m": (1, MANY),
}  # fmt: skip
"""What whole numbers may be; others from 0 on."""
TEXTS = {
    "aggregator": ("ht", "ratio", "ratio0", "zero"),
    "feedback": ("none", "ef14", "ef21", "ef21m"),
    "through": ("ring", "two_shot"),
    "inside": ("direct", "ring"),
    "across": ("ring", "two_shot"),
}


def refused(algorithm: str, group: Any, test: Any) -> str | None:
    """What is wrong with an algorithm, its parameters or its inputs, in words."""
    if algorithm not in PLAYS:
        return f"tells of {algorithm}, whose rules this program does not have"
    for name, value in group["parameters"].items():
        if not fits(own if (own := f"{algorithm} {name}") in BOUNDS else name, value):
            return f"has a parameter {name} = {value!r}"
    for call in test["calls"]:
        if len(call["inputs"]) != group["p"] or any(len(x) != test["n"] for x in call["inputs"]):
            return f"has a call whose inputs are not {group['p']} vectors of {test['n']} numbers"
    return None


def fits(name: str, value: Any) -> bool:
    """Whether a parameter may be so."""
    if name in TEXTS:
        return value in TEXTS[name]
    if isinstance(value, list):
        return all(fits("", one) or one == -1 for one in value)
    low, high = BOUNDS.get(name, (0, LARGE))
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def run(algorithm: str, group: Any, test: Any) -> None:
    """Raise Wrong unless all calls of a test give what the file says; Malformed for what no test can be."""
    if why := refused(algorithm, group, test):
        raise Malformed(why)
    at, state = Numbers(test["dtype"]), dict[str, Any]()
    for i, call in enumerate(test["calls"], start=1):
        xs = [[*map(at.number, x)] for x in call["inputs"]]
        played = PLAYS[algorithm](at, group["parameters"], xs, state)
        state = played.state
        for what, has in told(at, played).items():
            if has != call[what]:
                raise Wrong(f"call {i}: {what} differ{first(has, call[what])}")


def first(has: Any, wanted: Any) -> str:
    """Where two lists differ, or objects, and what either has there."""
    if type(has) is type(wanted) and isinstance(has, (list, dict)) and len(has) == len(wanted):
        keys: Sequence[Any] = [*has] if isinstance(has, dict) else range(len(has))
        for key in keys:
            other = wanted.get(key) if isinstance(wanted, dict) else wanted[key]
            if has[key] != other:
                return f", at {key}{first(has[key], other)}"
    return f": {str(has)[:80]}, the file has {str(wanted)[:80]}"


def told(at: Numbers, played: Played) -> dict[str, Any]:
    """A call as a file has it, but for its inputs."""
    steps = [[(src, dst, content(at, what)) for src, dst, what in step] for step in played.steps]
    return {
        "sends": [[[src, dst] for src, dst, _ in step] for step in steps],
        "messages": [[what for *_, what in step] for step in steps],
        "costs": costs(at, len(played.results), played.steps),
        "results": [[*map(at.bits, y)] for y in played.results],
        "state": {name: kept(at, value) for name, value in played.state.items()},
    }


def content(at: Numbers, what: Any) -> Any:
    """A message."""
    return what.hex() if isinstance(what, bytes) else [*map(at.bits, what)]


def kept(at: Numbers, value: Any) -> Any:
    """What is kept: whole numbers, the bits of others, or lists."""
    if isinstance(value, list):
        return [kept(at, one) for one in value]
    return at.bits(value) if isinstance(value, float) else value


def costs(at: Numbers, p: int, steps: Sequence[Any]) -> dict[str, Any]:
    """What the ranks send."""
    sizes = [
        [(src, len(what) * (1 if isinstance(what, bytes) else at.width)) for src, _, what in step] for step in steps
    ]
    rows = [[sum(size for src, size in step if src == r) for r in range(p)] for step in sizes]
    return {
        "messages": [sum(src == r for step in sizes for src, _ in step) for r in range(p)],
        "bytes": [sum(row[r] for row in rows) for r in range(p)],
        "critical_bytes": sum(map(max, rows)),
    }
