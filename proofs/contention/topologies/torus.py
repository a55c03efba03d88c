"""k-ary torus with dimension-ordered routing.

A node's coordinates are the digits of its number to the base ``k``, lowest first, and it has a
directed link to both neighbours in each dimension.  There are as many dimensions as the ranks
have digits; nodes beyond the last rank only pass messages on.  A message corrects the lowest digit
first, each by the shorter way round, upwards if both are equally long.  ``k = 2`` is the hypercube.

The routing is that of W. J. Dally and C. L. Seitz, "Deadlock-free message routing in multiprocessor
interconnection networks", IEEE Trans. Comput. C-36(5), 1987; the order of dimensions, the way at
ties and the nodes without ranks are our own choice.  There are no formulas for every p: the number
of dimensions would be a variable.
"""

from __future__ import annotations

from itertools import count, pairwise
from typing import NamedTuple

from sparring.errors import InputError


class Params(NamedTuple):
    """``k``: nodes of a dimension, at least 2."""

    k: int = 4


def route(src: int, dst: int, p: int, k: int) -> list[tuple[int, int]]:
    """Return the way that corrects one dimension after the other."""
    if k < 2:
        raise InputError(f"torus:k={k}: a dimension has at least 2 nodes")
    nodes, stride = [src], 1
    while stride < p:
        digit = nodes[-1] // stride % k
        up, down = (dst // stride - digit) % k, (digit - dst // stride) % k
        hops, way = (up, 1) if up <= down else (down, -1)
        corner = nodes[-1] - digit * stride
        nodes += [corner + (digit + way * i) % k * stride for i in range(1, hops + 1)]
        stride *= k
    return list(pairwise(nodes))


def sides(p: int, k: int) -> list[int]:
    """Return ``k`` for each dimension that ``p`` ranks need."""
    return [k] * next(d for d in count(1) if k**d >= p)
