"""What is told of the cost of each page: its forms, bounds and claims, and how all that was checked."""

from __future__ import annotations

import pytest

import sparring
from tests.sparring.calling import called

ELSEWHERE = ("ring", "ring_sparse")
"""Told in every format in tests/sparring/test_cost.py."""
SHARED = ("ring", "ring_sparse", "recursive_doubling", "rabenseifner", "recursive_multiplying", "two_shot")
MORE = [
    *(f"ring_sparse two_shot_sparse --support {model}" for model in ("independent", "zipf:1.1")),
    *(f"{name} --nodes node" for name in SHARED),
    *(f"{name} --topology {there}" for name in SHARED if name != "rabenseifner" for there in ("ring", "torus")),
    "ring --nodes 50", "ring ring_sparse --nodes 4 --at p=8,n=800,k=80 --machine ib-hdr", "moshpit -P m=3",
    "arc_top_k -P columns=64 -P feedback=ef21", "moshpit -P m=40", "error_feedback -P allreduce=bruck_allgather",
    "dsar_split_allgather -P thirds=1",
]  # fmt: skip
FIRST = [
    "recursive_doubling", "flash", "gtopk", "two_shot_sparse", "ring_sparse --support disjoint",
    "two_shot --nodes node", "ring_sparse --topology torus", "ring --nodes 50",
    "ring ring_sparse --nodes 4 --at p=8,n=800,k=80 --machine ib-hdr", "moshpit -P m=3", "moshpit --format csv",
]  # fmt: skip
"""Pages of each kind, and each option; the others are slow."""
OTHERS = [one for one in (*sparring.pages(), *MORE) if one not in (*ELSEWHERE, *FIRST)]


def told(asked: str) -> tuple[int, str]:
    """Closed forms, each check's verdict, and what is not covered; without the legend, which is the same for all."""
    code, text, _ = called("cost", *asked.split())
    return code, text.partition("A word is one value")[0]


@pytest.mark.parametrize("asked", FIRST)
def test_what_is_told(snapshot, asked):
    assert told(asked) == snapshot


@pytest.mark.slow
@pytest.mark.parametrize("asked", OTHERS)
def test_what_else_is_told(snapshot, asked):
    """A test of its own: snapshots of one that runs in part would count as unused."""
    assert told(asked) == snapshot
