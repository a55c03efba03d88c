"""What is kept beside Moshpit All-Reduce: parameters to try it with, and what its implementation shares with it.

What is proved of it is generated from its text and its exchange, see ``proofs/reading/loops.py`` and ``averaging.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sparring.impl.core import averaging_groups
from sparring.proofs.logic.obligations import Obligation, i, p, r
from sparring.proofs.reading.annotations import Served, Stated
from sparring.proofs.reading.rotation import TURN
from sparring.spec.core.digits import power
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Sym, either, where

others = ({"m": 4, "rounds": 3, "failing": ((0, 0, 0), (1, 0, 2), (2, 1, 4), (0, 1, 3), (3, 1, 1), (3, 2, 1)),
           "dead": ((3, 1, 5),)},
          {"m": 3, "rounds": 2, "dead": ((1, 0, 1), (2, 1, -1), (4, 0, 2), (0, 1, 2))},
          {"m": 4, "rounds": 3, "weights": (49, 0, 1, 3), "bandwidths": (3, 1, 0, 2, 9)},
          {"m": 4, "bandwidths": (5, 4, 4, 3)}, {"bandwidths": (0, 0, 1)}, {"rounds": 3},
          {"m": 3, "chance": 2**63 - 1})  # fmt: skip
refused = ({"m": 1}, {"rounds": -1}, {"chance": -1}, {"weights": (-1,)}, {"bandwidths": (-1,)}, {"dead": ((0, 0),)},
           {"dead": ((0, 0, -2),)}, {"dead": ((-1, 0, 0),)},
           {"dead": ((0, -1, 0),)}, {"dead": ((0, 0, 1), (0, 1, 1))}, {"dead": ((),)},
           {"failing": ((0, 0),)}, {"failing": ((0, 0, -1),)}, {"failing": ((-1, 0, 0),)}, {"failing": ((0, -1, 0),)},
           {"failing": ((0, 0, 1), (1, 0, 1), (0, 0, 0))})  # fmt: skip

survivors = {"if refusal:": "the rank is then refused by what all ranks are told; the tests read its own error"}


def owed(p: int) -> Sequence[Mapping[str, Any]]:
    """Return parameters: one group has all ranks, or the grid is full."""
    return [{"m": max(p, 2)}, *([{"m": 2}] if p & (p - 1) == 0 else [])]


def certificates(page: Page) -> Mapping[tuple[str, str], tuple[str, tuple[Obligation, ...]]]:  # noqa: ARG001  # all
    """Return a fault that is none, with what this rests on."""
    less, as_well = where(p > 1, p - 1, 1 + 0 * p), where(p > 2, p - 1, 1 + 0 * p)
    same = Obligation("of two ranks one less is one", (p >= 1,), less == as_well)
    line = "return log(where(p > 1, p - 1, 1), m) + 1"
    return {(line, "1 becomes 2"): ("the least number of which a logarithm is asked is 1 all the same", (same,))}


def theorems(page: Page) -> Iterator[Stated]:
    """State how many rounds there are."""
    says = "A grid has as few sides of length m as give room to all ranks, and one at least."
    yield Stated("sides", says, sides(page), "digits")


def sides(page: Page) -> Iterator[Obligation]:
    """Also of one rank."""
    m = Sym.var("param_m")
    some = (p >= 1, m >= 2, power(m, 0) == 1)  # the last is so, and tells of which power to think
    d = page.module.sides(p, m)
    yield Obligation("one at least", some, d >= 1)
    yield Obligation("room for all", some, p <= power(m, d))
    yield Obligation("with one less there is not", some, either(d == 1, power(m, d - 1) < p))


def peers(page: Page, served: Served) -> Iterator[Obligation]:  # noqa: ARG001  # whatever its parameters
    """Compare with ``impl/core/averaging_groups.py``, which counts turns in a function of its own, from 1."""
    impl: Any = averaging_groups
    yield Obligation("turns", TURN, impl.further(r, i, p) == served("averaging").dst(r, 0, p, i - 1))
