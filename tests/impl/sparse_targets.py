"""What the tests of sparse allreduces run on every rank; ``name``: which one is meant."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from sparring.errors import InputError

BAD: dict[str, tuple[Any, dict[str, Any]]] = {
    "unsorted": (([2, 1], [1.0, 1.0], 5), {}),
    "duplicate": (([1, 1], [1.0, 1.0], 5), {}),
    "out of range": (([1, 5], [1.0, 1.0], 5), {}),
    "negative k": (np.ones(5), {"k": -1}),
    "NaN": (np.array([1.0, np.nan, 2.0, 3.0, 4.0]), {"k": 1, "allow_nan": False}),
    "another n": (([1], [1.0], 6), {}),
    "another dtype": (([1], np.ones(1, np.float32), 5), {}),
}


def module(name: str) -> Any:
    """The implementation, imported by the rank that is running: each has its own."""
    return import_module(f"sparring.impl.{name}")


def refusal(comm: Any, _: Any, *, name: str, what: str, bad: int) -> Any:
    """The error's text, as bytes, where rank ``bad`` alone passes what is wrong."""
    x, options = BAD[what] if comm.Get_rank() == bad else (([1], [1.0], 5), {})
    try:
        module(name).allreduce(comm, x, **options)
    except InputError as error:
        return np.frombuffer(str(error).encode(), np.uint8)
    return np.empty(0, np.uint8)


def largest(comm: Any, x: Any, *, name: str, k: int) -> Any:
    """The sum of the ranks' ``k`` largest entries."""
    return module(name).allreduce(comm, x, k=k)


def unchecked(comm: Any, x: Any, *, name: str) -> Any:
    """Without the exchange that makes sure that ranks are alike."""
    return module(name).allreduce(comm, x, validate=False)
