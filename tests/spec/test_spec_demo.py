"""DeMo's transform, beside numpy's Fourier transform; and that statements on it can fail."""

from __future__ import annotations

import numpy as np
import pytest

import sparring
from sparring.analysis.compression import frequencies
from sparring.impl.demo import transformed
from sparring.proofs.logic.verdicts import REFUTED
from sparring.proofs.proving import proving
from sparring.spec.core.runner import run
from sparring.spec.core.vectors import Vector
from sparring.spec.library.cosines import back, cosines
from tests.proofs.wrong_texts import wrong


def by_fourier(x):
    """The cosine transform of one chunk, as that of Fourier of the chunk and its mirror image."""
    c = len(x)
    turned = np.fft.fft([*x, *x[::-1]])[:c] * np.exp(-1j * np.pi * np.arange(c) / (2 * c))
    return turned.real / 2 * np.sqrt(np.where(np.arange(c) == 0, 1, 2) / c)


@pytest.mark.parametrize("n", [0, 1, 2, 5, 16, 23])
def test_frequencies_are_those_of_fourier(n):
    """Also of a last chunk that is not full; and back again."""
    x = np.random.default_rng(n).standard_normal(n)
    wanted = np.concatenate([x[:0], *(by_fourier(x[i : i + 8]) for i in range(0, n, 8))])
    found = cosines(Vector.of(x), 8)
    assert np.allclose([*found], wanted, rtol=0, atol=1e-12)
    assert np.allclose([*back(found, 8)], x, rtol=0, atol=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_implementation_has_the_same_bits(dtype):
    """There and back, in chunks of one entry, of several and of more than there are."""
    x = np.random.default_rng(0).standard_normal(50).astype(dtype)
    for chunk in (1, 7, 64):
        for mine, theirs in ((transformed(x, chunk), cosines), (transformed(x, chunk, back=True), back)):
            assert mine.tobytes() == np.array([*theirs(Vector.of(x), chunk)], dtype).tobytes()


def test_what_is_slow_is_sent_in_time():
    """A frequency that is too weak in each call grows in the momentum until it is among the largest."""
    page, x, state = sparring.page("demo", chunk=4, top=1, signs=0, decay=1000), [3.0, 2.0, 2.0, 3.0], None
    sent = []
    for _ in range(9):
        ran = run(page, [x, x], state)
        state = ran.state
        sent.append(next(iter(ran.trace[0])).entries[0])
    assert {0, 2} <= {*map(int, sent)}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("q = cosines(m, params.chunk)", "q = cosines(x, params.chunk)"),
        ("gone(back(sums, params.chunk), params.signs), State", "gone(sums, params.signs), State"),
        ("State(left(m, back(read(code, q)", "State(left(x, back(read(code, q)"),
    ],
)
def test_a_wrong_text_is_refuted(old, new):
    """By proof alone; the page itself is proved."""
    assert any(one.verdict == REFUTED for one in proving.prove(wrong("demo", old, new), planted=False))


def test_a_transform_that_is_not_orthonormal_shows(monkeypatch):
    assert frequencies.orthonormal().holds
    right = frequencies.weights
    monkeypatch.setattr(frequencies, "weights", lambda c: [[2 * w for w in row] for row in right(c)])
    assert not frequencies.orthonormal().holds
    monkeypatch.setattr(frequencies, "product_of", lambda c, u, v: 1)
    assert not frequencies.orthonormal().holds


def test_momenta_that_fade_lose_something():
    assert frequencies.conserved().holds and not frequencies.conserved_with_decay().holds


def test_signs_are_those_of_the_sum_where_nothing_is_divided(monkeypatch):
    """So that it is the division by senders that moves them."""
    assert not frequencies.by_senders().holds
    monkeypatch.setattr(frequencies, "senders", lambda sent: 1)
    assert frequencies.by_senders().holds
