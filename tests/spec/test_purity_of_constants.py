"""Symbols and numbers are not told apart by ``is`` and a constant, nor by bytes that are made of them."""

from __future__ import annotations

import pytest

import sparring
from sparring.errors import InputError

RING = "from sparring.spec.ring import adds, chunk, dst, holds, src\n"


@pytest.mark.parametrize("told", ["(p == 3) is True", 'b"%a" % p == b"3"'])
def test_what_only_a_number_is_is_not_asked(tmp_path, told):
    """A page that is right on symbols and wrong with three ranks is refused, and its twin is not."""
    file = tmp_path / "telling.py"
    file.write_text(f'"""X."""\n{RING}\n\ndef steps(p):\n    return 0 if {told} else 2 * (p - 1)\n')
    with pytest.raises(InputError, match=r"telling\.py:6: steps"):
        sparring.page(str(file))
    twin = tmp_path / "twin.py"
    twin.write_text(f'"""X."""\n{RING}\n\ndef steps(p):\n    return 0 if p is None else 2 * (p - 1)\n')
    assert sparring.page(str(twin)).steps(3) == 4
