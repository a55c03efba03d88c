"""The readers of test vectors, in C and in Python: what ships holds, whatever is planted is found."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from functools import cache, partial
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sparring.spec.core.modules import from_file
from tests.examples.wrong_vectors import KEEPING, PROGRAM, READERS, SORTS, WRONG, Place, compiled, single, started
from tests.vector_files import KINDS, OWN, loaded, vector_file

SOUND = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
"""A reader that touches memory that it should not, or overflows, ends with an exit code of its own."""

Reader = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def in_c(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled reader."""
    return compiled(READERS / "replay.c", tmp_path_factory.mktemp("c") / "replay", *SOUND)


@pytest.fixture(scope="module")
def module() -> ModuleType:
    """The reader in Python, as a module."""
    return from_file(READERS / "replay.py")


@pytest.fixture(params=["C", "Python"])
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Reader:
    """Runs a reader on files: its exit code, and what it says."""
    if request.param == "C":
        return partial(started, request.getfixturevalue("in_c"))

    def run(*files: Path) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["replay.py", *map(str, files)])
        with redirect_stdout(StringIO()) as said, redirect_stderr(said):
            return request.getfixturevalue("module").main(), said.getvalue()

    return run


def held(names: Sequence[str]) -> tuple[list[Path], tuple[int, str]]:
    """The files of these algorithms, and what a reader must say of them."""
    files, counts = [vector_file(name) for name in names], [loaded(name)["test_count"] for name in names]
    return files, (0, "".join(f"{f}: {count} of {count} tests hold\n" for f, count in zip(files, counts)))


def test_each_kind_that_ships_holds_in_c(in_c: Path) -> None:
    """Every test of an algorithm of each kind that it has the rules of, bit by bit."""
    files, wanted = held([name for name in KINDS if name not in OWN])
    assert started(in_c, *files) == wanted


def test_each_kind_that_ships_holds_in_python() -> None:
    """With the standard library alone: no package is found."""
    files, wanted = held(KINDS)
    assert started(sys.executable, "-I", "-S", READERS / "replay.py", *files) == wanted


def test_in_c_there_are_no_rules_of_an_algorithms_own(in_c: Path) -> None:
    """A file that needs them is refused, in one sentence."""
    code, said = started(in_c, vector_file("flash"))
    assert (code, said.count("\n")) == (2, 1) and said.endswith('has "dense", which the schema does not know\n')


@cache
def smallest(name: str) -> str:
    """A file with one test, as text: of whole numbers, nine entries, on four ranks."""
    return single(name, lambda g, t: g["p"] == 4 and t["n"] == 9 and t["comment"].startswith("whole numbers"))


def written(file: Any, folder: Path) -> Path:
    """The file as text."""
    path = folder / "planted.json"
    path.write_text(file if isinstance(file, str) else json.dumps(file), encoding="utf-8")
    return path


@pytest.mark.parametrize("sort", SORTS)
def test_without_a_fault_it_holds(sort: str, reader: Reader, tmp_path: Path) -> None:
    """The file that faults are planted in."""
    assert reader(written(smallest(SORTS[sort]), tmp_path))[0] == 0


@pytest.mark.parametrize(("what", "sort"), [(what, sort) for what, (_, sorts) in WRONG.items() for sort in sorts])
def test_what_is_planted_is_found(what: str, sort: str, reader: Reader, tmp_path: Path) -> None:
    """The test is named, and the exit code is 1."""
    file = json.loads(smallest(SORTS[sort]))
    WRONG[what][0](Place(file))
    code, said = reader(written(file, tmp_path))
    assert code == 1, said
    assert f"test 1 ({Place(file).test['comment']})" in said


@pytest.mark.parametrize("name", ["recursive_multiplying", "rabenseifner"])
def test_the_order_of_additions_is_judged(name: str, reader: Reader, tmp_path: Path) -> None:
    """Of rounded sums the bits of another order are found, and the right ones hold."""
    flags = {"OrderOfAddition", "Cancellation"}
    file = json.loads(single(name, lambda g, t: g["p"] == 8 and flags <= {*t["flags"]}))
    assert reader(written(file, tmp_path))[0] == 0
    inputs = Place(file).call["inputs"]
    inputs[1], inputs[7] = inputs[7], inputs[1]  # the same numbers, added in another order
    assert reader(written(file, tmp_path))[0] == 1


@pytest.mark.parametrize(("sort", "other"), [("selected", "collected"), ("collected", "selected")])
def test_the_rule_for_residuals_is_judged(sort: str, other: str, reader: Reader, tmp_path: Path) -> None:
    """Where less is kept than there is, what was cut on the way is not what is collected in the end."""
    file = loaded(KEEPING[sort]) | {"data": other}
    code, said = reader(written(file, tmp_path))
    assert code == 1, said
    assert "residual" in said


def changed(**items: Any) -> Callable[[Place], Any]:
    """Other entries of the file itself."""
    return lambda at: at.file.update(items)


MALFORMED: dict[str, Callable[[Place], Any]] = {
    "a version to come": changed(schema=2),
    "a count that is wrong": changed(test_count=2),
    "no groups": lambda at: at.file.pop("groups"),
    "an id that is skipped": lambda at: at.test.update(id=2),
    "an unknown dtype": lambda at: at.test.update(dtype="float16"),
    "a number too short": lambda at: at.bits("inputs").__setitem__(0, "3f"),
    "a number that is none": lambda at: at.bits("inputs").__setitem__(0, "g" * len(at.bits("inputs")[0])),
    "a rank too few": lambda at: at.call["inputs"].pop(),
    "no ranks": lambda at: at.group.update(p=0),
    "more ranks than anybody has": lambda at: at.group.update(p=10**9),
    "a length that is not the vectors'": lambda at: at.test.update(n=10**12),
    "a send from nobody": lambda at: at.steps[0]["sends"][0].update(src=-1),
    "a send to oneself": lambda at: at.steps[0]["sends"][0].update(dst=at.steps[0]["sends"][0]["src"]),
    "a send twice": lambda at: at.steps[0]["sends"].append(at.steps[0]["sends"][0]),
    "a chunk that is none": lambda at: at.steps[0]["sends"][0].update(chunk=99),
    "no costs": lambda at: at.call.pop("costs"),
    "costs of nothing": lambda at: at.call["costs"].clear(),
    "a cost too many": lambda at: at.call["costs"].update(planted=0),
    "no calls": lambda at: at.test["calls"].clear(),
    "a call too many": lambda at: at.test["calls"].append(at.call),
    "no name": lambda at: at.file.pop("algorithm"),
    "no group": changed(groups=[], test_count=0),
    "no test": lambda at: (at.group["tests"].clear(), at.file.update(test_count=0)),
    "a note without its effect": lambda at: next(iter(at.file["notes"].values())).pop("effect"),
    "a field too many": changed(planted=0),
    "a group's field too many": lambda at: at.group.update(planted=0),
    "a test's field too many": lambda at: at.test.update(planted=0),
    "a call's field too many": lambda at: at.call.update(residuals=[]),
    "a step's field too many": lambda at: at.steps[0].update(planted=0),
    "a send's field too many": lambda at: at.steps[0]["sends"][0].update(planted=0),
}
OF_A_PROGRAM: dict[str, Callable[[Place], Any]] = {
    "no period": lambda at: at.group["parameters"].update(tau=0),
    "no sends": lambda at: at.call.pop("sends"),
    "a parameter too few": lambda at: at.group["parameters"].pop("trigger"),
    "a call too few": lambda at: at.test["calls"].pop(),
}
TEXTS = {
    "empty": "",
    "cut off": '{"schema": 1, "groups": [',
    "nested too deep": "[" * 100_000,
    "no key": "{1: 2}",
    "a string without an end": '{"a',
    "half an escape": '{"a\\u00',
    "a fraction": '{"schema": 1.5}',
    "a huge number": '{"schema": 1' + "0" * 400 + "}",
    "not a value": '{"schema": }',
    "a list": "[]",
    "a byte of zero": '{"a\0": 1}',
    "endless fields": json.dumps({str(i): i for i in range(100_000)}),
}


@pytest.mark.parametrize("what", [*MALFORMED, *OF_A_PROGRAM, *TEXTS])
def test_a_malformed_file_is_refused(what: str, reader: Reader, tmp_path: Path) -> None:
    """In one sentence, with exit code 2."""
    file: Any = TEXTS.get(what)
    if file is None:
        file = json.loads(smallest(PROGRAM["thresholds"] if what in OF_A_PROGRAM else "ring"))
        (MALFORMED | OF_A_PROGRAM)[what](Place(file))
    path = written(file, tmp_path)
    code, said = reader(path)
    assert (code, said.count("\n")) == (2, 1), said
    assert said.startswith(f"{path}: ")


def test_a_field_that_comes_twice_is_refused(reader: Reader, tmp_path: Path) -> None:
    """Programs would differ in which of the two they read."""
    code, said = reader(written(smallest("ring")[:-1] + ', "test_count": 1}', tmp_path))
    assert (code, "twice" in said) == (2, True), said


def test_a_file_that_is_not_there_is_refused(reader: Reader, tmp_path: Path) -> None:
    """As is one that is too long."""
    (tmp_path / "long.json").write_bytes(b" " * (2**24 + 1))
    for name in ("nowhere.json", "long.json"):
        assert reader(tmp_path / name)[0] == 2


def test_the_c_reader_survives_noise(in_c: Path, tmp_path: Path) -> None:
    """Files with bytes changed, lost and doubled at random: no crash, no hang, an exit code that is known."""
    rng, codes = random.Random(7), set()
    sound = smallest("ring_sparse").encode()
    for i in range(100):
        noisy = bytearray(sound)
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(len(noisy))
            noisy[at : at + rng.randrange(3)] = bytes(
                rng.choice(b'0123456789abcdef[]{},:"-\\ ') for _ in range(rng.randrange(3))
            )
        path = tmp_path / f"{i}.json"
        path.write_bytes(noisy)
        code, said = started(in_c, path)
        assert code in (0, 1, 2), (said[-2000:], bytes(noisy))
        codes.add(code)
    assert codes >= {1, 2}
