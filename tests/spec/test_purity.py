"""Pages whose functions are not pure are refused; without the check each of them is proved, and its runs go wrong."""

from __future__ import annotations

import ast
import gc
import importlib
import pkgutil
import re
import sys
from pathlib import Path

import pytest

import sparring
from sparring.errors import InputError
from sparring.impl.selectors import topk
from sparring.proofs.kernel import kernel
from sparring.proofs.proving.proving import prove
from sparring.spec import collectives
from sparring.spec.core import function_texts, purity, selectors
from sparring.spec.core.loading import load
from sparring.spec.core.modules import from_file
from sparring.verification.selector import verify_selector
from tests.proofs.wrong_texts import wrong
from tests.sweeps import third

TEXT = '''
"""Sums all."""

from typing import Any

from sparring.spec.core.exchanges import allreduce
from sparring.spec.core.vectors import Vector, total

data = "dense"
{before}


def program(x, r, p):
    y = yield allreduce(x, through="ring")
{text}


def ensures(x: Vector) -> Any:
    """What all ranks end with."""
    return total(x)
'''
IMPURE = {
    "a list grows": ("BOX = []", "BOX.append(1)\nreturn y + y if len(BOX) > 40 else y", "may change BOX, a list"),
    "a list by another name": ("BOX = []", "b = BOX\nb.append(1)\nreturn y", "may change BOX, a list"),
    "a list in a tuple": ("BOX = ([],)", "BOX[0].append(1)\nreturn y", "a list inside of BOX"),
    "a dictionary": ("BOX = {}", "BOX[r] = 1\nreturn y", "may change BOX, a dict"),
    "a dictionary that grows when read": (
        "from collections import defaultdict\nD = defaultdict(int)", "return y + y if D[len(D)] or len(D) > 40 else y",
        "may change D, a defaultdict",
    ),
    "a function's list": (
        "def f(v):\n    return v\nf.held = []", "f.held.append(1)\nreturn f(y)", "a list inside of a default",
    ),
    "a default": ("def f(v, seen=[]):\n    seen.append(1)\n    return v", "return f(y)", "a list inside of a default"),
    "a variable outside": (
        "def made():\n    n = [0]\n    def f(v):\n        n[0] += 1\n        return v\n    return f\nF = made()",
        "return F(y)", "a list inside of a default or a variable outside",
    ),
    "a counter": ("import itertools\nC = itertools.count()", "return y + y if next(C) > 40 else y", "reads C, a count"),
    "a generator": ("G = (i for i in range(40))", "return y + y if sum(G) else y", "reads G, a generator"),
    "a global": ("N = 0", "global N\nN += 1\nreturn y", "binds N anew for later calls"),
    "an attribute of a class": ("class C:\n    n = 0", "C.n += 1\nreturn y", "sets the attribute n"),
    "an attribute of a function": ("def f(v):\n    f.n = 1\n    return v", "return f(y)", "sets the attribute n"),
    "an object that counts": (
        ("class Once:\n    def __init__(self):\n        self.n = 0\n    def __call__(self, v):\n        self.n += 1\n"
        "        return v\nONCE = Once()"), "return ONCE(y)", "sets the attribute n",
    ),
    "a list of a class": (
        "class C:\n    seen = []\n    def f(self, v):\n        return v", "return C().f(y)", "a list inside of C.seen",
    ),
    "what a cache tells": (
        "from functools import cache\n@cache\ndef f(n):\n    return n", "return y + y if f.cache_info().hits else y",
        "asks for cache_info",
    ),
    "a lambda": ("BOX = []\nf = lambda v: BOX.append(1) or v", "return f(y)", "may change BOX, a list"),
    "chance": ("import random", "return y + y if random.random() < 0.01 else y", "reads random.random"),
    "chance by its name": ("from random import random", "return y + y if random() < 0.01 else y", "reads random"),
    "a clock": ("import time", "return y + y if time.time() > 2e9 else y", "reads time.time"),
    "the environment": ("import os", 'return y + y if os.environ.get("S") else y', "reads os.environ"),
    "a module of a trusted one": (
        "from sparring.spec.core import pages", "return y + y if pages.sys.argv else y", "reads pages.sys",
    ),
    "a file": ("", 'return y + y if open("n").read() else y', "asks open"),
    "an import in a text": ("", "import random\nreturn y + y * (random.random() < 0.01)", "imports a module when"),
    "an import in a function": ("def f(v):\n    import sys\n    return v", "return f(y)", "imports a module when"),
    "numpy": ("import numpy as np", "return y + y if np.ndim(x) else y", "numpy"),
    "an array": ("import numpy as np\nA = np.zeros(1)", "A[0] += 1\nreturn y", "reads A, a ndarray"),
    "a kind": ("", "return y if isinstance(r, int) else y + y", "asks isinstance"),
    "a kind by its name": ("", "return y + y if x.__class__ == list else y", "asks for __class__"),
    "a pattern": (
        "", "match r:\n    case int():\n        return y + y\nreturn y", "asks for the class of an object",
    ),
    "a getter": (
        "from operator import attrgetter", 'return y + y if attrgetter("__class__")(x) else y', "reads attrgetter",
    ),
    "an attribute": ("", 'return y + y if hasattr(x, "size") else y', "asks hasattr"),
    "an error": ("", "try:\n    float(x)\nexcept TypeError:\n    return y\nreturn y + y", "catches errors"),
    "a text": ("", 'return y + y if "e" in f"{x}" else y', "makes a text of what it is given"),
    "a text of another kind": ("", 'return y + y if "e" in "%s" % x else y', "makes a text of what it is given"),
    "a text by a method": ("", 'return y + y if "e" in "{}".format(x) else y', "asks for format"),
    "where an object lies": ("", "return y + y if id(x) % 9 == 0 else y", "asks id"),
    "the same object": ("", "return y + y if y is x else y", "asks whether two objects are one"),
    "another module's list": (
        "import helping_codes", "helping_codes.BOX.append(r)\nreturn y", "may change helping_codes.BOX",
    ),
    "a method that is inherited": (
        "from helping_codes import Counting\nclass D(Counting):\n    pass", "return D().f(y)", "may change BOX, a list",
    ),
    "a module by another name": (
        "import math", "m = math\nreturn y * m.gcd(1, 2)", "reads the module math by another name",
    ),
    "code without a text": ("exec('def f(v): return v')", "return f(y)", "cannot be read"),
}  # fmt: skip
"""By what is wrong: what stands before the text and in it, and what is said."""
PURE = {
    "constants": ("N = 2\nWORDS = ('a', ('b', 3))", "return y * (N - 1) if WORDS[1][1] == 3 else x"),
    "a table that is read": ("T = {'a': (1, 2)}\nL = [1, 2]", "return y if 1 in L and T['a'][0] == len(L) - 1 else x"),
    "functions": ("from math import gcd\ndef f(n):\n    return gcd(n, 6)", "return y * (f(5) + sum(map(f, (6,))) - 6)"),
    "a cache": ("from functools import cache\n@cache\ndef f(n):\n    return n", "return y * f(1)"),
    "a list of its own": ("", "parts = []\nparts.append(y)\nreturn parts[0]"),
    "an error that it raises": ("", 'if p < 0:\n    raise ValueError(f"p = {p}")\nreturn y'),
    "an object": (
        (
            "from typing import NamedTuple\nclass Two(NamedTuple):\n    a: int = 1\n    def one(self, v):\n"
            "        return v * self.a\nTWO = Two()"
        ),
        "return TWO.one(y)",
    ),
    "what nothing calls": ("import random, os\nfrom copy import deepcopy", "return y"),
}


@pytest.fixture
def helping(tmp_path, monkeypatch):
    """A module of the user's, beside the page."""
    counted = "BOX = []\ndef counted(y):\n    BOX.append(1)\n    return y\n"
    text = counted + "class Counting:\n    def f(self, y):\n        return counted(y)\nclass D(Counting): pass\n"
    text += "from enum import Enum\nclass HELD(Enum):\n    A = []\n"
    text += "class E(Enum):\n    A = 1\n    def f(self, y):\n        return counted(y)\nONE = E.A\n"
    (tmp_path / "helping_codes.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "helping_codes", raising=False)


def file_of(folder, before, text):
    lines = "\n".join(f"    {line}" for line in text.splitlines())
    (folder / "mine.py").write_text(TEXT.format(before=before, text=lines), encoding="utf-8")
    return folder / "mine.py"


@pytest.mark.parametrize("why", IMPURE)
@pytest.mark.usefixtures("helping")
def test_what_is_not_pure_is_refused(why, tmp_path):
    """With its line, wherever the page comes from; the API's own road, a page that is loaded already, too."""
    before, text, said = IMPURE[why]
    file = file_of(tmp_path, before, text)
    with pytest.raises(InputError, match=said) as found:
        sparring.page(str(file))
    placed = r"(mine|helping_codes).py:\d+: |inside of C.seen"
    assert re.search(placed, str(found.value)) or why == "code without a text"
    with pytest.raises(InputError, match=said):
        next(prove(load(from_file(file))))


@pytest.mark.parametrize("why", third(list(PURE)))
def test_what_is_pure_is_proved(why, tmp_path):
    page = sparring.page(str(file_of(tmp_path, *PURE[why])))
    assert {one.name: one.detail for one in prove(page, planted=False) if one.verdict.word.exit_code} == {}


def test_without_the_check_they_are_proved(tmp_path, monkeypatch):
    """Which is why there is one: what a proof runs may end before the list has grown."""
    monkeypatch.setattr(purity, "check", lambda module: None)
    monkeypatch.setattr(kernel, "FEW", ())
    before, text, _ = IMPURE["a list grows"]
    page = sparring.page(str(file_of(tmp_path, before, text.replace("40", "400"))))
    assert {one.name for one in prove(page, planted=False) if not one.verdict.word.exit_code} >= {"result", "agreement"}
    runs = [sparring.run(page, [[1.0], [2.0]]).results for _ in range(300)]
    assert runs[0] == [[3.0], [3.0]] and runs[-1] == [[6.0], [6.0]]


def test_formulas_are_looked_at_as_texts_are(tmp_path):
    (tmp_path / "mine.py").write_text(
        "BOX = []\nkind = 'allgather'\ndef steps(p): return p - 1\n"
        "def dst(r, t, p): BOX.append(1); return (r + 1) % p\ndef src(r, t, p): return (r - 1) % p\n"
        "def chunk(r, t, p): return (r - t) % p\ndef adds(t, p): return False\n"
        "def holds(q, r, c, t, p): return (q == c) & ((r - c) % p <= t)\n",
        encoding="utf-8",
    )
    with pytest.raises(InputError, match=r"mine.py:4: dst may change BOX, a list"):
        sparring.page(str(tmp_path / "mine.py"))


def test_all_of_ours_are_pure():
    rooms = [
        importlib.import_module(f"{collectives.__name__}.{one.name}")
        for one in pkgutil.iter_modules(collectives.__path__)
    ]
    for module in (*(sparring.page(name).module for name in sparring.pages()), *rooms):
        purity.check(module)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("    z = y\n    return plain(z)", None),
        ("    z = y\n    z.seen = 1\n    return plain(z)", r"qsgd.py:\d+: program sets the attribute seen"),
    ],
)
def test_a_changed_page_is_read_as_it_was_changed(text, said):
    """And not as its file has it: whose lines are others."""
    page = wrong("qsgd", "    return plain(y)", text)
    if said is None:
        purity.check(page.module)
        return
    with pytest.raises(InputError, match=said):
        purity.check(page.module)


SELECTOR = '''
"""The largest entries, until it has been asked too often."""

from typing import NamedTuple

from sparring.spec.core.selectors import low
from sparring.spec.core.top_k import top

ASKED = []


class Params(NamedTuple):
    k: int = 2


def select(x, k):
    ASKED.append(1)
    return top(x, k if len(ASKED) < 100_000 else 0)


def least(n, k): return low(k, n)
def most(n, k):  return low(k, n)
'''


def test_equal_code_of_another_tree_is_not_forgotten_with_it():
    """Two faults planted in one page leave most of its functions equal; the first may go before the second."""
    first, second = (compile(f"def f(x):\n    return x\ndef g(): return {n}", "no file", "exec") for n in (1, 2))
    for code in (first, second):
        function_texts.compiled_from(ast.parse("def f(x):\n    return x"), code)
    one, other = first.co_consts[0], second.co_consts[0]
    assert one == other and one is not other
    del first, one, code
    gc.collect()
    assert getattr(function_texts.Text("no file", other, "f").node, "name", "") == "f"


def test_a_selector_is_looked_at_as_pages_are(tmp_path, monkeypatch):
    """Alone, in front of a page, and beside code that is said to be one; without the check that is proved."""
    file = tmp_path / "mine.py"
    file.write_text(SELECTOR, encoding="utf-8")
    for made in (lambda: selectors.find(str(file)), lambda: sparring.page("error_feedback", selector=str(file))):
        with pytest.raises(InputError, match=r"mine.py:\d+: select may change ASKED, a list"):
            made()
    page = selectors.load(from_file(file))
    with pytest.raises(InputError, match="select may change ASKED"):
        verify_selector(page)

    monkeypatch.setattr(purity, "check", lambda module: None)
    words = {one.property: str(one.verdict) for one in verify_selector(page, maker=topk.Selector)}
    assert words["selection"] == "proved for p = 1"


CODE = '''
"""The mean, in a code."""

import random
import struct
import subprocess
import time
from dataclasses import dataclass
from os import urandom
from random import random as draw

import numpy as np
from numpy import random as R
from numpy.random import normal

from sparring.spec.core.exchanges import allgather, reduce_scatter
from sparring.spec.core.vectors import Vector
from sparring.spec.core.wire_forms import Coding

data = "dense"
averages = True
BOX = []
RNG = np.random.default_rng(0)
{before}


@dataclass(frozen=True)
class Mine(Coding):
    parts: int

    def encode(self, x):
        y = np.array([*x], type(x.zero))
        {text}
        return y, type(x.zero)

    def decode(self, coded):
        return Vector(coded[0].astype(coded[1]), coded[1](0))

    def written(self, coded):
        return coded[0]


def program(x, p):
    mean = (yield reduce_scatter(x)) / p
    return (yield allgather(mean, Mine(4)))
'''
KEEPING = {
    "the residual in the code": ("object.__setattr__(self, 'rest', y)", "encode sets the attribute __setattr__"),
    "an attribute": ("self.rest = y", "encode sets the attribute rest"),
    "a dictionary of its own": ("self.__dict__['rest'] = y", "encode sets the attribute __dict__"),
    "a list": ("BOX.append(y)", "encode may change BOX"),
    "a generator of numbers": ("y += RNG.random()", "encode may change RNG"),
    "chance": ("y += random.random()", "encode reads random"),
    "a clock": ("y += time.time()", "encode reads time"),
    "numpy's chance": ("y += np.random.normal()", "encode draws with normal"),
    "numpy's chance by another name": ("y += R.normal()", "encode reads R"),
    "numpy's chance alone": ("y += normal()", "encode may change normal"),
    "chance alone": ("y += draw()", "encode may change draw"),
    "the system's, alone": ("y += urandom(1)[0]", "encode reads urandom"),
    "a clock that is imported there": ("import time; y += time.time()", "encode imports a module"),
    "an attribute by its name": ("setattr(self, 'rest', y)", "encode reads setattr"),
    "chance of the system": ("y += __import__('os').urandom(1)[0]", "encode reads __import__"),
    "a seed that is None": ("y += np.random.default_rng(seed=None).random()", "encode draws from no seed"),
    "no seed": ("y += np.random.default_rng().random()", "encode draws from no seed"),
    "numpy's chance by an alias": ("r = np.random; y += r.normal()", "encode draws with random"),
    "numpy by an alias": ("n = np; y += n.ones(1)", "encode reads the module np by another name"),
    "another process": ("y += subprocess.call(['true'])", "encode reads subprocess"),
}
BESIDE = {
    "an array": (
        "A = np.zeros(1)",
        "A[0] += y[0]",
        r"encode may change A, a ndarray \(right: A.flags.writeable = False\)",
    ),
    "an array that numpy writes": ("A = np.zeros(1)", "np.add(1, 1, out=A)", "encode may change A, a ndarray"),
    "bytes": ("B = bytearray(4)", "B[0] = 1", "encode may change B, a bytearray"),
    "an array that can be written again": (
        "A = np.zeros(1)",
        "A.setflags(write=True); A[0] = 1",
        "encode asks setflags",
    ),
    "an array of objects": (
        "A = np.empty(1, object)\nA[0] = []\nA.flags.writeable = False",
        "A[0].append(y)",
        "may change A, a ndarray",
    ),
    "a part of an array": (
        "B = np.zeros(2)\nA = B[:1]\nA.flags.writeable = False",
        "A.base[0] += 1",
        "may change A, a ndarray",
    ),
    "how numpy counts": ("", "np.seterr(all='ignore')", "encode asks seterr"),
    "a dictionary that grows when read": (
        "from collections import defaultdict\nD = defaultdict(int)",
        "D[len(D)]",
        "may change D, a defaultdict",
    ),
    "a function's list": ("def f(y):\n    return y\nf.held = []", "f.held.append(y)", "list inside of a default"),
    "a queue": ("from collections import deque\nQ = deque()", "Q.append(y)", "encode may change Q, a deque"),
    "an object": (
        "class Box:\n    def __init__(self):\n        self.held = []\nB = Box()",
        "B.held.append(y)",
        "encode may change B",
    ),
    "an object's method": ("KEEP = BOX.append", "KEEP(y)", "encode may change a part of KEEP, a list"),
    "a partial method": (
        "from functools import partial\nKEEP = partial(BOX.append, 1)",
        "KEEP()",
        "encode may change a part of KEEP",
    ),
    "a list in a list": ("TWO = [[]]", "TWO[0].append(y)", "encode may change a part of TWO, a list"),
    "a list in a tuple": ("TWO = ([],)", "TWO[0].append(y)", "encode may change a part of TWO, a list"),
    "a frozen object's list": (
        "@dataclass(frozen=True)\nclass Box:\n    held: list\nB = Box([])",
        "B.held.append(y)",
        "encode may change a part of B",
    ),
    "a class of its own": ("class C:\n    held = []", "C.held.append(y)", "a list inside of C.held"),
    "a cached function": (
        "from functools import cache\n@cache\ndef f(n):\n    BOX.append(n)\n    return n",
        "f(1)",
        "f may change BOX",
    ),
    "a method that keeps": ("class C:\n    def f(self, y):\n        BOX.append(y)", "C().f(y)", "f may change BOX"),
    "another module's list": (
        "import helping_codes",
        "helping_codes.BOX.append(y)",
        "may change helping_codes.BOX",
    ),
    "a method that is inherited": ("from helping_codes import D", "D().f(y)", "counted may change BOX, a list"),
    "an Enum's list": (
        "from helping_codes import HELD",
        "HELD.A.value.append(y)",
        "may change a part of HELD.A, a list",
    ),
    "an Enum's method": ("from helping_codes import ONE", "ONE.f(y)", "counted may change BOX, a list"),
    "another module's function": ("import helping_codes", "helping_codes.counted(y)", "counted may change BOX, a list"),
    "another module by another name": ("import helping_codes", "h = helping_codes; h.BOX.append(y)", "by another name"),
    "a package that draws": ("import hypothesis", "hypothesis.seed(1)", "encode reads hypothesis"),
}
"""What stands before the code, and in it, and what is said."""
COMPUTING = {
    "a seed": "y += np.random.default_rng(self.parts).random()",
    "numpy": "y = np.rint(y * self.parts) if isinstance(y, np.ndarray) else y",
    "bytes": "y[:0] = struct.unpack('<f', struct.pack('<f', 1.0))[0]",
    "a list of its own": "parts = []\n        parts.append(y)",
    "a table": "y = y + 0 * TABLE[0] + np.searchsorted(TABLE, 0) + WORDS['a'][0] - 1",
    "numpy's own objects": "y = ROUND(y.astype(KIND) * UNIT).astype(y.dtype)",
    "an object that stays": "y = y * ONE.scale * f(1)",
}
TABLES = """
TABLE = np.arange(4.0)
TABLE.flags.writeable = False
WORDS = {'a': (1, 2)}
KIND, UNIT, ROUND = np.dtype("f8"), np.float64(1), np.rint
@dataclass(frozen=True)
class One:
    scale: int
ONE = One(1)
from functools import cache
@cache
def f(n):
    return n
"""


def coded(folder, text, before=""):
    written = CODE.replace("{text}", text).replace("{before}", before)
    (folder / "mine.py").write_text(written, encoding="utf-8")
    return str(folder / "mine.py")


@pytest.mark.parametrize("why", KEEPING)
def test_a_code_that_keeps_something_is_refused(why, tmp_path):
    text, said = KEEPING[why]
    with pytest.raises(InputError, match=rf"mine.py:\d+: Mine.{said}.*; a code keeps nothing"):
        sparring.page(coded(tmp_path, text))


@pytest.mark.parametrize("why", BESIDE)
@pytest.mark.usefixtures("helping")
def test_nothing_that_a_code_reads_may_change(why, tmp_path):
    before, text, said = BESIDE[why]
    with pytest.raises(InputError, match=rf"{said}.*; (a code keeps nothing|a page's functions may)"):
        sparring.page(coded(tmp_path, text, before))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(frozen=True)", ""),
        ("    parts: int", "    parts: int\n    rest: list = field(default_factory=list)"),
        ("    parts: int", "    parts: int\n    def __post_init__(self): vars(self)['rest'] = []"),
    ],
)
def test_a_code_has_its_parameters_alone(old, new, tmp_path):
    file = Path(coded(tmp_path, "pass"))
    text = file.read_text(encoding="utf-8").replace("import dataclass", "import dataclass, field").replace(old, new)
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"mine.Mine is no frozen dataclass of parameters"):
        sparring.page(str(file))


def test_a_default_of_a_code_is_not_kept(tmp_path):
    file = Path(coded(tmp_path, "seen.append(y)"))
    text = file.read_text(encoding="utf-8").replace("def encode(self, x)", "def encode(self, x, seen=[])")
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"mine.py:\d+: Mine.encode has a default that may change; a code keeps"):
        sparring.page(str(file))


@pytest.mark.parametrize("why", COMPUTING)
def test_a_code_computes_as_it_likes(why, tmp_path):
    sparring.page(coded(tmp_path, COMPUTING[why], TABLES))
