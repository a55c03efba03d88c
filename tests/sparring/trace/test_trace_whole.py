"""Messages that have all of a chunk, and no indices, are compared with a run's as the others are."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from sparring import Sparse, impl, page
from sparring.refinement.playing import iterated
from sparring.trace.compare import compare, messages
from tests.sparring.trace.trace_targets import anonymous, traced

CODE = Path(impl.__path__[0], "topka2a.py").read_text(encoding="utf-8")
PAIRED = {
    "x.values if len(x) == x.n else wire.pack(x)": "wire.pack(x)",
    "np.empty_like(here) if count(c, n, k, p) == here.size else wire": "wire",
}


def ran(tmp_path, changes, k):
    """The page, two vectors of three entries and more on each of three ranks, and the trace of a run on them."""
    code = CODE
    for old, new in changes.items():
        assert old in code
        code = code.replace(old, new)
    file = tmp_path / "mine.py"
    file.write_text(code, encoding="utf-8")
    rng = np.random.default_rng(k)
    xs = [rng.standard_normal((2, 12)) for _ in range(3)]
    return page("topka2a", k=k), xs, traced(f"{file}:Allreduce", xs, call=partial(iterated, k=k))


@pytest.mark.parametrize("k", [0, 4, 12])
@pytest.mark.parametrize("payloads", [True, False])
def test_ours_sends_what_the_page_sends(tmp_path, k, payloads):
    """Where no message has indices, some have, and the others no entries; with digests alone, too."""
    one, xs, trace = ran(tmp_path, {}, k)
    seen = trace if payloads else anonymous(trace)

    assert [compare(one, xs, seen, level) for level in ("volume", "steps")] == [None, None]


def test_indices_with_whole_blocks_are_seen(tmp_path):
    """At both levels, and in a sentence."""
    one, xs, trace = ran(tmp_path, PAIRED, 12)

    assert "bytes" in str(compare(one, xs, trace, "volume"))
    assert "chunk" in str(compare(one, xs, trace, "steps"))


def test_what_differs_is_shown_as_values():
    """Not as the pairs that other messages are."""
    one = page("topka2a", k=2)
    xs = [np.arange(1.0, 5)[None], np.arange(5.0, 9)[None]]
    trace = traced("sparring.impl.topka2a:Allreduce", xs, call=partial(iterated, k=2))
    other = [xs[0], xs[1] + [[0.0, 0, 0, 1]]]

    divergence = compare(one, other, trace, "steps")

    assert str(divergence).startswith("step 1, chunk 1: rank 1 sends 2 entries [0. 12.] to rank 0")
    assert str(divergence).endswith("the page sends [-0. 13.]")


def test_entries_that_add_nothing_are_read():
    """A sparse chunk of which nearly all places are filled is sent with all, -0.0 where it had nothing."""
    at = np.delete(np.arange(130), [3, 80])
    first, *_ = messages(page("ring_sparse"), [Sparse(at, np.ones(at.size), 130)] * 2)

    assert first.entries["index"].tolist() == [*range(65)]
    assert np.signbit(first.entries["value"]).nonzero()[0].tolist() == [3]
