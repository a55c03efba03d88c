"""Symbols mean what Python's integers mean, digits and reversed bits too, and refuse what is no formula."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring import page, run
from sparring.errors import InputError
from sparring.spec.core.digits import log, power
from sparring.spec.core.numbers import Sym, both, either, evaluate, negate, reverse, where

VALUES = st.fixed_dictionaries({name: st.integers(-9, 9) for name in "ab"} | {"p": st.integers(1, 9)})


def formulas():
    """Functions of (a, b, p), nested at random out of everything that formulas may hold."""
    leaf = st.sampled_from([lambda v: v["a"], lambda v: v["b"], lambda v: v["p"], lambda v: 2, lambda v: -1])

    def grown(inner):
        pairs = st.tuples(inner, inner)
        return st.one_of(
            pairs.map(lambda f: lambda v: f[0](v) + f[1](v)),
            pairs.map(lambda f: lambda v: f[0](v) - f[1](v)),
            pairs.map(lambda f: lambda v: f[0](v) * f[1](v)),
            inner.map(lambda f: lambda v: f(v) % v["p"]),
            inner.map(lambda f: lambda v: f(v) // v["p"]),
            inner.map(lambda f: lambda v: -f(v)),
            st.tuples(pairs, pairs).map(lambda f: lambda v: where(f[0][0](v) < f[0][1](v), f[1][0](v), f[1][1](v))),
            st.tuples(pairs, inner).map(
                lambda f: (
                    lambda v: where(
                        either(both(f[0][0](v) <= f[0][1](v), f[1](v) != 0), negate(f[0][0](v) == f[1](v))), f[1](v), 3
                    )
                )
            ),
        )

    return st.recursive(leaf, grown, max_leaves=12)


@given(formulas(), VALUES)
def test_a_term_evaluates_to_what_the_formula_gives_on_integers(formula, values):
    """Running on symbols and then evaluating is running on numbers."""
    term = formula({name: Sym.var(name) for name in values})

    assert evaluate(term, **values) == formula(values)


@pytest.mark.parametrize(
    "branch",
    [
        lambda x: 1 if x < 2 else 0, lambda x: x < 2 and x > 0, lambda x: not x < 2, lambda x: 0 <= x < 2,
        lambda x: min(x, 2), lambda x: x in [1, 2],
    ],
    ids=["if", "and", "not", "chained", "min", "in"],
)  # fmt: skip
def test_a_branch_on_a_symbol_raises_and_names_what_to_write(branch):
    """A formula that branches would be proved for one side only; it is refused instead."""
    with pytest.raises(TypeError, match=r"x.*no truth value: write where"):
        branch(Sym.var("x"))


@pytest.mark.parametrize("use", [range, lambda x: [1, 2][x]], ids=["range", "index"])
def test_a_symbol_is_no_index(use):
    """range(p) and lists indexed by rank are not formulas."""
    with pytest.raises(TypeError, match="not formulas"):
        use(Sym.var("x"))


def test_powers_of_symbols_are_refused():
    """2**t has no reading in linear arithmetic."""
    with pytest.raises(TypeError):
        pow(2, Sym.var("t"))  # type: ignore[call-overload]  # what must not be written


def test_known_conditions_fold_and_symbols_stay():
    """Truths that are known leave no term behind."""
    p = Sym.var("p")

    assert both(True, False) is False
    assert either(False, True) is True
    assert where(True, p, 1) is p
    assert repr(both(p < 2, p != 1)) == "and((p < 2), not((p == 1)))"


@pytest.mark.parametrize(("formula", "x", "y"), [(power, 1, 3), (power, 2, -1), (log, 0, 2), (log, 8, 1)])
def test_what_has_no_digits_is_refused(formula, x, y):
    """At once: with base 1 no power would ever be large enough."""
    with pytest.raises(InputError, match=r"at least 2|counted from 0|from 1 on"):
        formula(x, y)


@pytest.mark.parametrize("radix", [0, 1, -3])
def test_a_radix_that_cannot_be_is_told(radix):
    with pytest.raises(InputError, match="a base, or radix, is at least 2"):
        run("recursive_multiplying", [["a"], ["b"]], radix=radix).results
    assert page("recursive_multiplying").params == {"radix": 4}


@pytest.mark.parametrize("bits", range(7))
def test_reversing(bits):
    """The text of the bits backwards; twice it gives the lowest bits."""
    for x in range(100):
        low = x % 2**bits
        assert [reverse(reverse(x, bits), bits)] == [low]
        assert bits == 0 or [reverse(x, bits)] == [int(f"{low:0{bits}b}"[::-1], 2)]
