"""Swing's rows of numbers, and from how many ranks on rounded sums differ from rank to rank."""

import numpy as np
import pytest

from sparring import page, run
from sparring.errors import InputError
from sparring.spec import swing
from sparring.vectors import covered, document


@pytest.mark.parametrize(("p", "differ"), [(2, False), (4, False), (5, False), (7, False), (8, True), (11, True)])
def test_ranks_differ_from_eight_on(p, differ):
    """Up to seven ranks all add the same pairs; eight add theirs in different orders."""
    xs = np.random.default_rng(p).standard_normal((p, 200)).astype(np.float32)
    first, *others = run("swing", [*xs]).results

    assert any(list(one) != list(first) for one in others) == differ


def test_distances_are_sums_of_powers_of_minus_two():
    """As the paper has them; what is behind an even number is what odd rounds went back and even ones did not."""
    sums = np.cumsum([(-2) ** i for i in range(20)])

    assert [swing.reach(i) for i in range(20)] == abs(sums).tolist()
    assert [swing.behind(i) for i in range(1, 9)] == [0, 2, 2, 10, 10, 42, 42, 170]


def test_there_are_no_test_vectors():
    """They have one result for all ranks."""
    assert not covered(page("swing"))
    with pytest.raises(InputError, match="lets ranks end with different bits"):
        document(page("swing"))
