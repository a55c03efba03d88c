"""How fast chunks are encoded, decoded and added, beside numpy's own ways, on float32.

    python benchmarks/encodings.py [--length 300000] [--density 0.001 0.03 0.2 0.9 1] [--rounds 5]

In turns.  Each chunk is encoded in its cheapest encoding and in the others; the rate is that of the
message's bytes, beside ``numpy.copyto`` of as many.  Decoding copies no values: dense is a mere
view.  Two chunks of one density are added, beside ``numpy.union1d`` of their positions and an
addition to each one's places there.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.impl.core.chunks import Chunk, Positions
from sparring.impl.core.encodings import Encoding, cheapest
from sparring.impl.core.merge import add
from sparring.impl.core.messages import HEADER, decode, encode, room

WARMUP = 1


def main() -> None:
    options = arguments()
    random = np.random.default_rng(0)
    print(f"chunks of {options.length} float32, {options.rounds} rounds, medians; GB/s of the message's bytes")
    print(f"{'density':>8}  {'encoding':14}{'bytes':>10}{'encode':>9}{'decode':>9}{'copyto':>9}")
    for density in options.density:
        chunk = drawn(random, options.length, density)
        for encoding in [Encoding.DENSE] if chunk.full else Encoding:
            show(density, chunk, encoding, options.rounds)
    print(f"{'density':>8}  {'ms: add':>10}{'union1d':>10}{'times as fast':>15}")
    for density in options.density:
        compare(density, drawn(random, options.length, density), drawn(random, options.length, density), options.rounds)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="encodings and sums of chunks")
    parser.add_argument("--length", type=int, default=300_000, help="entries of the chunk, held or not")
    parser.add_argument("--density", type=float, nargs="+", default=[0.001, 0.03, 0.2, 0.9, 1], help="the part held")
    parser.add_argument("--rounds", type=int, default=5, help="rounds measured, after one for warming up")
    return parser.parse_args()


def drawn(random: np.random.Generator, length: int, density: float) -> Chunk:
    """A chunk of which each entry is held with this probability."""
    at = np.flatnonzero(random.random(length) < density)
    return Chunk(None if at.size == length else at, random.standard_normal(at.size).astype(np.float32), length)


def show(density: float, chunk: Chunk, encoding: Encoding, rounds: int) -> None:
    """One row: rates; an asterisk marks the cheapest encoding."""
    buffer = np.empty(room(chunk.length, 8) + 64, np.uint8)
    sent = buffer[: encode(chunk, buffer, encoding)].copy()
    got = decode(sent, chunk.length, chunk.values)
    assert got.full or np.array_equal(got.positions, chunk.positions)  # type: ignore[arg-type]  # neither is None
    source, target = sent.copy(), sent.copy()
    seconds = medians(
        {
            "encode": lambda: encode(chunk, buffer, encoding),
            "decode": lambda: decode(sent, chunk.length, chunk.values),
            "copyto": lambda: np.copyto(target, source),
        },
        rounds,
    )
    best = cheapest(len(chunk), chunk.length, chunk.values.itemsize)
    name = encoding.name.lower() + (" *" if encoding is best else "")
    rates = "".join(f"{(sent.size - HEADER) / s / 1e9:9.2f}" for s in seconds.values())
    print(f"{density:8.2%}  {name:14}{sent.size:10}{rates}")


def compare(density: float, a: Chunk, b: Chunk, rounds: int) -> None:
    """One row: milliseconds of both ways to one sum."""
    total = add(a, b)
    assert np.array_equal(total.dense().view(np.int32), Chunk(*united(a, b), a.length).dense().view(np.int32))
    ours, theirs = medians({"add": lambda: add(a, b), "union1d": lambda: united(a, b)}, rounds).values()
    print(f"{density:8.2%}  {1e3 * ours:10.3f}{1e3 * theirs:10.3f}{theirs / ours:15.1f}")


def united(a: Chunk, b: Chunk) -> tuple[Positions, NDArray[np.float32]]:
    """The sum by ``numpy.union1d``."""
    union = np.union1d(positions(a), positions(b))
    sums = np.full(union.size, -0.0, np.float32)
    for chunk in (a, b):
        sums[np.searchsorted(union, positions(chunk))] += chunk.values
    return union, sums


def positions(chunk: Chunk) -> Positions:
    return np.arange(chunk.length) if chunk.positions is None else chunk.positions


def medians(calls: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Seconds of each, one after the other in every round."""
    times = np.array([[seconds(call) for call in calls.values()] for _ in range(rounds + WARMUP)])[WARMUP:]
    return dict(zip(calls, np.median(times, axis=0).tolist()))


def seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
