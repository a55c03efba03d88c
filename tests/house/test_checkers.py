"""Each checker reports a fault planted in each room, and passes the house without it."""

from __future__ import annotations

import re
import sys

import pytest

ROOMS = ("spec", "impl", "proofs", "sparring/cli")
CHECKERS = {
    "mypy": ["mypy"],
    "pyright": ["pyright", "--pythonpath", sys.executable],
    "ruff": ["ruff", "check", "--no-cache", "--output-format", "concise"],
    "lint-imports": ["lint-imports", "--no-cache"],
}
SOUND = '"""A part."""\n\n\ndef half(x: int) -> int:\n    """Half of ``x``."""\n    return x // 2\n'
LIES = SOUND.replace("x // 2", "str(x)")  # returns a str for an int


def places(text: str) -> list[str]:
    """The file of each error, relative to the house."""
    return re.findall(r"(?:^|house/)([a-z/]+\.py)(?=:\d.*error)", text, flags=re.MULTILINE)


@pytest.mark.parametrize("checker", CHECKERS)
def test_a_sound_house_passes(house, checker):
    """Every checker passes a house with a sound module in each room."""
    for room in ROOMS:
        house.plant(f"{room}/__init__.py", '"""A room."""\n')
        house.plant(f"{room}/part.py", SOUND)
    done = house.run(*CHECKERS[checker])
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_a_type_error_is_reported_in_every_room(house, checker):
    """Both type checkers look behind the links and report a planted type error in each room, once."""
    house.plant("sparring/cli/__init__.py", '"""A room."""\n')
    for room in ROOMS:
        house.plant(f"{room}/part.py", LIES)
    done = house.run(*CHECKERS[checker])
    assert done.returncode == 1, done.stdout
    assert sorted(places(done.stdout)) == [
        "sparring/cli/part.py",
        "sparring/impl/part.py",
        "sparring/proofs/part.py",
        "sparring/spec/part.py",
    ]


TWO = {
    "proofs/one.py": '''"""A part."""

from sparring.proofs import other


class One:
    """Passes itself on."""

    def go(self) -> None:
        """To a module that knows it by its full name."""
        other.take(self)
''',
    "proofs/other.py": '''"""A part."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sparring.proofs.one import One


def take(one: One) -> None:
    """Take it."""
''',
}


@pytest.mark.parametrize("checker", CHECKERS)
def test_a_class_has_one_name(house, checker):
    """A class that meets itself through another module of its room is the same class to every checker."""
    house.plant("sparring/cli/__init__.py", '"""A room."""\n')
    for name, text in TWO.items():
        house.plant(name, text)
    done = house.run(*CHECKERS[checker])
    assert done.returncode == 0, done.stdout


def test_mypy_is_strict(house):
    """A signature without types is reported."""
    house.plant("spec/part.py", SOUND.replace("x: int) -> int", "x)"))
    done = house.run(*CHECKERS["mypy"])
    assert done.returncode == 1
    assert "[no-untyped-def]" in done.stdout


def test_pyright_reports_a_branch_on_a_symbol(house, root):
    """``if`` on a formula's truth, which is a term and neither true nor false, is reported; ``where`` is not."""
    house.plant("spec/core/__init__.py", '"""The core."""\n')
    house.plant("spec/core/numbers.py", (root / "spec/core/numbers.py").read_text(encoding="utf-8"))
    page = '"""A page."""\n\nfrom sparring.spec.core.numbers import Int, where\n\n\ndef dst(r: Int, p: Int) -> Int:\n'
    house.plant("spec/right.py", page + "    return where(r < p, r, p)\n")
    house.plant("spec/wrong.py", page + "    return r if r < p else where(r < p, r, p)\n")
    done = house.run(*CHECKERS["pyright"])
    assert places(done.stdout) == ["sparring/spec/wrong.py"]
    assert "__bool__" in done.stdout


@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        ("F401", '"""A part."""\n\nimport math\n'),
        ("S301", '"""A part."""\n\nimport pickle\n\nBOX = pickle.loads(b"")\n'),
        ("S307", '"""A part."""\n\nTWO = eval("2")\n'),
        ("TID252", '"""A part."""\n\nfrom . import other as other\n'),
        ("BLE001", '"""A part."""\n\ntry:\n    ONE = 1\nexcept Exception:\n    ONE = 2\n'),
        ("E501", '"""A part."""\n\nLONG = "' + 120 * "x" + '"\n'),
        ("FIX002", '"""A part."""\n\n# TO' + "DO: the rest\n"),
    ],
)
def test_ruff_reports_a_fault_in_every_room(house, rule, fault):
    """A planted fault is reported in the real folders and in the face."""
    for room in ROOMS:
        house.plant(f"{room}/part.py", fault)
    done = house.run(*CHECKERS["ruff"])
    assert done.returncode == 1, done.stdout
    found = {line.split(":")[0] for line in done.stdout.splitlines() if f" {rule} " in line}
    assert found == {f"{room}/part.py" for room in ROOMS}


def test_ruff_leaves_the_columns_of_a_page_alone(house):
    """Formulas in columns pass the linter and the formatter in ``spec``; elsewhere the formatter would break them."""
    columns = '"""A page."""\n\n\ndef one(p: int) -> int:    return p\ndef three(p: int) -> int:  return 3 * p\n'
    house.plant("spec/page.py", columns)
    assert house.run("ruff", "check", "--no-cache").returncode == 0
    assert house.run("ruff", "format", "--no-cache", "--check").returncode == 0
    house.plant("proofs/page.py", columns)
    assert house.run("ruff", "format", "--no-cache", "--check").returncode == 1
