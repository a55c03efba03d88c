"""What the tests of the ring with selection run on every rank."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.errors import InputError
from sparring.impl.ring_topk import Allreduce, allreduce

MADE: dict[str, dict[str, Any]] = {
    "negative k": {"k": -1},
    "half a k": {"k": 1.5},
    "negative n": {"n": -1},
    "another n": {"n": 6},
    "another k": {"k": 3},
}
CALLED: dict[str, Any] = {
    "wrong length": np.ones(4),
    "list": [1.0] * 5,
    "matrix": np.ones((5, 1)),
    "gaps": np.ones(10)[::2],
    "half precision": np.ones(5, np.float16),
    "NaN": np.array([1.0, np.nan, 2.0, 3.0, 4.0]),
    "another dtype": np.ones(5, np.float32),
}


def refused_when_made(comm: Any, _: Any, *, what: str, bad: int) -> Any:
    """The error's text, as bytes, where rank ``bad`` alone makes it of what is wrong."""
    options = {"n": 5, "k": 2, **(MADE[what] if comm.Get_rank() == bad else {})}
    try:
        Allreduce(comm, options.pop("n"), **options)
    except InputError as error:
        return np.frombuffer(str(error).encode(), np.uint8)
    return np.empty(0, np.uint8)


def refused_when_called(comm: Any, _: Any, *, what: str, bad: int, before: int) -> Any:
    """The error's text where rank ``bad`` alone passes what is wrong, after ``before`` good calls.

    A good call follows, which shows that the wrong one has left no trace: were it not so, its
    result would be another one than without the wrong call, and the text would say so.
    """
    good = np.array([5.0, 4.0, 3.0, 2.0, 1.0])
    tried, untouched = (Allreduce(comm, 5, k=2, allow_nan=False) for _ in range(2))
    for _ in range(before):
        tried(good)
        untouched(good)
    text = ""
    try:
        tried(CALLED[what] if comm.Get_rank() == bad else good)
    except InputError as error:
        text = str(error)
    if tried(good).values.tolist() != untouched(good).values.tolist():
        text = "the residual has changed"
    return np.frombuffer(text.encode(), np.uint8)


def once(comm: Any, x: Any, *, k: int) -> Any:
    """One call, all of its result."""
    return allreduce(comm, x, k=k).dense()


def look(comm: Any) -> Any:
    """The residual before, after one and after two calls, and whether it can be written to."""
    instance = Allreduce(comm, 3, k=1)
    before = instance.residual
    instance(np.array([1.0, 3.0, 2.0]))
    seen: Any = instance.residual
    first = seen.tolist()
    instance(np.zeros(3))
    return before, first, seen.tolist(), seen.flags.writeable


def two(comm: Any) -> Any:
    """The residuals of two instances on one communicator."""
    instances = Allreduce(comm, 2, k=1), Allreduce(comm, 2, k=1)
    for i, instance in enumerate(instances, start=1):
        instance(i * np.array([1.0, 2.0]))
    return tuple(instance.residual.tolist() for instance in instances if instance.residual is not None)


def unvalidated(comm: Any) -> Any:
    """The errors' texts where every rank's k is wrong, and where its vector is too long; no exchange takes place."""
    instance = Allreduce(comm, 3, k=1, validate=False)
    instance(np.ones(3))
    heard = []
    for wrong in (lambda: Allreduce(comm, 3, k=-1, validate=False), lambda: instance(np.ones(4))):
        try:
            wrong()
        except InputError as error:
            heard.append(str(error))
    return heard
