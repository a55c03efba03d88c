"""Judges files by the Trace Event Format, as far as timelines use it.

The rules are those of "Trace Event Format", N. Duca and D. Sinclair, Google, 2016, each with its section; [P] are
Perfetto's own, of "Visualizing external trace formats".
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

Event = dict[str, Any]
NAMES = {  # "Metadata Events": the names that there are, and the argument that each must have
    "process_name": ("name", str),
    "process_labels": ("labels", str),
    "process_sort_index": ("sort_index", int),
    "thread_name": ("name", str),
    "thread_sort_index": ("sort_index", int),
}


def faults(data: bytes) -> list[str]:
    """Return what is wrong with a file."""
    found = json.loads(data)
    if not isinstance(found, dict) or not isinstance(found.get("traceEvents"), list):
        return ['no object with a list "traceEvents"']  # "JSON Object Format"
    if found.get("displayTimeUnit", "ms") not in ("ms", "ns"):  # "JSON Object Format"
        return ["displayTimeUnit is neither ms nor ns"]
    events = found["traceEvents"]
    if wrong := [fault for event in events for fault in fields(event)]:
        return wrong
    return [*nesting(events), *flows(events)]


def fields(event: Event) -> Iterator[str]:
    """Yield what is wrong with one event by itself."""
    told = f"{event.get('ph')} {event.get('name')}"
    if event.get("ph") not in ("X", "s", "t", "f", "M"):  # "Phases"
        yield f"{told}: no phase of timelines"
        return
    wanted = {"name": str, "pid": int, "tid": int}  # "Event Descriptions"
    wanted |= {"args": dict} if event["ph"] == "M" else {"cat": str, "ts": (int, float)}
    wanted |= {"dur": (int, float), "args": dict} if event["ph"] == "X" else {}  # "Complete Events"
    wanted |= {"id": (int, str)} if event["ph"] in "stf" else {}  # "Flow Events"
    for name, kind in wanted.items():
        if not isinstance(event.get(name), kind) or isinstance(event.get(name), bool):
            yield f"{told}: {name} is {event.get(name)!r}"
    for name in ("ts", "dur"):
        if isinstance(x := event.get(name, 0), (int, float)) and not (math.isfinite(x) and x >= 0):
            yield f"{told}: {name} is {x}"  # "Complete Events": a slice ends no sooner than it begins
    if event["ph"] == "M":
        key, kind = NAMES.get(event["name"], ("", ()))
        if not isinstance((event.get("args") or {}).get(key), kind):
            yield f"{told}: no metadata that there is"


def nesting(events: list[Event]) -> Iterator[str]:
    """Yield the slices that overlap others of their thread without nesting; "Duration Events", [P]."""
    threads = defaultdict(list)
    for one in events:
        if one["ph"] == "X":
            threads[one["pid"], one["tid"]].append(one)
    for own in threads.values():
        ends: list[float] = []
        for one in sorted(own, key=lambda one: (one["ts"], -one["dur"])):
            while ends and ends[-1] <= one["ts"] + CLOSE:
                ends.pop()
            if ends and one["ts"] + one["dur"] > ends[-1] + CLOSE:
                yield f"X {one['name']}: it overlaps another of its thread"
            ends.append(one["ts"] + one["dur"])


CLOSE = 1e-4
"""The microseconds that sums of floating point may be apart; slices are of nanoseconds."""


def flows(events: list[Event]) -> Iterator[str]:
    """Yield the arrows without tail, head or slices, with two of one, or that Perfetto turns round; "Flow Events"."""
    ends: dict[tuple[str, str, Any], dict[str, list[Event]]] = defaultdict(lambda: {"s": [], "t": [], "f": []})
    for one in events:
        if one["ph"] in "stf":
            ends[one["cat"], one["name"], one["id"]][one["ph"]].append(one)
            if opened(events, one) is None:
                yield f"{one['ph']} {one['id']}: no slice of its thread is open then"
            if one["ph"] == "f" and one.get("bp") != "e":  # else it belongs to the next slice, not to this one
                yield f"f {one['id']}: bp is {one.get('bp')!r}"
    for (_, _, number), own in ends.items():
        if len(own["s"]) != 1 or len(own["f"]) != 1:
            yield f"flow {number}: {len(own['s'])} tails and {len(own['f'])} heads"
        elif own["f"][0]["ts"] < own["s"][0]["ts"]:
            yield f"flow {number}: it ends before it begins"
        elif (opened(events, own["f"][0]) or 0) < (opened(events, own["s"][0]) or 0):  # seen in its page, told nowhere
            yield f"flow {number}: its head's slice begins before its tail's"


def opened(events: list[Event], one: Event) -> float | None:
    """Return when the innermost slice began that is open on an event's thread at its time."""
    return max((other["ts"] for other in events if other["ph"] == "X" and encloses(other, one)), default=None)


def encloses(slice_: Event, one: Event) -> bool:
    """Return whether a slice is open on an event's thread at its time."""
    alike = (slice_["pid"], slice_["tid"]) == (one["pid"], one["tid"])
    return bool(alike and slice_["ts"] <= one["ts"] < slice_["ts"] + slice_["dur"])
