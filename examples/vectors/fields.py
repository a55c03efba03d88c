"""What a file of test vectors must have, object by object, and nothing else: the tables of test-vectors.md."""

from __future__ import annotations

from typing import Any

from whole import Malformed

FILE = "schema algorithm title data test_count notes groups"
NOTE = "kind description effect"
STEP, SEND = "adds sends", "src dst chunk count"
TEST = "id comment flags dtype n calls"
CALL, COSTS = "inputs entries bytes costs result", "messages words bytes critical_words critical_bytes"
OWN_CALL, OWN_COSTS = "inputs sends messages costs results state", "messages bytes critical_bytes"
MORE = {"sparse": " encodings", "thresholds": " sends residuals"}  # of a call
WHOLE = ("vector", "lists", "sparse")  # of one call


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object with these fields; raises ValueError where one comes twice."""
    if len(found := dict(pairs)) < len(pairs):
        raise ValueError("an object has a field twice")
    return found


def closed(what: str, x: Any, names: str) -> None:
    """Raise Malformed unless an object has these fields, and no others."""
    if not isinstance(x, dict):
        raise Malformed(f"has a {what} that is no object")
    if odd := sorted({*x} ^ {*names.split()}):
        raise Malformed(f"has a {what} {'with' if odd[0] in x else 'without'} {odd[0]!r}; right: {names}")


def check(file: Any) -> None:
    """Raise Malformed unless a file, and all in it, has the fields of its data, some tests, and all their calls."""
    closed("file", file, FILE)
    for note in file["notes"].values():
        closed("note", note, NOTE)
    if not all([file["groups"], *(group["tests"] for group in file["groups"])]):
        raise Malformed("has no tests, or a group without any")
    for group in file["groups"]:
        scheduled = "" if file["data"] == "dense" else " chunks steps"
        closed("group", group, f"p parameters{scheduled} tests")
        for step in group.get("steps", ()):
            closed("step", step, STEP)
            for send in step["sends"]:
                closed("send", send, SEND)
        for test in group["tests"]:
            closed("test", test, TEST)
            check_calls(file["data"], test["calls"])


def check_calls(data: str, calls: Any) -> None:
    """Raise Malformed unless there are as many calls as a test has, each with the fields of its data."""
    wanted = (1, 2, 3) if data == "dense" else (1,) if data in WHOLE else (3,)
    if len(calls) not in wanted:
        raise Malformed(f"has a test of {len(calls)} calls; right: {' or '.join(map(str, wanted))}")
    more = MORE.get(data, "" if data in WHOLE else " residuals")
    for call in calls:
        closed("call", call, OWN_CALL if data == "dense" else CALL + more)
        closed("call's costs", call["costs"], OWN_COSTS if data == "dense" else COSTS)
