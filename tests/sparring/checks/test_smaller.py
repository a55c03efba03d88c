"""Examples become smaller by rules, in few tries, where each try may be a launch."""

from __future__ import annotations

from itertools import cycle

import numpy as np
import pytest

from sparring import sparse_lists
from sparring.checks import engine
from sparring.checks.examples import hard
from sparring.checks.examples.drawn import fewer, fits
from sparring.checks.findings import Findings
from sparring.checks.places import Simulated
from sparring.checks.question import Question
from sparring.refinement.example import Example
from sparring.sparse import Sparse


def shrunk(wrong, example, sparse=False):
    """The smallest example of a target that is wrong where the sum is ``wrong``, and how many were played."""
    played = []

    def target(comm, x):
        played.append(comm.rank)
        parts = comm.allgather(x)
        bad = wrong(parts)
        if sparse:
            y = Sparse.made(*union(parts), x.n)
            return Sparse(y.indices, y.values + bad, y.n)
        return sum(parts[1:], start=parts[0]) + np.asarray(bad, x.dtype)

    place = Simulated(name="command")
    question = Question(target, ranks=range(1, 9), only=[example.prop], sparse=sparse)
    findings = Findings(smallest={example.prop: (example, "")})
    engine.shrink(question, place, findings, example.prop)
    return findings.smallest[example.prop][0], played.count(0)


def union(parts):
    at = np.unique(np.concatenate([x.indices for x in parts]))
    return at, np.array([sum(x.values[x.indices == i].sum() for x in parts) for i in at], parts[0].dtype)


RULES = {
    "a rest that is forgotten": (lambda xs: len(xs) > 1 and xs[0].size % len(xs) and any(x[-1] for x in xs), 2, 3, 1),
    "values over 50": (lambda xs: max(x.max() for x in xs) > 50, 1, 1, 51),
    "sums over 100": (lambda xs: np.sum(xs, axis=0).max() > 100, 2, 2, 101),
    "whatever is not 0": (lambda xs: any(x.any() for x in xs), 1, 1, 1),
    "anything": (lambda xs: True, 1, 1, 0),
}


@pytest.mark.parametrize(("rule", "dtype"), [*zip(RULES, cycle(["float64", "int64"]))])
def test_arrays_become_small(rule, dtype):
    """As few ranks and entries as still go wrong, and values no larger than that takes."""
    wrong, p, n, weight = RULES[rule]
    table = np.random.default_rng(0).integers(-99, 100, (5, 13))
    example = Example([x.astype(dtype) for x in table], "result")
    found, _ = shrunk(wrong, example)
    assert (found.p, found.n) == (p, n)
    assert np.abs(found.rows).sum() <= weight


def test_few_tries_make_values_small():
    """A rest that is forgotten is told with ones and zeros before hypothesis has drawn a hundred examples."""
    wrong = RULES["a rest that is forgotten"][0]
    found, number = shrunk(wrong, Example(hard.numbered(2, 5, "int64"), "result"))
    assert (found.p, found.n) == (2, 3)
    assert {*found.rows.flat} <= {0, 1}
    assert number < 100


def test_sparse_ones_become_small_at_the_edge_too():
    """An entry on one rank, of value 1, is left of many."""
    xs = [Sparse(np.arange(4), np.array([3, -2, 7, 9]) + r, 4) for r in range(6)]
    found, _ = shrunk(lambda xs: any(x.values.any() for x in xs), Example([*xs], "edge sizes"), sparse=True)
    assert (found.p, found.n) == (1, 1)
    assert sparse_lists.values(found.xs[0]).tolist() == [1]


@pytest.mark.parametrize("kind", ["result", "edge sizes", "dtypes"])
def test_smaller_ones_are_of_the_same_kind(kind):
    """Each is smaller, of the dtype, on a number of ranks that is asked for, and at the edge where the example is."""
    example = Example(hard.numbered(4, 3 if kind == "edge sizes" else 7, "float32"), kind)
    found = list(fewer(example, (2, 4)))
    assert found
    for one in found:
        assert one.size < example.size
        assert one.p in (2, 4)
        assert fits(kind, one.p, one.n)
        assert {x.dtype for x in one.xs} == {np.dtype("float32")}
