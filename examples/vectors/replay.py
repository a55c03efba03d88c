"""Replays test vectors of sparse and dense allreduce: does sending what they say give the results that they say?

    python replay.py ring.json ring_topk.json ...

Needs Python's standard library alone, and was written from the description of the format (test-vectors.md) and
its schema.  To test an implementation of your own, put it in the place of `replay`.

Exit codes: 0 all tests hold, 1 some do not, 2 a file is not what it should be.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import math
import struct
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))  # where Python is told not to look by itself
import dense  # the files beside this one
import fields
import thresholds
from whole import Malformed, Wrong

SIZE, RANKS = 16 * 2**20, 1024  # bytes of a file; ranks, and chunks, of a test
FORMATS = {"float32": "f", "float64": "d", "int32": "i", "int64": "q"}
PROGRAM = "thresholds"  # who sends what to whom depends on the vectors
OWN = "dense"  # messages are made by rules of the algorithm's own
SELECTED = ("selected", "collected", "selected once", "selected again", PROGRAM)  # what is not sent is kept
DATA = ("vector", "lists", "sparse", *SELECTED, OWN)
HEADER, BLOCK = 8, 2**16  # of messages that are encoded as is shortest

Chunk = dict[int, Any]  # the numbers that are there, by their place in the chunk
State = list[list[Chunk]]  # by rank and chunk


# Numbers


def number(bits: str, dtype: str) -> Any:
    """The number that these hexadecimal digits are."""
    return struct.unpack(f">{FORMATS[dtype]}", bytes.fromhex(bits))[0]


def width(dtype: str) -> int:
    """Bytes of a number."""
    return struct.calcsize(f">{FORMATS[dtype]}")


def plus(a: Any, b: Any, dtype: str) -> Any:
    """The sum, rounded as floats are, or wrapped around as integers are."""
    if dtype == "float32":
        return ctypes.c_float(a + b).value  # rounding twice does no harm: a double has more than twice the digits
    if dtype == "float64":
        return a + b
    return (ctypes.c_int32 if dtype == "int32" else ctypes.c_int64)(a + b).value


def same(a: Any, b: Any, dtype: str) -> bool:
    """The same bits, or both NaN."""
    return (a != a and b != b) or struct.pack(FORMATS[dtype], a) == struct.pack(FORMATS[dtype], b)  # noqa: PLR0124  # NaN


def identity(dtype: str) -> Any:
    """What changes nothing when it is added."""
    return 0 if dtype.startswith("int") else -0.0


# Vectors and chunks


def bound(c: int, n: int, chunks: int) -> int:
    """Where chunk c begins."""
    return c * n // chunks


def entries(vector: Any, n: int, dtype: str, *, sparse: bool) -> Chunk:
    """A vector's numbers by index, all of them unless it is sparse."""
    values = vector["values"] if sparse else vector
    indices = vector["indices"] if sparse else range(n)
    if len(indices) != len(values) or any(a >= b for a, b in zip([-1, *indices], [*indices, n])):
        raise Malformed("has a vector without a number for each index, or whose indices do not ascend to n")
    return dict(zip(indices, (number(bits, dtype) for bits in values)))


def piece(x: Chunk, start: int, end: int) -> Chunk:
    """The numbers from start on and before end, counted from start."""
    return {i - start: v for i, v in x.items() if start <= i < end}


def joined(chunks: list[Chunk], n: int) -> Chunk:
    """The vector that was cut into these."""
    return {bound(c, n, len(chunks)) + i: v for c, chunk in enumerate(chunks) for i, v in chunk.items()}


def added(chunks: list[Chunk], dtype: str) -> Chunk:
    """Their sum, from the first to the last; a number that is missing adds nothing."""
    total: Chunk = {}
    for chunk in chunks:
        for i, v in chunk.items():
            total[i] = plus(total[i], v, dtype) if i in total else v
    return dict(sorted(total.items()))


# What a rank makes of a chunk before it sends it, and how long the message is


def encoding(m: int, size: int, w: int) -> tuple[str, int]:
    """The first of the shortest encodings of m numbers of w bytes in a chunk of so many places, and its bytes."""
    lengths = {
        "dense": size * w,
        "pairs": m * (w + (4 if size <= 2**32 else 8)),
        "offsets": m * (w + 2) + (0 if size <= BLOCK else 4 * ((size - 1) // BLOCK)),
        "bitmap": m * w + (size + 7) // 8,
    }
    name = min(lengths, key=lambda each: lengths[each])
    return name, HEADER + lengths[name]


def largest(chunk: Chunk, k: int) -> Chunk:
    """The k numbers of largest magnitude: NaN first, of equal ones that of lower index."""
    order = sorted(chunk, key=lambda i: (not math.isnan(chunk[i]), 0 if math.isnan(chunk[i]) else -abs(chunk[i]), i))
    return {i: chunk[i] for i in sorted(order[:k])}


def collected(began: Chunk, left: Chunk, result: Chunk) -> Chunk:
    """What a rank keeps: where the result has a number, what it did not send; elsewhere what it began with."""
    return {i: left.get(i, 0) if i in result else v for i, v in began.items()}


class Replay:
    """One call of an algorithm on these inputs, by rank; what was sent, and what every rank has in the end."""

    def __init__(self, data: str, group: Any, n: int, dtype: str, inputs: list[Chunk]) -> None:
        self.data, self.p, self.chunks, self.n, self.dtype = data, group["p"], group["chunks"], n, dtype
        self.k, self.thirds = min(group["parameters"].get("k", n), n), group["parameters"].get("thirds")
        cuts = [(bound(c, n, self.chunks), bound(c + 1, n, self.chunks)) for c in range(self.chunks)]
        self.size = [n] * self.chunks if data == "lists" else [end - start for start, end in cuts]
        self.state: State = [[piece(x, *cut) for cut in cuts] for x in inputs]
        if data == "lists":  # chunk c is rank c's whole vector
            self.state = [[x if r == c else {} for c in range(self.chunks)] for r, x in enumerate(inputs)]
        self.left: State = [[{} for _ in cuts] for _ in inputs]
        if data in ("selected once", "selected again"):
            self.select()
        self.entries: list[list[int]] = []
        self.words: list[list[int]] = []
        self.bytes: list[list[int]] = []
        self.encodings: list[list[str]] = []
        for step in group["steps"]:
            self.step(step)
        self.results = [self.result(r) for r in range(self.p)]
        self.residuals = [joined(chunks, n) for chunks in self.left]
        if data == "collected":
            self.residuals = [collected(*rank) for rank in zip(inputs, self.residuals, self.results)]

    def step(self, step: Any) -> None:
        """All messages are made before any is received."""
        sends = step["sends"]
        if len({(s["src"], s["dst"]) for s in sends} - {(r, r) for r in range(self.p)}) < len(sends):
            raise Malformed("has two messages between two ranks in one step, or one from a rank to itself")
        messages = [(s, {c: self.made(s["src"], c, not step["adds"]) for c in self.covered(s)}) for s in sends]
        self.words.append([self.counted([*content.items()]) for _, content in messages])
        measured = [self.measured([*content.items()]) for _, content in messages]
        self.entries.append([m for m, _, _ in measured])
        self.encodings.append([name for _, name, _ in measured])
        self.bytes.append([octets for _, _, octets in measured])
        came: dict[tuple[int, int], dict[int, Chunk]] = {}
        for s, content in messages:
            for c, chunk in content.items():
                came.setdefault((s["dst"], c), {})[s["src"]] = chunk
        for (r, c), chunks in came.items():
            if step["adds"]:
                chunks[r] = self.state[r][c]
            elif len(chunks) > 1:
                raise Wrong(f"two messages of one step overwrite rank {r}'s chunk {c}")
            self.state[r][c] = added([chunks[q] for q in sorted(chunks)], self.dtype)
        if self.data == "selected again":
            self.select()

    def covered(self, send: Any) -> list[int]:
        """The chunks of a message; of lists and selected entries, after the last comes the first."""
        first, count = send["chunk"], send["count"]
        room = self.chunks - (0 if self.data in ("lists", *SELECTED) else first)
        if not (0 <= send["src"] < self.p and 0 <= send["dst"] < self.p and first >= 0 and 0 <= count <= room):
            raise Malformed(f"has a send that is out of range: {send}")
        return [c % self.chunks for c in range(first, first + count)]

    def select(self) -> None:
        """All ranks keep the largest numbers of all chunks."""
        self.state = [[self.selected(r, c) for c in range(self.chunks)] for r in range(self.p)]

    def selected(self, r: int, c: int) -> Chunk:
        """The largest numbers of rank r's chunk c; the others stay behind."""
        part = bound(c + 1, self.k, self.chunks) - bound(c, self.k, self.chunks)
        chunk = largest(self.state[r][c], part)
        cut = {i: v for i, v in self.state[r][c].items() if i not in chunk}
        self.left[r][c] = added([self.left[r][c], cut], self.dtype)
        return chunk

    def made(self, r: int, c: int, is_sum: bool) -> Chunk:
        """What rank r sends of its chunk c, which is what it has of it from now on.

        Of what is selected once, sums are full; and with thirds, if they have so many of their entries.
        """
        chunk = self.state[r][c]
        full = self.data == "sparse" and encoding(len(chunk), self.size[c], width(self.dtype))[0] == "dense"
        full |= self.thirds is not None and is_sum and self.p > 1 and 3 * len(chunk) >= self.thirds * self.size[c]
        if full or (self.data == "selected once" and is_sum):
            chunk = {i: chunk.get(i, identity(self.dtype)) for i in range(self.size[c])}
        if self.data in ("selected", "collected"):
            chunk = self.selected(r, c)
        self.state[r][c] = chunk
        return chunk

    def measured(self, content: list[tuple[int, Chunk]]) -> tuple[int, str, int]:
        """A message's entries, the name of its encoding, and its bytes."""
        m, w = sum(len(chunk) for _, chunk in content), width(self.dtype)
        if self.alone(content):
            return m, "", m * w
        if self.data == "sparse":
            return m, *encoding(m, self.size[content[0][0]], w)
        return m, "", m * (w + (4 if self.data in SELECTED or self.n <= 2**31 else 8))

    def counted(self, content: list[tuple[int, Chunk]]) -> int:
        """A message's words: its numbers, and their indices."""
        return sum(len(chunk) for _, chunk in content) * (1 if self.alone(content) else 2)

    def alone(self, content: list[tuple[int, Chunk]]) -> bool:
        """Whether a message has no indices: of whole vectors, and of what is selected once all of a chunk."""
        return self.data == "vector" or (
            self.data == "selected once" and all(len(chunk) == self.size[c] for c, chunk in content)
        )

    def result(self, r: int) -> Chunk:
        """What rank r has in the end; adding zero leaves no -0.0."""
        chunks = [self.made(r, c, True) for c in range(self.chunks)]
        total = added(chunks, self.dtype) if self.data == "lists" else joined(chunks, self.n)
        return {i: plus(v, 0, self.dtype) for i, v in total.items()}


class Program:
    """The same of an algorithm whose messages depend on the vectors."""

    def __init__(self, kept: thresholds.Kept, group: Any, n: int, dtype: str, inputs: list[Chunk]) -> None:
        self.data, self.p, self.n, self.dtype = PROGRAM, len(inputs), n, dtype
        play = thresholds.Play(
            kept, group["parameters"], n, inputs, lambda xs: added(xs, dtype), lambda v: plus(v, 0.0, dtype)
        )
        self.sends = [[[src, dst] for src, dst, _ in step] for step in play.steps]
        self.sources = [[src for src, _ in step] for step in self.sends]
        self.entries = [[m for *_, m in step] for step in play.steps]
        self.words = [[2 * m for m in step] for step in self.entries]
        self.bytes = [[m * (width(dtype) + 4) for m in step] for step in self.entries]
        self.results, self.residuals = [play.result] * self.p, play.residuals


def costs(replay: Replay | Program, steps: list[list[int]]) -> dict[str, Any]:
    """What the ranks send, added up; `steps`: by step, who sends each message."""
    ones = [[1] * len(step) for step in replay.entries]

    def by_rank(amounts: list[list[int]]) -> list[list[int]]:
        """A row a step: what each rank sends in it."""
        rows = [[0] * replay.p for _ in amounts]
        for row, step, sizes in zip(rows, steps, amounts):
            for src, size in zip(step, sizes):
                row[src] += size
        return rows

    def total(amounts: list[list[int]]) -> list[int]:
        return [sum(column) for column in zip(*by_rank(amounts))] or [0] * replay.p

    return {
        "messages": total(ones),
        "words": total(replay.words),
        "bytes": total(replay.bytes),
        "critical_words": sum(map(max, by_rank(replay.words))),
        "critical_bytes": sum(map(max, by_rank(replay.bytes))),
    }


# Judging


def check(holds: bool, why: str) -> None:
    """Raise Wrong unless it holds."""
    if not holds:
        raise Wrong(why)


def compare(what: str, has: Chunk, wanted: Chunk, dtype: str) -> None:
    """Raise Wrong at the first index at which they differ."""
    for i in sorted({*has, *wanted}):
        there = i in has and i in wanted
        check(
            there and same(has[i], wanted[i], dtype), f"{what}, index {i}: {has.get(i)}, the file has {wanted.get(i)}"
        )


def run(data: str, group: Any, test: Any) -> None:
    """Raise Wrong unless all calls of a test give what the file says."""
    n, dtype = test["n"], test["dtype"]
    waiting, kept = [Chunk() for _ in range(group["p"])], thresholds.Kept()
    for i, call in enumerate(test["calls"], start=1):
        inputs = [entries(x, n, dtype, sparse=data in ("lists", "sparse")) for x in call["inputs"]]
        if len(inputs) != group["p"]:
            raise Malformed(f"has {len(inputs)} inputs for {group['p']} ranks")
        if data in SELECTED:  # what waits is +0.0 before the first call
            inputs = [{i: plus(left.get(i, 0), v, dtype) for i, v in x.items()} for left, x in zip(waiting, inputs)]
        one = (group, n, dtype, inputs)
        replay = Program(kept, *one) if data == PROGRAM else Replay(data, *one)
        judge(replay, group, call, f"call {i}")
        waiting = replay.residuals


def judge(replay: Replay | Program, group: Any, call: Any, where: str) -> None:
    """Raise Wrong unless what was sent, its costs, results and residuals are those of the file."""
    more = {"sparse": ("encodings",), PROGRAM: ("sends",)}.get(replay.data, ())
    for what in ("entries", "bytes", *more):
        check(getattr(replay, what) == call[what], f"{where}: {what} of messages differ")
    check(replay.data != PROGRAM or not group["steps"], f"{where}: the group has steps, which depend on the vectors")
    found = costs(replay, getattr(replay, "sources", [[s["src"] for s in step["sends"]] for step in group["steps"]]))
    for what, wanted in call["costs"].items():
        check(found[what] == wanted, f"{where}: {what} are {found[what]}, the file has {wanted}")
    wanted = entries(call["result"], replay.n, replay.dtype, sparse=replay.data != "vector")
    for r, result in enumerate(replay.results):
        compare(f"{where}: rank {r}'s result", result, wanted, replay.dtype)
    if replay.data not in SELECTED:
        return
    for r, (residual, told) in enumerate(zip(replay.residuals, call["residuals"], strict=True)):
        has = {i: residual.get(i, 0) for i in range(replay.n)}
        wanted = entries(told, replay.n, replay.dtype, sparse=False)
        compare(f"{where}: rank {r}'s residual", has, wanted, replay.dtype)


# Files


def load(path: Path) -> Any:
    """What a file holds, as far as the rest relies on it; the schema says more."""
    try:
        if path.stat().st_size > SIZE:
            raise Malformed(f"has more than {SIZE} bytes")
        return json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=fields.unique)
    except (OSError, ValueError, RecursionError) as error:
        raise Malformed(f"cannot be read: {error}") from error


def replay_file(path: Path) -> int:
    """How many tests of a file do not hold; each is told.  Raises Malformed."""
    try:
        file, wrong, ids = load(path), 0, []
        if file["schema"] != 1:
            raise Malformed(f"has version {file['schema']}; this program reads version 1")
        if file["data"] not in DATA:
            raise Malformed(f"has data {file['data']!r}; right: one of {', '.join(DATA)}")
        fields.check(file)
        for group in file["groups"]:
            if not (0 < group["p"] <= RANKS and 0 < group.get("chunks", 1) <= RANKS):
                raise Malformed(f"has a group of no ranks or chunks, or of more than {RANKS}")
            for test in group["tests"]:
                ids.append(test["id"])
                try:
                    check(set(test["flags"]) <= set(file["notes"]), "a flag has no note")
                    judged = (dense.run, file["algorithm"]) if file["data"] == OWN else (run, file["data"])
                    judged[0](judged[1], group, test)
                except Wrong as why:
                    wrong += 1
                    print(f"{path}: test {test['id']} ({test['comment']}): {why}")
        if ids != [*range(1, len(ids) + 1)] or len(ids) != file["test_count"]:
            raise Malformed(f"has tests {str(ids)[:60]}, not 1 to {file['test_count']}")
    except (KeyError, IndexError, TypeError, ValueError, ArithmeticError, AttributeError, struct.error) as error:
        raise Malformed(f"is not as the schema says: {type(error).__name__}: {error}") from error
    print(f"{path}: {len(ids) - wrong} of {len(ids)} tests hold")
    return wrong


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description="Replay test vectors of allreduce algorithms.")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.json")
    wrong = 0
    for path in parser.parse_args().files:
        try:
            wrong += replay_file(path)
        except Malformed as error:
            print(f"{path}: {error}", file=sys.stderr)
            return 2
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
