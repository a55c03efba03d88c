"""How fast the implementations are beside the MPI library's own allreduce, on float32.

    python benchmarks/allreduce.py [--ranks 2,4,8] [--sizes 1e6,1e7] [--densities 0.1%,1%,5%]
                                   [--algorithms ring,mine.py:allreduce] [--out FILE.json]

It starts ``mpiexec`` itself, once for each number of ranks, size and density; ``cell.py`` is what
runs there.  Every algorithm that has an implementation is measured, in turns with ``comm.Allreduce``
in the MPI library's default environment, and its result is compared: a wrong one ends it with exit
code 1.  Dense algorithms get the dense vector; sparse ones get its largest entries, selected
beforehand, and that selection is timed apart.  Those with a memory select by themselves: their time
has everything in it, and what of it they take without other ranks is told as well.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import sparring
from sparring.checks.ranks import launch, target
from sparring.errors import InputError
from sparring.spec.core.model import Page
from sparring.verification.algorithm import find_target

LIMIT = 900.0
"""Seconds after which a cell counts as hanging."""
TUNED = ("MPICH_", "MPIR_", "UCX_", "FI_", "OMPI_", "PRTE_", "I_MPI_")
"""How the variables begin with which MPI libraries are tuned."""


class Algorithm(NamedTuple):
    """What is measured: its name, the target ``module:function`` and whether that is given sparse vectors."""

    name: str
    target: str
    sparse: bool = False


class Cell(NamedTuple):
    """One row of the tables: ranks, entries of the dense vector, and the part of them that is kept."""

    ranks: int
    size: int
    density: float


class Failed(Exception):
    """The ranks of a cell ended with an error, which is the message."""


def main() -> None:
    options = arguments()
    cells = [Cell(*one) for one in product(options.ranks, options.sizes, options.densities)]
    measured = []
    for cell in cells:
        try:
            measured.append(measure(cell, options.algorithms, options.seconds, options.rounds))
        except (Failed, launch.TimedOut, sparring.MissingExtra) as failure:
            sys.exit(f"{cell.ranks} ranks, {cell.size} entries, density {cell.density:g}: {failure}")
        print(line(measured[-1]), flush=True)
    if options.out:
        options.out.write_text(written(report(measured)), encoding="utf-8")


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line, read; one sentence and exit code 2 for what cannot be measured."""
    parser = argparse.ArgumentParser(description="the implementations beside comm.Allreduce")
    add = parser.add_argument
    add("--ranks", type=listed(whole), default="2,4,8", help="numbers of ranks")
    add("--sizes", type=listed(whole), default="1e6,1e7", help="entries of the dense float32 vector")
    add("--densities", type=listed(part), default="0.1%,1%,5%", help="the part of the entries that is kept")
    add("--algorithms", type=algorithms, default="", help="names, or file.py:function for a dense one of your own")
    add("--seconds", type=float, default=5.0, help="measured for so long in each cell, but at least three rounds")
    add("--rounds", type=whole, default=200, help="at most so many rounds in each cell")
    add("--out", type=writable, help="a JSON file for the results")
    return parser.parse_args(given)


def listed(read: Callable[[str], Any]) -> Callable[[str], list[Any]]:
    """Reads what is separated by commas."""
    return lambda text: [read(one) for one in text.split(",")]


def whole(text: str) -> int:
    """A count, also written as 1e6; raises ArgumentTypeError for anything else."""
    try:
        number = float(text)
    except ValueError:
        number = 0.5
    if not (number >= 1 and number.is_integer()):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1 on; right: 4, or 1e6")
    return int(number)


def part(text: str) -> float:
    """A density, 0.1% or 0.001; raises ArgumentTypeError unless it lies in (0, 1]."""
    try:
        number = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        number = 0.0
    if not 0 < number <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no density; right: 0.1%, or 0.001, up to 100%")
    return number


def writable(text: str) -> Path:
    """A file in a folder that is there; raises ArgumentTypeError for any other."""
    if not Path(text).resolve().parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text}: there is no such folder")
    return Path(text)


def algorithms(text: str) -> list[Algorithm]:
    """The algorithms of those names, by default all that can be measured; raises ArgumentTypeError for others."""
    known = {page.name: page for page in map(sparring.page, sparring.pages())}
    ready = {name: found for name, page in known.items() if (found := algorithm(page))}
    if not text:
        return [*ready.values()]
    try:
        return [
            Algorithm(Path(name).name, target.absolute(name)) if ":" in name else ready[name]
            for name in text.split(",")
        ]
    except KeyError as unknown:
        raise argparse.ArgumentTypeError(f"no implementation of {unknown}; there are {', '.join(ready)}") from None
    except InputError as wrong:
        raise argparse.ArgumentTypeError(str(wrong)) from None


def algorithm(page: Page) -> Algorithm | None:
    """How a page's implementation is measured; None where there is none, or where its result is no sum."""
    found = find_target(page)
    if found is None or page.dense or page.collective != "allreduce":
        return None
    return Algorithm(page.name, found, sparse=page.sparse)


def measure(cell: Cell, rivals: Sequence[Algorithm], seconds: float, rounds: int) -> dict[str, Any]:
    """What ``cell.py`` found; raises Failed with what it printed, TimedOut, or MissingExtra without a launcher."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "cell.json"
        job = {
            "size": cell.size, "density": cell.density, "seconds": seconds, "rounds": rounds,
            "algorithms": [rival._asdict() for rival in rivals], "out": str(out),
        }  # fmt: skip
        # mpi4py's own runner: when one rank raises, it ends the others too.
        command = [sys.executable, "-m", "mpi4py", str(Path(__file__).with_name("cell.py")), json.dumps(job)]
        done = launch.run(command, cell.ranks, timeout=LIMIT)
        if done.returncode or not out.is_file():
            raise Failed(f"failed with exit code {done.returncode}\n{done.stdout}")
        found = json.loads(out.read_text(encoding="utf-8"))
    return {**cell._asdict(), "oversubscribed": cell.ranks > cores(), **found}


def line(cell: dict[str, Any]) -> str:
    """A measured cell for the terminal: medians in milliseconds."""
    told = [f"{name} {1e3 * quartiles[1]:.3f} ms" for name, quartiles in cell["seconds"].items()]
    head = f"p={cell['ranks']} n={cell['size']} {cell['density']:.3g} ({cell['rounds']} rounds): "
    return head + ", ".join(told)


def report(cells: list[dict[str, Any]]) -> dict[str, Any]:
    """The cells, and all that one must know of where they were measured."""
    mpi = cells[0]["mpi"]
    return {
        "schema": 1,
        "command": shlex.join(["python", "benchmarks/allreduce.py", *sys.argv[1:]]),
        "machine": {"cpu": cpu(), "cores": cores(), "system": f"{platform.system()} {platform.machine()}"},
        "versions": {"mpi": mpi, "python": platform.python_version(), **versions("numpy", "mpi4py", "sparring")},
        "environment": {name: value for name, value in sorted(os.environ.items()) if name.startswith(TUNED)},
        "cells": [{key: value for key, value in cell.items() if key != "mpi"} for cell in cells],
    }


def versions(*packages: str) -> dict[str, str]:
    """Of those that are installed: a checkout may be on the path alone."""
    found = {}
    for name in packages:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def written(found: dict[str, Any]) -> str:
    """The report as JSON, one cell a line."""
    rows = ",\n  ".join(json.dumps(cell) for cell in found["cells"])
    return json.dumps(found | {"cells": []}, indent=1).replace('"cells": []', f'"cells": [\n  {rows}\n ]') + "\n"


def cores() -> int:
    """How many cores these processes may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def cpu() -> str:
    """The processor's name, as the system tells it."""
    listing = Path("/proc/cpuinfo")
    lines = listing.read_text(encoding="utf-8").splitlines() if listing.is_file() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
