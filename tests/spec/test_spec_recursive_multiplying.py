"""Recursive multiplying sums on any number of ranks with any radix, and sends what MPICH's source sends."""

from __future__ import annotations

from itertools import pairwise

import pytest

from sparring import page, run
from sparring.errors import InputError
from sparring.spec.core.digits import digit, log, power, prefix, put
from sparring.spec.core.numbers import Sym, evaluate

RADICES = (2, 3, 4, 5, 8)


def as_in_mpich(p, k):
    """The messages of each step as loops over ranks send them in MPICH's source, by stage and distance."""
    core = 1
    while core * k <= p:
        core *= k
    fold = {(r, r % core) for r in range(core, p)}
    rounds, distance = [], 1
    while distance < core:
        following = distance * k
        starts = {r: r // following * following for r in range(core)}
        groups = {r: range(first + r % distance, first + following, distance) for r, first in starts.items()}
        rounds.append({(r, other) for r, group in groups.items() for other in group if other != r})
        distance = following
    return [*([fold] if fold else []), *rounds, *([{(b, a) for a, b in fold}] if fold else [])]


@pytest.mark.parametrize("radix", RADICES)
@pytest.mark.parametrize("p", [*range(1, 28), 64])
def test_it_sends_what_mpich_sends_and_sums(p, radix):
    """The same messages in the same steps; every rank ends with the sum, for n = 0, 1 and more."""
    for n in (0, 1, 3):
        xs = [[100 * r + i for i in range(n)] for r in range(p)]
        ran = run("recursive_multiplying", xs, radix=radix)

        assert [{(m.src, m.dst) for m in wire} for wire in ran.trace] == as_in_mpich(p, radix)
        assert ran.results == [[sum(column) for column in zip(*xs)] if n else []] * p


def test_all_ranks_add_in_the_order_of_ranks():
    """Digit by digit, so for a power of the radix the letters stand in their order of digits, on all ranks alike."""
    letters = [[x] for x in "abcdefghi"]

    assert run("recursive_multiplying", letters, radix=3).results == [["abcdefghi"]] * 9
    assert run("recursive_multiplying", letters[:5], radix=3).results == [["daebc"]] * 5


def test_radix_2_exchanges_as_recursive_doubling_does_for_powers_of_2():
    for p in (1, 2, 4, 8, 16):
        xs = [[r] for r in range(p)]
        two, doubling = run("recursive_multiplying", xs, radix=2), run("recursive_doubling", xs)
        assert [sorted(wire) for wire in two.trace] == [sorted(wire) for wire in doubling.trace]


@pytest.mark.parametrize("k", [2, 3, 10])
def test_digits(k):
    """Of numbers as they are written down, and on symbols the same."""
    e, x = Sym.var("e"), Sym.var("x")
    for number in range(1, 200):
        digits, rest = [], number
        while rest:
            digits, rest = [*digits, rest % k], rest // k
        assert [log(number, k)] == [len(digits) - 1]
        for place, has in enumerate(digits):
            assert evaluate(digit(x, e, k), x=number, e=place) == digit(number, place, k) == has
            assert evaluate(prefix(x, e, k), x=number, e=place) == prefix(number, place, k)
            assert (prefix(number, place, k) * power(k, place) <= number) is True
            assert put(number, place, 0, k) == number - has * power(k, place)
        for low, high in pairwise(range(len(digits) + 1)):
            assert prefix(number, low, k) // k == prefix(number, high, k)


@pytest.mark.parametrize(("formula", "x", "y"), [(power, 1, 3), (power, 2, -1), (log, 0, 2), (log, 8, 1)])
def test_what_has_no_digits_is_refused(formula, x, y):
    """At once: with base 1 no power would ever be large enough."""
    with pytest.raises(InputError, match=r"at least 2|counted from 0|from 1 on"):
        formula(x, y)


@pytest.mark.parametrize("radix", [0, 1, -3])
def test_a_radix_that_cannot_be_is_told(radix):
    with pytest.raises(InputError, match="a base, or radix, is at least 2"):
        run("recursive_multiplying", [["a"], ["b"]], radix=radix).results


def test_a_default():
    assert page("recursive_multiplying").params == {"radix": 4}
