"""The selectors on numpy have the entries of their pages, call after call; planted bugs do not."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sparring import impl
from sparring.checks.ranks.target import from_file
from sparring.errors import InputError
from sparring.spec.core.selectors import Series, find, names
from tests.sweeps import sweep, third

DTYPES = ("float32", "float64", "int32", "int64")
SPECIAL = [0.0, -0.0, 1.0, -1.0, 1.5, 3e38, 1e308, np.inf, -np.inf, np.nan, -np.nan, 5e-324, 1e-40]
WAYS = {
    "topk": st.fixed_dictionaries({}),
    "threshold": st.fixed_dictionaries(
        {"period": st.integers(1, 4), "drift": st.none() | st.integers(0, 5)},
    ),
    "sampled": st.fixed_dictionaries(
        {"stride": st.integers(1, 9), "seed": st.integers(0, 99), "limit": st.none() | st.integers(0, 9)}
    ),
    "gaussian": st.fixed_dictionaries({"steps": st.integers(0, 20)}),
    "sidco": st.fixed_dictionaries(
        {"first": st.integers(1, 999), "calls": st.integers(1, 3), "off": st.integers(0, 1500)}
    ),
}


def made(name: str, **params):
    return importlib.import_module(f"sparring.impl.selectors.{name}").Selector(**params)


@st.composite
def series(draw):
    """Three vectors of one length and dtype, with few different magnitudes, at the edges of the dtype."""
    dtype, n = np.dtype(draw(st.sampled_from(DTYPES))), draw(st.integers(0, 25))
    if dtype.kind == "f":
        entries = st.sampled_from(SPECIAL) | st.floats(width=32)
        with np.errstate(over="ignore"):
            return [np.array(draw(st.lists(entries, min_size=n, max_size=n)), dtype) for _ in range(3)]
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    edges = st.sampled_from([low, low + 1, high, high - 1, -1, 0, 1, 2, 3])
    return [draw(hnp.arrays(dtype, n, elements=edges)) for _ in range(3)]


def first_difference(kernel, reference, xs) -> int | None:
    """The call in which they differ, in the bits too."""
    for call, x in enumerate(xs):
        before = x.tobytes()
        has, wanted = kernel(x), reference(tuple(x))
        assert x.tobytes() == before
        assert (has.indices.dtype, has.n) == (np.int64, x.size)
        if has.indices.tolist() != list(wanted.indices):
            return call
        assert has.values.tobytes() == x[has.indices].tobytes()
    return None


@pytest.mark.parametrize("name", third(names()))
@given(st.data())
def test_it_takes_what_its_page_takes(name, data):
    """Ties, zeros of both signs, infinities, NaN, subnormal and the least integers among the entries."""
    k, way = data.draw(st.integers(0, 27)), data.draw(WAYS[name])
    assert first_difference(made(name, k=k, **way), Series(find(name, k=k, **way)), data.draw(series())) is None


@pytest.mark.parametrize("dtype", sweep(DTYPES, few=DTYPES[:1]))
@pytest.mark.parametrize("name", third(names()))
def test_long_vectors(name, dtype):
    """More entries than lanes and rows of lanes, and than the sample's stride; normal and skewed ones."""
    rng = np.random.default_rng(0)
    for n in (1000, 1025, 40_000):
        draws = rng.standard_normal((2, n)), rng.exponential(size=(2, n)) - 3
        for xs in draws:
            scaled = (xs * 1000).astype(dtype)
            assert first_difference(made(name, k=n // 50), Series(find(name, k=n // 50)), scaled) is None


PLANTED = {
    "threshold": {
        "strictly above": ("at = selection.reaching(size, self._least)", "at = np.flatnonzero(size > self._least)"),
        "k - 1": ("at = selection.first(size, self._k)", "at = np.flatnonzero(size > np.sort(size)[-self._k])"),
        "in value order": (
            "at = selection.first(size, self._k)",
            "at = np.argsort(size, kind='stable')[::-1][: self._k].copy()",
        ),
        "never anew": ("self.calls % self._period:", "self.calls:"),
        "remembers the largest": ("size[at].min()", "size[at].max()"),
        "drift in one direction": ("abs(at.size - min(self._k, x.size))", "(at.size - min(self._k, x.size))"),
    },
    "sampled": {
        "the same sample in every call": ("self._seed + self.calls", "self._seed"),
        "rounded down": (
            "-(-min(self._k, x.size) * sample.size // max(1, x.size))",
            "min(self._k, x.size) * sample.size // max(1, x.size)",
        ),
        "no limit": ("at.size <= self._limit else", "True else"),
    },
    "gaussian": {
        "one side": ("k / (2 * x.size)", "k / x.size"),
        "the mean left out": ("return mean - ", "return -"),
        "the other way": ("4 * found < 3 * k else", "4 * found > 3 * k else"),
        "a step less": ("range(self._steps)", "range(self._steps - 1)"),
        "another factor": ("FACTOR = 1.02", "FACTOR = 1.2"),
    },
    "sidco": {
        "one side": ("np.abs(", "("),
        "the mean counted from 0": ("total(values - t)", "total(values)"),
        "the threshold taken, too": ("math.nextafter(t, math.inf)", "t"),
        "always one stage": ("self._stages + 1", "self._stages"),
        "a stage never taken back": ("self._stages - 1, 1)", "self._stages, 1)"),
        "never followed": ("self._since == self._every", "False"),
        "counted from the first call on": ("self._since, self._found = 0, 0\n\n    def", "self._since = 0\n\n    def"),
        "as many stages as one likes": ("most_stages(self._k, n))", "99)"),
        "the first stage like all others": ("[first] + [(aim / first)", "[aim] + [(aim / first)"),
    },
}
BUGS = [(name, bug) for name, bugs in PLANTED.items() for bug in bugs]
INPUTS = {
    "threshold": [([3, -5, 0, 6, -3, 1], [3, 5, 0, -5, 3, 6], [9, 1, 8, 7, 6, 2], [1, 0, 0, 0, 0, 0])] * 2,
    "sampled": [([3, -5, 0, 5, -3, 7], [3, -5, 0, 5, -3, 7], [1, 2, 3, 4, 5, 6])] * 2,
    "gaussian": [(np.random.default_rng(1).exponential(size=600) - 0.2,)],
    "sidco": [
        np.random.default_rng(2).standard_normal((12, 90)),
        [[0, 0, 0]],
        [[6, 7, 2, 8, 7, 7, 7, 1, 2, 1, 7]] * 4,
    ],
}
PARAMS = {
    "threshold": [{"k": 2, "period": 3}, {"k": 2, "period": 9, "drift": 1}],
    "sampled": [{"k": 2, "stride": 4}, {"k": 2, "stride": 4, "limit": 1}],
    "gaussian": [{"k": 60, "steps": 3}],
    "sidco": [{"k": 3, "calls": 1}, {"k": 1}, {"k": 2, "calls": 1}],
}


def caught(name: str, code) -> bool:
    """Whether a selector's code differs from its page."""
    for params, xs in zip(PARAMS[name], INPUTS[name]):
        vectors = [np.array(x, np.float64) for x in xs]
        if first_difference(code.Selector(**params), Series(find(name, **params)), vectors) is not None:
            return True
    return False


@pytest.mark.parametrize(("name", "bug"), BUGS)
def test_each_planted_bug_is_caught(tmp_path, name, bug):
    """In a copy of the code, which without it passes."""
    old, new = PLANTED[name][bug]
    text = (Path(impl.__file__).parent / f"selectors/{name}.py").read_text(encoding="utf-8")
    assert old in text
    (right := tmp_path / "right.py").write_text(text, encoding="utf-8")
    (wrong := tmp_path / "wrong.py").write_text(text.replace(old, new), encoding="utf-8")
    assert not caught(name, from_file(right))
    assert caught(name, from_file(wrong))


@pytest.mark.parametrize(
    ("name", "params", "why"),
    [
        ("topk", {"k": -1}, "k = -1: it must be a whole number, 0 or more"),
        ("topk", {"k": 0.5}, "k = 0.5: it must be a whole number"),
        ("threshold", {"period": 0}, "period = 0: it must be a whole number, 1 or more"),
        ("threshold", {"drift": -1}, "drift = -1: it must be a whole number, 0 or more"),
        ("sampled", {"stride": 0}, "stride = 0: it must be a whole number, 1 or more"),
        ("sampled", {"seed": -1}, "seed = -1: it must be"),
        ("sampled", {"limit": 1.5}, "limit = 1.5: it must be"),
        ("gaussian", {"steps": -1}, "steps = -1: it must be"),
        ("sidco", {"first": 0}, "first = 0: it must be a whole number, 1 or more"),
        ("sidco", {"first": 1000}, "first = 1000: it must be 999 or less"),
        ("sidco", {"calls": 0}, "calls = 0: it must be a whole number, 1 or more"),
        ("sidco", {"off": -1}, "off = -1: it must be a whole number, 0 or more"),
    ],
)
def test_bad_parameters_are_refused(name, params, why):
    """One sentence."""
    with pytest.raises(InputError, match=why):
        made(name, **params)


@pytest.mark.parametrize("name", names())
def test_bad_vectors_are_refused(name):
    """Before anything is remembered of them."""
    selector = made(name, k=1)
    with pytest.raises(InputError, match="x has 2 dimensions"):
        selector(np.ones((2, 2)))
    assert selector.calls == 0
    selector(np.ones(3))
    for other in (np.ones(4), np.ones(3, np.float32)):
        with pytest.raises(InputError, match="before 3 of float64: all calls need the same"):
            selector(other)
    assert selector.calls == 1
