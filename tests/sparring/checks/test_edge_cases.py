"""Inputs that published codes leave open or get wrong, on real ranks: every algorithm sends and returns the page's."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest

from sparring.checks import launch
from sparring.checks.checking import check
from sparring.sparse import Sparse
from sparring.spec.core.letters import DATA
from sparring.spec.core.model import Page
from tests.sparring.checks.test_runtimes import FIRST, PAGES, TARGETS

pytestmark = [
    pytest.mark.mpi,
    pytest.mark.skipif(launch.find() is None, reason='no mpiexec: pip install "sparring[mpich]"'),
]


class Edge(NamedTuple):
    """One vector a rank; ``data``: of which pages, by default of all; ``k``: how many entries stateful pages keep."""

    xs: list[list[float]]
    data: tuple[str, ...] = DATA
    k: int = 2


LISTS, SELECTED = ("lists", "sparse"), ("selected",)
NONE = float("nan")  # stands where a sparse vector has no entry
EDGES = {
    "one rank": Edge([[3, -1, 0, 2, 2]]),
    "ranks that are no power of two": Edge([[3, -1, 0], [1, 1, 5], [2, 0, 0]]),
    "nothing kept": Edge([[3, -1, 0, 2], [1, 1, 5, 0]], SELECTED, k=0),
    "more kept than there are": Edge([[3, -1, 0, 2], [1, 1, 5, 0]], SELECTED, k=9),
    "chunks of unequal length": Edge([[r, -r, 1, 0, 7, r, 2] for r in range(4)], k=5),
    "fewer entries than ranks": Edge([[r, 5] for r in range(4)]),
    "no entries": Edge([[], [], []]),
    "ties": Edge([[1, -1, 1, -1, 1, 1], [-1, 1, 1, 1, -1, 1]], SELECTED),
    "fewer than are kept that are no zeros": Edge([[0, 0, 0, -4, 0, 0], [0, 0, 0, 4, 0, 0]], SELECTED, k=3),
    "explicit zeros and sums that cancel": Edge([[0, 5, NONE, -2], [NONE, -5, NONE, 2], [0, 0, NONE, NONE]], LISTS),
    "lists of unequal length": Edge([[NONE] * 5, [1, 2, 3, 4, 5], [NONE, NONE, 7, NONE, NONE]], LISTS),
    "the order of addition": Edge([[1e8, 1, 0.1], [1, -1e8, 0.2], [-1e8, 1e8, 0.3]], k=3),
}
"""Equal indices are not among them: no ``sparring.Sparse`` has any."""
EDGE_CASES = [
    pytest.param(name, edge, id=f"{name}-{edge}", marks=pytest.mark.runtimes if name in FIRST else pytest.mark.slow)
    for name, edge in product(TARGETS, EDGES) if PAGES[name].data in EDGES[edge].data
]  # fmt: skip
"""One of each kind of data under every MPI; what the others do at an edge is no affair of the library's."""


@pytest.mark.parametrize(("name", "edge"), EDGE_CASES)
def test_edge_cases(name, edge, ranks, tmp_path, monkeypatch):
    """What published codes leave open or get wrong goes as the page says, message by message, for all dtypes."""
    monkeypatch.chdir(tmp_path)
    page, (xs, _, k) = PAGES[name], EDGES[edge]
    examples = [([given(page, x, dtype) for x in xs], "dtypes") for dtype in page.dtypes]
    params: dict[str, Any] = {"k": k} if page.selecting else {}
    report = check(
        TARGETS[name], name, ranks=[len(xs)], on="mpi", level="steps", examples=examples, group=ranks, **params
    )

    assert report.verdict == "holds", [result.detail for result in report.results]
    assert {str(r.verdict) for r in report.results if r.property in {"dtypes", "steps"}} == {
        f"tested ({len(examples)} examples)"
    }


def given(page: Page, x: list[float], dtype: str) -> Any:
    """A rank's vector as the page takes it; where it keeps state, two calls with the same one."""
    whole = np.nan_to_num(np.array(x)).astype(dtype)
    if page.stateful:
        return np.stack([whole, whole])
    present = np.flatnonzero(~np.isnan(x))
    return Sparse(present, whole[present], whole.size) if page.sparse else whole
