"""Test vectors of algorithms that make messages of their own: whatever is wrong with one of these is found."""

from __future__ import annotations

import json
import shutil
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sparring.spec.core.modules import from_file
from tests.algorithms import ALGORITHMS
from tests.examples.wrong_vectors import READERS, compiled, flip, noisy, single, started
from tests.sweeps import third
from tests.vector_files import OWN, loaded, vector_file

ALL = {
    "planes of nibbles swapped": ("<< i * width % 8", "<< (8 - width - i * width % 8)"),
    "the highest bits first": ("for w in (8, 4, 2, 1) if w <= bits)", "for w in (1, 2, 4, 8) if bits & w)"),
    "numbers the highest byte first": ('struct.pack(f"<{self.format}"', 'struct.pack(f">{self.format}"'),
}
"""The same in what all that send bytes have in common."""
WIDER = "the highest bits first"  # of codes of more than one
CODED = {
    name: [what for what in ALL if what != WIDER or name != "one_bit"] for name in ("flash", "one_bit", "thc", "qsgd")
}


def planted(folder: Path, module: str, old: str, new: str) -> Path:
    """The reader, in a folder of its own, with another text in the place of one."""
    for file in READERS.glob("*.py"):
        shutil.copy(file, folder)
    text = (folder / module).read_text(encoding="utf-8")
    assert old in text, f"{module} has no {old!r}"
    (folder / module).write_text(text.replace(old, new), encoding="utf-8")
    return folder / "replay.py"


def told(reader: Path, file: Path) -> tuple[int, str]:
    """The reader's exit code, and what it says."""
    return started(sys.executable, "-I", "-S", reader, file)


@pytest.mark.parametrize(
    ("name", "what"), third((name, what) for name in OWN for what in ALGORITHMS[name].reader_defects)
)
def test_a_planted_defect_is_found(name: str, what: str, tmp_path: Path) -> None:
    """In an algorithm that is right but for it; a test is named."""
    known = ALGORITHMS[name]
    code, said = told(planted(tmp_path, known.reader, *known.reader_defects[what]), vector_file(name))
    assert code == 1, said[-500:]
    assert ": test " in said


@pytest.mark.parametrize(("name", "what"), [(name, what) for name, some in CODED.items() for what in some])
def test_a_planted_defect_of_bytes_is_found(name: str, what: str, tmp_path: Path) -> None:
    """In each algorithm whose codes lie so."""
    code, said = told(planted(tmp_path, "whole.py", *ALL[what]), vector_file(name))
    assert code == 1, said[-500:]


@cache
def smallest(name: str) -> str:
    """A file with one test, as text: of a few ranks, whose messages have something."""
    return single(name, lambda g, t: g["p"] == 3 and t["n"] > 3 and len(t["calls"][-1].get("messages", ["[]"])[0]) > 1)


def other_message(test: Any) -> None:
    step = next(step for step in test["calls"][0]["messages"] if any(step))
    i = next(i for i, what in enumerate(step) if what)
    flip(*((step, i) if isinstance(step[i], str) else (step[i], 0)), 1)


def other_input(test: Any) -> None:
    test["calls"][0]["inputs"][0][:] = ["4" + bits[1:-1] + "5" for bits in test["calls"][0]["inputs"][0]]


PLANTED = {
    "a result": lambda test: flip(test["calls"][-1]["results"][-1], 0, 1),
    "a message": other_message,
    "an input": other_input,
    "what is kept": lambda test: test["calls"][-1]["state"].update(call=99),
    "bytes": lambda test: test["calls"][0]["costs"].update(critical_bytes=1),
    "a send": lambda test: test["calls"][0]["sends"][0][0].reverse(),
    "a step": lambda test: test["calls"][0]["sends"].append([]),
    "a rank has no result": lambda test: test["calls"][0]["results"].pop(),
}


@pytest.mark.parametrize(("name", "what"), [(name, what) for name in OWN for what in PLANTED])
def test_what_is_planted_in_a_file_is_found(
    name: str, what: str, reader: ModuleType, tmp_path: Path, capsys: Any
) -> None:
    """As is right what nothing is planted in."""
    file, path = json.loads(smallest(name)), tmp_path / "planted.json"
    path.write_text(json.dumps(file), encoding="utf-8")
    assert reader.replay_file(path) == 0
    PLANTED[what](file["groups"][0]["tests"][0])
    path.write_text(json.dumps(file), encoding="utf-8")
    assert reader.replay_file(path) == 1
    assert ": test 1 (" in capsys.readouterr().out


MALFORMED: dict[str, Any] = {
    "an algorithm that is not known": lambda file: file.update(algorithm="planted"),
    "a width that is a text": lambda file: file["groups"][0]["parameters"].update(b2="8"),
    "a parameter too few": lambda file: file["groups"][0]["parameters"].pop("g"),
    "a rank too few": lambda file: file["groups"][0]["tests"][0]["calls"][0]["inputs"].pop(),
    "no messages": lambda file: file["groups"][0]["tests"][0]["calls"][0].pop("messages"),
    "no calls": lambda file: file["groups"][0]["tests"][0]["calls"].clear(),
    "no groups": lambda file: file.update(groups=[], test_count=0),
    "no tests": lambda file: file.update(groups=[{**file["groups"][0], "tests": []}], test_count=0),
    "costs of nothing": lambda file: file["groups"][0]["tests"][0]["calls"][0]["costs"].clear(),
    "a field too many": lambda file: file["groups"][0]["tests"][0].update(planted=0),
    "whole numbers": lambda file: file["groups"][0]["tests"][0].update(dtype="int32"),
}


@pytest.mark.parametrize("what", MALFORMED)
def test_a_malformed_file_is_refused(what: str, tmp_path: Path) -> None:
    """In one sentence, with exit code 2."""
    file, path = json.loads(smallest("flash")), tmp_path / "planted.json"
    MALFORMED[what](file)
    path.write_text(json.dumps(file), encoding="utf-8")
    code, said = told(READERS / "replay.py", path)
    assert (code, said.count("\n")) == (2, 1), said
    assert said.startswith(f"{path}: ")


@pytest.fixture(scope="module")
def reader() -> ModuleType:
    """The reader, as a module."""
    return from_file(READERS / "replay.py")


@pytest.mark.parametrize("name", [*OWN, "ring_topk"])
def test_the_reader_survives_noise(name: str, reader: ModuleType, tmp_path: Path) -> None:
    """Values of other types anywhere in a file: it holds or not, or is refused; nothing else is raised."""
    assert {0, 2} <= noisy(reader, smallest(name), 80, tmp_path / "noise.json") <= {0, 1, 2}


# Flash Communication in C

IN_C = {  # of C alone; what the vectors find of the algorithm itself they find in Python, too
    "of two codes the lower one": ("(rest == 0.5 && below % 2)", "false"),
    "no rounding to float32": ("single ? (double)(float)v : v", "v"),
}


def in_c(folder: Path, text: str) -> Path:
    """The program in C, with another text."""
    shutil.copy(READERS / "json.h", folder)
    (folder / "flash.c").write_text(text, encoding="utf-8")
    return compiled(folder / "flash.c", folder / "flash")


@pytest.fixture(scope="module")
def flash(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program in C as it is."""
    return in_c(tmp_path_factory.mktemp("flash"), (READERS / "flash.c").read_text(encoding="utf-8"))


def test_flash_holds_in_c(flash: Path) -> None:
    """All tests, every byte; files that are not of this algorithm are refused."""
    file, count = vector_file("flash"), loaded("flash")["test_count"]
    assert started(flash, file) == (0, f"{file}: {count} of {count} tests hold\n")
    others = [vector_file("one_bit"), vector_file("ring"), file.with_name("nowhere.json")]
    assert [started(flash, other)[0] for other in others] == [2, 2, 2]


@pytest.mark.parametrize("what", IN_C)
def test_a_planted_defect_in_c_is_found(what: str, tmp_path: Path) -> None:
    """As in Python."""
    text = (READERS / "flash.c").read_text(encoding="utf-8")
    assert text.count(IN_C[what][0]) == 1
    code, said = started(in_c(tmp_path, text.replace(*IN_C[what])), vector_file("flash"))
    assert code == 1 and ": test " in said


@pytest.mark.parametrize("what", PLANTED)
def test_what_is_planted_in_a_file_is_found_in_c(what: str, flash: Path, tmp_path: Path) -> None:
    """But for costs, and what is kept, which it does not read."""
    file, path = json.loads(smallest("flash")), tmp_path / "planted.json"
    PLANTED[what](file["groups"][0]["tests"][0])
    path.write_text(json.dumps(file), encoding="utf-8")
    assert started(flash, path)[0] == (0 if what in ("bytes", "what is kept") else 1)


@pytest.mark.parametrize("what", MALFORMED)
def test_a_malformed_file_is_refused_in_c(what: str, flash: Path, tmp_path: Path) -> None:
    """Too, in one sentence."""
    file, path = json.loads(smallest("flash")), tmp_path / "planted.json"
    MALFORMED[what](file)
    path.write_text(json.dumps(file), encoding="utf-8")
    code, said = started(flash, path)
    assert (code, said.count("\n")) == (2, 1), said
