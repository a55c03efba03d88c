"""Terms: equal exactly where IEEE addition is bound to give equal bits."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.errors import SparringError
from sparring.proofs.logic.terms import NoTerm, Table, Terms, leaves, raw

NAMES = "abcd"
FLOATS = [0.0, -0.0, 1.0, -1.0, 1e-45, -1e-45, 3e38, -3e38, 1 / 3, float("inf"), float("-inf")]


@pytest.fixture
def table():
    return Table(1)


@pytest.fixture
def abc(table):
    return leaves(table, ["a", "b", "c"])


# A sum as a tree: a name, "-0.0", ("norm", tree) or a pair of trees.
trees = st.recursive(
    st.sampled_from([*NAMES, "-0.0"]),
    lambda t: st.tuples(t, t) | st.tuples(st.just("norm"), t),
    max_leaves=12,
)


def as_term(table, tree):
    """The tree as ``Terms`` build it."""
    if isinstance(tree, str):
        return leaves(table, [tree])
    left, right = tree
    return as_term(table, right) + 0.0 if left == "norm" else as_term(table, left) + as_term(table, right)


def as_number(values, tree):
    """The tree as floats compute it."""
    if isinstance(tree, str):
        return values.get(tree, np.float32(-0.0))
    left, right = tree
    with np.errstate(all="ignore"):
        if left == "norm":
            return as_number(values, right) + np.float32(0.0)
        return as_number(values, left) + as_number(values, right)


def bits(number):
    """The bits of a float32, all NaNs alike."""
    return "nan" if np.isnan(number) else number.tobytes()


@given(trees, st.lists(st.sampled_from(FLOATS), min_size=4, max_size=4))
def test_a_term_has_the_bits_of_the_computation(tree, floats):
    """Evaluating the term gives what the additions gave, signed zeros, infinities and subnormals included."""
    table, values = Table(), dict(zip(NAMES, map(np.float32, floats)))
    term = as_term(table, tree)
    assert bits(table.evaluate(term[0], values, np.float32)) == bits(as_number(values, tree))


@given(trees, trees, st.lists(st.sampled_from(FLOATS), min_size=4, max_size=4))
def test_equal_terms_mean_equal_bits(one, other, floats):
    """For any two computations."""
    table, values = Table(), dict(zip(NAMES, map(np.float32, floats)))
    if raw(as_term(table, one))[0] == raw(as_term(table, other))[0]:
        assert bits(as_number(values, one)) == bits(as_number(values, other))


def test_addition_commutes_and_does_not_associate(table, abc):
    """As floats do."""
    a, b, c = (abc[i : i + 1] for i in range(3))
    assert same(a + b, b + a) and same((a + b) + c, c + (b + a))
    assert not same((a + b) + c, a + (b + c))
    assert table.show(((a + b) + c)[0]) == "((a+b)+c)"


def test_zeros(table, abc):
    """-0.0 is the identity; +0.0 in any spelling turns -0.0 into +0.0, once and outermost."""
    assert same(-0.0 + abc, abc) and same(abc + np.full_like(abc, -0.0), abc)
    normed = abc + 0.0
    for zero in (0, 0.0, abc.dtype.type(0), np.int64(0), np.float32(0)):
        assert same(abc + zero, normed) and same(zero + abc, normed)
    assert same(normed + 0.0, normed) and not same(normed, abc)
    assert same(np.zeros_like(abc) + abc, normed)
    assert same((abc[:1] + 0.0) + abc[1:2], (abc[:1] + abc[1:2]) + 0.0)
    assert [table.show(i) for i in (table.identity, table.zero)] == ["-0.0", "(-0.0+0.0)"]
    signs = [np.signbit(table.evaluate(i, {}, np.float64)) for i in (table.identity, table.zero)]
    assert signs == [True, False]


def test_addition_in_place_and_through_views(table, abc):
    """``out=``, ``+=`` and slices write into the array's own memory."""
    x, y = abc.copy(), abc[::-1].copy()
    y[1:] += x[1:]
    np.add(x[:1], y[:1], out=y[:1])
    assert [table.show(t) for t in y] == ["(a+c)", "(b+b)", "(a+c)"]
    assert [table.show(t) for t in x] == ["a", "b", "c"]
    with pytest.raises(ValueError, match="out has shape"):
        np.add(x[:1], x[:1], out=y)


def test_arrays_stay_terms_of_their_table(table, abc):
    """Whatever only moves entries about."""
    copied = np.empty_like(abc)
    np.copyto(copied, abc)
    for moved in (abc[1:], abc[0], abc.copy(), abc.view(), np.concatenate([abc, abc]), np.copy(abc), copied):
        assert isinstance(moved, Terms) and moved.table is table
    assert same(np.concatenate(np.split(abc, 3)), abc) and same(copied, abc)
    copied[1:] = 0
    assert [table.show(t) for t in copied] == ["a", "(-0.0+0.0)", "(-0.0+0.0)"]
    assert (abc.dtype, abc.size, len(abc), abc.shape, abc.nbytes) == (np.int64, 3, 3, (3,), 24)
    assert type(abc.view(np.uint8)) is np.ndarray and type(np.asarray(abc)) is np.ndarray
    assert repr(abc) == "Terms([a, b, c])" and "array" in repr(np.zeros(2, np.int64).view(Terms))


REFUSED = {
    "reduce": np.add.reduce, "accumulate": np.add.accumulate,
    "add.at": lambda x: np.add.at(x, [0], x[:1]),
    "where": lambda x: np.add(x, x, where=np.array([True, False, True])),
    "dtype": lambda x: np.add(x, x, dtype=float),
    "sum": lambda x: x.sum(), "np.sum": np.sum, "cumsum": lambda x: x.cumsum(), "matmul": lambda x: x @ x,
    "dot": lambda x: x.dot(x), "np.dot": lambda x: np.dot(x, x), "==": lambda x: x == x.copy(),
    "<": lambda x: x < x.copy(),
    "array_equal": lambda x: np.array_equal(x, x),
    "hash": hash, "bool": lambda x: bool(x[0]), "float": lambda x: float(x[0]), "int": lambda x: int(x[0]),
    "index": lambda x: [1, 2][x[0]], "minus": lambda x: x - x, "times": lambda x: 2 * x, "negative": lambda x: -x,
    "constant": lambda x: x + 1,
    "numbers": lambda x: x + np.zeros(3),
    "assigned constant": lambda x: x.__setitem__(0, 5),
    "assigned numbers": lambda x: x.__setitem__(slice(None), np.ones(3)),
    "fill": lambda x: x.fill(7),
    "copied numbers": lambda x: np.copyto(x, np.ones(3)),
    "full_like": lambda x: np.full_like(x, 3),
    "sort": lambda x: x.sort(), "np.sort": np.sort, "argmax": lambda x: x.argmax(), "max": lambda x: x.max(),
    "mean": lambda x: x.mean(), "round": lambda x: x.round(), "tolist": lambda x: x.tolist(),
    "item": lambda x: x[0].item(),
    "astype": lambda x: x.astype(float),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_everything_else_is_refused(abc, what):
    """With a TypeError; of what terms themselves refuse, one sentence."""
    with pytest.raises(TypeError) as refusal:
        REFUSED[what](abc)
    assert what == "hash" or str(refusal.value).startswith("terms "), refusal.value


def test_what_is_no_term_is_found_by_the_next_addition(table, abc):
    """Its entry is named, in whichever operand it stands; two raw arrays of ids may be added to terms."""
    plain = raw(abc).copy()
    assert same(abc + plain, abc + abc)
    plain[2] += 1
    for sum_ in (lambda: abc + plain, lambda: plain + abc):
        with pytest.raises(NoTerm, match="adds no term at entry 2: "):
            sum_()
    assert (table.check(raw(abc)), table.check(plain), table.check([])) == (None, 2, None)


def test_terms_without_a_table_are_refused(abc):
    """A raw view made into terms belongs to nobody, until it meets an array that knows its table."""
    lost = raw(abc).copy().view(Terms)
    with pytest.raises(TypeError, match="these terms have lost their table"):
        np.add(lost, lost)
    assert same(lost + abc, abc + abc)


def test_ids_are_the_same_for_the_same_seed_and_never_small():
    """62-bit numbers: no count, no zero and no poison is a term."""
    ids = [raw(leaves(Table(seed), [str(i) for i in range(500)])).tolist() for seed in (1, 1, 2)]
    assert ids[0] == ids[1] and not set(ids[0]) & set(ids[2])
    assert all(1 << 61 <= i < 1 << 62 for i in ids[0])


def test_unordered_sums(table, abc):
    """Symmetric in their parts; two parts, zeros and norms are as in ordinary sums."""
    a, b, c = raw(abc).tolist()
    assert len({table.unordered(order) for order in itertools.permutations((a, b, c))}) == 1
    assert table.unordered([a, b]) == table.add(a, b)
    assert table.unordered([a, table.identity, table.identity]) == a
    assert table.unordered([a, table.norm(b), c]) == table.norm(table.unordered([a, b, c]))
    with pytest.raises(SparringError, match="bits are not determined"):
        table.evaluate(table.unordered([a, b, c]), {"a": 1, "b": 2, "c": 3}, float)


def test_deep_terms_need_no_deep_stack(table):
    """A chain of 20000 additions is evaluated; doubling 100 times makes 2**100 leaves.  Both are shown cut off."""
    total, x = leaves(table, ["a"]), leaves(table, ["b"])
    for _ in range(20_000):
        total += x
    assert table.evaluate(total[0], {"a": 0, "b": 1}, np.int32) == 20_000
    assert len(table.show(total[0])) == 2003
    for _ in range(100):
        x = x + x
    assert table.show(x[0], 50).endswith("...")
    assert table.evaluate(x[0], {"b": 1.0}, np.float64) == 2.0**100


def test_arrays_of_any_shape(table):
    """Broadcasting, no entries, no dimensions and integers that wrap around are as in numpy."""
    x = leaves(table, ["a", "b"])
    y = x.reshape(2, 1) + x
    assert y.shape == (2, 2) and table.show(y[1, 0]) == "(a+b)"
    assert (x[:0] + x[:0]).shape == (0,) and (x[0] + x[1]).shape == ()
    assert table.evaluate((x[0] + x[1]), {"a": 2**31 - 1, "b": 1}, np.int32) == -(2**31)


def same(x, y):
    """Whether two arrays hold the same terms."""
    return raw(x).tolist() == raw(y).tolist()
