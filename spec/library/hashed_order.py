"""An order of indices that is drawn: what a vector's entries are sorted by before it is cut among ranks.

The order is that of a hash of each index (:mod:`~sparring.spec.library.counter_rng`), of equal ones the lower index
first.  Cut into ``p`` parts of one length it says which rank owns which index, whatever entries the vector has; and
unlike the values of a hash modulo ``p`` it gives no rank more indices than another, but for one.

>>> x = Vector([10, 20, 30, 40, 50])
>>> hashed(x, 7), restored(hashed(x, 7), 7)
([20, 30, 40, 50, 10], [10, 20, 30, 40, 50])
"""

from typing import Any

from sparring.spec.core.numbers import Int
from sparring.spec.core.vectors import Vector, local
from sparring.spec.library.counter_rng import drawn


def key(found: Int, i: Int, n: Int) -> Int:
    """What index ``i`` of ``n`` is sorted by, whose hash is ``found``."""
    return found * n + i


def index(key: Int, n: Int) -> Int:
    """Which index has this key."""
    return key % n


def order(seed: int, n: int) -> list[Any]:
    """All indices."""
    return [index(one, n) for one in sorted(key(drawn(seed, i), i, n) for i in range(n))]


@local
def hashed(x: Vector, seed: int) -> Vector:
    """The entries in this order."""
    return x.having([x[i] for i in order(seed, len(x))])


@local(linear=True)
def restored(y: Vector, seed: int) -> Vector:
    """Entries in this order, each at its own index again."""
    back = [y.zero] * len(y)
    for i, v in zip(order(seed, len(y)), y):
        back[i] = v
    return y.having(back)
