"""Records what a page does with given inputs, as test vectors have it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring import page_runs, sparse_lists
from sparring.errors import InputError
from sparring.refinement.vectors import difference
from sparring.sparse import Sparse
from sparring.spec.core import runner
from sparring.spec.core.blocks import Chunks
from sparring.spec.core.model import Page
from sparring.spec.core.runner import Run, worded
from sparring.spec.core.schedule import number, step_sends, truth
from sparring.spec.core.sparse import SparseVector
from sparring.vectors.cases import Given


class Sent(NamedTuple):
    """A message: who sends to whom which chunks, and what; how large it is and how it is encoded."""

    src: int
    dst: int
    chunks: Chunks
    content: Any
    entries: int
    words: int
    bytes: int
    encoding: str


class Call(NamedTuple):
    """One call: a vector a rank, the messages step by step, the result and, by rank, what was left for the next."""

    xs: list[Any]
    wires: list[list[Sent]]
    result: Any
    residuals: list[NDArray[Any]]

    @property
    def sums(self) -> Iterator[tuple[list[Any], Any]]:
        """Pairs for each entry of the result: the contributions that there are, in the order of ranks, and the sum."""
        tables = [entries(x) for x in self.xs]
        for i, y in entries(self.result).items():
            yield [table[i] for table in tables if i in table], y

    @property
    def supports(self) -> list[set[int]]:
        """The indices of the entries that each rank has."""
        return [{*entries(x)} for x in self.xs]


class Case(NamedTuple):
    """A test, carried out."""

    page: Page
    p: int
    n: int
    dtype: np.dtype[Any]
    comment: str
    calls: list[Call]


def entries(x: Any) -> dict[int, Any]:
    """Return a vector's entries by index, as Python's numbers."""
    return dict(zip(x.indices.tolist(), x.values.tolist()) if isinstance(x, Sparse) else enumerate(x.tolist()))


Schedule = list[list[tuple[int, int, Chunks]]]
"""By step, who sends to whom which chunks."""


def schedule(page: Page, p: int) -> Schedule:
    """Return the messages of a page, by step; empty for a composition.  Raises ScheduleFault if it has no schedule."""
    if page.composed:
        return []
    return [step_sends(page, t, p) for t in range(number(page.steps(p)))]


def recorded(given: Given, sends: Schedule) -> Case:
    """Run the page.  Raises Refuted or InputError where it makes no schedule, or no result that all ranks share."""
    page, calls = given.page, given.calls
    x = calls[0][0]
    with np.errstate(all="ignore"):  # that infinities cancel to NaN is no surprise here
        done = [call(page, sends, xs, ran) for xs, ran in zip(calls, runs(page, calls))]
    return Case(page, given.p, x.size, x.dtype, given.comment, done)


def runs(page: Page, calls: Sequence[list[Any]]) -> Iterator[Run]:
    """Return a run for each call; a stateful page goes on from what the last call left."""
    if page.stateful:
        return page_runs.runs(page, [np.stack(xs) for xs in zip(*calls)])
    return (runner.run(page, xs) for xs in calls)


def call(page: Page, sends: Schedule, xs: list[Any], ran: Run) -> Call:
    """Return the record of a run: inputs, messages, result, residuals.  Raises InputError if ranks' results differ."""
    p, like = len(xs), xs[0]
    if page.composed:
        sends = [[(src, dst, range(0)) for src, dst, _ in wire] for wire in ran.trace]
    wires = [
        [sent(page, chunks, message, like) for (_, _, chunks), message in zip(step, wire)]
        for step, wire in zip(sends, ran.trace)
    ]
    results = [sparse_lists.made(y, like.dtype) if isinstance(y, SparseVector) else y for y in ran.results]
    if odd := [r for r, y in enumerate(results) if difference(y, results[0]) is not None]:
        raise InputError(
            f"{page.name}: at p={p} rank {odd[0]} ends with other bits than rank 0; vectors need one result"
        )
    left = [sparse_lists.made(y, like.dtype).dense() for y in getattr(ran, "residuals", ())] if page.stateful else []
    return Call(xs, wires, results[0], left)


def sent(page: Page, chunks: Chunks, message: runner.Message, like: Any) -> Sent:
    """Return a message and its size; in a sparse message each value is a word, and each index."""
    src, dst, content = message
    listed = isinstance(content, SparseVector)
    m, size, w = len(content.indices if listed else content), content.n if listed else len(content), like.dtype.itemsize
    words = worded(page, content, w)
    return Sent(src, dst, chunks, content, m, words, number(page.octets(m, size, w)), page.encoded(m, size, w))


def group(page: Page, p: int, sends: Schedule) -> dict[str, Any]:
    """Return what tests with as many ranks and the same parameters have in common."""
    steps = [
        {
            "adds": truth(page.adds(t, p)),
            "sends": [{"src": r, "dst": d, "chunk": c.start, "count": len(c)} for r, d, c in step],
        }
        for t, step in enumerate(sends)
    ]
    return {"p": p, "parameters": dict(page.params), "chunks": number(page.chunks(p)), "steps": steps}


def test(case: Case, flags: list[str], number: int) -> dict[str, Any]:
    """Return a test as the file has it."""
    calls = [write_call(case, each) for each in case.calls]
    about = {"id": number, "comment": case.comment, "flags": flags}
    return {**about, "dtype": str(case.dtype), "n": case.n, "calls": calls}


def write_call(case: Case, call: Call) -> dict[str, Any]:
    """Return a call as the file has it."""
    encodings = {"encodings": [[m.encoding for m in wire] for wire in call.wires]} if case.page.data == "sparse" else {}
    residuals = {"residuals": [vector(x) for x in call.residuals]} if case.page.stateful else {}
    sends = {"sends": [[[m.src, m.dst] for m in wire] for wire in call.wires]} if case.page.composed else {}
    return {
        "inputs": [vector(x) for x in call.xs],
        **sends,
        "entries": [[m.entries for m in wire] for wire in call.wires],
        "bytes": [[m.bytes for m in wire] for wire in call.wires],
        **encodings,
        "costs": costs(case.p, call.wires),
        "result": vector(call.result),
        **residuals,
    }


def costs(p: int, wires: list[list[Sent]]) -> dict[str, Any]:
    """Return the messages, words and bytes that each rank sends; and the busiest rank's, summed over the steps."""
    words = [[sum(m.words for m in wire if m.src == r) for r in range(p)] for wire in wires]
    octets = [[sum(m.bytes for m in wire if m.src == r) for r in range(p)] for wire in wires]
    return {
        "messages": [sum(m.src == r for wire in wires for m in wire) for r in range(p)],
        "words": [sum(step[r] for step in words) for r in range(p)],
        "bytes": [sum(step[r] for step in octets) for r in range(p)],
        "critical_words": sum(map(max, words)),
        "critical_bytes": sum(map(max, octets)),
    }


def vector(x: Any) -> Any:
    """Return a vector as the file has it."""
    if isinstance(x, Sparse):
        return {"indices": x.indices.tolist(), "values": bits(x.values)}
    return bits(x)


def bits(values: NDArray[Any]) -> list[str]:
    """Return each number's bits in hexadecimal, the highest first; any NaN is written as Python's."""
    big = np.array(values, values.dtype.newbyteorder(">"))
    if big.dtype.kind == "f":
        big[np.isnan(big)] = np.nan
    octets, w = big.tobytes().hex(), 2 * values.itemsize
    return [octets[i : i + w] for i in range(0, len(octets), w)]
