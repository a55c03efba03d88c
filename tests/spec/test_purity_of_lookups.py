"""Symbols are not told from numbers by looking them up, by comparing truths, nor in methods and texts out of sight."""

from __future__ import annotations

import sys

import pytest

import sparring
from sparring.errors import InputError
from sparring.proofs.proving.proving import prove
from sparring.proofs.reading.points import Condition, Point
from sparring.spec.core.numbers import Sym

RING = "from sparring.spec.ring import adds, chunk, dst, holds, src\n"
PICK = "    def pick(self, p):\n        return 0 if isinstance(p, int) and p == 3 else 2 * (p - 1)\n"
HIDDEN = f"from enum import Enum\nclass E(Enum):\n    A = 1\n{PICK}ONE = E.A\nclass M(type):\n{PICK}"
HIDDEN += f"class C(metaclass=M): pass\nclass T(tuple):\n{PICK}TWO = T()\n"
CACHED = "from functools import cache\n@cache\ndef f(d):\n    return d.b\n"
ENUM = "from enum import Enum\nclass E(Enum):\n"
LOOKED_UP = {
    "get": ("", "{3: 0}.get(p, 2 * (p - 1))"),
    "a set": ("", "0 if p in {2, 4} else 2 * (p - 1)"),
    "a frozenset": ("F = frozenset({3})", "0 if p in F else 2 * (p - 1)"),
    "a dict of the module": ("D = {3: 0}", "D[p] if p in D else 2 * (p - 1)"),
    "a counter": ("from collections import Counter", "2 * (p - 1) * Counter([p, 3])[p]"),
    "a cache": ("from functools import cache\n@cache\ndef f(n):\n    return n", "2 * (f(p) - 1)"),
    "a key": ("", "min((2 * (p - 1), 0), key={0: 3}.get)"),
    "how many": ("", "2 * (p - 1) * (len({p, 3}) - 1)"),
}
"""Which symbols are not, and numbers are."""
COMPARED = {
    "equal": ("", "0 if (p == 3) == True else 2 * (p - 1)"),
    "unequal": ("", "0 if (p == 3) != False else 2 * (p - 1)"),
    "one of": ("", "0 if (p == 3) in (True,) else 2 * (p - 1)"),
    "counted": ("", "2 * (p - 1) * [True, p == 3].count(True)"),
}
REFUSED = {
    "what is": ("YES = True", "0 if (p == 3) is YES else 2 * (p - 1)", "YES is no mark"),
    "what is, by its argument": ("def f(b, YES): return 0 if b is YES else 1", "f(p == 3, True)", "YES is no mark"),
    "what is, in a row": ("", "0 if (p == 3) is True is not None else 2 * (p - 1)", "asks whether two objects are one"),
    "what is, in a pattern": (
        "def f(p):\n    match p == 3:\n        case True:\n            return 0\n    return 2 * (p - 1)", "f(p)",
        "asks whether two objects are one",
    ),
    "what is, by a function": ("from operator import is_", "0 if is_(p == 3, True) else 2 * (p - 1)", "reads is_"),
    "a text": ("F = '%s'", "0 if F % p == '3' else 2 * (p - 1)", "reads F, with which a text"),
    "a text of two": ("", "0 if ('%' + 's') % p == '3' else 2 * (p - 1)", "makes a text"),
    "a text by a default": ("def f(p, F='%s'):\n    return F % p", "0 if f(p) == '3' else 1", "a text"),
    "a text of bytes": ("", "0 if bytes([37, 97]) % p == b'3' else 2 * (p - 1)", "asks bytes"),
    "an Enum's method": (f"{ENUM}    A = 1\n{PICK}", "E.A.pick(p)", "pick asks isinstance"),
    "an Enum's list": (f"{ENUM}    A = [1]", "E.A.value.append(p) or 2 * (p - 1)", "a list inside of E.A"),
    "what no Enum has": (
        f"{ENUM}    A = 3\n    B = 4\n    @classmethod\n    def _missing_(cls, v):\n        return cls.B",
        "2 * (p - 1) if E(p) == E.B else 0", "finds a member for what is none",
    ),
    "an error's method": (f"class E(Exception):\n{PICK}", "E().pick(p)", "pick asks isinstance"),
    "another module's Enum": ("from hidden_picks import ONE", "ONE.pick(p)", "hidden_picks.py:5: pick asks isinstance"),
    "another module's metaclass": ("from hidden_picks import C", "C.pick(p)", "pick asks isinstance"),
    "another module's tuple": ("from hidden_picks import TWO", "TWO.pick(p)", "pick asks isinstance"),
    "a method of many kinds": (
        ("from functools import singledispatchmethod\nclass C:\n    @singledispatchmethod\n    def f(self, p):\n"
        "        return 0\n    @f.register\n    def _(self, p: int):\n        return 1\n"),
        "C().f(p)", "reads C.f, a single",
    ),
    "a property that is kept": (
        ("from functools import cache\ndef kept(self):\n    return isinstance(self, int)\n"
        "class C:\n    f = property(cache(kept))\n"), "2 * (p - 1) + C().f", "kept asks isinstance",
    ),
    "a symbol's variables": (
        "from sparring.spec.core.numbers import variables", "2 * (p - 1) if variables(p) else 0", "reads variables",
    ),
    "a symbol's variables, by the module": (
        "from sparring.spec.core import numbers", "2 * (p - 1) if numbers.variables(p) else 0", "numbers.variables",
    ),
    "a symbol's value": (
        "from sparring.spec.core.numbers import Evaluator", "Evaluator({'p': 3})(p)", "reads Evaluator",
    ),
    "whether it may be in a range": (
        "from sparring.spec.core.calling import Between", "2 * (p - 1) if Between(3, 4).holds(p) else 0",
        "reads Between",
    ),
    "what proofs ask": (
        "from sparring.proofs.reading.symbols import free", "2 * (p - 1) if free(p) else 0", "free asks isinstance",
    ),
    "a hash of its own": (
        (f"{CACHED}class D:\n    def __init__(self, b):\n        self.b = b\n    def __hash__(self):\n"
        "        return 1\n    def __eq__(self, o):\n        return True"), "2 * (f(D(p)) - 1)", "that leaves out",
    ),
    "a field that is not hashed": (
        (f"{CACHED}from dataclasses import dataclass, field\n@dataclass(frozen=True)\nclass D:\n"
        "    b: object = field(compare=False)"), "2 * (f(D(p)) - 1)", "D has a hash that leaves out",
    ),
    "a tuple that holds more": (
        (f"{CACHED}class D(tuple):\n    def __new__(cls, b):\n        made = super().__new__(cls)\n        made.b = b\n"
        "        return made"), "2 * (f(D(p)) - 1)", "D has a hash that leaves out",
    ),
}  # fmt: skip
TWINS = {
    "constants are looked up": ("T = {'a': 2}", "T.get('a') * (p - 1) if 2 in {2, 4} else 0"),
    "a choice": ("from sparring.spec.core.numbers import where", "where(p == 3, 4, 2 * (p - 1))"),
    "a mark": ("class Mark: pass\nMARK = Mark()\ndef f(p, x=None): return p if x is MARK else 2 * (p - 1)", "f(p)"),
    "nothing": ("def f(p, x=None):\n    return 2 * (p - 1) if x is None is not p else x", "f(p)"),
    "an Enum's method": (f"{ENUM}    A = 2\n    def pick(self, p): return self.value * (p - 1)", "E.A.pick(p)"),
    "an error": (
        ("class E(ValueError):\n    def __init__(self, p):\n        super().__init__(p)\n"
        "def f(p, x=1):\n    if x > 1:\n        raise E(f'{x} % {p}')\n    return 2 * (p - 1)"), "f(p)",
    ),
    "what is hashed as it is": (
        (f"{CACHED}from dataclasses import dataclass\n@dataclass(frozen=True)\nclass D:\n    b: int\n"
        "@dataclass\nclass E:\n    b: object"), "f(D(2)) * (E(p).b - 1)",
    ),
    "by a module": ("from sparring.spec.core import numbers", "numbers.where(p == 3, 4, 2 * (p - 1))"),
    "a docstring": ('def f(p):\n    """Of 100 %."""\n    return 2 * (p - 1)', "f(p)"),
}  # fmt: skip


@pytest.fixture
def page(tmp_path, monkeypatch):
    """A function that makes a page of what stands before its steps, and of these."""
    (tmp_path / "hidden_picks.py").write_text(HIDDEN, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "hidden_picks", raising=False)

    def made(before, steps):
        file = tmp_path / "looking.py"
        file.write_text(f'"""X."""\n{RING}{before}\n\n\ndef steps(p):\n    return {steps}\n', encoding="utf-8")
        return sparring.page(str(file))

    return made


@pytest.mark.parametrize("how", LOOKED_UP)
def test_a_symbol_is_not_looked_up(page, how):
    with pytest.raises(InputError, match=r"is a symbol, not a number, and no dict, .*where\(p == 3, a, b\)"):
        [*prove(page(*LOOKED_UP[how]), planted=False)]


@pytest.mark.parametrize("how", COMPARED)
def test_a_truth_is_not_compared(page, how):
    with pytest.raises(InputError, match=r"\(p == 3\) is a symbol, and == .* asks which truth it is"):
        [*prove(page(*COMPARED[how]), planted=False)]


@pytest.mark.parametrize("how", REFUSED)
def test_what_tells_them_out_of_sight_is_refused(page, how):
    before, steps, said = REFUSED[how]
    with pytest.raises(InputError, match=said):
        page(before, steps)


@pytest.mark.parametrize("how", TWINS)
def test_what_asks_nothing_is_proved(page, how):
    """The number of steps of three ranks is right, too."""
    made = page(*TWINS[how])
    assert made.steps(3) == 4
    assert {one.name: one.detail for one in prove(made, planted=False) if one.verdict.word.exit_code} == {}


@pytest.mark.parametrize("point", [Point(None, "replicate", Sym.var("v")), Condition(None, "replicate", True)])
def test_points_are_not_looked_up_either(point):
    with pytest.raises(TypeError, match="no dict, set or cache looks it up"):
        hash(point)
    with pytest.raises(TypeError, match="asks which truth it is"):
        _ = Condition(None, "replicate", point) == True  # noqa: E712  # as a page's text may ask
