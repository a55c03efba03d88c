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

import sparring
from sparring.spec.core.modules import from_file
from sparring.vectors import covered
from tests.examples.wrong_vectors import READERS, compiled, flip, noisy, single, started
from tests.sweeps import third
from tests.vector_files import loaded, vector_file

NAMES = [page.name for page in map(sparring.page, sparring.pages()) if page.dense and covered(page)]
MODULES = {
    **dict.fromkeys(("flash", "one_bit", "thc", "qsgd"), "codes.py"),
    **dict.fromkeys(("moshpit", "lossy_two_shot"), "averages.py"),
    **dict.fromkeys(("arc_top_k", "power_sgd"), "matrices.py"),
    "hierarchical": "levels.py",
}
DEFECTS = {
    "flash": {
        "of two codes the upper one": (
            "round(at.div(at.sub(v, low), step))",
            "int(at.div(at.sub(v, low), step) + 0.5)",
        ),
        "codes cut and not rounded": ("round(at.div(at.sub(v, low), step))", "int(at.div(at.sub(v, low), step))"),
        "the last of equal spikes": ("x.index(max(x))", "len(x) - 1 - x[::-1].index(max(x))"),
        "spikes have codes": ("0 if not step or i in places else", "0 if not step else"),
        "spikes are in the range": ("if i not in places] or kept[:1]", "if True] or kept[:1]"),
        "group by group": (
            "at.octets([one.told[kind] for kind in range(4 if spikes else 2) for one in found])",
            "at.octets([v for one in found for v in one.told])",
        ),
        "places have one byte": ("1 if g <= 256 else 2", "1 if g <= 65536 else 2"),
        "places the higher byte first": ('"little"', '"big"'),
        "the widths of both steps swapped": ('parameters["b2"], parameters', 'parameters["b1"], parameters'),
        "one rank alone makes codes": ("if p == 1:", "if p == 0:"),
        "an owner keeps its sum": (
            "[[v for one in told for v in one.read]] * p",
            "[[v for c, one in enumerate(told) for v in (sums[c] if c == r else one.read)] for r in range(p)]",
        ),
    },
    "one_bit": {
        "zero has the sign -": ("v >= 0 for v in x]", "v > 0 for v in x]"),
        "-0.0 has the sign -": ("v >= 0 for v in x]", "math.copysign(1, v) > 0 for v in x]"),
        "the other norm": ("norm == 1", "norm == 2"),
        "worker errors forgotten": ("[[*map(at.add, x, error)] for x", "[x for x"),
    },
    "thc": {
        "always the lower code": ("(chance < (t - math.floor(t)) * 2.0**53)", "0"),
        "the nearer code": ("(chance < (t - math.floor(t)) * 2.0**53)", "(t - math.floor(t) >= 0.5)"),
        "a chance of other bits": ('parameters["seed"], call, r, i) >> 11', 'parameters["seed"], call, r, i) % 2**53'),
        "the same chance in every call": ("call, r, i)", "0, r, i)"),
        "one bit too wide": ("(p - 1).bit_length()", "p.bit_length()"),
        "the least entry once": ("at.mul(low, p)", "low"),
        "one step too many": ("at.div(at.sub(high, low), (1 << bits) - 1)", "at.div(at.sub(high, low), 1 << bits)"),
        "what has no range is read as 0": ("low = step = math.nan", "low = step = 0.0"),
    },
    "qsgd": {
        "the sign below the level": ("[q | (v < 0) << sign for", "[q << 1 | (v < 0) for"),
        "the unit before it is rounded": ("at.rounded(norm / ", "(norm / "),
        "added in a row": ("double.halved(", "sum("),
        "added in the vector's type": ('Numbers("float64")', "at"),
        "the greatest entry, and not its magnitude": ("max(map(abs, x))", "abs(max(x))"),
        "the norm, whatever is asked for": ('if parameters["by_max"]', "if False"),
        "added from the last rank on": ("for one in codes))", "for one in codes[::-1]))"),
    },
    "moshpit": {
        "ranks in their order": ('(drawn(parameters["chance"], t, key, i), i)', "i"),
        "ranks stay in their cells": ("cells[r] = key + chunk[r] * base", "pass"),
        "weights forgotten": ("self.at.mul(w, v)", "v"),
        "divided by copies": ("sum(weights))", "len(weights))"),
        "of equal quotients the last": ("(sizes[i] + 1), -i)", "(sizes[i] + 1), i)"),
        "parts alike": ("time * b - 1 if b", "1 if b"),
        "nobody dies before groups are formed": ("if dying.get(r) != -1", "if True"),
        "whoever dies is heard": ("sent = [to[:room] for to, room in zip(due, self.room)]", "sent = due"),
        "a mean of one copy is divided": ("if len(who) < 2:", "if len(who) < 1:"),
        "whoever fails is gone": ("[r not in dying for r in ranks]", "[r not in {**failing, **dying} for r in ranks]"),
        "whoever fails hears of all": ("k in had and self.hears(k)", "bool(had) and self.hears(k)"),
        "an auxiliary takes means": ("and self.weights[i]]\n", "]\n"),
    },
    "lossy_two_shot": {
        "the steps' losses swapped": ("arrives(1, c, r, i)", "arrives(0, c, r, i)"),
        "sender and receiver swapped": ("step, src, dst, i)", "step, dst, src, i)"),
        "one packet more is lost": ('>= parameters["lost"]', '> parameters["lost"] + 90'),
        "the own copy weighs more, too": ('if kind == "ht" and q != owner else', 'if kind == "ht" else'),
        "divided by all ranks": ('len(there) if kind.startswith("ratio") else p', "p"),
        "the own copy is never lost": ('own = parameters["aggregator"] != "ratio0"', "own = True"),
        "means are not added up": ('if parameters["running"] else moves', "if False else moves"),
        "what is lost is zero": (
            "if r == c or arrives(1, c, r, i):",
            "replicas[r][cut] = [0.0] * len(held)\n            if r == c or arrives(1, c, r, i):",
        ),
    },
    "arc_top_k": {
        "of equal rows the last": ("-nothing(scores[i]), i)", "-nothing(scores[i]), -i)"),
        "NaN after all numbers": ("(not math.isnan(scores[i]), ", "(math.isnan(scores[i]), "),
        "one row more": ("order[:k])", "order[: k + 1])"),
        "ones less 31": (".bit_count() - 32)", ".bit_count() - 31)"),
        "added in a row": ("at.halved([*map(at.mul, a, b)])", "at.total([*map(at.mul, a, b)])"),
        "a row as long as the root": ("4**e < n", "4**e <= n"),
        "what was sent waits, too": ("[0.0 if s else v for", "[v for"),
        "momentum for the mean": (
            "at.mul(mean, 1000 - momentum), at.mul(v, momentum)",
            "at.mul(mean, momentum), at.mul(v, 1000 - momentum)",
        ),
        "always by the ring": ('self.through == "ring"', "True"),
    },
    "power_sgd": {
        "pieces of 128 rows": ("PIECE = 64", "PIECE = 128"),
        "added in a row": ("at.halved([*map(at.mul, a, b)])", "at.total([*map(at.mul, a, b)])"),
        "a length without epsilon": ("at.div(epsilon, 10**9)", "0.0"),
        "a column of zeros stays so": ("one if any(one) else", "one if q else"),
        "drawn as in the first call": ('normal(parameters["seed"], call, s, c)', 'normal(parameters["seed"], 0, s, c)'),
        "a sum and no mean": ("new = [at.div(v, p) for v in sums(crossed)]", "new = sums(crossed)"),
        "the last Q is not made orthonormal": ('qs = orthonormal(at, begun, parameters["epsilon"])', "qs = begun"),
        "factors as long as the matrix": (
            'parameters["rate"] >= m * columns',
            'parameters["rate"] > m * columns - (n == 0)',
        ),
        "the largest square within": ("math.isqrt(max(n - 1, 0)) + 1", "max(math.isqrt(n), 1)"),
        "all that is given is kept": ("[[*map(at.sub, x, y)] for x in given]", "given"),
    },
    "hierarchical": {
        "one level": ("if p % m:", "if True:"),
        "added from the last place on": ("for part in parts))", "for part in parts[::-1]))"),
        "a ring that begins at home": ("parts[r][(r - 1 - t) % m])", "parts[r][(r - t) % m])"),
        "the ring alone": (
            'way = len(xs), parameters["m"], parameters["across"]',
            'way = len(xs), parameters["m"], "ring"',
        ),
        "direct inside": ('parameters["inside"] == "ring"', "False"),
        "node after node": ("key=lambda one: one[0]", "key=lambda one: one[1]"),
    },
}
"""By algorithm and what it means, a text in its module and what is planted in the text's place."""
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


@pytest.mark.parametrize(("name", "what"), third((name, what) for name in NAMES for what in DEFECTS[name]))
def test_a_planted_defect_is_found(name: str, what: str, tmp_path: Path) -> None:
    """In an algorithm that is right but for it; a test is named."""
    code, said = told(planted(tmp_path, MODULES[name], *DEFECTS[name][what]), vector_file(name))
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


@pytest.mark.parametrize(("name", "what"), [(name, what) for name in NAMES for what in PLANTED])
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


@pytest.mark.parametrize("name", [*NAMES, "ring_topk"])
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
