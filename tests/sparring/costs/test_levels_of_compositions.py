"""Messages of compositions where ranks share links: those that runs send, and times by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

import sparring
from sparring.costs.links.levels import Nodes, counted, steps
from sparring.costs.links.machines import Machine
from sparring.errors import Undecided
from sparring.spec.core.runner import run

WIDTH = 4


def of_formulas(page, p, n):
    """By step, the messages that are counted: from whom, to whom, bytes."""
    return [sorted((one.src, one.dst, one.nbytes) for one in step) for step in steps(page, p, n, 0, WIDTH, None)]


def of_runs(page, p, n):
    """The same of a run."""
    return [
        sorted((one.src, one.dst, WIDTH * len(one.entries)) for one in wire)
        for wire in run(page, [[0.0] * n] * p).trace
    ]


@pytest.mark.parametrize(("p", "n"), [(8, 48), (16, 64), (12, 36), (6, 42), (7, 14), (1, 5)])
@pytest.mark.parametrize(
    "params", [{"m": 4}, {"m": 2, "inside": "ring"}, {"m": 4, "inside": "ring", "across": "two_shot"}], ids=str
)
def test_messages_along_axes_are_those_of_runs(p, n, params):
    """Where all chunks are of one length; with other nodes they are others."""
    page = sparring.page("hierarchical", **params)
    assert of_formulas(page, p, n) == of_runs(page, p, n)
    if p == 16:
        assert of_formulas(page, p, n) != of_runs(sparring.page("hierarchical", m=8), p, n)


@pytest.mark.parametrize(("nodes", "m"), [(2, 2), (4, 4), (3, 8)])
def test_in_nodes_of_its_own_size_it_takes_what_both_levels_take(nodes, m):
    """Inside, each rank sends a chunk to each other; across, all of a node share its link."""
    inside, outside, n = (
        Machine(Fraction(5), Fraction(1), Fraction(7)),
        Machine(Fraction(3), Fraction(2)),
        24 * nodes * m,
    )
    found = counted(sparring.page("hierarchical", m=m), Nodes(m, inside, outside), p=nodes * m, n=n)
    chunk = Fraction(n * WIDTH, m)
    near = 2 * (m - 1) * (inside.alpha + inside.beta * chunk)
    far = 2 * (nodes - 1) * (outside.alpha + outside.beta * m * chunk / nodes)
    adds = inside.gamma * ((m - 1) * Fraction(n, m) + (nodes - 1) * Fraction(n, m * nodes))
    assert (found.time, found.inside, found.outside, found.sharing) == (near + far + adds, 2, 2 * (nodes - 1), m)
    flat = counted(sparring.page("ring"), Nodes(m, inside, outside), p=nodes * m, n=n)
    assert found.startup < flat.startup


@pytest.mark.parametrize(("name", "what"), [("thc", "Gather"), ("qsgd", "Allreduce"), ("moshpit", "Averaging")])
def test_what_is_no_whole_vector_is_not_counted(name, what):
    with pytest.raises(Undecided, match=f"{name}: how links are shared by the messages of its {what} is not counted"):
        list(steps(sparring.page(name), 4, 16, 0, WIDTH, None))


def test_advice_knows_how_large_nodes_are():
    """With nodes of 4 it speaks of the page on these; codes and means are left out as before."""
    asked = {"ranks": [16], "algorithms": ["ring", "hierarchical", "thc"]}
    (answer,) = sparring.advise(machine="ib-hdr", nodes=4, **asked).answers
    hierarchical, ring = answer.options
    assert (hierarchical.algorithm, ring.algorithm) == ("hierarchical", "ring")
    assert hierarchical.messages == 2 * 3 + 2 * 3 and hierarchical.result == "all"
    assert [name for name, _ in answer.left_out] == ["thc"]
    (flat,) = sparring.advise(machine="ib-hdr", **asked).answers
    assert next(one.messages for one in flat.options if one.algorithm == "hierarchical") == 2 + 2 * 7
