"""Exact top-k.

The ``k`` entries with the largest magnitudes; of equal ones the lower index comes first, and NaN
before all.

Requires: ``k >= 0``, where more than ``n`` counts as ``n``.
Ensures:  exactly ``k`` entries, whatever the vector is.

>>> from sparring.spec.core.selectors import Series, find
>>> Series(find("topk", k=2))([3, -5, 0, 5, -3])
[1:-5 3:5]

Sending the largest entries and adding what is left out to the next vector is [AH17]_; that order
decides between equal magnitudes is this page's own, since the paper leaves them open.

.. [AH17] A. F. Aji and K. Heafield, "Sparse communication for distributed gradient descent",
   EMNLP 2017, arXiv:1704.05021.
"""

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

from sparring.spec.core.calling import Between
from sparring.spec.core.numbers import Int
from sparring.spec.core.selectors import low
from sparring.spec.core.top_k import top


class Params(NamedTuple):
    """``k``: how many entries are taken."""

    k: Annotated[int, Between(0)] = 100


def select(x: Sequence[Any], k: int) -> list[int]:
    return top(x, k)


def least(n: Int, k: Int) -> Int: return low(k, n)
def most(n: Int, k: Int) -> Int:  return low(k, n)
