"""Runs of a page that are kept are those of the same bits, and no longer than asked for."""

import numpy as np
import pytest

from sparring import Sparse, page, page_runs

ZEROS = np.zeros(3, np.float32)


@pytest.mark.parametrize(
    ("name", "params", "x"),
    [
        ("ring", {}, -ZEROS),
        ("ring", {}, ZEROS.astype(np.int32)),
        ("ring", {}, np.zeros(4, np.float32)),
        ("two_shot", {}, ZEROS),
        ("error_feedback", {"k": 2}, np.zeros((1, 3), np.float32)),
        ("ring_sparse", {}, Sparse([0], ZEROS[:1], 9)),
        ("ring_sparse", {}, Sparse([1], ZEROS[:1], 9)),
    ],
)
def test_kept_runs_are_of_the_same_bits(name, params, x):
    """Each differs from the one before in the sign of a zero, the dtype, the length, the page, or an index."""
    before = [(page("ring"), [ZEROS] * 2), (page("ring_sparse"), [Sparse([0], ZEROS[:1], 8)] * 2)]
    before.append((page("error_feedback", k=1), [np.zeros((1, 3), np.float32)] * 2))
    asked = page(name, **params)
    with page_runs.keeping():
        others = [page_runs.known(*one) for one in before]
        ran = page_runs.known(asked, [x] * 2)
        again = page_runs.known(page(name, **params), [x.copy() for _ in range(2)])
        with page_runs.keeping():
            assert page_runs.known(asked, [x] * 2) is not ran
        assert again is ran and all(ran is not other for other in others)
    assert page_runs.known(asked, [x] * 2) is not ran
