"""Each checker reports a fault planted in each room; that the house is sound without one, ``.ci/run`` asks them."""

from __future__ import annotations

import re
import sys
from itertools import product

import pytest

ROOMS = ("spec", "impl", "proofs", "sparring/cli")
CHECKERS = {
    "mypy": ["mypy"],
    "pyright": ["pyright", "--pythonpath", sys.executable],
    "ruff": ["ruff", "check", "--no-cache", "--output-format", "concise"],
}
SOUND = '"""A part."""\n\n\ndef half(x: int) -> int:\n    """Half of ``x``."""\n    return x // 2\n'
LIES = SOUND.replace("x // 2", "str(x)")  # returns a str for an int


def places(text: str) -> list[str]:
    """The file of each error, relative to the house."""
    return re.findall(r"(?:^|house/)([a-z/]+\.py)(?=:\d.*error)", text, flags=re.MULTILINE)


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_what_a_type_checker_reports(house, root, checker):
    """A type error in each room, once, behind the links; a branch on a truth that is neither true nor false.

    ``where`` on such a term is sound; mypy reports a signature without types, too.
    """
    house.plant("sparring/cli/__init__.py", '"""A room."""\n')
    for room in ROOMS:
        house.plant(f"{room}/part.py", LIES)
    house.plant("spec/core/__init__.py", '"""The core."""\n')
    house.plant("spec/core/numbers.py", (root / "spec/core/numbers.py").read_text(encoding="utf-8"))
    page = '"""A page."""\n\nfrom sparring.spec.core.numbers import Int, where\n\n\ndef dst(r: Int, p: Int) -> Int:\n'
    house.plant("spec/right.py", page + "    return where(r < p, r, p)\n")
    house.plant("spec/branch.py", page + "    return r if r < p else where(r < p, r, p)\n")
    house.plant("impl/untyped.py", SOUND.replace("x: int) -> int", "x)"))
    done = house.run(*CHECKERS[checker])
    assert done.returncode == 1, done.stdout
    own = {"mypy": ("impl/untyped", "[no-untyped-def]"), "pyright": ("spec/branch", "__bool__")}[checker]
    wrong = ("cli/part", "impl/part", "proofs/part", "spec/part", own[0])
    assert sorted(places(done.stdout)) == sorted(f"sparring/{file}.py" for file in wrong)
    assert own[1] in done.stdout


FAULTS = {
    "F401": "import math\n",
    "S301": 'import pickle\n\nBOX = pickle.loads(b"")\n',
    "S307": 'TWO = eval("2")\n',
    "TID252": "from . import other as other\n",
    "BLE001": "try:\n    ONE = 1\nexcept Exception:\n    ONE = 2\n",
    "E501": f'LONG = "{120 * "x"}"\n',
    "FIX002": "# TO" + "DO: the rest\n",
}


def test_ruff_reports_each_fault_in_every_room(house):
    """In the real folders and in the face."""
    for room, (rule, fault) in product(ROOMS, FAULTS.items()):
        house.plant(f"{room}/{rule.lower()}.py", f'"""A part."""\n\n{fault}')
    done = house.run(*CHECKERS["ruff"])
    assert done.returncode == 1, done.stdout
    found = {(line.split(":")[0], rule) for line in done.stdout.splitlines() for rule in FAULTS if f" {rule} " in line}
    assert found == {(f"{room}/{rule.lower()}.py", rule) for room, rule in product(ROOMS, FAULTS)}


def test_ruff_leaves_the_columns_of_a_page_alone(house):
    """Formulas in columns pass the linter and the formatter in ``spec``; elsewhere the formatter would break them."""
    columns = '"""A page."""\n\n\ndef one(p: int) -> int:    return p\ndef three(p: int) -> int:  return 3 * p\n'
    house.plant("spec/page.py", columns)
    assert house.run("ruff", "check", "--no-cache").returncode == 0
    assert house.run("ruff", "format", "--no-cache", "--check").returncode == 0
    house.plant("proofs/page.py", columns)
    assert house.run("ruff", "format", "--no-cache", "--check").returncode == 1
