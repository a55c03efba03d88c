"""ZEN's messages and results, beside a few lines of numpy and another page's sums."""

from __future__ import annotations

import numpy as np
import pytest

import sparring
from sparring import Sparse
from sparring.analysis.compression import hashed_owners
from sparring.impl.codecs import nonzero_pairs
from sparring.impl.core import counter_rng
from sparring.proofs.logic.verdicts import REFUTED
from sparring.proofs.proving import proving
from sparring.spec.codecs.nonzero_pairs import NonzeroPairs
from sparring.spec.core.vectors import Vector
from sparring.spec.library.hashed_order import order
from tests.proofs.wrong_texts import wrong


def pairs(x):
    """The message of ``x`` by definition."""
    places = np.array([i for i in range(x.size) if x[i] != 0], "<u4")
    return np.array([places.size], "<u4").tobytes() + places.tobytes() + x[places].tobytes()


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_a_message_is_what_numpy_says(dtype):
    """Also of no entries, of zeros of both signs, and of nothing but zeros; the implementation has the same."""
    rng = np.random.default_rng(3)
    for n in (0, 1, 7, 300):
        x = (rng.integers(-1, 2, n) * (rng.random(n) < 0.2)).astype(dtype)
        assert bytes(NonzeroPairs().written(Vector.of(x))) == pairs(x) == bytes(nonzero_pairs.encode(x))


def test_a_nan_is_something():
    """It is sent, and it is the usual NaN whatever bits it had."""
    odd = np.array([0x7FF0000000000001, 0], np.uint64).view(np.float64)
    assert bytes(NonzeroPairs().written(Vector.of(odd)))[8:] == np.array([np.nan]).tobytes()


@pytest.mark.parametrize("seed", [0, 7, 2**64 + 7])
def test_orders_are_those_of_numpy(seed):
    """All indices come once, and a seed counts modulo 2^64."""
    for n in (0, 1, 2, 40):
        assert order(seed, n) == counter_rng.permuted(seed, n).tolist() == order(seed % 2**64, n)
        assert sorted(order(seed, n)) == [*range(n)]


@pytest.mark.parametrize("p", [1, 2, 3, 5])
def test_sums_are_the_bits_of_a_page_that_cuts_neighbouring_entries(p):
    """Both add in the order of the ranks."""
    rng = np.random.default_rng(p)
    xs = [(rng.standard_normal(50) * (rng.random(50) < 0.2)).astype(np.float32) for _ in range(p)]
    found = sparring.run("zen", xs, seed=5).results
    lists = [Sparse(np.flatnonzero(x), x[x != 0], x.size) for x in xs]
    other = sparring.run("two_shot_sparse", lists).results
    for y, z in zip(found, other):
        dense = np.zeros(50, np.float32)
        dense[[*z.indices]] = [*z.values]
        assert np.array([*y], np.float32).tobytes() == (dense + 0).tobytes()


def test_entries_in_a_heap_are_owned_by_all():
    """Where neighbouring entries are cut, one rank owns the whole heap."""
    x = np.zeros(400, np.float32)
    x[:100] = 1
    push, _ = sparring.run("zen", [x] * 4).trace
    mine = [(len(m.entries) - 4) // 8 for m in push if m.src == 0]
    assert all(15 <= many <= 35 for many in mine)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return plain(restored(y, params.seed))", "return plain(restored(y + x, params.seed))"),
        ("reduce_scatter(hashed(x, params.seed)", "reduce_scatter(hashed(x + x, params.seed)"),
        ("reduce_scatter(hashed(x, params.seed)", "reduce_scatter(restored(x, params.seed)"),
    ],
)
def test_a_wrong_text_is_refuted(old, new):
    """By proof alone; the page itself is proved."""
    assert any(one.verdict == REFUTED for one in proving.prove(wrong("zen", old, new), planted=False))


def test_what_more_is_sent_is_counted(monkeypatch):
    """A pair that is pushed twice, a bitmap for each rank, and owners that a hash does not choose show in counts."""
    assert hashed_owners.once().holds and hashed_owners.bitmaps().holds and hashed_owners.balanced().holds
    sent = hashed_owners.sent

    def more(p, seed):
        there, out, back, places = sent(p, seed)
        return there, [b + 8 for b in out], [b + 2 for b in back], places

    monkeypatch.setattr(hashed_owners, "sent", more)
    assert not hashed_owners.once().holds and not hashed_owners.bitmaps().holds
    monkeypatch.setattr(hashed_owners, "permutations", lambda places: [tuple(places)])
    assert not hashed_owners.balanced().holds
