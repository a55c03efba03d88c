"""Ranks in nodes: equal to the derived formula where nothing is shared, and by hand where something is."""

from __future__ import annotations

from pathlib import Path

import pytest

import sparring
from sparring import InputError, Machine
from sparring.costs import union_cost
from sparring.costs.links import levels
from sparring.costs.links.levels import Network, Nodes
from sparring.proofs.contention import networks
from sparring.spec.library.support_models import independent

GUIDE = Path(__file__).parents[3] / "docs/howto/compare.md"
NEAR, FAR, FREE = Machine("1us", "100GB/s", "0.1ns"), Machine("5us", "25Gbit/s", "0.1ns"), Machine(0, 0, "0.1ns")
N, K = 2**14, 256
KINDS = ("ring", "recursive_doubling", "two_shot", "ring_allgather", "ring_sparse", "spardl")
"""Of vectors, with several messages a step, of lists, and of sparse sums."""


def union(s):
    return independent(s, N, K)


def derived(page, p, machine):
    """The lock-step time of the closed form, at the same sizes of unions."""
    if page.data == "sparse":
        found = union_cost.measured(page, p, N, union, 4)
        return machine.alpha * found.messages + machine.beta * found.nbytes + machine.gamma * found.added
    kept = {} if page.data == "vector" else {"k": K}
    return sparring.cost(page).at(p=p, n=N, **kept, **machine.letters).time


def counted(page, nodes, p, n=N):
    return levels.counted(page, nodes, p=p, n=n, k=K, union=union if page.data == "sparse" else None)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("p", [2, 16])
def test_one_node_and_nodes_of_one(name, p):
    """Where every rank is a node by itself, or all are in one, or on a crossbar, it is the derived formula, exactly."""
    page = sparring.page(name)

    for size, inside, outside in ((p, FAR, FREE), (1, FREE, FAR)):
        found = counted(page, Nodes(size, inside, outside), p)
        assert found.time == derived(page, p, FAR)
        assert (found.inside == 0) == (size == 1)
        assert (found.outside == 0) == (size == p)
        assert found.sharing == (0 if size == p else p - 1 if page.several else 1)
        assert 0 < found.startup < found.time
    sizes = union if page.data == "sparse" else None
    free = levels.counted(page, Network(networks.find("crossbar"), FAR), p=p, n=N, k=K, union=sizes)
    assert (free.time, free.sharing) == (derived(page, p, FAR), p - 1 if page.several else 1)


def test_doubling_leaves_with_every_rank_at_once():
    """Two steps within nodes of four, two between; then four whole vectors share a link."""
    page, nodes = sparring.page("recursive_doubling"), Nodes(4, NEAR, FAR)

    found = counted(page, nodes, 16)

    assert (found.inside, found.outside, found.sharing) == (2, 2, 4)
    assert found.time == 2 * (NEAR.alpha + NEAR.beta * 4 * N) + 2 * (FAR.alpha + FAR.beta * 16 * N) + 4 * NEAR.gamma * N


def test_what_the_guide_says_of_a_ring():
    """Its number is what is counted."""
    page, n = sparring.page("recursive_doubling"), 2**18
    links = [Network(networks.find(on), Machine("5us", "0.32ns")) for on in ("ring", "crossbar")]
    times = [levels.counted(page, there, p=8, n=n).time for there in links]

    assert f"takes {float(times[0] / times[1]):.1f} times as long as its formula says" in " ".join(
        GUIDE.read_text().split()
    )


def test_too_many_ranks():
    with pytest.raises(InputError, match="p=513: where links are shared every message is counted, for at most 512"):
        levels.counted(sparring.page("ring"), Nodes(4, NEAR, FAR), p=513, n=N)
    with pytest.raises(InputError, match="nodes of 0 ranks: a node has at least one"):
        Nodes(0, NEAR, FAR)
