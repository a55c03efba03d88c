"""Closed forms of costs where links are shared: equal to what is counted, and wrong ones are found out."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest
import sympy

import sparring
from sparring import InputError, Machine, Undecided, api
from sparring.costs import shared_links as module
from sparring.costs.derivation.partners import d, pattern
from sparring.costs.formulas.hypotheses import holds
from sparring.costs.formulas.symbols import exact, n, p
from sparring.costs.links import levels
from sparring.costs.links.levels import Network
from sparring.costs.links.places import InNodes, OnTopology
from sparring.costs.links.sharing import (
    Run,
    a,
    b,
    between_nodes,
    first_digits,
    g,
    h,
    i,
    intervals,
    k,
    summed,
)
from sparring.costs.shared_links import sharedcost
from sparring.costs.supports.models import sizes
from sparring.proofs.contention import networks
from sparring.proofs.contention.traffic import Traffic
from sparring.proofs.logic.obligations import every, implies, r, within
from sparring.proofs.logic.obligations import p as ranks
from sparring.proofs.logic.queries import answered
from sparring.proofs.logic.verdicts import REFUTED
from sparring.spec import ring as formulas
from sparring.spec import two_shot
from sparring.spec.core.digits import prefix, put
from sparring.spec.core.numbers import either
from tests.algorithms import ALGORITHMS
from tests.sweeps import third

NEAR, FAR = Machine("1us", "100GB/s", "0.1ns"), Machine("5us", "25Gbit/s", "0.1ns")
LETTERS = {"alpha_in": NEAR.alpha, "beta_in": NEAR.beta, "alpha": FAR.alpha, "beta": FAR.beta, "gamma": NEAR.gamma}
PAGES = [name for name, one in ALGORITHMS.items() if name in api.regular() and not one.no_pattern]
"""The others' partners are in no pattern that is known, or they send sparse chunks otherwise than around a ring."""
TOPOLOGIES = ("ring", "crossbar", "tree", "fat_tree", "torus", "torus:k=2")


@pytest.fixture(scope="module")
def costs():
    """Each cost is derived once, and so is each page's pattern."""
    made = {}

    def once(what, make):
        return lambda page: made.get((what, page.name)) or made.setdefault((what, page.name), make(page))

    price = module.cost

    def find(name, place):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "pattern", once("pattern", pattern))
            patch.setattr(module, "cost", lambda page, support: once("cost", partial(price, support=support))(page))
            return once(str(place), lambda page: sharedcost(page, place, "independent"))(sparring.page(name))

    return find


@pytest.mark.parametrize("name", third(PAGES))
@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_on_a_topology_it_is_what_is_counted(costs, name, topology):
    page, many, length, kept = sparring.page(name), 16, 16 * 12, 32
    union = sizes("independent", length, kept) if page.data == "sparse" else None
    there = networks.find(topology)
    if topology in ALGORITHMS[name].open_costs:
        with pytest.raises(Undecided, match=r"no product of powers|no polynomial|partners do not differ in one bit"):
            sharedcost(page, OnTopology(there))
        return

    found = costs(name, OnTopology(there)).at(p=many, n=length, k=kept, **FAR.letters)

    counted = levels.counted(page, Network(there, FAR), p=many, n=length, k=kept, union=union)
    assert (found.time, found.steps, found.sharing) == (counted.time, counted.outside, counted.sharing)


@pytest.mark.parametrize(
    ("name", "why"), [(name, one.no_pattern) for name, one in ALGORITHMS.items() if one.no_pattern]
)
def test_what_has_no_pattern_is_told(name, why):
    """No form is made up."""
    with pytest.raises(Undecided, match=why):
        sharedcost(sparring.page(name), InNodes())


def test_of_a_tree_with_several_messages_a_step_no_pattern_is_found():
    """Though its formulas shift bits."""
    with pytest.raises(Undecided, match="not every rank sends to every other in each step"):
        sharedcost(sparring.page("sparring.spec.collectives.binary_bcast"), InNodes())


def test_a_wrong_factor_is_found_by_counting(costs):
    """Half of what shares a link; or messages of the nodes' own size that are said to stay."""
    cost = costs("recursive_doubling", InNodes())
    inside, outside = cost.sharing.runs
    node = outside.first
    for runs in (
        [inside, outside._replace(load=outside.load / 2)],
        [inside._replace(end=2 * node), outside._replace(first=2 * node)],
    ):
        name, verdict, detail = replace(cost, sharing=cost.sharing._replace(runs=runs)).checks[-1]
        assert (name, verdict) == ("counted", REFUTED) and detail.startswith("time at p=")


def test_in_a_node_of_all_ranks_nothing_leaves():
    """The same claims without the hypothesis that there are others are false: of that, something must be said."""
    everywhere = {one.name: one for one in intervals(1)}
    claim = implies(every(g > 1, a + g <= ranks, r == a + g - 1), either((r + 1) % ranks < a, (r + 1) % ranks >= a + g))
    wrong = everywhere["the last one leaves"]._replace(
        hypotheses=(ranks >= 1, within(r), within(a), within(g, ranks + 1))
    )

    (answer,) = answered([wrong._replace(claim=claim)], second_opinion=False)

    assert not answer.holds
    assert answer.witness["g"] == answer.witness["p"]


def test_a_late_digit_does_not_leave():
    """The last digits are those below ``h``: with ``h`` itself the claim is false, and not proved."""
    late = next(first_digits())
    wrong = late._replace(claim=implies(i <= h, prefix(put(r, i, b, k), h, k) == prefix(r, h, k)))

    assert not any(answer.holds for answer in answered([wrong], second_opinion=True, encoding="digits"))


def test_a_pattern_of_pairs_is_who_sends_to_whom():
    """That of the page itself, at each of its steps."""
    page = sparring.page("recursive_multiplying", radix=3)
    seen, traffic = pattern(page), Traffic.of(page, 27)

    for step, distance in zip(traffic.steps, (1, 3, 9), strict=True):
        assert sorted(map(tuple, step.tolist())) == sorted(seen.pairs(27, distance))


@pytest.mark.parametrize("form", [d, 3 / d, 5 * d**2, sympy.Integer(7), n * d + 2])
def test_sums_over_distances(form):
    run = Run(sympy.Integer(1), False, sympy.Integer(2), 2 * p, 4)

    total = summed(form, run, 2)

    values = {"p": 64, "n": 5}
    assert exact(total, values) == sum(exact(form, {**values, "d": x}) for x in (2, 8, 32))


def test_who_sends_to_all_must_send_to_all(tmp_path):
    """Two of every three messages go to one rank: that is no such pattern."""
    file = tmp_path / "crowd.py"
    text = Path(two_shot.__file__).read_text()
    file.write_text(text.replace("return (r + j + 1) % p", "return where(j < 2, (r + 1) % p, (r + j + 1) % p)"))

    with pytest.raises(Undecided, match="not every rank sends to every other"):
        pattern(sparring.page(str(file)))


@pytest.mark.parametrize(
    ("text", "at", "so"),
    [("p | n", {"p": 3, "n": 6}, True), ("p | n", {"p": 3, "n": 7}, False), ("p = 4^m", {"p": 8}, False),
     ("p = 4^m", {"p": 64}, True), ("p not 2^m", {"p": 6}, True), ("p not 2^m", {"p": 8}, False),
     ("2^floor(log2 p) | n", {"p": 7, "n": 8}, True), ("k p <= n", {"k": 2, "p": 5, "n": 9}, False),
     ("k p <= n", {"k": 0, "p": 5, "n": 0}, True),
     ("p = radix^m", {"p": 9, "radix": 3}, True), ("p = radix^m", {"p": 6}, False),
     ("8 < p", {"p": 8}, False), ("n <= 2^31", {"n": 2**31}, True), ("3 | n", {"n": 9}, True),
     ("128 p | n, p = 3^m", {"n": 128 * 9 * 2, "p": 9}, True), ("128 p | n", {"n": 128, "p": 9}, False)],
)  # fmt: skip
def test_hypotheses(text, at, so):
    assert holds(text, at) is so


@pytest.mark.parametrize(
    ("at", "told"),
    [
        (
            {"p": 10, "n": 10, "node": 10},
            "this cost holds where 1 < node, node < p, p | n, not for p=10, node=10, n=10",
        ),
        ({"p": 10, "n": 10}, "this cost needs a value for node: node=VALUE"),
        ({"p": 1, "n": 10, "node": 1}, "p=1: links are shared by at least 2 ranks"),
        ({"p": 10, "n": 10, "node": 0}, "node=0: node is an integer, at least 1"),
        ({"p": 10, "node": 2}, "this cost needs a value for n: n=VALUE"),
    ],
)
def test_points_that_are_none(costs, at, told):
    with pytest.raises(InputError) as error:
        costs("ring", InNodes()).at(**at)

    assert str(error.value) == told


@pytest.mark.parametrize(
    ("name", "size", "told"),
    [("recursive_doubling", 6, "6 is no power of 2"), ("ring", 1, "nodes of one rank share nothing")],
)
def test_sizes_that_are_not_covered(name, size, told):
    with pytest.raises(Undecided, match=told):
        between_nodes(pattern(sparring.page(name)), size)


def test_pages_without_a_pattern_are_not_covered(tmp_path):
    """A ring that turns around half way."""
    file = tmp_path / "turning.py"
    file.write_text(
        Path(formulas.__file__)
        .read_text()
        .replace("return (r + 1) % p", "return where(t < p - 1, (r + 1) % p, (r - 1) % p)")
    )

    with pytest.raises(Undecided, match="do not go the same way"):
        sharedcost(sparring.page(str(file)), InNodes())


def test_bounds_stand_beside_what_links_carry(costs):
    """The ring carries twice what its links must, in nodes just what these must; sparse pages have no such bound."""
    there = costs("recursive_doubling", OnTopology(networks.find("ring"))).at(p=2**20, n=1000, **FAR.letters)
    assert (there.sharing, there.carried) == (2**19, 4000 * (2**20 - 1))
    around, inside = (sparring.cost("ring", **where) for where in ({"topology": "ring"}, {"nodes": "node"}))
    assert (around.form("carried") / around.bounds["carried"].formula).simplify() == 2
    assert inside.least({"p": 8, "node": 2, "n": 80, "width": 4})["carried"] == 2 * 80 * 4 * Fraction(3, 4)
    assert sparring.cost("ring_allgather", topology="ring").bounds == {}
    assert sparring.cost("ring", topology="torus").bounds == {}
