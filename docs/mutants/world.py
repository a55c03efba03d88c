"""Plants faults at random in the simulated MPI, asks who stands on it, and keeps what became of them beside this file.

Run:  python docs/mutants/world.py [COUNT [SEED [JOBS]]]

A fault is planted in a copy of the checkout, since whoever looks for it stands on what is broken.  First ``verify`` is
asked of few algorithms and ranks, without proofs: it plants faults of its own, which a world that lets them pass
does not catch.  But its implementations are right, and much of the world is for those that are not: so what
lives goes to the world's own tests.  Drawn are faults in functions that such a ``verify`` enters.
Why a survivor may live is written into the file by hand, and stays there as long as the fault does.
"""

from __future__ import annotations

import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sparring.proofs.mutants.syntax import Mutant, mutants

FILE = Path(__file__).with_name("sample") / "world.json"
CHECKOUT = Path(__file__).parents[2]
ROOM = Path("sparring/world")
PARTS = ("sparring", "spec", "impl", "proofs", "tests", "pyproject.toml")
"""What the copy has of the checkout."""
LOOK = """
import sparring
from sparring.verification import algorithm, plans, simulated_runs
from sparring.verification.reached_lines import Reached

plan = plans.Plan(terms=(1, 2, 3), numbers=(1, 2, 3), gradients=(2,))
for name in ("ring", "recursive_multiplying", "ring_topk", "one_bit"):
    page = sparring.page(name)
    target = algorithm.find_target(page)
    found = simulated_runs.run_simulated(page, target, plan, lambda items, _: items, Reached(page, target))
    for result in found.values():
        if result.verdict.word.exit_code:
            raise SystemExit(f"{name}: {result.property}: {result.verdict}: {result.detail}")
"""
"""One of each kind of data, and one that sends several messages in a step."""
WATCHED = f"""
import json, sys
from coverage import Coverage

seen = Coverage(data_file=None, config_file=False, include=["*/{ROOM}/*"], concurrency=["greenlet"], messages=False)
seen.start()
{LOOK}
seen.stop()
json.dump({{file: seen.get_data().lines(file) for file in seen.get_data().measured_files()}}, sys.stdout)
"""
"""Which lines of the world this runs."""
TESTS = (
    "-m",
    "pytest",
    "tests/sparring/world",
    "-x",
    "-q",
    "-n0",
    "-p",
    "no:cacheprovider",
    "--tb=line",
    "-m",
    "not slow",
)
PATIENCE = 600
"""Seconds after which such a look hangs; without a fault it takes a tenth."""

Told = dict[str, str]


def main(count: int = 60, seed: int = 22, jobs: int = 2) -> None:
    """Writes all."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        copies = [copied(Path(folder) / str(job)) for job in range(jobs)]
        drawn = random.Random(seed).sample(sites(copies[0]), count)
        parts = pool.map(lambda job: [fate(copies[job], *one) for one in drawn[job::jobs]], range(jobs))
        found = [told for part in parts for told in part]
    told = {"count": count, "seed": seed, "faults": explained(found)}
    FILE.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def explained(found: Sequence[Told]) -> list[Told]:
    """With the reasons that the file has of those that live."""
    before = json.loads(FILE.read_text(encoding="utf-8"))["faults"] if FILE.exists() else []
    known = {place(one): one["why"] for one in before if one["word"] == "survived"}
    return [
        one | {"why": known.get(place(one), "")} if one["word"] == "survived" else one
        for one in sorted(found, key=place)
    ]


def place(one: Mapping[str, str]) -> tuple[str, ...]:
    """Which fault it is."""
    return one["module"], one["function"], one["line"], one["change"]


def sites(folder: Path) -> list[tuple[str, Mutant]]:
    """All faults in functions that ``verify`` enters, with their modules."""
    room = folder / ROOM
    lines = {module(Path(file), room): {*ran} for file, ran in json.loads(looked(folder, "-c", WATCHED)[1]).items()}
    sources = {module(path, room): path.read_text(encoding="utf-8") for path in sorted(room.rglob("*.py"))}
    every = [(name, mutant) for name, source in sources.items() for mutant in mutants(source)]
    entered = {(name, mutant.function) for name, mutant in every if mutant.line in lines.get(name, ())}
    return [(name, mutant) for name, mutant in every if (name, mutant.function) in entered]


def module(path: Path, room: Path) -> str:
    """A module of the world, as ``core/network``."""
    return path.relative_to(room).with_suffix("").as_posix()


def copied(folder: Path) -> Path:
    """A folder with a copy of the checkout; its links stay links."""
    folder.mkdir()
    for part in PARTS:
        if (CHECKOUT / part).is_dir():
            left = shutil.ignore_patterns("__pycache__")
            shutil.copytree(CHECKOUT / part, folder / part, symlinks=True, ignore=left)
        else:
            shutil.copy(CHECKOUT / part, folder / part)
    return folder


def fate(folder: Path, name: str, mutant: Mutant) -> Told:
    """What becomes of this fault in the copy, and who found it."""
    file = folder / ROOM / f"{name}.py"
    before = file.read_text(encoding="utf-8")
    file.write_text(ast.unparse(mutant.tree), encoding="utf-8")
    try:
        by, why = next(
            ((who, why) for who, command in (("verify", ("-c", LOOK)), ("tests", TESTS))
             if (why := wrong(looked(folder, *command)))), ("", "")
        )  # fmt: skip
    finally:
        file.write_text(before, encoding="utf-8")
    told = {"module": name, "function": mutant.function, "line": mutant.text, "change": mutant.told}
    return told | {"word": "killed" if by else "survived", "by": by, "why": why}


def wrong(answer: tuple[int, str]) -> str:
    """What such a look says against the world, in a line; empty where it ends well."""
    code, text = answer
    return (text.strip().splitlines() or [f"exit code {code}"])[-1][:200] if code else ""


def looked(folder: Path, *command: str) -> tuple[int, str]:
    """The exit code of Python with these arguments in the copy, and what it printed."""
    env = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            [sys.executable, *command], cwd=folder, env=env, text=True, check=False, timeout=PATIENCE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return 1, f"no answer within {PATIENCE} s"
    return done.returncode, done.stdout


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
