"""What a tree costs is proved for gTop-k, and pages that are none are refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

import sparring
from sparring.errors import Undecided
from sparring.proofs.core.verdicts import EXPECTED
from sparring.proofs.cost import trees
from sparring.proofs.cost.counted import count
from sparring.proofs.cost.published import log2
from sparring.proofs.cost.symbols import k, p
from sparring.spec.core.numbers import both, negate

PAGE = sparring.page("gtopk")


def test_published_costs():
    """``2 log2(p)`` messages and ``4 k log2(p)`` words, one after the other, as in Ok-Topk's table."""
    cost = sparring.cost("gtopk").simplify("p = 2^m")
    assert (cost.messages, cost.needed("critical")) == (2 * log2(p), 4 * k * log2(p))
    assert [judged.verdict for judged in cost.claims] == ["equal", "equal"]


@pytest.mark.parametrize("ranks", [2, 4, 8, 16, 32])
def test_a_path_has_as_many_words_where_p_is_a_power_of_two(ranks):
    """Then V_path is V_crit, counted."""
    found = count(PAGE, ranks, 1000, 7)
    assert found.path == found.critical == 4 * 7 * (ranks.bit_length() - 1)


def test_elsewhere_it_has_fewer():
    """Rank 4 of 5 sends last only."""
    found = count(PAGE, 5, 1000, 7)
    assert (found.path or 0) < found.critical == 4 * 7 * 3


@pytest.mark.parametrize(
    ("planted", "why"),
    [
        ({"active": lambda r, t, p: both(PAGE.active(r, t, p), negate(r == 1))}, "the root is sent to"),
        ({"active": lambda r, t, p: True}, "messages sent"),
        ({"words": lambda r, t, c, p, n, k: 2 * k * t}, "depends on who sends it when"),
    ],
    ids=["a silent rank", "all send", "longer messages"],
)
def test_what_is_no_such_tree_is_refused(planted, why):
    with pytest.raises(Undecided, match=why):
        trees.tree(replace(PAGE, **planted))


def test_a_page_that_states_nothing_is_refused(monkeypatch):
    """Which ranks have nothing left must be known."""
    monkeypatch.delattr("sparring.proofs.gtopk.spent")
    with pytest.raises(Undecided, match=r"spent\(r, c, t, p\)"):
        trees.tree(PAGE)


def test_the_literature_is_judged():
    """The table's and the script's are equal, the README's are one way alone, and its residual loses mass."""
    from sparring.claiming import replayed
    from sparring.proofs.cost.statements import sources

    wanted = {"gtop-k/latency", "gtop-k/bandwidth", "gtop-k/bandwidth-in-the-script", "gtop-k/residual-conserves"}
    found = {one.stated.id: one.judged for one in replayed([], [*wanted], sources())}

    assert found["gtop-k/bandwidth-in-the-script"].verdict == "equal"
    assert {name for name, judged in found.items() if judged.checked == EXPECTED} == wanted - {
        "gtop-k/bandwidth-in-the-script"
    }
