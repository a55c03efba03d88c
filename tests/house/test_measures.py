"""pytest and coverage, as configured, reach the rooms behind the links and report what is planted there."""

from __future__ import annotations

PART = '''"""A part.

>>> half({given})
2
"""


def half(x: int) -> int:
    """Half of ``x``."""
    return x // 2


def never(x: int) -> int:
    """Nobody calls this."""
    return x
'''
ROOMS = ("spec", "impl", "proofs")


def test_doctests_of_every_room_run(house):
    """pytest runs the doctest of a module in each room, and reports it if it lies."""
    for room in ROOMS:
        house.plant(f"{room}/part.py", PART.format(given=4))
        house.plant(f"{room}/lie.py", PART.format(given=6))
    done = house.run("pytest", "sparring")
    assert "3 failed, 3 passed" in done.stdout.splitlines()[-1], done.stdout
    assert {f"FAILED sparring/{room}/lie.py" in done.stdout for room in ROOMS} == {True}


STRICT = {
    "warns": ("import warnings\n\n\ndef test_it():\n    warnings.warn('old', stacklevel=1)\n", "UserWarning: old"),
    "passes": (
        "import pytest\n\n\n@pytest.mark.xfail\ndef test_it():\n    pass\n",
        "[XPASS(strict)]",
    ),
    "hangs": (
        "import time\n\nimport pytest\n\n\n@pytest.mark.timeout(0.2)\ndef test_it():\n    time.sleep(5)\n",
        "Timeout (>0.2s)",
    ),
}


def test_pytest_is_strict(house):
    """A warning, an unknown marker, an expected failure that passes and a test that hangs are failures."""
    house.plant("tests/test_sound.py", "def test_it():\n    pass\n")
    for name, (fault, _) in STRICT.items():
        house.plant(f"tests/test_{name}.py", fault)
    done = house.run("pytest", "tests")
    assert "timeout: 120.0s" in done.stdout
    assert "3 failed, 1 passed" in done.stdout
    assert [name for name, (_, words) in STRICT.items() if words not in done.stdout] == []
    house.plant("tests/test_marked.py", "import pytest\n\n\n@pytest.mark.slwo\ndef test_it():\n    pass\n")
    done = house.run("pytest", "tests/test_marked.py")
    assert (done.returncode, "'slwo' not found" in done.stdout) == (2, True)


def test_slow_tests_wait_until_asked_for(house):
    """A test marked slow runs with ``-m slow`` and not without; a test imports the package beside it."""
    home = f"    assert sparring.__path__ == [{str(house.path / 'sparring')!r}]\n"  # wherever else it is installed
    house.plant("tests/test_quick.py", f"import sparring\n\n\ndef test_quick():\n{home}")
    house.plant("tests/test_sweep.py", "import pytest\n\n\n@pytest.mark.slow\ndef test_sweep():\n    pass\n")
    for arguments, name in (([], "test_quick.py"), (["-m", "slow"], "test_sweep.py")):
        done = house.run("pytest", *arguments, "tests")
        assert "1 passed, 1 deselected" in done.stdout
        assert name in done.stdout


def report(house, script: str, files: str) -> tuple[int, str]:
    """Exit code and text of coverage's report on ``files`` after ``script`` ran: 0 if all is covered, 2 if not."""
    house.plant("tests/script.py", "import sys\n\nsys.path.insert(0, '.')\n" + script)
    ran = house.run("coverage", "run", "tests/script.py")
    assert ran.returncode == 0, ran.stdout
    done = house.run("coverage", "report", "--fail-under=100", f"--include={files}")
    return done.returncode, done.stdout


CALLS = "".join(f"from sparring.{room} import part as {room}\n{room}.half(4)\n" for room in ROOMS)
REST = "".join(f"{room}.never(1)\n" for room in ROOMS)


def test_what_never_runs_is_missed(house):
    """Under its real folder, coverage counts each room's statements, and a module that nobody imports."""
    for room in ROOMS:
        house.plant(f"{room}/part.py", PART)
    code, text = report(house, CALLS, "*/part.py")
    assert code == 2, text
    rows = [line.split() for line in text.splitlines() if "part.py" in line]
    assert {(row[0], row[-1]) for row in rows} == {(f"{room}/part.py", "15") for room in ROOMS}
    assert report(house, CALLS + REST, "*/part.py")[0] == 0
    house.plant("proofs/forgotten.py", PART)
    code, text = report(house, "", "*/forgotten.py")
    assert code == 2 and "proofs/forgotten.py" in text and "0%" in text
