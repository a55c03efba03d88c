"""What the ring's tests run on every rank."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.errors import InputError
from sparring.impl import ring


def three_ways(comm: Any, x: Any) -> Any:
    """The sum, having seen that a new array, a given one and ``x`` itself get the same bits."""
    kept = x.copy()
    x.flags.writeable = False
    y = ring.allreduce(comm, x)
    assert y is not x and not np.shares_memory(x, y)
    given = np.full_like(x, 7)
    assert ring.allreduce(comm, x, out=given) is given
    own = x.copy()
    assert ring.allreduce(comm, own, out=own, validate=False) is own
    assert x.tobytes() == kept.tobytes()
    assert y.tobytes() == given.tobytes() == own.tobytes()
    return y


def plain(comm: Any, x: Any) -> Any:
    """The sum, on any communicator of MPI's interface."""
    return ring.allreduce(comm, x)


def refusal(comm: Any, x: Any, **options: Any) -> Any:
    """The error's text, as an array of its bytes."""
    try:
        ring.allreduce(comm, x, **options)
    except InputError as error:
        return np.frombuffer(str(error).encode(), np.uint8)
    return np.empty(0, np.uint8)
