"""Compositions on whole vectors: they are run, shown and held against bit for bit, with or without a memory."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import sparring
from sparring.checks.checking import check
from sparring.cli import cli
from sparring.errors import InputError
from sparring.proofs.logic.verdicts import Word
from sparring.spec.core.runner import run
from tests.sparring.checks.refuting import detail, failed, replayed, words

MEAN = '''"""The mean, coded on its way out: what each rank averages is rounded to a quarter."""

from dataclasses import dataclass
from typing import NamedTuple
import numpy as np
from sparring.spec.core.wire_forms import Coding
from sparring.spec.core.exchanges import allgather, reduce_scatter
from sparring.spec.core.vectors import Vector

data = "dense"
dtypes = ("float32", "float64")
averages = True


class Params(NamedTuple):
    parts: int = 4


@dataclass(frozen=True)
class Parts(Coding):
    parts: int

    def encode(self, x):
        y = np.nan_to_num(np.array([*x], type(x.zero)), posinf=9, neginf=9)
        return np.rint(y * self.parts).astype(np.int16).astype(np.uint8), type(x.zero)

    def decode(self, coded):
        codes, kind = coded
        return Vector((codes / self.parts).astype(kind), kind(0))

    def written(self, coded):
        return coded[0]


def program(x, p, params):
    mean = (yield reduce_scatter(x)) / p
    return (yield allgather(mean, Parts(params.parts)))
'''
MEAN_OF_MINE = """
import numpy as np

def allreduce(comm, x, parts=4, more=0, keeps=False):
    p, r = comm.Get_size(), comm.Get_rank()
    cuts = [slice(c * x.size // p, (c + 1) * x.size // p) for c in range(p)]
    mean = np.zeros_like(x[cuts[r]])
    for q in range(p):
        if q != r:
            comm.Sendrecv(x[cuts[q]], q, recvbuf=(got := np.empty_like(mean)), source=q)
        mean = (got if q != r else x[cuts[r]]) + (mean if q else 0)
    mean = (mean / p).astype(x.dtype)
    codes = np.rint(np.nan_to_num(mean, posinf=9, neginf=9) * parts).astype(np.int16).astype(np.uint8) + more
    y = np.empty_like(x)
    for q in range(p):
        got = codes if q == r else np.empty(y[cuts[q]].size, codes.dtype)
        if q != r:
            comm.Sendrecv(codes, q, recvbuf=got, source=q)
        y[cuts[q]] = mean if keeps and q == r else (got / parts).astype(x.dtype)
    return y

def off(comm, x, parts=4):
    return allreduce(comm, x, parts, more=1)

def keeps(comm, x, parts=4):
    return allreduce(comm, x, parts, keeps=True)

def short(comm, x, parts=4):
    return allreduce(comm, x, parts, more=x.size > 300)
"""
SLOW = '''"""Each rank goes halfway to what the next one had in the call before."""

from typing import Any, NamedTuple
from sparring.spec.core.exchanges import gather

data = "dense"
agrees = False


class State(NamedTuple):
    before: Any = None


def program(x, r, p, state):
    others = yield gather(x * 0 if state.before is None else state.before)
    return x + others[(r + 1) % p], State(x)
'''
SLOW_OF_MINE = """
import numpy as np

class Allreduce:
    fresh = False

    def __init__(self, comm, n):
        self.comm, self.before = comm, None

    def __call__(self, x):
        p, r = self.comm.Get_size(), self.comm.Get_rank()
        mine = x * 0 if self.before is None else self.before
        others = [mine.copy() for _ in range(p)]
        for q in range(p):
            if q != r:
                self.comm.Sendrecv(mine, q, recvbuf=others[q], source=q)
        self.before = None if self.fresh else x.copy()
        return x + others[(r + 1) % p]

class Forgets(Allreduce):
    fresh = True

class ForgetsMuch(Allreduce):
    def __call__(self, x):
        self.fresh = x.size > 300
        return super().__call__(x)
"""

UNSEEN = {"simulated": {"contention"}, "mpi": {"contention", "hygiene"}}
"""What is not judged there: the pages name no topology, and real ranks do not tell what they do with buffers."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A user's folder with two pages and implementations of them."""
    for name, text in {"mean": MEAN, "mine": MEAN_OF_MINE, "slow": SLOW, "slowly": SLOW_OF_MINE}.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("wrong", "right", "page"),
    [
        ("mine.py:short", "mine.py:allreduce", "mean.py"),
        ("slowly.py:ForgetsMuch", "slowly.py:Allreduce", "slow.py"),
    ],
)
def test_what_is_wrong_of_long_vectors_alone_is_found(folder, wrong, right, page):
    """Usual ones have fewer entries than a group of a code, or a block."""
    found = failed(check(wrong, page, only=["result", "long vectors"], ranks=[1, 2, 3], max_examples=20))
    assert {*found} == {"long vectors"} and "n=301" in found["long vectors"]
    assert "long vectors at " in replayed("long vectors")

    report = check(right, page, only=["long vectors"], ranks=[1, 2, 3], max_examples=80)
    assert words(report) == {"long vectors": Word.TESTED}
    assert detail(report, "long vectors") == "the same also where n = 320, 1,023, 1,025, 4,099, 8,193, 16,387"


SUM = '''"""The sum."""

from sparring.spec.core.exchanges import allreduce
from sparring.spec.core.vectors import local

data = "dense"


@local
def whole(x):
    return [int(one) for one in x]


def program(x):
    {}
    return (yield allreduce(x, through="two_shot"))
'''
SUM_OF_MINE = """
import numpy as np

def right(comm, x):
    y = np.empty_like(x)
    comm.Allreduce(x, y)
    return y + 0

def no_nan(comm, x):
    return right(comm, np.nan_to_num(x))
"""


def test_what_is_wrong_of_special_values_alone_is_found(folder):
    """Usual ones are tenths; a page that takes no NaN says nothing of them."""
    for name, asks in {"sum": "", "picky": "whole(x)"}.items():
        (folder / f"{name}.py").write_text(SUM.format(asks))
    (folder / "sums.py").write_text(SUM_OF_MINE)

    def asked(target, page):
        few = ["result", "special values"]
        return check(target, page, only=few, ranks=[1, 2], dtypes=["float64"], max_examples=20)

    found = failed(asked("sums.py:no_nan", "sum.py"))
    assert {*found} == {"special values"} and "reference [nan]" in found["special values"]
    assert "special values at " in replayed("special values")
    assert words(asked("sums.py:right", "sum.py"))["special values"] is Word.TESTED
    unsaid = asked("sums.py:no_nan", "picky.py")
    assert words(unsaid) == {"result": Word.TESTED, "special values": Word.NOT_COVERED}
    assert detail(unsaid, "special values") == "the page has no result for any of these examples"


def test_vectors_of_two_lengths_are_refused(folder):
    with pytest.raises(InputError, match="rank 1 has 2 entries, rank 0 has 1"):
        run(sparring.page("mean.py"), [np.zeros(1), np.zeros(2)])


@pytest.mark.parametrize("on", ["simulated", pytest.param("mpi", marks=pytest.mark.mpi)])
def test_a_right_implementation_holds_and_wrong_ones_do_not(folder, unshrunk, on):
    """Results by their bits, messages by their bytes; what is coded and not decoded at home is no agreement."""
    how = {"level": "steps", "on": on, "ranks": [1, 2, 3], "max_examples": 15}
    right = check("mine.py:allreduce", "mean.py", **how)
    assert {word for prop, word in words(right).items() if prop not in UNSEEN[on]} == {Word.TESTED}, right.results
    assert {"selection", "conservation"}.isdisjoint(words(right))
    off = words(check("mine.py:off", "mean.py", **how))
    assert (off["result"], off["steps"], off["volume"]) == (Word.REFUTED, Word.REFUTED, Word.TESTED)
    keeps = words(check("mine.py:keeps", "mean.py", **how))
    assert (keeps["result"], keeps["agreement"], keeps["steps"]) == (Word.REFUTED, Word.REFUTED, Word.TESTED)


def test_another_width_of_messages_is_another_volume(folder, unshrunk):
    wide = MEAN_OF_MINE.replace("astype(np.uint8) + more", "astype(np.uint8).astype(np.int16)")
    (folder / "wide.py").write_text(wide)
    found = words(check("wide.py:allreduce", "mean.py", level="steps", ranks=[2], max_examples=25))
    assert (found["result"], found["steps"], found["volume"]) == (Word.TESTED, Word.REFUTED, Word.REFUTED)


def test_only_dtypes_of_the_page_are_drawn(folder):
    report = check("mine.py:allreduce", "mean.py", ranks=[2], max_examples=25)
    told = next(result.detail for result in report.results if result.property == "dtypes")
    assert "float32" in told
    assert "int" not in told
    with pytest.raises(InputError, match="at least one that the target takes"):
        check("mine.py:allreduce", "mean.py", ranks=[2], dtypes=["int32"])


@pytest.mark.parametrize("on", ["simulated", pytest.param("mpi", marks=pytest.mark.mpi)])
def test_a_memory_is_judged_call_after_call(folder, unshrunk, on):
    """Ranks that need not agree are not asked to; what is forgotten is seen in the second call."""
    how = {"level": "steps", "on": on, "ranks": [1, 2, 3], "max_examples": 15}
    right = words(check("slowly.py:Allreduce", "slow.py", **how))
    assert "agreement" not in right
    assert {word for prop, word in right.items() if prop not in UNSEEN[on]} == {Word.TESTED}
    report = check("slowly.py:Forgets", "slow.py", **how)
    wrong = {result.property: result for result in report.results}
    assert wrong["result"].verdict.word == wrong["steps"].verdict.word == Word.REFUTED
    assert "in call 2" in wrong["result"].detail


def test_commands_take_them(folder):
    """``run`` counts bytes as they are, ``show`` prints the text, ``verify`` says what there is not, and why."""
    ran = CliRunner().invoke(cli, ["run", "mean.py", "--ranks", "3", "--size", "8", "--json"])
    assert json.loads(ran.output)["run"]["bytes"] == [28, 26, 26]
    assert "def program(x, p, params):" in CliRunner().invoke(cli, ["show", "mean.py"]).output
    verified = CliRunner().invoke(cli, ["verify", "slow.py", "--json"])
    assert verified.exit_code == 0
    told = {result["property"]: result for result in json.loads(verified.output)["results"]}
    assert told["deadlock"]["verdict"] == "proved for every p"
    assert told.keys().isdisjoint({"terms", "sizes", "selection", "economy", "agreement"})
    assert told["result"]["verdict"] == told["conservation"]["verdict"] == "not covered"
    assert told["result"]["detail"] == "the page has no ensures(...), which says what all ranks end with"
    assert "has no waiting(...)" in told["conservation"]["detail"]
    costed = CliRunner().invoke(cli, ["cost", "slow.py"])
    assert "gather: at most n*(p - 1) words" in costed.output
    costed = CliRunner().invoke(cli, ["cost", "mean.py"])
    assert costed.exit_code == 0 and "not covered: bytes: the code Parts has no method octets" in costed.output


def test_bytes_of_a_code_that_does_not_say_them_are_not_covered(folder):
    """One sentence says what is lacking, and all else is told; what a code says is proved, or refuted."""
    why = "the code Parts has no method octets(c, width), which says how many bytes c entries take"
    cost = sparring.cost("mean.py")
    assert (str(cost.messages), cost.form("bytes"), cost.form("time")) == ("2*(p - 1)", None, None)
    assert cost.at(p=4, n=100, alpha=1, beta=1).nbytes is None
    assert "reduce_scatter: at most n - floor(n/p) words, p - 1 messages" in cost.qualified[2]
    assert cost.gaps[0] == f"bytes: {why}"
    assert [check.verdict.word for check in cost.checks] == [Word.TESTED, Word.NOT_COVERED]
    assert cost.counted().verdict.number >= 40

    def volume(text):
        (folder / "said.py").write_text(text)
        results = sparring.verify("said.py", ranks=[1]).results
        return next((result.verdict.word, result.detail) for result in results if result.property == "volume")

    said = MEAN + "\n\ndef said(self, c, width):\n    return c{}\n\n\nParts.octets = said\n"
    assert volume(MEAN) == (Word.NOT_COVERED, why)
    assert volume(said.format(""))[0] == Word.PROVED
    assert volume(said.format(" // 2"))[0] == Word.REFUTED
