"""Timelines are files of the Trace Event Format, and show the messages that there are."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sparring.api import page
from sparring.costs.links.machines import Machine
from sparring.present.spacetime.history import hops
from sparring.present.timelines import steps, traces
from sparring.present.timelines.events import encoded
from sparring.present.timelines.timeline import UNIT, Span, Timeline, file, write
from sparring.trace.events import Event, Trace, digest
from sparring.trace.files import write as write_trace
from tests.sparring.calling import called, refused
from tests.sparring.flight_recorder import made_dumps
from tests.sparring.present.trace_event_format import faults

Events = list[dict[str, Any]]


def events(timeline: Timeline | Path) -> Events:
    """The events of a file that is right."""
    data = timeline.read_bytes() if isinstance(timeline, Path) else encoded(file(timeline))
    assert faults(data) == []
    found: Events = json.loads(data)["traceEvents"]
    return found


def slices(found: Events, track: str = "") -> Events:
    return [one for one in found if one["ph"] == "X" and track in one["cat"]]


def arrows(found: Events) -> list[tuple[int, int]]:
    """From which rank to which, by each arrow's number."""
    ends = {(one["ph"], one["id"]): one["pid"] - 1 for one in found if one["ph"] in "sf"}
    return [(rank, ends["f", number]) for (ph, number), rank in ends.items() if ph == "s"]


@pytest.mark.parametrize("name", ["ring", "rabenseifner", "ring_sparse", "ring_allgather"])
@pytest.mark.parametrize("p", [1, 2, 5])
def test_a_page_has_a_slice_at_either_end_of_a_message_and_an_arrow(name: str, p: int) -> None:
    """And these lie in the step that the page says."""
    messages = [hop for step in hops(page(name), p) for hop in step]
    found = events(steps.of_page(page(name), p))

    assert arrows(found) == [(hop.src, hop.dst) for hop in messages]
    for track, own in ("sends", "src"), ("receives", "dst"):
        drawn = Counter((one["pid"] - 1, one["ts"] * 1000 // UNIT, one["name"]) for one in slices(found, track))
        assert drawn == Counter((getattr(hop, own), hop.t, hop.label) for hop in messages)


def test_what_formulas_say_stands_beside_the_message() -> None:
    """The formulas' values at the sender and at the receiver, the chunks, and what becomes of them."""
    found = events(steps.of_page(page("ring"), 4))
    sent, came = (next(one for one in slices(found, track) if one["pid"] == 2) for track in ("sends", "receives"))

    alike = {"step": 0, "receiver": "adds"}
    assert sent["args"] == {**alike, "from": 1, "to": 2, "chunks": "chunk 1", "dst(r=1, t=0, p=4)": 2,
                            "chunk(r=1, t=0, p=4)": 1}  # fmt: skip
    assert came["args"] == {**alike, "from": 0, "to": 1, "chunks": "chunk 0", "src(r=1, t=0, p=4)": 0}


def test_on_a_machine_a_step_is_as_long_as_its_longest_message() -> None:
    """To the nanosecond: alpha and beta of the bytes."""
    sizes = [[1000, 10], [0, 500]]
    sent = [[steps.Sending(r, 1 - r, size, "m") for r, size in enumerate(step)] for step in sizes]
    found = slices(events(steps.of_steps("two", 2, sent, Machine("5us", "1GB/s"))), "sends")

    assert [(one["ts"], one["dur"]) for one in found] == [(0, 6), (0, 5.01), (6, 5), (6, 5.5)]


def test_slices_that_overlap_lie_on_tracks_of_their_own() -> None:
    """The format wants them to nest; which track is a matter of times alone."""
    spans = [Span(0, "calls", name, *times) for name, times in {"a": (0, 10), "b": (5, 15), "c": (10, 20)}.items()]
    found = events(Timeline("t", "now", 1, spans, []))

    assert [one["tid"] for one in slices(found)] == [2, 3, 2]
    assert [one["args"]["name"] for one in found if one["name"] == "thread_name"] == ["calls", "calls"]


def test_an_arrow_against_the_clocks_is_left_out() -> None:
    """Clocks of two ranks may differ by more than a message takes."""
    spans = [Span(0, "sends", "s", 100, 200), Span(1, "receives", "r", 0, 50), Span(1, "receives", "r", 60, 150)]

    assert arrows(events(Timeline("t", "now", 2, spans, [(0, 1)]))) == []
    assert arrows(events(Timeline("t", "now", 2, spans, [(0, 2)]))) == [(0, 1)]


def test_times_of_years_keep_their_nanoseconds() -> None:
    """Since a timeline begins at 0, and microseconds of doubles reach far."""
    year = 365 * 24 * 3600 * 10**9
    (one,) = slices(events(Timeline("t", "now", 1, [Span(0, "calls", "c", year, year + 1)], [])))

    assert round(one["ts"] * 1000) == year
    assert round(one["dur"] * 1000) == 1


def event(rank: int, seq: int, call: str, peer: int, tag: int = 0) -> Event:
    """An operation of a trace."""
    op = "send" if "send" in call.lower() else "receive"
    seen = digest(b"") if op == "send" else ""
    return Event(rank, seq, op, call, peer, tag, 0, None, 0, "float64", 0, seen, "mine.py:1")


CHAIN = [event(0, 0, "Send", 1), event(1, 0, "Recv", 0), event(1, 1, "Send", 2), event(2, 0, "Irecv", 1)]


def test_a_trace_is_in_causal_order() -> None:
    """A blocking receive lasts until its message can have come, and what follows waits for it.

    In a receive from before the message is sent, a slice shows when the message is in transit.
    """
    found = events(traces.of_trace(Trace(3, CHAIN), "chain"))

    assert arrows(found) == [(0, 1), (1, 2)]
    times = {(one["pid"] - 1, one["name"]): (one["ts"], one["dur"]) for one in slices(found)}
    assert times == {(0, "Send"): (0, 1000), (1, "Recv"): (0, 1000), (1, "Send"): (1000, 1000), (2, "Irecv"): (0, 2000),
                     (2, "in transit"): (1000, 1000)}  # fmt: skip


def test_a_trace_of_ranks_that_wait_for_ever_has_an_end() -> None:
    """Files of strangers may say anything: two ranks that each receive what the other sends later."""
    stuck = [event(0, 0, "Recv", 1), event(0, 1, "Send", 1), event(1, 0, "Recv", 0), event(1, 1, "Send", 0)]
    found = events(traces.of_trace(Trace(2, stuck), "stuck"))

    assert Counter(one["name"] for one in slices(found)) == {"Recv": 2, "Send": 2, "in transit": 2}


@pytest.mark.parametrize(("peer", "tag"), [(-1, 0), (0, -1)])
def test_a_receive_from_any_source_has_no_arrow(peer: int, tag: int) -> None:
    """Which message came the trace does not tell."""
    found = events(traces.of_trace(Trace(2, [event(0, 0, "Send", 1), event(1, 0, "Recv", peer, tag)]), "any"))

    assert (arrows(found), len(slices(found))) == ([], 2)


def test_a_trace_without_receives_shows_where_messages_go() -> None:
    found = events(traces.of_trace(Trace(3, [one for one in CHAIN if one.op == "send"]), "sends"))

    assert arrows(found) == [(0, 1), (1, 2)]
    assert [one["name"] for one in slices(found, "receives")] == ["not recorded"] * 2


def test_a_trace_as_it_is_typed(tmp_path: Path) -> None:
    """Beside the verdict."""
    write_trace(Trace(3, CHAIN), tmp_path / "chain.jsonl")
    called("check", tmp_path / "chain.jsonl", "--perfetto", tmp_path / "chain.json")

    assert arrows(events(tmp_path / "chain.json")) == [(0, 1), (1, 2)]


def job(folder: Path, form: str = "pickle") -> Path:
    """Dumps of two ranks: a call that both end, a message, and calls that do not end or not told so."""
    done = made_dumps.call(number=1, time_discovered_completed_ns=2 * 10**9)
    calls = {
        0: [done, made_dumps.message("send", 0, 1), made_dumps.call(number=3, done=False)],
        1: [done, made_dumps.message("recv", 1, 0), made_dumps.call(number=5)],
    }
    return made_dumps.job(folder, calls, form)


@pytest.mark.parametrize("form", ["pickle", "json"])
def test_dumps_as_they_are_typed(form: str, tmp_path: Path) -> None:
    """A slice a call; what did not end is marked and lasts to the end; messages have their arrows."""
    called("check", job(tmp_path / "dumps", form), "--perfetto", tmp_path / "dumps.json")
    found = slices(events(tmp_path / "dumps.json"), "calls")

    told = {(one["pid"] - 1, one["name"]): (one["ts"], one["dur"], one["args"]["state"]) for one in found}
    assert told[0, "all_reduce 1"] == (1e6, 1e6, "completed")
    assert told[0, "all_reduce 3 (unfinished)"] == (3e6, 2e6, "unfinished")
    assert told[1, "all_reduce 5"] == (5e6, 1, "its end was not recorded")
    assert arrows(events(tmp_path / "dumps.json")) == [(0, 1)]


def test_a_run_as_it_is_typed(tmp_path: Path) -> None:
    """Bytes are those of the vectors; a composition has its messages, too."""
    called("run", "ring", "--size", 40, "--perfetto", tmp_path / "ring.json", "--machine", "eth-25g")
    ran = events(tmp_path / "ring.json")
    called("run", "oktopk", "--size", 40, "--perfetto", tmp_path / "oktopk.json")

    assert {one["args"]["bytes"] for one in slices(ran)} == {40}
    assert len(arrows(ran)) == 4 * 6
    assert arrows(events(tmp_path / "oktopk.json"))


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["show", "oktopk", "--perfetto", "x.json"], "its messages depend on the data; right: sparring run oktopk"),
        (["show", "ring", "--perfetto", "x.json", "--topology", "ring"], "a timeline has no links; right: without"),
        (["show", "topk", "--perfetto", "x.json"], "topk is a selector"),
        (["show", "ring", "--perfetto", "none/x.json"], "x.json cannot be written"),
        (["run", "ring", "--machine", "eth-25g"], "--machine says how long messages take in a timeline; right: with"),
        (["check", "mine.py:f", "--perfetto", "x.json"], "mine.py:f is nothing that was recorded; right: a trace"),
    ],
)
def test_what_has_no_timeline_is_refused(
    args: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert told in refused(*args)
    assert not list(tmp_path.iterdir())


def drop(ph: str, field: str) -> Callable[[Events], object]:
    """A fault: the first event of that phase loses a field."""
    return lambda found: next(one for one in found if one["ph"] == ph).pop(field)


def change(ph: str, **fields: object) -> Callable[[Events], object]:
    """A fault: the first event of that phase has other fields."""
    return lambda found: next(one for one in found if one["ph"] == ph).update(fields)


def later_sends(found: Events) -> None:
    """A fault: what is sent begins after its receive."""
    for one in found:
        if one["ph"] == "s" or one.get("cat") == "sends":
            one["ts"] += 100


@pytest.mark.parametrize(
    ("plant", "told"),
    [
        (drop("X", "pid"), "pid is None"),
        (drop("X", "dur"), "dur is None"),
        (drop("s", "id"), "id is None"),
        (change("X", dur=-1), "dur is -1"),
        (change("X", ts="0"), "ts is '0'"),
        (lambda found: found[-1].update(ph="Q"), "no phase"),
        (change("X", dur=1500), "overlaps another"),
        (change("s", id=10**6), "0 tails and 1 heads"),
        (change("f", bp="x"), "bp is 'x'"),
        (change("f", tid=999), "no slice of its thread"),
        (change("s", ts=999.5), "it ends before it begins"),
        (later_sends, "before its tail"),
        (change("M", name="rank_name"), "no metadata"),
        (lambda found: found.extend(one for one in list(found) if one["ph"] == "s"), "2 tails"),
        (lambda found: found.remove(next(one for one in found if one["ph"] == "f")), "1 tails and 0 heads"),
    ],
)
def test_the_judge_of_files_sees_faults(plant: Callable[[Events], object], told: str) -> None:
    """Each is planted into a file that is right without it."""
    whole = json.loads(encoded(file(steps.of_page(page("ring"), 2))))
    assert faults(json.dumps(whole).encode()) == []

    plant(whole["traceEvents"])
    assert any(told in fault for fault in faults(json.dumps(whole).encode()))


def test_a_file_is_the_same_whenever_it_is_written(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(steps.of_page(page("rabenseifner"), 4), tmp_path / name)

    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
