"""What is measured of gradients: the exact largest entries, as the reference selects them, and their unions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring import InputError
from sparring.advising import gradients, measuring
from sparring.inputs import digits
from sparring.support_growth import union_growth

floats = st.sampled_from([0.0, -0.0, 1.0, -1.0, 1.5, 2.0**-140, -3.0, 1e30])
vectors = st.lists(st.lists(floats, max_size=9), min_size=1, max_size=4)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(parts=vectors, k=st.integers(0, 40))
def test_the_largest_of_all_blocks(parts, k, dtype):
    """Those that sorting gives, the lower index first among equal ones, and no zero."""
    blocks = [np.array(part, dtype) for part in parts]
    x = np.concatenate(blocks)
    wanted = sorted(range(x.size), key=lambda i: (-abs(x[i]), i))[:k]

    found = measuring.chosen(lambda: iter(blocks), min(k, x.size))

    assert found.at.tolist() == sorted(i for i in wanted if x[i])
    assert found.nonzero == np.count_nonzero(x)
    assert found.inside == pytest.approx(float((x[found.at].astype(float) ** 2).sum()))


@pytest.mark.parametrize("key", ["step0", "step30", "step300"])
def test_unions_are_those_of_union_growth(key):
    """Fused: of one layer and of several."""
    xs = np.stack(digits(8, key))
    layered = dict(zip("abc", np.split(xs, [8192, 8320], axis=1)))
    wanted = union_growth(xs, density=Fraction(1, 50))

    for arrays in ({"all": xs}, layered):
        found = measuring.profile(gradients.held(arrays), Fraction(1, 50))
        assert found.fused.growth == wanted
        assert found.fused.size == 9610
        assert [layer.name for layer in found.layers] == [*arrays]


def test_layers_with_their_own_share():
    """Together they are as long as all, and their unions add up."""
    xs = np.stack(digits(8, "step30"))
    layered = dict(zip("abc", np.split(xs, [8192, 8320], axis=1)))
    found = measuring.profile(gradients.held(layered), Fraction(1, 50))

    one = measuring.together(found.layers)

    assert one.size == 9610
    assert one.growth.k == (164 + 3 + 26,) * 8
    assert one.growth.mean == tuple(map(sum, zip(*(layer.growth.mean for layer in found.layers))))
    assert one.union.size == one.growth.high[-1] == one.growth.low[-1]
    assert one.energy == pytest.approx(found.fused.energy)
    assert max(one.kept) <= max(found.fused.kept)  # the largest wherever they are have more


def test_a_short_layer_keeps_an_entry():
    """A share of less than half an entry is one, or advice would be to send nothing; a share of nothing is nothing."""
    held = gradients.held({"bias": np.ones((4, 30))})
    assert [measuring.profile(held, Fraction(part, 100)).fused.growth.k for part in (1, 10, 0)] == [
        (1,) * 4,
        (3,) * 4,
        (0,) * 4,
    ]


def test_zeros_are_never_kept():
    found = measuring.profile(gradients.held({"w": np.eye(4, 20)}), Fraction(1, 4)).fused

    assert found.growth.k == (1,) * 4
    assert found.kept == (1.0,) * 4
    assert (found.nonzero, found.overlap) == ((1,) * 4, 0)


def test_no_entries():
    with pytest.raises(InputError, match="memory: its arrays have no entries"):
        measuring.profile(gradients.held({"w": np.zeros((2, 0))}), Fraction(1))


def test_crowding():
    """All that ranks keep lies in one of four chunks, or evenly."""
    crowded, even = np.zeros((2, 40)), np.zeros((2, 40))
    crowded[:, :4] = even[:, ::10] = 1

    for x, full in ((crowded, 4), (even, 1), (np.zeros((2, 40)), 1)):
        assert measuring.profile(gradients.held({"w": x}), Fraction(1, 10)).fused.crowding(4) == full
