"""Messages of whole vectors are counted in closed form, equal to what a run sends."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sparring import page
from sparring.errors import Undecided
from sparring.proofs.cost import counted, whole
from sparring.proofs.cost.derivation import derive
from sparring.proofs.cost.symbols import CeilLog2, FloorLog2, exact, n, p

PAGE = page("recursive_doubling")


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_recursive_doubling_in_closed_form():
    """With a fold there are two more steps, and one more message for those that exchange; counts agree, p = 1..64."""
    derived = derive(PAGE)

    assert derived.steps == 2 * CeilLog2(p) - FloorLog2(p)
    assert derived.largest == derived.added_most == derived.added_critical == n * CeilLog2(p)
    assert (derived.critical - n * derived.steps).expand() == 0
    assert counted.compared(PAGE, derived) is None
    assert "V_max at" in str(counted.compared(PAGE, replace(derived, largest=derived.largest + n)))


@pytest.mark.parametrize("ranks", range(1, 65))
def test_counting_agrees_with_logarithms(ranks):
    """What is sent, counted in a run, is the published n log2 p where p is a power of two, and one step of n more."""
    found = counted.count(PAGE, ranks, 5, 0, paths=False)
    up, down = (ranks - 1).bit_length(), ranks.bit_length() - 1

    assert (exact(CeilLog2(p), {"p": ranks}), exact(FloorLog2(p), {"p": ranks})) == (up, down)
    assert (found.steps, max(found.sent), found.critical) == (2 * up - down, 5 * up, 5 * (2 * up - down))
    assert (max(found.added), found.added_critical) == (5 * up, 5 * up)
    assert found.sent == counted.traced(PAGE, ranks, 5, 0).sent


def test_a_message_of_other_than_all_words_is_undecided():
    """Only whole vectors are counted so."""
    with pytest.raises(Undecided, match="words, not n"):
        whole.whole(replace(PAGE, words=lambda r, t, c, p, n, k: 2 * n))
