"""What the tests of error feedback run on every rank."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.errors import InputError
from sparring.impl.error_feedback import ErrorFeedback
from sparring.impl.ring_allgather import allreduce
from sparring.impl.selectors import topk
from sparring.sparse import Sparse

CALLED: dict[str, Any] = {
    "wrong length": np.ones(4),
    "list": [1.0] * 5,
    "half precision": np.ones(5, np.float16),
    "another dtype": np.ones(5, np.float32),
}


def series(comm: Any, xs: Any, **params: Any) -> list[tuple[Any, Any]]:
    """Result and residual after each call, a row of ``xs`` being a vector."""
    feedback = ErrorFeedback(comm, xs.shape[1], **params)
    return [(feedback(x), np.array(feedback.residual)) for x in xs]


def of_functions(comm: Any, xs: Any) -> list[tuple[Any, Any]]:
    """The same with functions in the place of names."""
    return series(comm, xs, selector=topk.Selector(k=2), allreduce=allreduce)


def every_other(comm: Any, xs: Any) -> list[tuple[Any, Any]]:
    """The same with a selector that looks at no value."""

    def select(x: Any) -> Sparse:
        at = np.arange(comm.Get_rank() % 2, x.size, 2)
        return Sparse(at, x[at], x.size)

    return series(comm, xs, selector=select, allreduce="two_shot_sparse")


def refused_when_made(comm: Any, _: Any, *, bad: int, n: int = 5, **params: Any) -> Any:
    """The error's text, as bytes, where rank ``bad`` has another length, or these parameters."""
    try:
        ErrorFeedback(comm, n, **params) if comm.Get_rank() == bad else ErrorFeedback(comm, 5)
    except InputError as error:
        return np.frombuffer(str(error).encode(), np.uint8)
    return np.empty(0, np.uint8)


def refused_when_called(comm: Any, _: Any, *, what: str, bad: int) -> Any:
    """The error's text where rank ``bad`` alone passes what is wrong; and whether it has left no trace."""
    good = np.array([5.0, 4.0, 3.0, 2.0, 1.0])
    tried, untouched = (ErrorFeedback(comm, 5, k=2) for _ in range(2))
    tried(good)
    untouched(good)
    text = ""
    try:
        tried(CALLED[what] if comm.Get_rank() == bad else good)
    except InputError as error:
        text = str(error)
    if tried(good).tolist() != untouched(good).tolist():
        text = "the residual has changed"
    return np.frombuffer(text.encode(), np.uint8)
