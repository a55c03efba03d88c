"""Flash Communication on its page: two steps, one sum on all ranks, bytes as told, and defined ends."""

from __future__ import annotations

import numpy as np
import pytest

import sparring
from sparring.errors import InputError
from sparring.spec.core.groups import decode, encode


def vectors(p, n, dtype="float32"):
    return [np.random.default_rng([p, n, r]).standard_normal(n).astype(dtype) for r in range(p)]


@pytest.mark.parametrize("p", range(1, 17))
def test_all_ranks_end_with_the_same_bits(p):
    """And with about the sum."""
    for n in (0, 1, p - 1, 3 * p + 1, 40):
        xs = vectors(p, n)
        first, *rest = sparring.run("flash", xs).results
        assert all(y.tobytes() == first.tobytes() and y.dtype == xs[0].dtype for y in rest)
        assert not n or abs(first - sum(xs)).max() <= sum(np.ptp(x) for x in xs) / 255 * 1.001


@pytest.mark.parametrize("p", range(2, 9))
def test_two_steps_of_one_message_to_each(p):
    """Of the others' chunks, then of the rank's own."""
    ran = sparring.run("flash", vectors(p, 50))
    assert len(ran.trace) == 2
    pairs = sorted((r, d) for r in range(p) for d in range(p) if r != d)
    assert all(sorted((m.src, m.dst) for m in wire) == pairs for wire in ran.trace)
    for r in range(p):
        assert len({bytes(m.entries) for m in ran.trace[1] if m.src == r}) == 1


@pytest.mark.parametrize("params", [{}, {"b1": 4}, {"b1": 2, "b2": 3, "g": 4, "spikes": 1}])
def test_it_is_what_numpy_adds_of_what_is_read(params):
    """Chunk by chunk: every copy coded and read, added in the order of ranks, coded and read again."""
    p, n = 4, 30
    xs, page = vectors(p, n), sparring.page("flash", **params)
    given = {**page.params}

    def read(x, bits):
        return np.array(decode(encode(x, bits, given["g"], bool(given["spikes"]))), x.dtype)

    want = []
    for c in range(p):
        cut = slice(c * n // p, (c + 1) * n // p)
        total = read(xs[0][cut], given["b1"])
        for x in xs[1:]:
            total = total + read(x[cut], given["b1"])
        want.append(read(total, given["b2"]))
    assert all(y.tobytes() == np.concatenate(want).tobytes() for y in sparring.run(page, xs).results)


def test_a_rank_that_is_alone_keeps_its_vector():
    (x,) = vectors(1, 20)
    ran = sparring.run("flash", [x])
    assert ran.trace == [] and ran.results[0].tobytes() == x.tobytes() and ran.results[0] is not x


def test_vectors_stay_as_they_are():
    xs = vectors(3, 20)
    kept = [x.tobytes() for x in xs]
    assert sparring.run("flash", xs).results and [x.tobytes() for x in xs] == kept


def test_nan_spoils_its_group_alone():
    """On all ranks."""
    xs = vectors(2, 24)
    xs[1][5] = np.nan
    with np.errstate(invalid="ignore"):
        ys = sparring.run(sparring.page("flash", g=4), xs).results
    assert all(np.flatnonzero(np.isnan(y)).tolist() == [4, 5, 6, 7] for y in ys)


@pytest.mark.parametrize(
    ("params", "told"),
    [({"b1": 0}, "b1 = 0: it must be 1 to 8"), ({"b2": 9}, "b2 = 9: it must be 1 to 8"),
     ({"g": 0}, "g = 0: it must be 1 to 4294967296"), ({"spikes": 2}, "spikes = 2: it must be 0 or 1")],
)  # fmt: skip
def test_other_parameters_are_refused(params, told):
    with pytest.raises(InputError, match=told):
        sparring.page("flash", **params)
