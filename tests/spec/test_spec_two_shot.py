"""The two-shot allreduce sums on any number of ranks, in the order of ranks, in two steps."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest

from sparring import run


@pytest.mark.parametrize("p", range(1, 34))
def test_every_rank_ends_with_the_sum(p):
    """For n = 0, 1 and more, fewer than there are ranks included."""
    for n in (0, 1, 3, 2 * p + 1):
        xs = [[100 * r + i for i in range(n)] for r in range(p)]

        assert run("two_shot", xs).results == [[sum(column) for column in zip(*xs)] if n else []] * p


@pytest.mark.parametrize("p", [1, 2, 3, 7, 16])
def test_it_is_what_numpy_adds_row_by_row(p):
    """Bit for bit: chunk by chunk, rank by rank."""
    xs = np.random.default_rng(p).standard_normal((p, 50), dtype=np.float32) * 10.0 ** np.arange(p)[:, None]
    want = reduce(np.add, xs.astype(np.float32))

    for result in run("two_shot", [*xs.astype(np.float32)]).results:
        assert result.tobytes() == want.tobytes()


@pytest.mark.parametrize("p", range(2, 12))
def test_everybody_sends_to_everybody_twice(p):
    """First what the receiver looks after, then the sender's own chunk, as long as these are."""
    n = 3 * p + 1
    shares = [range(c * n // p, (c + 1) * n // p) for c in range(p)]
    collected, handed = run("two_shot", [[*range(n)]] * p).trace
    pairs = {(r, s) for r in range(p) for s in range(p) if r != s}

    assert {(m.src, m.dst): m.entries for m in collected} == {(r, s): [*shares[s]] for r, s in pairs}
    assert {(m.src, m.dst): m.entries for m in handed} == {(r, s): [p * x for x in shares[r]] for r, s in pairs}
