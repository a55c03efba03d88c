"""The 1-bit allreduce beside numpy, on exact numbers, and where vectors hold what is no number."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import sparring
from sparring import page
from sparring.errors import InputError
from sparring.spec.core import signs
from sparring.spec.core.runner import run

F = Fraction


def calls(xs, **params):
    """The runs of several calls, on one list of vectors a call."""
    state, done = None, []
    for x in xs:
        done.append(run(page("one_bit", **params), x, state))
        state = done[-1].state
    return done


def by_numpy(xs, worker, server, norm):
    """A call as the published code has it, with the norms, signs and bits of numpy; its result and both errors."""
    p, n = len(xs), len(xs[0])
    size = {1: lambda v: np.linalg.norm(v, 1) / v.size, 2: lambda v: np.linalg.norm(v) / np.sqrt(v.size)}[norm]
    ms = [x + e for x, e in zip(xs, worker)]
    coded = [size(m) * np.where(np.signbit(m), -1.0, 1.0) for m in ms]
    chunks = np.split(sum(coded) / p + np.concatenate(server), p) if n else []
    read = [size(y) * np.where(np.signbit(y), -1.0, 1.0) for y in chunks]
    return np.concatenate(read), [m - c for m, c in zip(ms, coded)], [y - u for y, u in zip(chunks, read)]


@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize("p", [1, 2, 3, 4])
def test_beside_numpy(p, norm):
    """Ten calls on vectors without zeros, whose chunks are of equal length as the published code's are."""
    rng, n = np.random.default_rng(p), 8 * p
    worker, server, state = [np.zeros(n)] * p, [np.zeros(8)] * p, None
    for _ in range(10):
        xs = [rng.standard_normal(n) for _ in range(p)]
        wanted, worker, server = by_numpy(xs, worker, server, norm)
        ran = run(page("one_bit", norm=norm), xs, state)
        state = ran.state
        for has, right in ((ran.results[p - 1], wanted), *zip(state.worker, worker), *zip(state.server, server)):
            assert np.allclose(has, right, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("p", range(1, 6))
def test_nothing_is_lost(p):
    """Over several calls p times the results and both errors are all that was put in, exactly."""
    rng = np.random.default_rng(p)
    for n in (0, 1, p, 2 * p + 1):
        xs = [[[F(int(v), 7) for v in rng.integers(-9, 10, n)] for _ in range(p)] for _ in range(6)]
        done = calls(xs, norm=1)
        late = [p * e for chunk in done[-1].state.server for e in chunk]
        for i in range(n):
            waits = sum(e[i] for e in done[-1].state.worker) + late[i]
            assert p * sum(ran.results[0][i] for ran in done) + waits == sum(x[i] for call in xs for x in call)
        assert all(ran.results == [ran.results[0]] * p for ran in done)


def test_a_root_of_fractions():
    """Exact where there is one, refused where there is none."""
    assert signs.signed([F(1), F(-7)], norm=2).scale == 5
    with pytest.raises(InputError, match="a mean square of 5/2 has no rational root: norm=1 needs none"):
        signs.signed([F(1), F(2)], norm=2)


def test_zero_has_a_plus():
    """Of both signs; so a vector of zeros is read as zeros, and its zeros are +0.0."""
    assert signs.signed([0.0, -0.0, -1e-300], norm=1).signs == [1, 1, 0]
    (ran,) = calls([[np.array([-0.0, 0.0, -0.0])] * 2])
    assert [y.tobytes() for y in ran.results] == [np.zeros(3).tobytes()] * 2


def test_sums_are_folded():
    """The later half is added to the earlier one: of five, the fourth to the first, and the fifth to the second."""
    assert signs.folded(list("abcde")) == "adcbe"
    big = [1.0, 2.0**-53, 2.0**-53, -1.0]
    assert signs.folded(big) == 2.0**-53


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e200])
def test_what_is_no_number_is_told_once(bad):
    """All ranks' results are NaN, the errors zero, and the next call is as a first one."""
    good = [np.array([1.0, -2.0, 3.0]), np.array([4.0, 0.0, -1.0])]
    with np.errstate(all="ignore"):
        spoilt, after = calls([[np.array([1.0, bad, 3.0]), good[1] * 0], good])
    assert np.isnan(spoilt.results).all()
    assert not any(spoilt.state.worker[0]) and not any(e for chunk in spoilt.state.server for e in chunk)
    (fresh,) = calls([good])
    assert [y.tolist() for y in after.results] == [y.tolist() for y in fresh.results]


@pytest.mark.parametrize("norm", [0, 3, -1])
def test_other_norms_are_refused(norm):
    with pytest.raises(InputError, match=f"norm = {norm}: it must be 1 or 2"):
        _ = sparring.run("one_bit", [[1.0]], norm=norm).results


def test_bytes():
    """Of 1000 float32 on 3 ranks: a scale and an eighth of a byte for each sign, chunk by chunk."""
    (ran,) = calls([[np.ones(1000, np.float32)] * 3])
    sent = [[len(m.entries) for m in wire if m.src == 0] for wire in ran.trace]
    assert sent == [[4 + 42, 4 + 42], [4 + 42, 4 + 42]]
