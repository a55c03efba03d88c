"""What costs that are told per ``k`` are worth where a selector takes more than ``k`` entries."""

from __future__ import annotations

from importlib import import_module
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest

import sparring
from sparring import world
from sparring.costs.derivation.counted import count
from sparring.spec.core.schedule import number
from sparring.spec.core.selectors import find

P, N, K, CALLS = 4, 64, 4, 4
GROWING = [
    np.array([np.random.default_rng(r).permutation(N) + 1.0] * CALLS, np.float32)
    * np.array([[1], [2], [4], [8]], np.float32)
    for r in range(P)
]
"""By rank four vectors, each twice the one before: what reaches a threshold of the first grows from call to call."""
GIVEN = ("ring_allgather", "bruck_allgather")
"""These are given what a selector takes, and send all of it."""
CUTTING = ("ring_topk", "gtopk", "topka2a", "spardl")
"""These cut it once more, each by its own rule."""


class Witness(NamedTuple):
    """A call in which a rank sends more words than are told."""

    call: int
    rank: int
    words: int
    told: int


def target(comm: Any, name: str, params: dict[str, Any]) -> Any:
    """The algorithm, with a selector, as a class that is called with vectors."""
    if name in GIVEN:
        feedback = import_module("sparring.impl.error_feedback").ErrorFeedback
        return feedback(comm, N, k=K, allreduce=name, validate=False, **params)
    return import_module(f"sparring.impl.{name}").Allreduce(comm, N, k=K, validate=False, **params)


def calls(comm: Any, name: str, params: dict[str, Any], xs: Any) -> None:
    made = target(comm, name, params)
    for x in xs:
        made(x)


def sent(name: str, calls_: int, **params: Any) -> list[int]:
    """Each rank's words in the first so many calls, as they were on the simulated wire; of pairs of four bytes."""
    given = [x[:calls_] for x in GROWING]
    outcome = world.run(calls, P, [name] * P, [params] * P, given).raise_if_found()
    return [sum(m.nbytes for m in outcome.messages if m.src == r and m.context) // 4 for r in range(P)]


def refuted(name: str, **params: Any) -> Witness | None:
    """The first call in which some rank sends more than is told of ``k`` entries, by the page's formulas."""
    told = count(sparring.page(name), P, N, K, paths=False).sent
    sums = [[0] * P, *(sent(name, call, **params) for call in range(1, CALLS + 1))]
    for call, (before, now) in enumerate(pairwise(sums), start=1):
        for r in range(P):
            if now[r] - before[r] > told[r]:
                return Witness(call, r, now[r] - before[r], told[r])
    return None


@pytest.mark.parametrize("name", GIVEN)
def test_a_threshold_that_drifts_refutes_them(name):
    """Of what is given to be added: the hypothesis, at most ``k`` entries a rank, is needed."""
    witness = refuted(name, selector="threshold", period=32)

    assert witness is not None
    assert witness.call == 2  # in the first call the threshold is found exactly
    assert witness.words > witness.told == 2 * K * (P - 1)


NO_MORE = [
    {"selector": "topk"},
    {"selector": "threshold", "period": 32, "drift": 0},
    {"selector": "sampled", "stride": 2, "limit": K},
]


@pytest.mark.parametrize("name", GIVEN)
@pytest.mark.parametrize("params", NO_MORE)
def test_a_selector_that_takes_no_more_keeps_to_them(name, params):
    """Which of them that are, their pages say: they take at most ``k``."""
    page = find(params["selector"], k=K, **{x: v for x, v in params.items() if x != "selector"})

    assert number(page.most(N)) <= K
    assert refuted(name, **params) is None


@pytest.mark.parametrize("name", CUTTING)
def test_no_selector_refutes_them_where_algorithms_cut(name):
    """Whatever enters, messages are as long as the page says: so many words in every call."""
    for params in (
        {"selector": "threshold", "period": 32},
        {"selector": "sampled", "stride": 64},
        {"selector": "gaussian"},
    ):
        assert refuted(name, **params) is None
        assert sent(name, CALLS, **params) == [CALLS * words for words in count(sparring.page(name), P, N, K).sent]
    assert number(find("threshold", k=K).most(N)) == N  # though the page promises no less
