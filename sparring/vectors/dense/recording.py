"""Records what a composition on whole vectors does with given inputs, as test vectors have it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from sparring.spec.core.compositions import asked
from sparring.spec.core.model import Page
from sparring.spec.core.runner import Message, run
from sparring.vectors.cases import Given
from sparring.vectors.recording import bits


class Call(NamedTuple):
    """One call: a vector a rank, the messages step by step, each rank's result, the state before and after."""

    xs: list[Any]
    wires: list[list[Message]]
    results: list[Any]
    before: Any
    state: Any


class Case(NamedTuple):
    """A test, carried out."""

    page: Page
    p: int
    n: int
    dtype: np.dtype[Any]
    comment: str
    calls: list[Call]


def recorded(given: Given) -> Case:
    """Run the page.  Raises InputError for parameters that it does not take."""
    done, state, x = [], None, given.calls[0][0]
    with np.errstate(all="ignore"):  # that infinities cancel to NaN is no surprise here
        for xs in given.calls:
            ran = run(given.page, xs, state)
            done.append(Call(xs, ran.trace, ran.results, state, ran.state))
            state = ran.state
    return Case(given.page, given.p, x.size, x.dtype, given.comment, done)


def group(page: Page, p: int) -> dict[str, Any]:
    """Return what tests with as many ranks and the same parameters have in common; each call has its own steps."""
    return {"p": p, "parameters": {name: as_json(value) for name, value in page.params.items()}}


def as_json(value: Any) -> Any:
    """Return a parameter as JSON has it."""
    return [as_json(one) for one in value] if isinstance(value, (tuple, list)) else value


def test(case: Case, flags: list[str], number: int) -> dict[str, Any]:
    """Return a test as the file has it."""
    about = {"id": number, "comment": case.comment, "flags": flags}
    calls = [write_call(case, each) for each in case.calls]
    return {**about, "dtype": str(case.dtype), "n": case.n, "calls": calls}


def write_call(case: Case, call: Call) -> dict[str, Any]:
    """Return a call as the file has it."""
    return {
        "inputs": [bits(x) for x in call.xs],
        "sends": [[[m.src, m.dst] for m in wire] for wire in call.wires],
        "messages": [[message(m.entries, case.dtype) for m in wire] for wire in call.wires],
        "costs": costs(case, call),
        "results": [bits(y) for y in call.results],
        "state": write_state(remembered(case.page, call.state), case.dtype) if case.page.stateful else {},
    }


def costs(case: Case, call: Call) -> dict[str, Any]:
    """Return the messages and bytes that each rank sends; and the busiest rank's bytes, summed over the steps."""
    w, p = case.dtype.itemsize, case.p
    octets = [[sum(size(m.entries, w) for m in wire if m.src == r) for r in range(p)] for wire in call.wires]
    return {
        "messages": [sum(m.src == r for wire in call.wires for m in wire) for r in range(p)],
        "bytes": [sum(step[r] for step in octets) for r in range(p)],
        "critical_bytes": sum(map(max, octets)),
    }


def size(entries: Any, w: int) -> int:
    """Return the bytes of a message."""
    return len(entries) if isinstance(entries, memoryview) else len(entries) * w


def message(entries: Any, dtype: np.dtype[Any]) -> Any:
    """Return a message as the file has it: bytes as one hexadecimal text, numbers as one text each."""
    return entries.hex() if isinstance(entries, memoryview) else numbers(entries, dtype)


def numbers(values: Iterable[Any], dtype: np.dtype[Any]) -> list[str]:
    """Return numbers as the file has them; raises TypeError for a number of another dtype."""
    found = [*values]
    if odd := [v for v in found if getattr(v, "dtype", None) != dtype]:
        raise TypeError(f"{odd[0]!r} is a {type(odd[0]).__name__}, not of {dtype}")
    return bits(np.array(found, dtype))


def remembered(page: Page, state: Any) -> dict[str, Any]:
    """Return the state by name; of a composition also the number of calls, where its text asks for that."""
    if not page.composed:
        return dict(state._asdict())
    return {**({"call": state.call} if "call" in asked(page) else {}), **state.fields}


def write_state(state: Any, dtype: np.dtype[Any]) -> Any:
    """Return the state as the file has it: whole numbers as they are, others by their bits."""
    if hasattr(state, "items"):
        return {name: write_state(value, dtype) for name, value in state.items()}
    if isinstance(state, int):
        return state
    if len(state) and all(hasattr(value, "dtype") and not hasattr(value, "__len__") for value in state):
        return numbers(state, dtype)
    return [write_state(value, dtype) for value in state]
