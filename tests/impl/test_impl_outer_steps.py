"""Training that sends rarely: with inner steps of AdamW it goes where one dense program does; faults are found."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest

from sparring import world
from tests.impl.algorithms import all_planted, called
from tests.impl.descent_targets import slope
from tests.impl.faults import Fault, own
from tests.impl.least_squares import N, problem
from tests.impl.outer_targets import AdamW
from tests.impl.test_planted_faults import broken

TARGETS = Path(__file__).with_name("outer_targets.py")


def trained(p, **params):
    """By rank and outer step where it goes on; nobody waits."""
    outcome = world.run(f"{TARGETS}:trained", p, problem(p).rows, call=functools.partial(called, **params))
    assert not outcome.findings
    return np.array(outcome.results)


def diloco(p, inner, outer, rate=0.7, momentum=0.9):
    """Algorithm 1 of the paper, all workers in one loop."""
    theta, buffer, optimisers, rows = np.zeros(N), np.zeros(N), [AdamW(N) for _ in range(p)], problem(p).rows
    for _ in range(outer):
        deltas = []
        for mine, optimiser in zip(rows, optimisers):
            w = theta.copy()
            for _ in range(inner):
                optimiser.step(w, slope(mine, w))
            deltas.append(theta - w)
        delta = np.mean(deltas, axis=0)
        buffer = momentum * buffer + delta
        theta = theta - rate * (delta + momentum * buffer)
        yield theta


@pytest.mark.parametrize("p", [1, 3])
def test_diloco_is_its_papers_algorithm(p):
    """All ranks with the same bits, after each outer step."""
    found = trained(p, name="diloco", inner=5, outer=12)
    assert len({rank.tobytes() for rank in found}) == 1
    np.testing.assert_allclose(found[0], [*diloco(p, 5, 12)], atol=1e-9)


@pytest.mark.parametrize("p", [1, 3])
def test_streaming_in_one_part_at_once_is_diloco(p):
    """With nothing of a rank's own in the mixture."""
    found = trained(p, name="streaming_diloco", inner=5, outer=12, fragments=1, delay=0, mix=0)
    np.testing.assert_allclose(found, trained(p, name="diloco", inner=5, outer=12), atol=1e-12)


def test_it_comes_nearer_to_the_optimum():
    """Of all ranks' rows, though each sees its own alone."""
    best = problem(3).best
    far = np.linalg.norm(trained(3, name="diloco", inner=10, outer=60)[0] - best, axis=1) / np.linalg.norm(best)
    assert far[-1] < 0.3 < far[0]


FEW = {"fragments": 2}
CHUNKED = {"chunk": 4, "top": 2}
MIXED = "y[due] * self._mix + point[due] * (WHOLE - self._mix)"
FAULTS = [
    own("diloco", "the sum is taken for the mean", ("np.divide(gradient, self._comm.Get_size(), out=gradient)",
                                                     "pass")),
    own("diloco", "the momentum is forgotten", ("old = np.zeros_like(x) if self._momentum is None else self._momentum",
                                                "old = np.zeros_like(x)")),
    own("diloco", "a step of the momentum alone, without looking ahead",
        ("pushed(self._momentum, self._part, gradient) * self._rate", "self._momentum * self._rate")),
    own("sparse_loco", "the sum is taken for the mean", ("/ self._comm.Get_size()", "/ 1"), params=CHUNKED),
    own("sparse_loco", "nothing fades", ("waiting * self._decay", "waiting * WHOLE"), params=CHUNKED),
    own("sparse_loco", "all waits", ("np.subtract(waiting, code.decode(mine), out=waiting)", "pass"),
        params=CHUNKED),
    Fault("sparse_loco", "places are counted from 1", [
        ("codecs.chunked_top_k", "out[:cut] = places.astype", "out[:cut] = (places + 1).astype")], params=CHUNKED),
    Fault("sparse_loco", "of equal entries the last", [
        ("codecs.chunked_top_k", 'order = np.argsort(np.iinfo(size.dtype).max - size, axis=1, kind="stable")',
         'order = np.argsort(size, axis=1, kind="stable")[:, ::-1]')], params=CHUNKED),
    own("streaming_diloco", "a sum is used at once", ("before if self._delay else self._sums", "self._sums"),
        params=FEW),
    own("streaming_diloco", "all parts have their turn at once", ("slice(first, end)", "slice(0, self._n)"),
        params=FEW),
    own("streaming_diloco", "a rank goes on from the point alone", (MIXED, "point[due] * WHOLE"), params=FEW),
    own("streaming_diloco", "it mixes the other way round",
        (MIXED, "y[due] * (WHOLE - self._mix) + point[due] * self._mix"), params={**FEW, "mix": 250}),
    own("diloco", "ways are not from where ranks began", ("np.subtract(point, x)", "np.negative(x)")),
]  # fmt: skip


@pytest.mark.parametrize("fault", [pytest.param(one, id=f"{one.page}: {one.name}") for one in FAULTS])
def test_a_planted_fault_is_found(fault):
    """The code without one passes, as all implementations do elsewhere."""
    with all_planted(fault.texts):
        assert broken(fault.page, fault.ranks, fault.params) >= fault.breaks
