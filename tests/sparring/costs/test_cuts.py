"""Cuts of topologies: no run is faster than they say, no cut in two has fewer links, and wrong ones are beaten."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import pytest

import sparring
from sparring.costs.formulas.symbols import exact
from sparring.costs.links import cuts, levels
from sparring.costs.links.levels import Network, Nodes
from sparring.costs.links.machines import Machine
from sparring.costs.links.places import InNodes, OnTopology
from sparring.errors import InputError
from sparring.proofs.contention import networks

TOPOLOGIES = ("ring", "crossbar", "tree", "tree:k=3", "fat_tree", "fat_tree:k=2", "torus", "torus:k=2")
DENSE = [name for name in sparring.pages() if sparring.page(name).data == "vector"]
BYTES = Machine("0s", "1s", "0s")
"""A second a byte, and nothing else."""


def counted(name, topology, ranks, n):
    """The seconds of a page's run on a topology, a second a byte of one word; None where it does not run there."""
    try:
        page = sparring.page(name)
        return levels.counted(page, Network(topology, BYTES), p=ranks, n=n, width=1).time
    except InputError:
        return None


def runs(topology, ranks):
    """The times of all pages that run."""
    n = 24 * ranks
    return n, [time for name in DENSE if (time := counted(name, topology, ranks, n)) is not None]


@pytest.mark.parametrize("name", TOPOLOGIES)
def test_no_run_is_faster(name):
    """On any topology, than any of the cuts says, nor the tightest; on a crossbar and a tree the ring is as fast."""
    topology = networks.find(name)
    for ranks in range(2, 10):
        tightest = cuts.tightest(topology, ranks)
        n, times = runs(topology, ranks)
        assert len(times) >= 2 and tightest is not None
        for cut in (tightest, *cuts.cuts(cuts.links(topology, ranks), ranks)):
            assert min(times) >= cut.share * n
        if name.startswith(("crossbar", "tree")):
            assert min(times) == tightest.share * n


def fewest(edges, ranks):
    """The fewest links that lead from some ranks to all others, wherever switches stand; all sets are tried."""
    switches = sorted({node for edge in edges for node in edge if node not in range(ranks)}, key=str)
    best = len(edges)
    for size in range(1, ranks):
        for part in combinations(range(ranks), size):
            for there in product([False, True], repeat=len(switches)):
                inside = {*part, *(node for node, held in zip(switches, there) if held)}
                best = min(best, cuts.crossing(edges, inside)[0])
    return best


@pytest.mark.parametrize("name", TOPOLOGIES)
def test_no_cut_in_two_has_fewer_links(name):
    """All cuts of up to six ranks, with their switches on either side."""
    topology = networks.find(name)
    for ranks in (2, 3, 4, 5, 6):
        edges = cuts.links(topology, ranks)
        if len({node for edge in edges for node in edge}) <= 12:
            found = min(cut.links for cut in cuts.cuts(edges, ranks) if cut.words == 1)
            assert found == fewest(edges, ranks)


@pytest.mark.parametrize("words", [0, 1])
def test_a_link_too_few_or_a_word_too_many_is_caught(monkeypatch, words):
    """A cut that forgets a link, or says that more must cross, is beaten by a run."""
    wrong = property(lambda cut: Fraction(cut.words * 4**words, max(1, cut.links - 1 + words)))
    monkeypatch.setattr(cuts.Cut, "share", wrong)
    for name in ("crossbar", "tree"):
        with pytest.raises(AssertionError):
            test_no_run_is_faster(name)


def test_nodes_share_their_links():
    """Each node has one link out: no page is faster, whatever its ranks do inside."""
    free = Machine("0s", "0s", "0s")
    for ranks, size in ((4, 2), (8, 2), (8, 4), (9, 3), (6, 2)):
        cut, n = cuts.ports(ranks // size), 24 * ranks
        for name in DENSE:
            try:
                time = levels.counted(sparring.page(name), Nodes(size, free, BYTES), p=ranks, n=n, width=1).time
            except InputError:
                continue
            assert time >= cut.share * n


def test_one_rank_and_very_many_have_no_cut():
    assert cuts.tightest(networks.find("ring"), 1) is None
    assert cuts.tightest(networks.find("torus"), cuts.RANKS + 1) is None


@pytest.mark.parametrize("name", cuts.PORTS)
def test_links_of_a_rank_are_known_for_more(name):
    """What is said of more ranks than are walked is what is found for fewer."""
    for ranks in (3, 4, 7, 12, 33, 128):
        assert cuts.tightest(networks.find(name), ranks) == cuts.ports(ranks, cuts.PORTS[name])
    assert cuts.tightest(networks.find(name), 500) == cuts.ports(500, cuts.PORTS[name])
    assert exact(OnTopology(networks.find(name)).least, {"p": 500}) == cuts.ports(500, cuts.PORTS[name]).share
    assert exact(InNodes(2).least, {"p": 500}) == cuts.ports(250).share
