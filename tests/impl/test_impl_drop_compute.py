"""DropCompute on simulated and real ranks, with clocks that the work turns: the reference's counts, ends and means."""

from __future__ import annotations

import functools
import math
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import sparring
from sparring import world
from sparring.impl.drop_compute import NORMALISERS, RULES
from sparring.impl.training import drop_threshold as ours
from sparring.spec.core.runner import run
from sparring.spec.training import drop_compute, drop_threshold
from sparring.spec.training.drop_compute import Micro, worked
from tests.impl.algorithms import called, planted
from tests.sweeps import sweep, third

TARGETS = Path(__file__).with_name("drop_compute_targets.py")


def drawn(p, calls, many, n, seed, dtype="float32"):
    """Gradients, and times in eighths of a second, so that every sum of them is exact."""
    rng = np.random.default_rng(seed)
    xs = [rng.standard_normal((calls, many, n)).astype(dtype) for _ in range(p)]
    return xs, rng.integers(0, 9, (p, calls, many, 2)) / 8


def simulated(xs, target="series", **params):
    """What every rank has of one of the targets."""
    call = functools.partial(called, **params)
    return world.run(f"{TARGETS}:{target}", len(xs), xs, call=call).raise_if_found().results


def reference(xs, times, call, tau, rule, normaliser):
    """Of one call: each rank's work; and the mean in fractions."""
    works = [
        worked(drop_compute.RULES[rule], [Micro(*passes) for passes in rank[call].tolist()], tau) for rank in times
    ]
    counts = [int(work.completed) for work in works]
    sums = [[sum(map(Fraction, column.tolist()), Fraction(0)) for column in x[call][:c].T] for x, c in zip(xs, counts)]
    return works, drop_compute.mean(sums, counts, xs[0].shape[1], normaliser)


def right(p, tau, rule, normaliser, seed, dtype="float64", calls=2):
    """Whether each rank's counts and ends are the reference's, exactly; means to the rounding of a few sums."""
    xs, times = drawn(p, calls, 5, 4, seed, dtype)
    try:
        ran = simulated(xs, times=times, tau=tau, rule=rule, normaliser=normaliser)
    except (sparring.RankFailed, sparring.Refuted):
        return False
    return all(
        alike(call, ran, reference(xs, times, call, tau, rule, normaliser), times, dtype, rule, normaliser)
        for call in range(calls)
    )


def alike(call, ran, wanted, times, dtype, rule, normaliser):
    """The same of one call."""
    (works, mean), close = wanted, 40 * float(np.finfo(dtype).eps)
    total = sum(int(one.completed) for one in works) if normaliser == "completed" else None
    for r, work in enumerate(works):
        step, _ = ran[r][call]
        if (step.completed, step.total) != (work.completed, total) or (rule != "analytic" and step.seconds != work.now):
            return False
        if step.ends.tolist() != np.cumsum(times[r, call].sum(axis=1))[: step.completed].tolist():
            return False
        if mean is None or step.mean is None:
            return mean is step.mean
        if step.mean.dtype != dtype or step.mean.tobytes() != ran[0][call][0].mean.tobytes():
            return False
        if not np.allclose(step.mean, np.array(mean, float), rtol=close, atol=close):
            return False
    return True


@pytest.mark.parametrize("normaliser", NORMALISERS)
@pytest.mark.parametrize("rule", third(RULES))
def test_what_the_reference_does(rule, normaliser):
    """Also where tau is an end itself, where nothing is dropped, and where all is."""
    for p, tau, dtype in product((1, 3), (0.0, 1.5, 4.0, math.inf), ("float32", "float64")):
        assert right(p, tau, rule, normaliser, p, dtype, 3), (p, tau, dtype)


def test_the_sum_is_the_allreduces_own_bits():
    """Of each rank's micro-batches, added in their order: those of the page, divided once."""
    xs, times = drawn(4, 1, 6, 11, seed=3)
    for name, normaliser in product(("ring", "rabenseifner", "two_shot"), NORMALISERS):
        ran = simulated(xs, times=times, tau=3.0, rule="after_backward", normaliser=normaliser, allreduce=name)
        counts = [rank[0][0].completed for rank in ran]
        sums = [np.add.accumulate(x[0][:c])[-1] for x, c in zip(xs, counts)]
        if normaliser == "completed":
            sums = [np.append(x, np.float32(c)) for x, c in zip(sums, counts)]
        total = np.array(run(sparring.page(name), sums).results[0], np.float32)[:11]
        by = np.float32(24 if normaliser == "fixed" else sum(counts))
        assert ran[0][0][0].mean.tobytes() == (total / by).tobytes()


def test_the_rule_of_theory_ends_at_the_first_yield_after_tau():
    """Its count is the theory's; its end is tau, or at most a part of a micro-batch later."""
    for seed, tau in product(range(7), (0.5, 1.0, 3.25)):
        xs, times = drawn(2, 1, 5, 1, seed)
        for r, rank in enumerate(simulated(xs, times=times, tau=tau, rule="analytic")):
            work = worked(drop_compute.analytic, [Micro(*passes) for passes in times[r, 0].tolist()], tau)
            assert work.now <= rank[0][0].seconds <= tau + times[r].max()


def test_work_in_one_piece():
    """Without yields between_passes looks before each micro-batch alone, which is after_backward but for what it is."""
    xs, times = drawn(2, 1, 5, 1, 1)
    for tau in (0.0, 1.0, 2.5):
        one, other = (
            [rank[0][0].completed for rank in simulated(xs, times=times, parts=False, tau=tau, rule=rule)]
            for rule in ("between_passes", "after_backward")
        )
        assert one == other


def test_a_sparse_allreduce_with_error_feedback():
    """What was completed is what was descended by, times all micro-batches, and what ranks keep."""
    xs, times = drawn(3, 4, 5, 8, 6, dtype="float64")
    xs = [np.rint(8 * x) for x in xs]  # which add exactly
    ran = simulated(xs, "sparse", times=times, tau=3.0)
    put = sum(x[call][:count].sum(axis=0) for x, (_, counts, _) in zip(xs, ran) for call, count in enumerate(counts))
    out = 15 * sum(ran[0][0]) + sum(kept for *_, kept in ran)
    assert np.allclose(put, out, rtol=0, atol=1e-9)
    assert sum(sum(counts) for _, counts, _ in ran) < 3 * 4 * 5


def test_an_allreduce_that_does_not_add_exactly_is_found():
    """Where it is asked for the number of micro-batches, and that is none."""
    xs, times = drawn(3, 1, 3, 2, 5)
    simulated(xs, "half", times=times, tau=math.inf)
    with pytest.raises(sparring.RankFailed, match=r"makes 1\.5 of the numbers of micro-batches: it must add exactly"):
        simulated(xs, "half", times=times, tau=math.inf, normaliser="completed")


PLANTED = {
    "tau itself is in time": ('self._rule == "analytic" and now >= tau):\n                break',
                              'self._rule == "analytic" and now > tau):\n                break'),
    "what crosses is lost": ('ends.append(now)\n            if self._rule == "after_backward" and now > tau:',
                             'if self._rule == "after_backward" and now > tau:'),
    "one more is begun": ('if self._rule == "after_backward" and now > tau:', "if False:"),
    "no look between the passes": ('(self._rule == "between_passes" and now > tau):', "False:"),
    "sums of calls run into each other": ("self._sum[:] = 0", "pass"),
    "ranks divide by their own number": ("summed.dtype.type(told) if told", "summed.dtype.type(ends.size) if told"),
    "by all where by those that count": ("summed.dtype.type(told) if", "summed.dtype.type(most) if"),
    "divided by one rank's micro-batches": ("most = self._many * self._own.Get_size()", "most = self._many"),
    "the clock begins with the first call": ("begin, now, tau = self._clock(), 0.0,",
                                             "begin, now, tau = 1000.0, self._clock() - 1000.0,"),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_each_planted_bug_is_caught(name):
    """By counts, ends and means of all rules; the code without one passes above."""
    with planted("drop_compute", PLANTED[name]):
        assert not all(right(3, *how) for how in product((0.75, 1.5, 2.0), RULES, NORMALISERS, range(4)))


MADE = {
    "n": ({"n": -1}, "n = -1: it must be a whole number, 0 or more"),
    "no micro-batch": ({"micro_batches": 0}, "micro_batches = 0: it must be a whole number, 1 or more"),
    "tau below 0": ({"tau": -0.5}, "tau = -0.5: it must be seconds, 0 or more, or None"),
    "tau that is none": ({"tau": math.nan}, "tau = nan: it must be seconds"),
    "rule": ({"rule": "B"}, "rule = 'B': it must be 'analytic', 'after_backward' or 'between_passes'"),
    "normaliser": ({"normaliser": "none"}, "normaliser = 'none': it must be 'fixed' or 'completed'"),
    "dtype": ({"dtype": "int32"}, "dtype = 'int32': gradients are of float32 or float64"),
    "too many to count": ({"micro_batches": 1 << 23, "normaliser": "completed"}, "float32 counts to 16777216 only"),
    "too few to choose": ({"tau": None, "micro_batches": 5}, "micro_batches = 5: tau is chosen among 6 or more"),
    "none timed": ({"tau": None, "timed": 0}, "timed = 0: it must be a whole number, 1 or more"),
    "another tau": ({"tau": 2.0}, "rank 1 has n=3 of float32, micro_batches=8, tau=2.0,"),
    "another rule": ({"rule": "analytic"}, "all ranks need one set of arguments"),
}


@pytest.mark.parametrize("what", MADE)
def test_what_it_may_not_be_made_of(what):
    """A fault on one rank is told on all, in one sentence that says what would be right."""
    params, why = MADE[what]
    texts = [x.tobytes().decode() for x in simulated([np.zeros(0)] * 3, "refused_when_made", bad=1, params=params)]
    assert why in texts[1] and all(texts)
    assert texts[0] == texts[2]


CALLED = {
    "wrong length": "the gradient of micro-batch 1 has 4 entries of float32: this DropCompute was made for 3 of",
    "list": "the gradient of micro-batch 1 is a list: it must be a numpy array",
    "another dtype": "has 3 entries of float64: this DropCompute was made for 3 of float32",
    "None": "the gradient of micro-batch 1 is a NoneType",
}


@pytest.mark.parametrize("what", CALLED)
def test_what_a_micro_batch_may_not_give(what):
    texts = [x.tobytes().decode() for x in simulated([np.zeros(0)] * 3, "refused_when_called", what=what, bad=1)]
    assert CALLED[what] in texts[1]
    assert texts[0] == texts[2] == "rank 1's arguments are refused, as its own error says; nothing was computed"


def timings(p, iterations, many, seed):
    """Ends of micro-batches by rank, in eighths; and mean times of iterations."""
    rng = np.random.default_rng(seed)
    ends = np.cumsum(rng.integers(1, 40, (p, iterations, many)), axis=2) / 8
    least = float(ends[:, :, -1].max(axis=0).mean())
    return ends, [least * (1 + x) for x in rng.random(p)]


def chosen_right(p, many, iterations, seed):
    """Whether all ranks choose the reference's tau, each with a time of its own: the largest of these counts."""
    ends, seconds = timings(p, iterations, many, seed)
    seconds = [(1.5 * min(seconds), min(seconds) / 1.5, min(seconds))[r % 3] for r in range(p)]
    try:
        ran = simulated([*ends], "choosing", shape=ends.shape[1:], seconds=seconds)
    except sparring.RankFailed:
        return False
    wanted = drop_threshold.best(ends.tolist(), max(seconds))
    return len({tau.tobytes() for tau in ran}) == 1 and math.isclose(ran[0][0], wanted, rel_tol=1e-12)


@pytest.mark.parametrize("p", sweep([1, 2, 3, 5, 8], few=(1, 3)))
def test_tau_is_chosen_as_the_reference_does(p):
    for seed, (many, iterations) in enumerate(((6, 1), (7, 4), (12, 3), (7, 3))):
        assert chosen_right(p, many, iterations, seed)
    ends, seconds = timings(p, 4, 7, 0)
    slowest, tau = ends[:, :, -1].max(axis=0), float(ends.mean())
    gain = ours.effective(ends, slowest, slowest + max(seconds) - slowest.mean(), tau)
    wanted = drop_threshold.effective(ends.tolist(), max(seconds), tau)
    assert math.isclose(gain, wanted, rel_tol=1e-9, abs_tol=1e-9)


MISTAKEN = {
    "tau itself is in time": ("kept = ends < tau", "kept = ends <= tau"),
    "the grid begins with the fifth": ("ends[:, :, FIRST:].min()", "ends[:, :, FIRST - 1 :].min()"),
    "the grid ends with the mean": ("ends.max(), PLACES", "ends.mean(), PLACES"),
    "what is saved is that of the mean rank": ("ends[:, :, -1].max(axis=0)", "ends[:, :, -1].mean(axis=0)"),
    "what is dropped costs nothing": ("share * whole, whole", "whole, whole"),
    "each rank has its own time": ("float(slab[:, -1].max())", "seconds"),
    "ranks add their times": ("slab[own.Get_rank(), :-1], slab[own.Get_rank(), -1]", "slab[0, :-1], slab[0, -1]"),
    "the last of equal ones": ("PLACES)\n", "PLACES)[::-1]\n"),
}


@pytest.mark.parametrize("name", third(MISTAKEN))
def test_each_mistaken_choice_is_caught(name):
    """By the reference's choice on three ranks; the code without one passes above."""
    with planted("training.drop_threshold", MISTAKEN[name]):
        assert not all(chosen_right(3, 7, 3, seed) for seed in range(12))


def test_chosen_after_the_calls_that_were_timed():
    """Nothing is dropped before; then tau is the reference's, of the timed calls alone, and kept."""
    p, skip, timed, many = 3, 2, 4, 7
    xs, times = drawn(p, skip + timed + 3, many, 2, 4)
    times += 1 / 8
    times[0, -1] *= 2  # a straggler, at last
    ran = simulated(xs, times=times, tau=None, skip=skip, timed=timed, rest=0.5)
    ends = np.cumsum(times[:, skip : skip + timed].sum(axis=3), axis=2)
    wanted = drop_threshold.best(ends.tolist(), float(ends[:, :, -1].max(axis=0).mean()) + 0.5)
    for rank in ran:
        assert [tau for _, tau in rank[: skip + timed]] == [None] * (skip + timed)
        assert all(step.completed == many for step, _ in rank[: skip + timed])
        assert {tau for _, tau in rank[skip + timed :]} == {ran[0][-1][1]}
    assert math.isclose(ran[0][-1][1], wanted, rel_tol=1e-12)
    for call in range(skip + timed, len(times[0])):
        works, _ = reference(xs, times, call, ran[0][-1][1], "after_backward", "fixed")
        assert [rank[call][0].completed for rank in ran] == [work.completed for work in works]
    assert ran[0][-1][0].completed < many


UNFIT = {
    "five": (np.arange(1.0, 6)[None], 9, "M = 5 micro-batches: tau is looked for from the end of the sixth one on"),
    "none": (np.ones((0, 7)), 9, "it must have a row for each iteration, one or more"),
    "flat": (np.arange(1.0, 9), 9, "ends has shape (8,)"),
    "backwards": (np.arange(9.0, 1, -1)[None], 9, "in each row none less than the one before"),
    "NaN": (np.full((1, 7), math.nan), 9, "ends must be seconds above 0"),
    "ragged": ([[1.0, 2.0], [1.0]], 9, "ends must be numbers, as many in each row"),
    "no time": (np.arange(1.0, 9)[None], 0.0, "seconds = 0.0: the mean time of an iteration must be above 0"),
    "too little time": (np.arange(1.0, 9)[None], 7.0, "iterations take 7 s, the slowest rank's computing 8 s of these"),
}


@pytest.mark.parametrize("what", UNFIT)
def test_times_from_which_nothing_is_chosen(what):
    ends, seconds, why = UNFIT[what]
    texts = [x.tobytes().decode() for x in simulated([ends] * 2, "refused_when_chosen", seconds=seconds)]
    assert why in texts[0] and texts[0] == texts[1]


def test_ranks_with_other_shapes_are_told():
    xs = [np.cumsum(np.ones((2, many)), axis=1) for many in (7, 8)]
    texts = [x.tobytes().decode() for x in simulated(xs, "refused_when_chosen", seconds=9.0)]
    each = "rank 1 has 2 iterations of 8 micro-batches, rank 0 2 iterations of 7 micro-batches"
    assert texts == [f"{each}: all ranks need one shape of times"] * 2


def test_made_without_a_communicators_consent():
    """Without validation a rank's own fault is its own."""
    params = {"tau": -1, "validate": False}
    (text,) = simulated([np.zeros(0)], "refused_when_made", bad=0, params=params)
    assert text.tobytes().decode().startswith("tau = -1: it must be seconds")


@pytest.mark.mpi
def test_real_ranks(group):
    """Under mpiexec: rules, means and the tau that ranks choose, as on simulated ranks; one tau on all."""
    xs, times = drawn(4, 9, 7, 3, 6, dtype="float64")
    times += 1 / 8
    for params in ({"tau": 3.0, "rule": rule} for rule in RULES):
        compare_real(group, xs, times, **params)
    taus = compare_real(group, xs, times, tau=None, skip=1, timed=5, rest=0.25, normaliser="completed")
    assert len(taus) == 1 and min(taus) > 0


def compare_real(group, xs, times, **params):
    """The taus of the last call, on all real ranks."""
    shape = xs[0].shape
    flat = [x.ravel() for x in xs]
    how = {"shape": shape, "times": times.tolist(), **params}
    real = group.run(f"{TARGETS}:flat", flat, timeout=60, **how)
    wanted = simulated(flat, "flat", **how)
    assert [y.tobytes() for y in real] == [y.tobytes() for y in wanted]
    return {float(y[-1]) for y in real}
