"""Pages of training that sends rarely, beside dense programs of numpy from the papers; and texts that are none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest

import sparring
from sparring.spec.core.runner import run
from tests.proofs.wrong_texts import wrong

CALLS = 4


def fractions(p: int, n: int) -> Any:
    """By call and rank small fractions, a third of them zeros."""
    rng = np.random.default_rng([p, n])
    many = [Fraction(int(v), 3) for v in rng.integers(-9, 10, CALLS * p * n) * (rng.random(CALLS * p * n) < 0.7)]
    return np.array(many, object).reshape(CALLS, p, n)


def diloco(calls: Any, rate: int, momentum: int, **_: Any) -> Iterator[Any]:
    """Algorithm 1, lines 9 and 10, with the outer optimiser as torch.optim.SGD documents ``nesterov``."""
    lr, mu = Fraction(rate, 1000), Fraction(momentum, 1000)
    theta, buffer = np.full(calls.shape[2], Fraction(0)), None
    for where in calls:
        delta = (theta - where).mean(axis=0)
        buffer = delta if buffer is None else mu * buffer + delta
        theta = theta - lr * (delta + mu * buffer)
        yield [theta] * len(where)


def sparse_loco(calls: Any, rate: int, decay: int, chunk: int, top: int, bits: int) -> Iterator[Any]:
    """Its four lines, with sorting by numpy; entries as they are."""
    _, p, n = calls.shape
    alpha, beta = Fraction(rate, 1000), Fraction(decay, 1000)
    theta, e = np.full(n, Fraction(0)), np.full((p, n), Fraction(0))
    for where in calls:
        e = beta * e + (theta - where)
        sent = np.full_like(e, Fraction(0))
        for begin in range(0, n, chunk):
            part = e[:, begin : begin + chunk]
            at = np.argsort(-abs(part), axis=1, kind="stable")[:, :top]
            np.put_along_axis(sent[:, begin : begin + chunk], at, np.take_along_axis(part, at, axis=1), axis=1)
        e = e - sent
        theta = theta - alpha * sent.mean(axis=0)
        yield [theta] * p


def streaming_diloco(
    calls: Any, rate: int, momentum: int, mix: int, fragments: int, delay: int, **_: Any
) -> Iterator[Any]:
    """Algorithm 2, with a send and a merge of one fragment a call; what is sent waits in a queue."""
    n = calls.shape[2]
    lr, mu, alpha = (Fraction(part, 1000) for part in (rate, momentum, mix))
    theta, buffer = np.full(n, Fraction(0)), np.full(n, Fraction(0))
    queue = []
    for call, where in enumerate(calls):
        cut = slice(*(f * n // fragments for f in (call % fragments, call % fragments + 1)))
        queue.append((cut, (theta[cut] - where[:, cut]).mean(axis=0)))
        result = where.copy()
        if len(queue) > delay:
            cut, delta = queue.pop(0)
            buffer[cut] = mu * buffer[cut] + delta
            theta[cut] = theta[cut] - lr * (delta + mu * buffer[cut])
            result[:, cut] = alpha * where[:, cut] + (1 - alpha) * theta[cut]
        yield [*result]


class Case(NamedTuple):
    """``program``: a dense one; ``params``: with which; ``wrong``: texts of the page that it tells apart."""

    program: Callable[..., Iterator[Any]]
    params: Sequence[Mapping[str, Any]]
    wrong: Sequence[tuple[str, str]]
    drawn: Callable[[int, int], Any] = fractions


CASES = {
    "diloco": Case(
        diloco, [{}, {"rate": 1000, "momentum": 0, "through": "two_shot"}, {"rate": 300, "momentum": 1000}],
        [("back / p", "back"), ("way = pushed(momentum,", "way = pushed(state.momentum,")],
    ),
    "sparse_loco": Case(
        sparse_loco, [{"chunk": 3, "top": 1, "bits": 0}, {"chunk": 4, "top": 9, "bits": 0, "rate": 500},
                      {"chunk": 5, "top": 2, "bits": 0, "decay": 1000}],
        [("sums / p,", "sums,"), ("return e - y", "return e"), ("state.residual * params.decay", "state.residual * 0")],
    ),
    "streaming_diloco": Case(
        streaming_diloco, [{"fragments": 3}, {"fragments": 2, "delay": 0, "mix": 100, "through": "two_shot"},
                           {"fragments": 1, "momentum": 1000}],
        [("call - params.delay, params.fragments)\n    now", "call, params.fragments)\n    now"),
         ("return plain(where(due, mixed(x, now.point, params.mix), x))", "return mixed(x, now.point, params.mix)"),
         ("call % fragments + more", "more"), ("point=where(due, point, state.point)", "point=point")],
    ),
}  # fmt: skip


def unlike(page: Any, case: Case, p: int, n: int) -> int | None:
    """In which call some rank's result is not the program's; None where all are."""
    state, calls = None, case.drawn(p, n)
    for i, (xs, results) in enumerate(zip(calls, case.program(calls, **page.params))):
        ran = run(page, xs.tolist(), state)
        state = ran.state
        if not all(alike(y, right) for y, right in zip(ran.results, results, strict=True)):
            return i
    return None


def alike(y: Any, right: Any) -> bool:
    """Whether numbers are the same; floats to within rounding."""
    if right.dtype == object:
        return bool(np.array_equal(np.array([*y], object), right))
    return bool(np.allclose(np.array([*y], float), right, rtol=1e-10, atol=1e-10))


@pytest.mark.parametrize(("name", "params"), [(name, one) for name, case in CASES.items() for one in case.params])
def test_every_call_is_the_dense_programs(name, params):
    page = sparring.page(name, **params)
    assert {unlike(page, CASES[name], p, n) for p in (1, 2, 3, 5) for n in (1, 6, 11)} == {None}


@pytest.mark.parametrize(("name", "old", "new"), [(name, *one) for name, case in CASES.items() for one in case.wrong])
def test_the_program_tells_a_fault(name, old, new):
    assert unlike(wrong(name, old, new, **CASES[name].params[0]), CASES[name], 3, 11) is not None
