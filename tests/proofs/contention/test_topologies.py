"""Routes are ways over existing links, formulas say what routes say, and what is no topology is told so."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import replace
from itertools import pairwise, product

import pytest

from sparring.errors import InputError
from sparring.proofs.contention import networks
from sparring.proofs.contention.links import Link
from sparring.spec.core.numbers import evaluate
from sparring.trace.links import places

ASKED = ["crossbar", "dragonfly", "dragonfly:k=1", "fat_tree", "fat_tree:k=2", "fat_tree:k=3", "ring", "torus",
         "torus:k=2", "torus:k=3", "tree", "tree:k=3"]  # fmt: skip


def pairs(p):
    """All pairs of different ranks."""
    return [(src, dst) for src, dst in product(range(p), repeat=2) if src != dst]


def by_routes(topology, p) -> set[frozenset[tuple[int, int]]]:
    """Which pairs share a link, link by link, as messages are routed."""
    users = defaultdict(set)
    for pair in pairs(p):
        for link in topology.route(*pair, p):
            users[link].add(pair)
    return set(map(frozenset, users.values()))


def by_formulas(links: tuple[Link, ...], p) -> set[frozenset[tuple[int, int]]]:
    """The same, as the formulas say."""
    every = [(link, place) for link in links for place in places(link, p)]
    found = (frozenset(x for x in pairs(p) if evaluate(link.carries(*x), p=p, **place)) for link, place in every)
    return {users for users in found if users}


def agree(topology, p) -> bool:
    """Whether routes and formulas share links alike; formulas of a tree speak of more edges than one tree has."""
    routes, formulas = by_routes(topology, p), by_formulas(topology.links, p)
    return routes <= formulas if topology.name.startswith("tree") else routes == formulas


def test_there_are_six():
    """They are found by name, each with prose of its own."""
    assert networks.names() == ["crossbar", "dragonfly", "fat_tree", "ring", "torus", "tree"]
    assert all(networks.find(name).doc for name in networks.names())


@pytest.mark.parametrize("p", range(2, 13))
@pytest.mark.parametrize("name", ASKED)
def test_a_route_passes_no_node_twice(name, p):
    """From each rank to each other."""
    topology = networks.find(name)

    for pair in pairs(p):
        way = topology.route(*pair, p)
        nodes = [way[0][0], *(b for _, b in way)]
        assert len(set(nodes)) == len(nodes)


@pytest.mark.parametrize("p", range(1, 10))
@pytest.mark.parametrize("name", [name for name in ASKED if networks.find(name).links])
def test_formulas_say_what_routes_say(name, p):
    """For every link, the pairs whose messages cross it."""
    assert agree(networks.find(name), p)


@pytest.mark.parametrize("name", ["ring", "tree", "crossbar", "dragonfly:k=1", "fat_tree"])
def test_a_wrong_formula_is_noticed(name):
    """A link that carries what goes the other way, in each family of links."""
    topology = networks.find(name)
    for i, link in enumerate(topology.links):
        turned = link._replace(carries=lambda src, dst, link=link: link.carries(dst, (src + 1) % 8))
        planted = replace(topology, links=(*topology.links[:i], turned, *topology.links[i + 1 :]))
        assert agree(topology, 8) and not agree(planted, 8)


@pytest.mark.parametrize("seed", range(20))
def test_the_formulas_of_the_tree_hold_on_any_tree(seed):
    """Every edge of a random tree has an interval of ranks below it, and its links carry what the formulas say."""
    rng, p = random.Random(seed), 7
    nodes = [(0, p)]
    for low, high in nodes:
        if high - low > 1:
            cuts = sorted(rng.sample(range(low + 1, high), rng.randrange(1, high - low)))
            nodes += pairwise([low, *cuts, high])
    up, down = networks.find("tree").links

    def way(leaf: int) -> set[tuple[int, int]]:
        return {(a, b) for a, b in nodes if a <= leaf < b}

    for src, dst in pairs(p):
        for a, b in nodes:
            assert evaluate(up.carries(src, dst), a=a, b=b, p=p) == ((a, b) in way(src) - way(dst))
            assert evaluate(down.carries(src, dst), a=a, b=b, p=p) == ((a, b) in way(dst) - way(src))


def test_known_routes():
    """Ways drawn by hand on the torus, which has no formulas, at a tie of the ring, and on the dragonfly."""
    assert networks.find("ring").route(0, 3, 6) == [(0, 1), (1, 2), (2, 3)]
    assert networks.find("torus").route(3, 12, 16) == [(3, 0), (0, 12)]
    assert networks.find("torus").route(5, 15, 16) == [(5, 6), (6, 7), (7, 11), (11, 15)]
    passed = [0, "router 0.0", "router 0.2", "router 3.0", "router 3.3", 30]
    assert networks.find("dragonfly").route(0, 30, 32) == list(pairwise(passed))
    assert networks.find("dragonfly").route(0, 1, 32) == [(0, "router 0.0"), ("router 0.0", 1)]


def test_a_dragonfly_is_balanced():
    """With as many groups as the paper's largest, every router has as many links to other groups as ranks."""
    topology, k = networks.find("dragonfly"), 2
    groups = 2 * k * k + 1
    ranks = groups * 2 * k * k
    between = {link for pair in pairs(ranks) for link in topology.route(*pair, ranks) if crosses(link)}
    assert {sum(a == router for a, _ in between) for router, _ in between} == {k}
    assert len(between) == groups * (groups - 1)


def crosses(link) -> bool:
    """Whether a link of the dragonfly leads from one group to another."""
    a, b = (str(node).removeprefix("router ").split(".")[0] for node in link)
    return all(str(node).startswith("router") for node in link) and a != b


FAULTS = {
    "return [(src, 'x'), ('x', src), (src, 'x'), ('x', dst)]": "crosses 0->x twice; it must cross each link once",
    "return [(src, 'x'), ('y', dst)]": "breaks off between 0->x and y->1",
    "return [(src, 'x')]": "is 0->x; it must lead from 0 to 1",
    "return []": "is empty; it must lead from 0 to 1",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_route_is_told(tmp_path, fault):
    """In one sentence, with the ranks."""
    file = tmp_path / "mine.py"
    file.write_text(f"def route(src, dst, p):\n    {fault}\n")
    with pytest.raises(InputError) as told:
        networks.find(str(file)).route(0, 1, 2)
    assert str(told.value) == f"topology mine: the route from rank 0 to 1 of 2 {FAULTS[fault]}"


BAD = {
    "rang": "no topology 'rang'; did you mean 'ring'? there are crossbar, dragonfly, fat_tree, ring, torus, "
    "tree; ./file.py works too.",
    "torus:4": "topology torus:4: write a parameter as name=number, such as torus:k=4",
    "torus:m=4": "page torus has no parameter 'm'; it has k",
}


@pytest.mark.parametrize("text", BAD)
def test_what_is_no_topology(text):
    """One sentence says what would be right."""
    with pytest.raises(InputError) as told:
        networks.find(text)
    assert str(told.value) == BAD[text]


@pytest.mark.parametrize("text", ["torus:k=1", "tree:k=1", "fat_tree:k=0", "dragonfly:k=0"])
def test_a_parameter_that_makes_no_topology(text):
    """It is told with what is possible."""
    with pytest.raises(InputError, match=rf"^{text}: a .* has at least [12] "):
        networks.find(text).route(0, 1, 2)


def test_a_module_without_route(tmp_path):
    """A file is a topology only if it routes."""
    file = tmp_path / "mine.py"
    file.write_text("def links():\n    return ()\n")
    with pytest.raises(InputError, match="topology mine lacks the function route"):
        networks.find(str(file))
    file.write_text("def route(src, dst):\n    return []\n")
    with pytest.raises(InputError, match="topology mine: route must ask for src, dst, p, in this order"):
        networks.find(str(file))
