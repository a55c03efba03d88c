"""What the tests of the ring allgather run on every rank."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.errors import InputError
from sparring.impl import ring_allgather

BAD: dict[str, tuple[Any, dict[str, Any]]] = {
    "unsorted": (([2, 1], [1.0, 1.0], 5), {}),
    "duplicate": (([1, 1], [1.0, 1.0], 5), {}),
    "out of range": (([1, 5], [1.0, 1.0], 5), {}),
    "below zero": (([-1, 1], [1.0, 1.0], 5), {}),
    "more values than indices": (([1], [1.0, 1.0], 5), {}),
    "no array": (([[1], [1, 2]], [1.0, 1.0], 5), {}),
    "n beyond all": (([1], [1.0], 2**70), {}),
    "k a word": (np.ones(5), {"k": "all"}),
    "k a fraction": (np.ones(5), {"k": 2.5}),
    "not even an array": (None, {"k": 1}),
    "negative k": (np.ones(5), {"k": -1}),
    "NaN": (np.array([1.0, np.nan, 2.0, 3.0, 4.0]), {"k": 1, "allow_nan": False}),
    "dense": (np.ones(5), {}),
    "another n": (([1], [1.0], 6), {}),
    "another dtype": (([1], np.ones(1, np.float32), 5), {}),
}


def refusal(comm: Any, _: Any, *, what: str, bad: int | list[int]) -> Any:
    """The error's text, as bytes, where rank ``bad`` alone passes what is wrong, or each of some ranks."""
    wrong = comm.Get_rank() in bad if isinstance(bad, list) else comm.Get_rank() == bad
    x, options = BAD[what] if wrong else (([1], [1.0], 5), {})
    try:
        ring_allgather.allreduce(comm, x, **options)
    except InputError as error:
        return np.frombuffer(str(error).encode(), np.uint8)
    return np.empty(0, np.uint8)


def largest(comm: Any, x: Any, *, k: int) -> Any:
    """The sum of the ranks' ``k`` largest entries, all of it."""
    return ring_allgather.allreduce(comm, x, k=k).dense()
