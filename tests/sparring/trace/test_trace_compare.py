"""Whether a run is its page's: rings of two hands in all their right variants, and every planted fault told."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring import page, world
from sparring.checks.ranks.target import load
from sparring.errors import InputError
from sparring.spec.core.loading import load as load_page
from sparring.trace.compare import compare
from sparring.trace.events import Event, Trace, digest, from_outcome
from tests.sparring.trace.trace_targets import anonymous, traced

HERE = Path(__file__).with_name("trace_targets.py")
RING = page("ring")
LEVELS = ("volume", "steps")
TWINS = ("plain", "early zeros", "as bytes", "without empty")


FOREIGN, LIBRARY, OURS = load(f"{HERE}:foreign"), load(f"{HERE}:library"), f"{HERE}:ours"


def vectors(p, n, seed=0):
    """Numbers, among them zeros of both signs."""
    rng = np.random.default_rng([seed, p, n])
    return [np.where(rng.random(n) < 0.4, rng.choice([0.0, -0.0], n), rng.standard_normal(n)) for _ in range(p)]


def small():
    """Three ranks, six entries, all different."""
    return [np.arange(6.0) + 10 ** (r + 1) for r in range(3)]


@pytest.mark.parametrize("p", range(1, 9))
@pytest.mark.parametrize(
    "target", [OURS, *(functools.partial(FOREIGN, fault=twin) for twin in TWINS)], ids=["ours", *TWINS]
)
def test_rings_are_the_ring(target, p):
    """Our ring and one of another hand, in all its right variants, send what the page sends, at every size."""
    for n in sorted({0, 1, p - 1, p, p + 1, 2 * p + 1}):
        xs = vectors(p, n)
        trace = traced(target, xs)
        for level in LEVELS:
            assert compare(RING, xs, trace, level) is None, (n, level)
            assert compare(RING, xs, anonymous(trace), level) is None, (n, level)


def test_rings_are_the_ring_in_every_dtype():
    """Integers that wrap around, and singles with infinities, too."""
    for dtype in ("int32", "int64", "float32"):
        xs = [np.full(7, np.finfo(dtype).max if dtype == "float32" else np.iinfo(dtype).max, dtype)] * 3
        assert compare(RING, xs, traced(OURS, xs), "steps") is None


FAULTS = {
    "wrong order": "step 2, chunk 1: rank 0 sends 2 entries [10. 11.] to rank 1 (AT), the page sends [1116. 1119.]",
    "wrong chunk": "step 1, chunk 2: rank 0 sends 2 entries [10. 11.] to rank 1 (AT), the page sends [1018. 1020.]",
    "wrong length":
        "step 1, chunk 2: rank 0 sends 1 entry [1018.] to rank 1 (AT), the page sends 2 entries [1018. 1020.]",
    "wrong peer": "step 1, chunk 2: rank 0 sends 2 entries [1018. 1020.] to rank 2 (AT), "
                  "the page sends 2 entries [1018. 1020.] to rank 1",
    "missing": "step 3, chunk 0: rank 0 sends no further message to rank 1, "
               "the page sends 2 entries [1110. 1113.] to rank 1",
    "extra": "rank 0 sends 2 entries [1110. 1113.] to rank 1 (AT), the page sends rank 1 nothing more",
}  # fmt: skip
VOLUMES = {"wrong length": "4 messages of 56", "missing": "3 messages of 48", "extra": "5 messages of 80"}


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_fault(fault):
    """Each is told in one sentence: step, chunk, rank, line, and both sides; what changes the volume also by that."""
    xs = small()
    trace = traced(functools.partial(FOREIGN, fault=fault), xs)
    told, volume = (compare(RING, xs, trace, level) for level in ("steps", "volume"))
    assert re.sub(r"trace_targets\.py:\d+", "AT", str(told)) == FAULTS[fault]
    if fault in VOLUMES:
        assert volume and volume[:4] == (-1, 0, -1, None)
        whole = f"rank 0 sends {VOLUMES[fault]} bytes in all (AT), the page sends 4 messages of 64 bytes in all"
        assert re.sub(r"trace_targets\.py:\d+", "AT", str(volume)) == whole
    else:
        assert volume is None


@pytest.mark.parametrize("level", LEVELS)
def test_library_call(level):
    """A collective in place of messages is named, with its line; on level result nobody looks."""
    xs = small()
    trace = traced(LIBRARY, xs)
    found = compare(RING, xs, trace, level)
    assert re.search(r"rank 0 sends nothing; it calls Allreduce \(trace_targets\.py:\d+\), the page sends", str(found))
    assert compare(RING, xs, trace, "result") is None


def test_every_message_counts():
    """Whichever message of a ring is dropped, changed or doubled, the divergence is at its step and source."""
    xs = small()
    trace = traced(OURS, xs)
    for i, event in enumerate(trace.events):
        if event.op != "send":
            continue
        before, after = trace.events[:i], trace.events[i + 1 :]
        step = sum(1 for e in before if (e.op, e.rank, e.peer) == ("send", event.rank, event.peer))
        changed = np.array(event.payload)
        changed[-1] = np.nextafter(changed[-1], np.inf)
        other = event._replace(payload=changed, digest=digest(changed.tobytes()))
        for events in (before + after, [*before, other, *after]):
            for seen in (Trace(3, events), anonymous(Trace(3, events))):
                found = compare(RING, xs, seen, "steps")
                assert found and (found.step, found.src, found.dst) == (step, event.rank, event.peer)
        found = compare(RING, xs, Trace(3, [*before, event, *trace.events[i:]]), "steps")
        assert found and (found.step, found.src) == (step + 1, event.rank)
    assert len(list(trace.sends())) == 12


def test_digest_alone():
    """Without a payload the sentence says that the entries differ, and shows the page's."""
    xs = small()
    trace = anonymous(traced(functools.partial(FOREIGN, fault="wrong chunk"), xs))
    found = str(compare(RING, xs, trace, "steps"))
    assert "rank 0 sends 2 other entries to rank 1 (trace_targets.py:" in found
    assert found.endswith("), the page sends [1018. 1020.]")


def test_the_last_bit_and_the_right_place_are_shown():
    """A long message is shown where it differs, with all digits."""
    xs = [np.linspace(0.1, 0.9, 20), np.ones(20)]
    trace = traced(OURS, xs)
    i = next(i for i, e in enumerate(trace.events) if e.op == "send" and e.rank == 0)
    payload = np.array(trace.events[i].payload)
    payload[5] = np.nextafter(payload[5], 1)
    payload[1], xs[0][1] = np.nan, np.nan  # equal, and no difference to be shown
    trace.events[i] = trace.events[i]._replace(payload=payload)
    found = compare(RING, xs, trace, "steps")
    assert f"sends 10 entries [... {payload[5]!s} " in str(found)
    assert f"the page sends [... {xs[0][5]!s} " in str(found)


def test_nan():
    """A NaN is a NaN, whatever its bits; a number in its place is not."""
    xs = [np.array([np.nan, 1.0]), np.array([1.0, 2.0])]
    trace = traced(OURS, xs)
    bits = np.array([0x7FF8000000000001], "uint64").view("float64")
    (i,) = [i for i, e in enumerate(trace.events) if e.op == "send" and e.rank == 0][:1]
    for value, holds in ((bits, True), (np.zeros(1), False)):
        trace.events[i] = trace.events[i]._replace(payload=value)
        assert (compare(RING, xs, trace, "steps") is None) == holds


def test_messages_of_another_dtype_are_named():
    """Twice as wide entries are another message, even of the same values."""
    xs = [np.arange(2, dtype="float32")] * 2
    events = [
        Event(r, 0, "send", "Send", 1 - r, 0, 0, None, 1, "float64", 8, digest(b""), "mine.py:4", np.array([1.0]))
        for r in range(2)
    ]
    assert str(compare(RING, xs, Trace(2, events), "steps")) == (
        "step 0, chunk 0: rank 0 sends 1 entry of float64 [1.] to rank 1 (mine.py:4), the page sends 1 entry [0.]"
    )


def test_an_empty_message_too_many():
    """Messages of no entries may be left out where the page has some, but not added where it has none."""
    xs = small()
    trace = traced(OURS, xs)
    empty = next(trace.sends())._replace(count=0, nbytes=0, payload=np.empty(0), digest=digest(b""))
    for level in LEVELS:
        assert compare(RING, xs, Trace(3, [*trace.events, empty]), level) is not None


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_interleaving_of_ranks_does_not_matter(data):
    """Only the order within a rank counts."""
    p = data.draw(st.integers(1, 4))
    xs = vectors(p, data.draw(st.integers(0, 9)))
    trace = traced(OURS, xs)
    turns = data.draw(st.permutations([e.rank for e in trace.events]))
    own = {r: iter([e for e in trace.events if e.rank == r]) for r in range(p)}
    assert compare(RING, xs, Trace(p, [next(own[r]) for r in turns]), "steps") is None


def everybody():
    """A page whose ranks send to another rank in every step: 1, 2, ... ranks up."""
    module = ModuleType("everybody")
    formulas = {
        "steps": lambda p: p - 1,
        "dst": lambda r, t, p: (r + 1 + t) % p,
        "src": lambda r, t, p: (r - 1 - t) % p,
        "chunk": lambda r, t, p: r,
        "adds": lambda t, p: False,
        "holds": lambda q, r, c, t, p: q == c,
    }
    vars(module).update(formulas)
    return load_page(module)


def test_ranks_with_several_receivers():
    """A message that is missing is not mistaken for the source's next one to somebody else, nor for a later one."""
    xs = small()
    sent = [
        Event(r, t, "send", "Send", (r + 1 + t) % 3, 0, 0, None, 2, "float64", 16, "", "mine.py:2", xs[r][2 * r :][:2])
        for r in range(3)
        for t in range(2)
    ]
    assert compare(everybody(), xs, Trace(3, sent), "steps") is None
    swapped = [sent[1]._replace(seq=0), sent[0]._replace(seq=1)]
    assert compare(everybody(), xs, Trace(3, [*swapped, *sent[2:]]), "steps") is None
    assert str(compare(everybody(), xs, Trace(3, sent[1:]), "steps")) == (
        "step 0, chunk 0: rank 0 sends no further message to rank 1, the page sends 2 entries [10. 11.] to rank 1"
    )
    wrong = swapped[1]._replace(payload=np.zeros(2))
    assert str(compare(everybody(), xs, Trace(3, [swapped[0], wrong, *sent[2:]]), "steps")) == (
        "step 0, chunk 0: rank 0 sends 2 entries [0. 0.] to rank 1 (mine.py:2), the page sends [10. 11.]"
    )


def test_silence():
    """A run without any event says so."""
    assert str(compare(RING, small()[:2], Trace(2, []), "steps")) == (
        "step 0, chunk 0: rank 0 sends nothing, the page sends 3 entries [10. 11. 12.] to rank 1"
    )


def test_bad_input():
    """A level that there is not, and another number of vectors than ranks, are refused."""
    with pytest.raises(InputError, match="no level 'step': there are result, volume, steps"):
        compare(RING, small(), Trace(3, []), "step")
    with pytest.raises(InputError, match="a trace of 2 ranks and 3 vectors: there must be one vector a rank"):
        compare(RING, small(), Trace(2, []), "steps")
    with pytest.raises(InputError, match="run it with record=True"):
        from_outcome(world.run(OURS, 2, small()[:2]), 2)
