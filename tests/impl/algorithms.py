"""The implementations: with which parameters they are run, on simulated ranks, and how one with a fault is made."""

from __future__ import annotations

import ast
import functools
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import sparring
from sparring import world
from sparring.proofs.mutants import planting
from sparring.verification import judged

PAGES = {page.name: page for page in map(sparring.page, sparring.pages()) if judged(page)}
TARGETS = {name: str(judged(page)) for name, page in PAGES.items()}
DENSE = ("ring", "two_shot", "recursive_doubling", "rabenseifner", "recursive_multiplying")
ALLGATHERS = ("ring_allgather", "bruck_allgather", "recursive_doubling_allgather")
SPARSE = {
    "ring_sparse": "ring", "two_shot_sparse": "two_shot", "ssar_recursive_doubling": "recursive_doubling",
    "dsar_split_allgather": "two_shot",
}  # fmt: skip
"""By sparse algorithm, the dense one that adds in the same order."""
SELECTING = ("ring_topk", "gtopk", "spardl", "topka2a")
RANKS = Path(__file__).with_name("on_ranks.py")
"""What tests run on every rank: a target is ``f"{RANKS}:name"``."""

PARAMS: dict[str, list[dict[str, Any]]] = {
    "recursive_multiplying": [{}, {"radix": 2}, {"radix": 3}, {"radix": 8}],
    "dsar_split_allgather": [{}, {"thirds": 1}, {"thirds": 2}],
    "flash": [{}, {"b1": 4, "g": 3}, {"b1": 3, "b2": 5, "g": 8, "spikes": 1}, {"b1": 2, "b2": 7, "g": 1},
              {"b1": 1, "b2": 6}],
    "one_bit": [{}, {"norm": 1}],
    "thc": [{}, {"bits": 1, "seed": 3}, {"bits": 7}, {"bits": 8}],
    "qsgd": [{}, {"levels": 1, "by_max": 1}, {"levels": 15, "seed": 2}, {"levels": 300}],
    "power_sgd": [{}, {"columns": 3, "rank": 2, "rate": 0, "through": "two_shot"},
                  {"rank": 3, "rate": 1, "epsilon": 0}, {"columns": 1, "rate": 0, "seed": 7}],
    "arc_top_k": [{}, {"k": 1, "columns": 2, "sketch": 1},
                  {"k": 2, "columns": 3, "feedback": "ef14", "through": "two_shot", "seed": 2**63},
                  {"k": 1, "feedback": "ef21", "sketch": 3},
                  {"k": 3, "columns": 4, "feedback": "ef21m", "momentum": 300, "through": "two_shot"}],
    "lossy_two_shot": [{}, {"packet": 2, "lost": 300}, {"aggregator": "ratio", "lost": 1000, "packet": 1},
                       {"aggregator": "ratio0", "lost": 700, "packet": 3, "running": 1, "seed": 11},
                       {"aggregator": "zero", "lost": 500, "packet": 1, "seed": 2**63 - 1}, {"lost": 0}],
    "moshpit": [{}, {"m": 3, "chance": 5},
                {"m": 4, "rounds": 3, "weights": (2, 0, 3, 1), "bandwidths": (5, 0, 1, 2, 7)},
                {"m": 3, "rounds": 5, "dead": ((1, 0, 1), (3, 1, -1), (4, 1, 0), (0, 2, 3))},
                {"m": 2, "weights": (0, 0), "bandwidths": (0, 1, 0)},
                {"m": 4, "rounds": 3, "dead": ((3, 1, 5),),
                 "failing": ((0, 0, 0), (1, 0, 2), (2, 1, 4), (0, 1, 3), (3, 1, 1))}],
    "oktopk": [{}, {"tau": 1, "tau_prime": 1, "trigger": 0, "bucket": 1, "gain": 0},
               {"tau": 2, "tau_prime": 3, "trigger": 1, "bucket": 2},
               {"tau": 3, "tau_prime": 9, "bucket": 3, "gain": 700}],
}  # fmt: skip
"""What an algorithm is run with; any other with nothing."""
EACH = [pytest.param(name, params, id=f"{name}-{i}")
        for name in PAGES for i, params in enumerate(PARAMS.get(name, [{}]))]  # fmt: skip


def called(function: Any, comm: Any, *args: Any, **params: Any) -> Any:
    """How the world calls a target with parameters."""
    return function(comm, *args, **params)


def simulated(
    target: str, xs: Sequence[Any], buffers: str = "synchronous", call: Any = called, **params: Any
) -> list[Any]:
    """What every rank returns, without a finding, one schedule deciding for all; infinities may cancel."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        outcome = world.run(target, len(xs), xs, buffers=buffers, call=functools.partial(call, **params))
    assert not outcome.findings, outcome.findings[0].text
    assert outcome.deterministic
    return outcome.results


def heard(function: str, ranks: int = 4, **params: Any) -> list[str]:
    """The errors' texts by rank; nobody waits."""
    return [bytes(y).decode() for y in simulated(f"{RANKS}:{function}", [None] * ranks, **params)]


@contextmanager
def planted(module: str, *changes: tuple[str, str]) -> Iterator[None]:
    """All simulated ranks have these texts of ``sparring.impl.MODULE`` changed, each of which it has once."""
    whole = import_module(f"sparring.impl.{module}")
    source = Path(str(whole.__file__)).read_text(encoding="utf-8")
    for old, new in changes:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    with planting.planted(whole, ast.parse(source)):
        yield


@contextmanager
def all_planted(faults: Sequence[tuple[str, str, str]]) -> Iterator[None]:
    """The same of several modules: ``(module, old text, new text)``."""
    with ExitStack() as stack:
        for module in dict.fromkeys(fault[0] for fault in faults):
            stack.enter_context(planted(module, *(fault[1:] for fault in faults if fault[0] == module)))
        yield
