"""What is kept beside Moshpit All-Reduce: parameters to try it with, and what its implementation shares with it.

What is proved of it is generated from its text and its exchange: ``proofs/core/loops.py``, ``proofs/core/averaging.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sparring.impl.core import parties
from sparring.proofs.core.obligations import Obligation, i, p, r
from sparring.proofs.core.rotation import TURN
from sparring.spec.core.exchanges import served
from sparring.spec.core.model import Page

others = ({"m": 4, "rounds": 3, "failing": ((0, 0, 0), (1, 0, 2), (2, 1, 4), (0, 1, 3), (3, 1, 1), (3, 2, 1)),
           "dead": ((3, 1, 5),)},
          {"m": 3, "rounds": 2, "dead": ((1, 0, 1), (2, 1, -1), (4, 0, 2), (0, 1, 2))},
          {"m": 4, "rounds": 3, "weights": (49, 0, 1, 3), "bandwidths": (3, 1, 0, 2, 9)},
          {"m": 4, "bandwidths": (5, 4, 4, 3)}, {"bandwidths": (0, 0, 1)}, {"m": 3, "chance": 2**63 - 1})  # fmt: skip
refused = ({"m": 1}, {"rounds": -1}, {"chance": -1}, {"weights": (-1,)}, {"bandwidths": (-1,)}, {"dead": ((0, 0),)},
           {"dead": ((0, 0, -2),)}, {"dead": ((-1, 0, 0),)},
           {"dead": ((0, -1, 0),)}, {"dead": ((0, 0, 1), (0, 1, 1))}, {"dead": ((),)},
           {"failing": ((0, 0),)}, {"failing": ((0, 0, -1),)}, {"failing": ((-1, 0, 0),)}, {"failing": ((0, -1, 0),)},
           {"failing": ((0, 0, 1), (1, 0, 1), (0, 0, 0))})  # fmt: skip

survivors = {
    "if refusal:": "the rank is then refused by what all ranks are told; the tests read its own error",
}  # fmt: skip


def peers(page: Page, served: Callable[[str], Page] = served) -> Iterator[Obligation]:  # noqa: ARG001  # all have these
    """``impl/core/parties.py`` counts turns in a function of its own, from 1."""
    exchange = served("averaging")
    yield Obligation("turns", TURN, parties.further(r, i, p) == exchange.dst(r, 0, p, i - 1))
