"""What compressing algorithms compute, beside numpy's numbers: products, orders of addition, errors, bytes."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import sparring
from sparring.impl import arc_top_k
from sparring.impl.lossy_two_shot import sizes
from sparring.proofs.core.iterations import answer
from sparring.spec.core import matrices
from tests.impl.algorithms import RANKS, TARGETS, simulated


def called(name, xs, **params):
    """By rank and call results and residuals, ``(ranks, calls, n)`` each."""
    ran = simulated(TARGETS[name], xs, call=answer, shown=("residual",), **params)
    return (np.array([[read(done) for done in calls] for calls in ran])
            for read in (lambda done: done.result, lambda done: done.residual["residual"]))  # fmt: skip


def test_products_of_arc_top_k_are_numpys_up_to_rounding():
    """The order of addition is ours, and the numbers are those of a library's product."""
    rng = np.random.default_rng(1)
    for m, columns, sketch in ((1, 1, 1), (7, 5, 2), (300, 64, 4), (3, 100_000, 2), (70_000, 3, 1)):
        x, normal = rng.standard_normal((m, columns)), rng.integers(-32, 33, (sketch, columns)).astype(float)
        kept = x.copy()
        near = arc_top_k.sketched(x, normal)
        np.testing.assert_allclose(near, x @ normal.T, rtol=0, atol=1e-12 * np.abs(x).sum(1).max() * 32)
        assert (x == kept).all()
        lengths = np.linalg.norm(near, axis=1) ** 2
        np.testing.assert_allclose(arc_top_k.halved(np.square(near)), lengths, rtol=1e-12)


def test_the_order_of_addition_of_arc_top_k_is_the_pages():
    """To the last bit, which others have otherwise: one after the other, or in numpy's own order."""
    x = np.random.default_rng(4).standard_normal((200, 37)).astype(np.float32)
    ours = arc_top_k.halved(x.copy())
    assert [*ours] == [matrices.halved([*row]) for row in x]
    for other in (np.add.accumulate(x, axis=1)[:, -1], x.sum(1)):
        assert (ours != other).any()
        np.testing.assert_allclose(ours, other, atol=1e-4)


def test_arc_top_k_keeps_large_rows_as_numpy_does():
    """Rows of very different lengths: those that ``numpy.argpartition`` finds longest, summed; zeros elsewhere."""
    rng, p, m, columns, k = np.random.default_rng(2), 3, 500, 64, 20
    scale = np.where(rng.permutation(m) < k, 100.0, 0.1)[:, None]
    xs = [(scale * rng.standard_normal((m, columns))).reshape(1, -1) for _ in range(p)]
    ys, _ = called("arc_top_k", xs, k=k, columns=columns, sketch=4)
    total = np.sum(xs, axis=0).reshape(m, columns)
    at = np.argpartition(-np.linalg.norm(total, axis=1), k)[:k]
    wanted = np.zeros_like(total)
    wanted[at] = total[at]
    np.testing.assert_allclose(ys[0, 0].reshape(m, columns), wanted, rtol=1e-12, atol=1e-12)


def test_how_long_a_row_of_arc_top_k_is():
    """Both sides find the same power of two."""
    for n in (*range(300), 2**20, 10**6, 10**7):
        assert arc_top_k.wide(n) == matrices.below_root(n)


@pytest.mark.parametrize("feedback", arc_top_k.FEEDBACK)
def test_what_arc_top_k_remembers(feedback):
    """What was not sent, in all calls or in the last; or estimates, which add up to the result."""
    xs = [np.random.default_rng([5, r]).integers(-9, 9, (3, 10)).astype(np.float64) for r in range(3)]
    ys, left = called("arc_top_k", xs, k=1, columns=3, feedback=feedback)
    kept = left[:, -1].sum(0)
    whole = {
        "none": (kept + ys[0, -1], np.sum(xs, 0)[-1]), "ef14": (kept + ys[0].sum(0), np.sum(xs, (0, 1))),
    }.get(feedback, (kept, ys[0, -1]))  # fmt: skip
    np.testing.assert_allclose(*whole, atol=1e-12)
    assert np.any(left[:, -1])


def test_power_sgd_keeps_what_was_not_sent():
    """With what waited before, less the result; in all, results and residuals are what was put in."""
    xs = [np.random.default_rng(r).standard_normal((3, 35)) for r in range(4)]
    ys, left = called("power_sgd", xs, columns=5, rank=2, rate=0)
    waited = np.concatenate([np.zeros_like(left[:, :1]), left[:, :-1]], axis=1)
    np.testing.assert_array_equal(left, xs + waited - ys)
    np.testing.assert_allclose(np.sum(xs, (0, 1)), 4 * ys[0].sum(0) + left[:, -1].sum(0), rtol=1e-10, atol=1e-10)


def test_power_sgd_has_the_best_low_rank_after_a_few_calls():
    """Of one matrix again and again, without what waits: numpy's singular values say how near it can be."""
    m = np.random.default_rng(0).standard_normal((8, 6)) * 10.0 ** -np.arange(6)
    ys, _ = called("power_sgd", [np.stack([m.ravel()] * 2)] * 2, columns=6, rank=2, rate=0)
    least = np.sqrt(np.square(np.linalg.svd(m, compute_uv=False)[2:]).sum())
    assert np.linalg.norm(ys[0, 0] - m.ravel()) < 3 * least
    assert np.linalg.matrix_rank(ys[0, 0].reshape(8, 6), tol=1e-10) == 2


def test_flash_is_near_the_sum_for_a_quarter_of_the_bytes():
    """Half a step of each code, of the ranges of a group; of what a ring sends, but for steps and zeros."""
    xs = [np.random.default_rng(r).standard_normal(3001).astype(np.float32) for r in range(3)]
    first, *rest = simulated(TARGETS["flash"], xs)
    assert all(y.tobytes() == first.tobytes() for y in rest)
    assert abs(first - sum(xs)).max() < 3 * 10 / 255
    n, p = 40_000, 4
    ran = sparring.run(sparring.page("flash"), [np.zeros(n, np.float32)] * p)
    sent = sum(m.entries.nbytes for wire in ran.trace for m in wire if m.src == 0)
    assert sent == 2 * (p - 1) * (n // p + 2 * 4 * -(-n // p // 128))
    assert 0.25 < sent / (2 * (p - 1) * n // p * 4) < 0.27


@pytest.mark.parametrize("name", ["flash", "moshpit"])
@pytest.mark.parametrize("p", [1, 2, 3])
def test_three_ways_and_no_negative_zero(name, p):
    """New array, given array and in place; -0.0 on every rank is +0.0 of codes, for one rank too."""
    for xs in ([np.full(5, -0.0)] * p, [np.random.default_rng(r).standard_normal(5) for r in range(p)]):
        ys = simulated(f"{RANKS}:three_ways", xs, name=name)
        assert name == "moshpit" or not np.signbit(ys)[np.array(ys) == 0].any()


def test_packets_of_lossy_two_shot_cut_a_shard():
    """All of it; and before the first call there is nothing of anybody."""
    for start, length, packet in product((0, 3), range(9), (1, 2, 3, 256)):
        found = sizes(slice(start, start + length), packet)
        assert found.sum() == length and (found[:-1] == packet).all() and (found > 0).all()
    first = simulated(TARGETS["lossy_two_shot"], [5] * 2, call=lambda kind, comm, n: kind(comm, n, packet=2).versions)
    assert [versions.tolist() for versions in first] == [[0, 0, 0]] * 2
