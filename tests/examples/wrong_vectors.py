"""What is planted in files of test vectors, by the sort of algorithm, and noise."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.vector_files import loaded

READERS = Path(__file__).parents[2] / "examples" / "vectors"
WHOLE = {"vector": "ring", "lists": "ring_allgather", "sparse": "ring_sparse"}
KEEPING = {"selected": "ring_topk", "collected": "spardl"}
PROGRAM = {"thresholds": "oktopk"}
FILLED = {"filled": "dsar_split_allgather"}
SORTS = {**WHOLE, **KEEPING, **PROGRAM, **FILLED}


class Place:
    """What there is to plant something in, in a file with one test."""

    def __init__(self, file: dict[str, Any]) -> None:
        self.file, (self.group,) = file, file["groups"]
        (self.test,) = self.group["tests"]
        self.call, self.steps = self.test["calls"][0], self.group["steps"]

    def bits(self, key: str) -> list[str]:
        """The numbers of a result, or of the last rank's vector."""
        x = self.call[key] if key == "result" else self.call[key][-1]
        return x["values"] if isinstance(x, dict) else x


def single(name: str, chosen: Callable[[Any, Any], bool]) -> str:
    """The text of a file with one test: the first that is chosen by its group and itself."""
    file = loaded(name)
    group, test = next((g, t) for g in file["groups"] for t in g["tests"] if chosen(g, t))
    return json.dumps({**file, "test_count": 1, "groups": [{**group, "tests": [{**test, "id": 1}]}]})


def flip(bits: list[str], i: int, mask: int, digit: int = -1) -> None:
    """Change a digit of a number."""
    digits = list(bits[i])
    digits[digit] = f"{int(digits[digit], 16) ^ mask:x}"
    bits[i] = "".join(digits)


def drop_send(at: Place) -> None:
    """The first send, and what the calls say of it."""
    if at.steps:
        at.steps[0]["sends"].pop(0)
    for call in at.test["calls"]:
        for key in ("sends", "entries", "bytes", "encodings"):
            if key in call:
                call[key][0].pop(0)


def turn_send(at: Place) -> None:
    """A send of the last step, of some entries, goes to another rank."""
    send = next(s for s, entries in zip(at.steps[-1]["sends"], at.call["entries"][-1]) if entries)
    send["dst"] = next(r for r in range(at.group["p"]) if r not in (send["src"], send["dst"]))


def swap_chunks(at: Place) -> None:
    """Two sends of the first step carry each other's chunks."""
    one, other = at.steps[0]["sends"][:2]
    one["chunk"], other["chunk"] = other["chunk"], one["chunk"]


def turn_own_send(at: Place) -> None:
    """A send that the call lists goes to another rank."""
    at.call["sends"][-1][0][1] = next(r for r in range(at.group["p"]) if r not in at.call["sends"][-1][0])


def other_parameter(name: str) -> Callable[[Place], None]:
    """A parameter is one more than it was."""

    def plant(at: Place) -> None:
        at.group["parameters"][name] += 1

    return plant


def drop_step(at: Place) -> None:
    """The last step, and what the calls say of it."""
    if at.steps:
        at.steps.pop()
    for call in at.test["calls"]:
        for key in ("sends", "entries", "bytes", "encodings"):
            call.get(key, [None]).pop()


def move_index(at: Place) -> None:
    """The first entry of the result stands one place earlier."""
    at.call["result"]["indices"][0] -= 1


def lose_entry(at: Place) -> None:
    """The result lacks an entry."""
    for part in at.call["result"].values():
        part.pop()


def more(path: str) -> Callable[[Place], None]:
    """Add one to what a call says at ``path``."""

    def plant(at: Place) -> None:
        x: Any = at.call
        *keys, last = path.split(".")
        for key in keys:
            x = x[int(key) if key.isdigit() else key]
        x[int(last) if last.isdigit() else last] += 1

    return plant


def last_encoding(at: Place) -> None:
    """A message is said to be encoded otherwise."""
    step = at.call["encodings"][-1]
    step[-1] = "pairs" if step[-1] != "pairs" else "bitmap"


WRONG: dict[str, tuple[Callable[[Place], Any], tuple[str, ...]]] = {
    "a result's lowest bit": (lambda at: flip(at.bits("result"), -1, 1), tuple(SORTS)),
    "a result's highest bit": (lambda at: flip(at.bits("result"), 0, 8, 0), tuple(SORTS)),
    "an input's exponent": (lambda at: flip(at.bits("inputs"), 0, 4, 1), tuple(SORTS)),
    "a residual's lowest bit": (lambda at: flip(at.bits("residuals"), 0, 1), (*KEEPING, *PROGRAM)),
    "a later call's result": (lambda at: flip(at.test["calls"][-1]["result"]["values"], 0, 1), (*KEEPING, *PROGRAM)),
    "a send is dropped": (drop_send, tuple(SORTS)),
    "a send goes elsewhere": (turn_send, ("vector", "lists", *KEEPING)),  # of sparse chunks a part may be all
    "a send of a call goes elsewhere": (turn_own_send, tuple(PROGRAM)),
    "two sends swap places": (lambda at: at.call["sends"][0].reverse(), tuple(PROGRAM)),
    "another k": (other_parameter("k"), tuple(PROGRAM)),
    "regions for shorter": (lambda at: at.group["parameters"].update(tau=1), tuple(PROGRAM)),
    "another bucket": (other_parameter("bucket"), tuple(PROGRAM)),
    "less is dealt out": (other_parameter("trigger"), tuple(PROGRAM)),
    "sums go dense at more": (lambda at: at.group["parameters"].update(thirds=9), ("filled",)),
    "thresholds that stay": (lambda at: at.group["parameters"].update(gain=0), tuple(PROGRAM)),
    "thresholds for shorter": (lambda at: at.group["parameters"].update(tau_prime=1), tuple(PROGRAM)),
    "a schedule where there is none": (lambda at: at.steps.append({"adds": True, "sends": []}), tuple(PROGRAM)),
    "two sends swap chunks": (swap_chunks, (*WHOLE, *KEEPING)),
    "a step is dropped": (drop_step, tuple(SORTS)),
    "the last step adds": (lambda at: at.steps[-1].update(adds=True), ("vector", "sparse", *KEEPING)),
    "the first step overwrites": (lambda at: at.steps[0].update(adds=False), ("vector", "sparse", *KEEPING)),
    "one more step is told of": (lambda at: at.call["entries"].append([]), tuple(SORTS)),
    "one more message is told of": (lambda at: at.call["bytes"][0].append(0), tuple(SORTS)),
    "an index": (move_index, ("lists", "sparse", *KEEPING, *PROGRAM)),
    "an entry is lost": (lose_entry, ("lists", "sparse", *KEEPING, *PROGRAM)),
    "entries of a message": (more("entries.1.0"), tuple(SORTS)),
    "bytes of a message": (more("bytes.0.1"), tuple(SORTS)),
    "an encoding": (last_encoding, ("sparse",)),
    "messages": (more("costs.messages.2"), tuple(SORTS)),
    "words": (more("costs.words.3"), tuple(SORTS)),
    "bytes": (more("costs.bytes.0"), tuple(SORTS)),
    "critical words": (more("costs.critical_words"), tuple(SORTS)),
    "critical bytes": (more("costs.critical_bytes"), tuple(SORTS)),
    "a flag without a note": (lambda at: at.test["flags"].append("Planted"), tuple(SORTS)),
}
"""What makes a test wrong, and for which sorts of algorithms."""
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1")


def started(*command: object) -> tuple[int, str]:
    """A process's exit code, and what it says."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=100, check=False)
    return done.returncode, done.stdout + done.stderr


def compiled(source: Path, program: Path, *more: str) -> Path:
    """The program of a source in C."""
    if not (compiler := shutil.which("cc")):
        pytest.skip("there is no C compiler 'cc'")
    code, said = started(compiler, *STRICT, source, "-o", program, *more)
    if "cannot find" in said:  # the sanitizers' libraries
        code, said = started(compiler, *STRICT, source, "-o", program)
    assert (code, said) == (0, "")
    return program


def somewhere(x: Any, rng: random.Random) -> tuple[Any, Any]:
    """Some object or list in a file, and a key or place in it."""
    key = rng.choice([*x] if isinstance(x, dict) else range(len(x)))
    deeper = isinstance(x[key], (dict, list)) and len(x[key]) > 0 and rng.random() < 0.85
    return somewhere(x[key], rng) if deeper else (x, key)


def noisy(reader: ModuleType, text: str, times: int, path: Path) -> set[int]:
    """How many tests do not hold where a value is of another type, and 2 where that is refused."""
    rng, seen = random.Random(text), set()
    for _ in range(times):
        file = json.loads(text)
        parent, key = somewhere(file, rng)
        parent[key] = rng.choice([None, -1, 10**30, 1.5, "x", [], {}, True, "00000000"])
        path.write_text(json.dumps(file), encoding="utf-8")
        try:
            seen.add(reader.replay_file(path))
        except reader.Malformed:
            seen.add(2)
    return seen
