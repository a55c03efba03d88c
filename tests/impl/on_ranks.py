"""What tests run on every rank; ``name``: of which implementation, imported by the rank that runs."""

from __future__ import annotations

import copy
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from sparring.errors import InputError
from sparring.impl.training.moshpit_sgd import MoshpitSGD


def module(name: str) -> Any:
    """An implementation."""
    return import_module(f"sparring.impl.{name}")


def stateful(implementation: Any) -> Any:
    """Its class, if there is one."""
    return getattr(implementation, "Allreduce", None) or getattr(implementation, "ErrorFeedback", None)


def entries(y: Any) -> Any:
    """A copy of all of a result's."""
    return y.dense() if hasattr(y, "dense") else y.copy()


def three_ways(comm: Any, x: Any, *, name: str, **params: Any) -> Any:
    """The result, having seen that a new array, a given one and ``x`` itself get the same bits."""
    allreduce, kept = module(name).allreduce, x.copy()
    x.flags.writeable = False
    y = allreduce(comm, x, **params)
    assert y is not x and not np.shares_memory(x, y)
    given = np.full_like(x, 7)
    assert allreduce(comm, x, out=given, **params) is given
    own = x.copy()
    assert allreduce(comm, own, out=own, validate=False, **params) is own
    assert x.tobytes() == kept.tobytes()
    assert y.tobytes() == given.tobytes() == own.tobytes()
    return y


def kept(comm: Any, x: Any, *, name: str) -> Any:
    """The sum of lists, having seen that what was passed is as it was."""
    indices, values = x.indices.tobytes(), x.values.tobytes()
    x.values.flags.writeable = False
    y = module(name).allreduce(comm, x)
    assert (x.indices.tobytes(), x.values.tobytes()) == (indices, values)
    assert not np.shares_memory(x.values, y.values)
    return y


def once(comm: Any, x: Any, *, name: str, **params: Any) -> Any:
    """One call of the function; all entries of its result."""
    return entries(module(name).allreduce(comm, x, **params))


def every_end(comm: Any, x: Any, *, points: Any, **params: Any) -> Any:
    """The averages where each of these dies or fails, one after the other."""
    return np.concatenate([module("moshpit").allreduce(comm, x, **point, **params) for point in points])


def descended(comm: Any, gradients: Any, *, period: int, m: int, rate: float) -> Any:
    """Parameters after so many steps, a row of ``gradients`` each, from the same start."""
    descent = MoshpitSGD(
        np.arange(gradients.shape[1], dtype=gradients.dtype),
        lambda w, i: module("moshpit").allreduce(comm, w, m=m, chance=i),
        rate,
        period,
    )
    averaged = [descent.step(gradient) for gradient in gradients]
    assert averaged == [(t + 1) % period == 0 for t in range(len(gradients))]
    return descent.w


def text(does: Callable[[], Any]) -> Any:
    """The error's text, as bytes; empty where there is none."""
    try:
        does()
    except InputError as error:
        return np.frombuffer(str(error).encode(), np.uint8)
    return np.empty(0, np.uint8)


def copied(comm: Any, _: Any, *, name: str, how: str, **params: Any) -> Any:
    """The third results of an instance, of a copy made after the second call, and of one that nobody copied."""
    kind = stateful(module(name))
    tried, untouched = (kind(comm, 5, **params) for _ in range(2))
    for one in (tried, untouched, tried, untouched):
        one(VECTOR + comm.Get_rank())
    other = getattr(copy, how)(tried)
    return np.stack([entries(one(VECTOR)) for one in (tried, other, untouched)])


GOOD: Any = ([1], [1.0], 5)
VECTOR = np.array([5.0, 4.0, 3.0, 2.0, 1.0])
BAD_LISTS: dict[str, tuple[Any, dict[str, Any]]] = {
    "unsorted": (([2, 1], [1.0, 1.0], 5), {}),
    "duplicate": (([1, 1], [1.0, 1.0], 5), {}),
    "out of range": (([1, 5], [1.0, 1.0], 5), {}),
    "below zero": (([-1, 1], [1.0, 1.0], 5), {}),
    "more values than indices": (([1], [1.0, 1.0], 5), {}),
    "no array": (([[1], [1, 2]], [1.0, 1.0], 5), {}),
    "masked": (([1, 2], np.ma.masked_array([1.0, 1.0], [False, True]), 5), {}),
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
BAD_VECTORS: dict[str, Any] = {
    "shorter": np.ones(4),
    "longer": np.ones(6),
    "list": [1.0] * 5,
    "matrix": np.ones((5, 1)),
    "gaps": np.ones(10)[::2],
    "askew": np.zeros(41, np.uint8)[1:].view(np.float64),
    "masked": np.ma.masked_array(np.ones(5), [False, True, False, False, False]),
    "half precision": np.ones(5, np.float16),
    "NaN": np.array([1.0, np.nan, 2.0, 3.0, 4.0]),
    "another dtype": np.ones(5, np.float32),
    "whole numbers": np.ones(5, np.int64),
}


def refused_list(comm: Any, _: Any, *, name: str, what: str, bad: list[int]) -> Any:
    """The error's text where these ranks pass such a list."""
    x, options = BAD_LISTS[what] if comm.Get_rank() in bad else (GOOD, {})
    return text(lambda: module(name).allreduce(comm, x, **options))


def refused_when_made(comm: Any, _: Any, *, name: str, wrong: dict[str, Any], bad: list[int]) -> Any:
    """The error's text where these ranks pass such parameters: to the class if there is one, else to the function."""
    params = {**wrong} if comm.Get_rank() in bad else {}
    n = params.pop("n", 5)
    if kind := stateful(module(name)):
        return text(lambda: kind(comm, n, **params))
    allreduce = module(name).allreduce
    x = np.ones(n) if "out" in allreduce.__kwdefaults__ else GOOD
    return text(lambda: allreduce(comm, x, **params))


def refused_vector(comm: Any, _: Any, *, name: str, what: str, bad: int, before: int = 0, **params: Any) -> Any:
    """The error's text where rank ``bad`` alone passes such a vector, after so many good calls.

    A good call follows, which shows that the wrong one has left no trace: were it not so, its
    result would be another one than without the wrong call, and the text would say so.
    """
    targets: Any = [lambda x: module(name).allreduce(comm, x, **params)] * 2
    if kind := stateful(module(name)):
        targets = [kind(comm, 5, **params) for _ in range(2)]
    tried, untouched = targets
    for _ in range(before):
        tried(VECTOR)
        untouched(VECTOR)
    told = text(lambda: tried(BAD_VECTORS[what] if comm.Get_rank() == bad else VECTOR))
    unchanged = entries(tried(VECTOR)).tobytes() == entries(untouched(VECTOR)).tobytes()
    return told if unchanged else np.frombuffer(b"something has changed", np.uint8)


def refused_groups(comm: Any, _: Any, *, name: str, **params: Any) -> Any:
    """What the even and the odd ranks are told where they are the two groups of one communicator."""
    part = comm.Split(comm.rank % 2)
    between, x, made = part.Create_intercomm(0, comm, 1 - comm.rank % 2), np.arange(5.0), stateful(module(name))
    try:
        return text(lambda: made(between, 5, **params)(x) if made else module(name).allreduce(between, x, **params))
    finally:
        between.Free()
        part.Free()


def unvalidated(comm: Any, _: Any, *, name: str, wrong: dict[str, Any]) -> Any:
    """The errors' texts where every rank's parameters are wrong, and where vectors are too long; nothing is sent."""
    kind = stateful(module(name))
    target = kind(comm, 4, validate=False)
    target(np.ones(4))
    told = text(lambda: kind(comm, 4, validate=False, **wrong)), text(lambda: target(np.ones(5)))
    return np.concatenate([told[0], np.frombuffer(b"\n", np.uint8), told[1]])
