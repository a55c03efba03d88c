from __future__ import annotations

import sys
from functools import partial
from types import FunctionType

import pytest

from sparring.checks.ranks import target
from sparring.errors import InputError


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """A file of a user's with a neighbour, in the current folder."""
    (tmp_path / "neighbour_of_mine.py").write_text("NINE = 9\n")
    (tmp_path / "mine.py").write_text("from neighbour_of_mine import NINE\ndef f(): return NINE\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", __import__("sys").path[:])
    return tmp_path / "mine.py"


def test_file(mine):
    """A file's function is found whatever the current folder becomes; its neighbours can be imported."""
    assert target.absolute("mine.py:f") == target.absolute("./mine.py:f") == f"{mine}:f"
    assert target.load(f"{mine}:f")() == 9
    assert target.load(f"{mine}:f") is target.load(f"{mine}:f")


def test_module():
    """So is a module's."""
    import math

    assert target.absolute("math:gcd") == "math:gcd"
    assert target.load("math:gcd") is math.gcd


@pytest.mark.parametrize("name", ["", "f", "math:", ":f", "mine.py", "math:2f", "math:a.b"])
def test_malformed(name):
    """What names no function is refused with the two forms that do."""
    with pytest.raises(InputError, match=r"names no function: write module:function or file\.py:function"):
        target.absolute(name)


def test_missing(mine):
    """A missing file or function is named."""
    with pytest.raises(InputError, match=r"no file yours\.py, wanted for 'yours\.py:f'"):
        target.absolute("yours.py:f")
    with pytest.raises(InputError, match=r"mine\.py has no function 'g'"):
        target.load(f"{mine}:g")
    with pytest.raises(InputError, match="math has no function 'pi'"):
        target.load("math:pi")


def test_named(mine):
    """A function that other processes can import has a name, by its module or by its file; a name stays as it is."""
    from importlib.util import module_from_spec, spec_from_file_location

    assert target.importable_name("math:gcd") == "math:gcd"
    assert target.importable_name(target.load("json:dumps")) == "json:dumps"
    assert target.importable_name(target.load("concurrent.futures:Executor")) == "concurrent.futures._base:Executor"
    spec = spec_from_file_location("tests.mine", mine)
    assert spec and spec.loader
    off_the_path = module_from_spec(spec)
    sys.modules["tests.mine"] = off_the_path
    sys.path.append(str(mine.parent))
    try:
        spec.loader.exec_module(off_the_path)
        assert target.importable_name(off_the_path.f) == f"{mine}:f"
    finally:
        del sys.modules["tests.mine"]


def test_nameless():
    """What others cannot import is refused with what would be right."""
    other = FunctionType(target.importable_name.__code__, {}, "named")
    other.__module__ = "sparring.checks.ranks.target"
    for nobody in (lambda comm, x: x, other, partial(print)):
        with pytest.raises(
            InputError, match=r"cannot be imported by other processes: .* write 'file\.py:name' instead"
        ):
            target.importable_name(nobody)
