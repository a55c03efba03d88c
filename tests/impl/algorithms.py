"""The implementations: how they are run, on simulated ranks, and how one with a fault is made."""

from __future__ import annotations

import ast
import functools
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import sparring
from sparring import world
from sparring.mutation import planting
from sparring.verification.algorithm import find_target

PAGES = {page.name: page for page in map(sparring.page, sparring.pages()) if find_target(page)}
TARGETS = {name: str(find_target(page)) for name, page in PAGES.items()}
DENSE = ("ring", "pat", "two_shot", "recursive_doubling", "rabenseifner", "recursive_multiplying")
ALLGATHERS = ("ring_allgather", "bruck_allgather", "recursive_doubling_allgather")
SPARSE = {
    "ring_sparse": "ring",
    "two_shot_sparse": "two_shot",
    "ssar_recursive_doubling": "recursive_doubling",
    "dsar_split_allgather": "two_shot",
}
"""By sparse algorithm, the dense one that adds in the same order."""
SELECTING = ("ring_topk", "gtopk", "spardl", "topka2a")
RANKS = Path(__file__).with_name("on_ranks.py")
"""What tests run on every rank: a target is ``f"{RANKS}:name"``."""


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
