"""Ok-Topk beside a dense oracle that knows no regions, no messages and no balancing; its volume; its edges."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest

import sparring
from sparring.errors import Refuted, ScheduleFault
from sparring.spec import oktopk
from sparring.spec.core.compositions import Memory
from sparring.spec.core.exchanges import Balance, ReduceScatter
from sparring.spec.core.regions import Regions, even, means
from sparring.spec.core.runner import run
from sparring.spec.core.sparse import SparseVector
from sparring.spec.core.thresholds import NONE
from tests.proofs.wrong_texts import wrong

RANKS = range(1, 10)
PERIODS = {"tau": 3, "tau_prime": 2}


def oracle(calls, k, tau_prime, gain=0):
    """By call, the result and the residuals: thresholds on whole vectors, as a dense program has them."""
    left, local, least = np.zeros_like(calls[0]), [0], 0
    for t, xs in enumerate(calls):
        held = xs + left
        if t % tau_prime == 0:
            local = [kth(x, k) for x in held]
        mine = np.stack([(abs(x) >= least) & (x != 0) for x, least in zip(held, local)])
        sums = np.where(mine, held, 0).sum(0)
        if t % tau_prime == 0:
            least = kth(sums, k)
        stay = (abs(sums) >= least) & (sums != 0)
        left = np.where(mine & stay, 0, held)
        local = [least * factor(sent.sum(), k, gain) for least, sent in zip(local, mine)]
        least *= factor(stay.sum(), k, gain)
        yield np.where(stay, sums, 0), left


def factor(found, k, gain):
    """What the published code multiplies a threshold with that so many entries have reached."""
    up = Fraction(1000 + gain, 1000)
    return up if found > Fraction(4 * k, 3) else 1 / up if found < Fraction(2 * k, 3) else Fraction(1)


def kth(x, k):
    """The k-th largest magnitude; less than all where there are fewer, more where none is wanted."""
    magnitudes = sorted((abs(v) for v in x), reverse=True)
    return (magnitudes[k - 1] if k <= len(magnitudes) else 0) if k else float("inf")


def played(calls, **params):
    """The page's runs on vectors of exact numbers, call by call."""
    page, state = sparring.page("oktopk", **params), None
    left = np.zeros_like(calls[0])
    for xs in calls:
        ran = run(page, [list(x) for x in xs + left], state)
        left, state = np.stack([dense(y) for y in ran.residuals]), ran.state
        yield ran, left


def dense(y):
    x = np.zeros(y.n, object)
    x[list(y.indices)] = y.values
    return x


def drawn(p, n, calls, seed=0):
    """Small fractions, a third of them zeros, full of ties."""
    rng = np.random.default_rng([p, n, seed])
    many = [Fraction(int(v), 3) if zero else Fraction(0) for v, zero in
            zip(rng.integers(-9, 10, calls * p * n), rng.random(calls * p * n) < 0.6)]  # fmt: skip
    return np.array(many, object).reshape(calls, p, n)


@pytest.mark.parametrize("p", [*RANKS[:6], *(pytest.param(p, marks=pytest.mark.slow) for p in RANKS[6:])])
@pytest.mark.parametrize(("trigger", "bucket", "gain"), [(0, 1, 0), (1, 2, 12), (4, 8, 700)])
def test_every_call_is_the_dense_oracles_and_nothing_is_lost(p, trigger, bucket, gain):
    for n, k in product((0, 1, p - 1, 3 * p + 2), (0, 1, 4, 1000)):
        calls, given, sent = drawn(p, n, 5), np.zeros(n, object), np.zeros(n, object)
        runs = played(calls, k=k, trigger=trigger, bucket=bucket, gain=gain, **PERIODS)
        right = oracle(calls, k, PERIODS["tau_prime"], gain)
        for xs, (ran, left), (y, residuals) in zip(calls, runs, right, strict=True):
            assert all((dense(one) == y).all() for one in ran.results)
            assert (left == residuals).all()
            given, sent = given + xs.sum(0), sent + y
            assert (given == sent + left.sum(0)).all()


LEFT = "x.only(~(sent & y.support()))"
FAULTS = ["x.only(~sent)", "x", "x.only(~y.support())"]
"""All that was selected is cleared; nothing is; what is in the result is cleared, whoever sent it."""


@pytest.mark.parametrize("fault", FAULTS)
def test_the_oracle_tells_a_wrong_residual(fault):
    calls = drawn(3, 12, 1)
    (ran, left), (_, residuals) = next(played(calls, k=3)), next(oracle(calls, 3, 1))
    assert (left == residuals).all()
    other = run(wrong("oktopk", LEFT, fault, k=3), [list(x) for x in calls[0]])
    assert other.results == ran.results
    assert any((dense(y) != x).any() for y, x in zip(other.residuals, residuals))


@pytest.mark.parametrize(("found", "right"), [(5, 3), (4, 2), (2, 2), (1, 1)])
def test_thresholds_follow_what_is_found(found, right):
    """Beyond 4/3 of k and below 2/3; whole numbers are rounded down, and what has no size stays."""
    params = oktopk.Params(k=3, gain=500)
    assert oktopk.followed((True, -2), found, params) == (True, -right)
    single = oktopk.followed((True, np.float32(-2)), 5, params)[1]
    assert (single, single.dtype) == (-np.float32(2) / np.float32(1000) * np.float32(1500), np.float32)
    for least in (NONE, (False, 0)):
        assert oktopk.followed(least, found, params) == least


def test_thresholds_settle_where_gradients_do():
    """Vectors of one kind in each call: with a gain about k entries are sent, without it several times as many."""
    rng, n, k = np.random.default_rng(0), 3000, 30

    def sent(gain):
        held, state, page = np.zeros(n, np.float32), None, sparring.page("oktopk", k=k, gain=gain)
        for _ in range(60):
            held += rng.standard_normal(n).astype(np.float32)
            ran = run(page, [held], state)
            (at, *_), state = [y.indices for y in ran.results], ran.state
            held[[*at]] = 0
            yield len(at)

    assert [*sent(12)][-1] < 2 * k < 3 * k < [*sent(0)][-1]


def test_regions_cut_each_ranks_entries_evenly_and_their_means_are_in_order():
    rng = np.random.default_rng(5)
    for p, n in product(RANKS, (0, 1, 5, 40)):
        proposals = []
        for _ in range(p):
            indices = tuple(np.flatnonzero(rng.random(n) < 0.4).tolist())
            proposals.append(even(SparseVector(indices, indices, n), p))
            sizes = np.diff([0, *np.searchsorted(indices, proposals[-1][1:-1]), len(indices)])
            assert sizes.max() - sizes.min() <= 1
        cuts = means(proposals)
        assert [*cuts] == sorted(cuts) and len(cuts) == p + 1 and (cuts[0], cuts[-1]) == (0, n)


@pytest.mark.parametrize("cuts", [(0, 3), (0, 4, 2, 3), (1, 2, 2, 3), (0, 1, 2, 4)])
def test_what_does_not_cut_the_vector_makes_no_regions(cuts):
    one = ReduceScatter(SparseVector((), (), 3), through="rotation", bounds=cuts, bucket=1)
    with pytest.raises(ScheduleFault, match="do not cut"):
        one.carry([one] * 3)


@pytest.mark.parametrize("p", range(2, 9))
def test_balancing_moves_each_entry_at_most_once_and_leaves_equal_shares(p):
    for seed in range(30):
        rng = np.random.default_rng([p, seed])
        sizes = rng.integers(0, 7, p) * (rng.random(p) < 0.6)
        begins = [0, *np.cumsum(sizes).tolist()]
        n = begins[-1]
        lists = [SparseVector(tuple(range(a, b)), tuple(range(a, b)), n) for a, b in pairwise(begins)]
        after, (wire,) = exchanged(lists, [len(x.indices) for x in lists])
        assert [i for x in after for i in x.indices] == list(range(n))
        assert [len(x.indices) for x in after] == [(j + 1) * n // p - j * n // p for j in range(p)]
        moved = Counter(i for m in wire for i in m.entries.indices)
        assert all(times == 1 for times in moved.values())
        for r in range(p):
            out = sum(len(m.entries.indices) for m in wire if m.src == r)
            assert out <= n - (len(after[r].indices))


def exchanged(lists, sizes):
    """What ranks have, and the steps' messages, where all are told these sizes."""
    each = [Balance(x, sizes=sizes) for x in lists]
    return each[0].carry(each)


def test_a_threshold_that_is_read_before_it_is_set_is_refused():
    page = wrong(
        "oktopk", "if due(call, params.tau_prime):\n        local", "if due(call + 1, params.tau_prime):\n        local"
    )
    with pytest.raises(Refuted, match="local is read before a call has set it"):
        _ = run(page, [[1, 2], [3, 4]]).results


def words(trace, r):
    """What rank ``r`` sends, an index and a value an entry."""
    return sum(2 * len(m.entries.indices) for wire in trace for m in wire if m.src == r)


def later_call(k, xs, least, trigger=0):
    """The trace of a call with older thresholds, 9 and ``least``, and regions of ``k`` entries."""
    p = len(xs)
    state = oktopk.State((True, -9), (True, -least), Regions(c * k for c in range(p + 1)))
    return run(sparring.page("oktopk", k=k, trigger=trigger, bucket=1), xs, Memory(1, [state] * p)).trace


@pytest.mark.parametrize("p", range(2, 8))
def test_the_published_volume_holds_under_its_hypotheses_and_not_without_the_second(p):
    """Where each rank's k entries lie evenly in the regions 6 k (p - 1) / p words are enough; else they may not be."""
    k = 2 * p
    n = p * k
    most = 6 * k * (p - 1) // p
    even = [[9 * (i % k < k // p) for i in range(n)] for r in range(p)]  # the same on all ranks, k/p in each region
    trace = later_call(k, even, 9)
    assert max(words(trace, r) for r in range(p)) == 2 * words(trace[: p - 1], 0) <= most
    crowd = [[(9 + 9 * (i < k)) * (i % p == r and i % k < k) for i in range(n)] for r in range(p)]
    assert max(words(later_call(k, crowd, 18), r) for r in range(p)) == most  # all sums that stay are in region 0
    skewed = [[0] * n for _ in range(p)]
    skewed[0] = [9 * (k <= i < 2 * k) for i in range(n)]  # rank 0's k entries are all in region 1, sent in vain,
    skewed[1] = [18 * (i < k) for i in range(n)]  # and the k sums that stay are rank 0's
    assert words(later_call(k, skewed, 18), 0) == 2 * k + 4 * k * (p - 1) // p > most


def test_the_published_volume_needs_that_sums_are_always_dealt_out():
    """Where a rank has four times the mean and no more, its list goes out in every round of the allgather."""
    p, k = 8, 16
    xs = [[(9 + 9 * (i < 2 * k and i % k < k // 2)) * (i % k // 2 == r) for i in range(p * k)] for r in range(p)]
    most = 6 * k * (p - 1) // p
    assert max(words(later_call(k, xs, 18, trigger=1), r) for r in range(p)) <= most
    assert words(later_call(k, xs, 18, trigger=4), 0) == 2 * (14 + 40) > most


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_nan_comes_first_and_the_most_negative_integer_is_the_largest():
    nan = float("nan")
    assert str(sparring.run("oktopk", [[nan, 1.0, 5.0]], k=1).results) == "[[0:nan]]"
    least = np.iinfo(np.int32).min
    (result,) = sparring.run("oktopk", [np.array([3, least, -4], np.int32)], k=1).results
    assert result.indices == (1,)
