"""Digits to any base, and bits in reverse: as numbers are written down, and on symbols the same."""

from __future__ import annotations

import pytest

from sparring import page, run
from sparring.errors import InputError
from sparring.spec.core.digits import log, power
from sparring.spec.core.numbers import reverse


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
