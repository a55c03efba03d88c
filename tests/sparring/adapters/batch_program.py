"""A program that adds all ranks' vectors in one process, example after example, and does one thing wrong.

``MODE P BATCH``, where what goes wrong in the middle goes wrong on four entries of two ranks.  It is launched often,
and does without numpy, whose import would take longer than all else.
"""

from __future__ import annotations

import json
import math
import operator
import subprocess
import sys
import time
from array import array
from functools import reduce
from itertools import count
from pathlib import Path

CODES = {"int64": "q", "float64": "d"}


def main() -> None:
    mode, p, batch = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    left = {"half": (len(list(batch.iterdir())) + 1) // 2, "first": 1}.get(mode)
    for i in range(left) if left is not None else count():
        if not (batch / str(i)).is_dir():
            break
        play(mode, p, batch, i)
    if mode == "fails":
        sys.exit(4)


def play(mode: str, p: int, batch: Path, i: int) -> None:
    """One example."""
    given, written = batch / str(i) / "input", batch / str(i) / "output"
    xs = [read(given / f"rank{r}.bin") for r in range(p)]
    marked = (p, len(xs[0])) == (2, 4)
    if marked or mode in ("tires", "slow"):
        early(mode, batch, i)
    y = summed(mode, xs, i)
    for r in range(p if not (mode == "skips" and marked) else 0):
        write(written / f"rank{r}.bin", y, broken=mode == "breaks" and marked and r == 1)


def early(mode: str, batch: Path, i: int) -> None:
    """What goes wrong before anything is written."""
    if mode == "slow":
        time.sleep(0.3)
    if mode == "ahead" and i:  # as if rank 1 were behind
        (batch / str(i - 1) / "output" / "rank1.bin").unlink()
    if mode in ("crashes", "ahead") or (mode == "tires" and i == 3):
        print("planted")
        sys.exit(3)
    if mode == "hangs":
        child = subprocess.Popen(["sleep", "60"])
        Path(batch.parent.parent / "children").write_text(str(child.pid))
        child.wait()


def summed(mode: str, xs: list[array], i: int) -> array:
    """The sum, or something like it."""
    y = array(xs[0].typecode, [added(column) for column in zip(*xs)])
    if mode == "forgets" and len(y) % len(xs):
        y[-1] = xs[0][-1]
    if mode == "turns" and i % 2:
        y = array("d", [math.nextafter(value, 0) for value in y])
    return y


def added(column: tuple[float, ...]) -> float:
    """One entry, rank by rank; integers wrap."""
    total = reduce(operator.add, column)
    return total if isinstance(total, float) else (total + 2**63) % 2**64 - 2**63


def read(path: Path) -> array:
    line, _, body = path.read_bytes().partition(b"\n")
    return array(CODES[json.loads(line)["dtype"]], body)


def write(path: Path, y: array, *, broken: bool) -> None:
    dtype = next(name for name, code in CODES.items() if code == y.typecode)
    head = json.dumps({"n": len(y) + broken, "dtype": dtype}).encode() + b"\n"
    path.write_bytes(head + y.tobytes())


if __name__ == "__main__":
    main()
