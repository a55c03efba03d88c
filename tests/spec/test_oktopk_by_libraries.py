"""Ok-Topk beside what scipy and numpy make of the paper: thresholds by partition, sums of sparse matrices, no messages.

What a call returns and keeps does not depend on regions, buckets or dealing out, so that libraries alone say it:
``numpy.partition`` the thresholds, ``scipy.sparse`` what ranks selected and its sum over ranks.
"""

from __future__ import annotations

import numpy as np
import pytest

import sparring
from sparring.proofs.core import iterations

sparse = pytest.importorskip("scipy.sparse", reason="scipy is not installed: pip install 'sparring[examples]'")

CALLS = 5


def least(x, k):
    """The k-th largest magnitude."""
    return np.partition(np.abs(x), -k)[-k]


def rows(calls, k, period):
    """By call the result and, by rank, what is kept, both dense; ``calls``: by call a matrix with a row a rank."""
    kept, local, common = np.zeros_like(calls[0]), [], 0
    for t, xs in enumerate(calls):
        held = xs + kept
        if t % period == 0:
            local = [least(x, k) for x in held]
        sent = sparse.csr_matrix(np.where(np.abs(held) >= np.array(local)[:, None], held, 0))
        sums = np.asarray(sent.sum(axis=0)).ravel()
        if t % period == 0:
            common = least(sums, min(k, np.count_nonzero(sums)))
        stay = sent.multiply(np.abs(sums) >= common)
        result = np.asarray(stay.sum(axis=0)).ravel()
        kept = held - stay.toarray()
        yield result, kept


@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 8])
@pytest.mark.parametrize(
    "params", [{"tau": 2, "tau_prime": 3, "gain": 0}, {"tau": 1, "tau_prime": 1, "trigger": 0, "bucket": 1}], ids=str
)
def test_a_series_of_calls_is_what_the_libraries_make_of_it(ranks, params):
    rng = np.random.default_rng(ranks)
    n, k = 40 * ranks, 6 * ranks
    calls = rng.integers(-(10**6), 10**6, (CALLS, ranks, n))  # whole numbers, which add exactly
    page = sparring.page("oktopk", k=k, **params)
    ran = list(iterations.runs(page, [calls[:, r] for r in range(ranks)]))
    seen = 0
    for one, (result, kept) in zip(ran, rows(calls, k, params["tau_prime"]), strict=True):
        for y, residual, left in zip(one.results, one.residuals, kept, strict=True):
            dense, rest = np.zeros(n, np.int64), np.zeros(n, np.int64)
            dense[list(y.indices)], rest[list(residual.indices)] = y.values, residual.values
            assert (dense == result).all() and (rest == left).all()
        seen += np.count_nonzero(result)
    assert seen >= CALLS


def test_the_libraries_tell_another_threshold():
    """With one entry more or fewer the result is another."""
    calls = np.random.default_rng(7).integers(-(10**6), 10**6, (1, 3, 60))
    (ran,) = iterations.runs(sparring.page("oktopk", k=12), [calls[:, r] for r in range(3)])
    ((right, _),), ((more, _),), ((fewer, _),) = (list(rows(calls, k, 1)) for k in (12, 13, 11))
    has = np.zeros(60, np.int64)
    has[list(ran.results[0].indices)] = ran.results[0].values
    assert (has == right).all() and (has != more).any() and (has != fewer).any()
