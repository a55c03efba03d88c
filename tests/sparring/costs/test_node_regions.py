"""Diagrams over nodes and their size: what is counted there is what closed forms say where there are such."""

from __future__ import annotations

from functools import cache, partial

import pytest

import sparring
from sparring.api import in_nodes
from sparring.costs import node_regions
from sparring.costs.links import levels
from sparring.errors import InputError, Undecided

POINT = {"alpha": "10us", "beta": "25Gbit/s", "alpha_in": "2us", "beta_in": "300GB/s", "gamma": "1ns"}
START, END = ("2", "2"), ("5", "4")


def sized(*names):
    return [partial(in_nodes, sparring.page(name)) for name in names]


def grid(*names, over=("nodes", "node"), **more):
    return node_regions.phases(sized(*names), over, {"n": 2400, **POINT, **more}, start=START, end=END)


@cache
def derived(name):
    return sparring.cost(name, nodes="node", support="independent")


def closed(name, **at):
    return derived(name).at(**at, **POINT).time


def test_each_cost_is_that_of_the_closed_form():
    found = grid("ring", "ring_allgather", "ring_sparse", k=240)
    assert (found.along, found.up, found.quantity) == ((2, 3, 4, 5), (2, 3, 4), "time")
    told = {
        (name, p, node)
        for j, node in enumerate(map(int, found.up))
        for i, nodes in enumerate(map(int, found.along))
        for name, cost in zip(found.names, found.costs[j][i])
        if 2400 % (p := nodes * node) == 0 and cost == closed(name, p=p, node=node, n=2400, k=240)
    }
    wanted = [(p, node) for node in (2, 3, 4) for nodes in (2, 3, 4, 5) if 2400 % (p := nodes * node) == 0]
    assert told == {(name, *at) for name in found.names for at in wanted}


def own_link(nodes, src, dst, p):
    return None if src // nodes.size == dst // nodes.size else ((src, dst),)


def test_a_wrong_count_is_seen(monkeypatch):
    """Beside closed forms: the messages out of a node no longer share its link."""
    right = grid("ring", "two_shot")
    monkeypatch.setattr(levels.Nodes, "route", own_link)
    wrong = grid("ring", "two_shot")
    p, node, j, i = 8, 2, 0, 2
    assert right.costs[j][i][1] == closed("two_shot", p=p, node=node, n=2400) != wrong.costs[j][i][1]


def test_who_knows_of_nodes_is_told_their_size():
    found = grid("hierarchical", "ring")
    own = [
        levels.counted(sparring.page("hierarchical", m=node), levels.Nodes(node, *machines()), p=4 * node, n=2400).time
        for node in (2, 3, 4)
    ]
    assert [row[2][0] for row in found.costs] == own
    assert {found.cheapest(j, i) for j in range(3) for i in range(4)} == {"hierarchical"}


def machines():
    from sparring.costs.links.machines import Machine

    return Machine(POINT["alpha_in"], POINT["beta_in"], POINT["gamma"]), Machine(POINT["alpha"], POINT["beta"])


def test_lengths_grow_in_nodes_as_well():
    """A few long messages or many short ones: it depends on the length."""
    found = node_regions.phases(
        sized("recursive_doubling", "rabenseifner"),
        ("n", "node"),
        {"nodes": 4, **POINT},
        start=("1", "2"),
        end=("1e6", "3"),
    )
    row = found.runs(0)
    assert [run.name for run in row if run.name][:1] == ["recursive_doubling"] and row[-1].name == "rabenseifner"


@pytest.mark.parametrize(
    ("over", "at", "said"),
    [
        (("nodes", "p"), {}, "--phase nodes,p: right are two of nodes, node, n, rho"),
        (("nodes", "node"), {"p": 8}, "p=8: the number of ranks is nodes * node; leave p out"),
        (("n", "node"), {}, "costs over n and node need a value for nodes"),
        (("n", "node"), {"nodes": 200}, "200 nodes of 4 are 800 ranks: messages are counted for at most 512"),
        (("nodes", "node"), {"n": 9, "alpha": None}, "costs over nodes and node need a value for alpha"),
    ],
)
def test_bad_input_is_one_sentence(over, at, said):
    point = {letter: value for letter, value in {**POINT, **at}.items() if value is not None}
    with pytest.raises(InputError, match=said.replace("*", r"\*")):
        node_regions.phases(sized("ring"), over, point, start=START, end=END)


def test_where_sharing_is_not_known_nothing_is_claimed():
    with pytest.raises(Undecided, match="how links are shared by the messages of its"):
        grid("qsgd")
