"""What the tests know of an algorithm stands in one file, and in no table of other tests."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.algorithms import ALGORITHMS, Known
from tests.algorithms.collectives import COLLECTIVES, Collective

ROOT = Path(__file__).parents[2]
KNOWN = ROOT / "tests" / "algorithms"
OTHERS = [file for file in (ROOT / "tests").rglob("*.py") if KNOWN not in file.parents]
NAMES = {*ALGORITHMS, *COLLECTIVES}


@pytest.mark.parametrize(("pages", "known"), [("spec", ALGORITHMS), ("spec/collectives", COLLECTIVES)])
def test_each_page_has_its_file(pages, known):
    """And each file its page."""
    assert {file.stem for file in (ROOT / pages).glob("*.py")} - {"__init__"} == {*known}


def test_each_file_has_its_form():
    """A word that no test asks for is an error."""
    assert {type(one) for one in ALGORITHMS.values()} == {Known}
    assert {type(one) for one in COLLECTIVES.values()} == {Collective}
    with pytest.raises(TypeError, match="planted"):
        Known(alike=("nothing", "", ""), planted=1)  # pyright: ignore[reportCallIssue]  # pyright sees it, too


def test_whatever_may_be_said_is_asked_for():
    """Each field of either form, by some test."""
    text = "".join(file.read_text(encoding="utf-8") for file in OTHERS)
    fields = [*Known._fields, *Collective._fields]
    assert [field for field in fields if f".{field}" not in text and f'rows("{field}")' not in text] == []


def heads(value: ast.expr) -> Iterator[ast.expr | None]:
    """What the rows of all dicts and lists in an expression begin with."""
    for one in ast.walk(value):
        if isinstance(one, ast.Dict):
            yield from one.keys
        for row in getattr(one, "elts", ()):
            yield from (row.args if isinstance(row, ast.Call) else getattr(row, "elts", ()))[:1]


def tables(text: str) -> Iterator[int]:
    """The lines of constants with a row each for three algorithms or more; fewer are a sample."""
    for node in ast.parse(text).body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value:
            found = {head.value for head in heads(node.value) if isinstance(head, ast.Constant)}
            if len(found & NAMES) > 2:
                yield node.lineno


def test_no_other_test_has_a_table():
    """It would have to be edited for a new algorithm."""
    found = {f"{file.relative_to(ROOT)}:{line}" for file in OTHERS for line in tables(file.read_text(encoding="utf-8"))}
    assert found == set()


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("A = {}\nB = {'ring': 1, 'pat': 2, 'thc': 3}", [2]),
        ("A: list[Any] = [('ring', 1), *[['pat', 2], ['linear_bcast', 3]]]", [1]),
        ("A = [Fault('ring', 1), Fault('pat', 2), *(Fault('thc', i) for i in range(3)), Fault('qsgd', 3)]", [1]),
        ("A = {'ring': 1, 'pat': 2, 'another': 3}", []),
        ("A = ('ring', 'pat', 'thc')\nB = [('ring', 1), ('ring', 2), ('pat', 3)]", []),
    ],
)
def test_a_table_is_found(text, lines):
    """A sample is none, nor are names alone."""
    assert [*tables(text)] == lines
