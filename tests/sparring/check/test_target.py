from __future__ import annotations

import pytest

from sparring.check import target
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
