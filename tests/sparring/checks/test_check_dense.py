"""Programs on whole vectors: they are run, shown and held against bit for bit, with or without a memory."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from click.testing import CliRunner

import sparring
from sparring.checks.checking import check
from sparring.cli import cli
from sparring.errors import InputError
from sparring.proofs.core.verdicts import Word
from sparring.spec.core.runner import DenseRun, run

MEAN = '''"""The mean by way of rank 0, coded: what goes out is rounded to a quarter."""

from typing import NamedTuple
import numpy as np
from sparring.spec.core.runner import Message, Outcome

data = "dense"
dtypes = ("float32", "float64")
averages = True


class Params(NamedTuple):
    parts: int = 4


def program(xs, state, params):
    p = len(xs)
    yield [Message(r, 0, xs[r]) for r in range(1, p)]
    y = sum(xs[1:], xs[0]) / p
    if isinstance(y, np.ndarray):
        codes = np.rint(np.nan_to_num(y, posinf=9, neginf=9) * params.parts).astype(np.int16).astype(np.uint8)
    yield [Message(0, r, codes) for r in range(1, p)]
    return Outcome([(codes / params.parts).astype(y.dtype)] * p, [], None)
'''
MEAN_OF_MINE = """
import numpy as np

def allreduce(comm, x, parts=4, more=0, keeps=False):
    p, r = comm.Get_size(), comm.Get_rank()
    codes = np.empty(x.size, np.uint8)
    if r:
        comm.Send(x, 0)
        comm.Recv(codes, 0)
        return (codes / parts).astype(x.dtype)
    total = x
    for q in range(1, p):
        got = np.empty_like(x)
        comm.Recv(got, q)
        total = total + got
    y = total / p
    codes[:] = np.rint(np.nan_to_num(y, posinf=9, neginf=9) * parts).astype(np.int16).astype(np.uint8) + more
    for q in range(1, p):
        comm.Send(codes, q)
    return y.astype(x.dtype) if keeps else (codes / parts).astype(x.dtype)

def off(comm, x, parts=4):
    return allreduce(comm, x, parts, more=1)

def keeps(comm, x, parts=4):
    return allreduce(comm, x, parts, keeps=True)
"""
SLOW = '''"""Each rank goes halfway to what the next one had in the call before."""

from typing import Any, NamedTuple
from sparring.spec.core.runner import Message, Outcome

data = "dense"
agrees = False


class State(NamedTuple):
    before: Any = None


def program(xs, state, params):
    p = len(xs)
    before = state.before or [x * 0 for x in xs]
    yield [Message(r, (r - 1) % p, before[r]) for r in range(p) if p > 1]
    return Outcome([x + before[(r + 1) % p] for r, x in enumerate(xs)], [], State(xs))
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
        got = mine.copy()
        if p > 1:
            request = self.comm.Isend(mine, (r - 1) % p)
            self.comm.Recv(got, (r + 1) % p)
            request.Wait()
        self.before = None if self.fresh else x.copy()
        return x + got

class Forgets(Allreduce):
    fresh = True
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


def words(report):
    """Property -> the word of its verdict."""
    return {result.property: result.verdict.word for result in report.results}


def test_a_page_is_run(folder):
    """Entries are what is sent; results are the program's own."""
    page = sparring.page("mean.py")
    assert (page.data, page.dense, page.stateful, page.averages, page.agrees) == ("dense", True, False, True, True)
    ran = run(page, [np.array([1.0, 2.0]), np.array([2.0, 2.1])])
    assert isinstance(ran, DenseRun)
    assert [[(m.src, m.dst, m.entries.tolist()) for m in wire] for wire in ran.trace] == [
        [(1, 0, [2.0, 2.1])], [(0, 1, [6, 8])],
    ]  # fmt: skip
    assert [y.tolist() for y in ran.results] == [[1.5, 2.0]] * 2


def test_a_state_goes_from_call_to_call_and_inputs_stay(folder):
    """Exact numbers are taken as they are."""
    page, xs = sparring.page("slow.py"), [[Fraction(1, 3)], [Fraction(2, 3)]]
    assert page.stateful
    assert not page.agrees

    class Scaled(list):
        """A vector of exact numbers."""

        def __mul__(self, by):
            return Scaled(v * by for v in self)

        def __add__(self, other):
            return Scaled(a + b for a, b in zip(self, other))

        def __getitem__(self, i):
            return Scaled(list.__getitem__(self, i)) if isinstance(i, slice) else list.__getitem__(self, i)

    given = [Scaled(x) for x in xs]
    first = run(page, given)
    assert first.results == xs == given
    assert run(page, given, first.state).results == [[Fraction(1)], [Fraction(1)]]


def test_vectors_of_two_lengths_are_refused(folder):
    with pytest.raises(InputError, match="rank 1 has 2 entries, rank 0 has 1"):
        run(sparring.page("mean.py"), [np.zeros(1), np.zeros(2)])


@pytest.mark.parametrize("on", ["simulated", pytest.param("mpi", marks=pytest.mark.mpi)])
def test_a_right_implementation_holds_and_wrong_ones_do_not(folder, unshrunk, on):
    """Results by their bits, messages by their bytes; what is coded and not decoded at home is no agreement."""
    how = {"level": "steps", "on": on, "ranks": [1, 2, 3], "max_examples": 25}
    right = check("mine.py:allreduce", "mean.py", **how)
    assert {word for prop, word in words(right).items() if prop not in UNSEEN[on]} == {Word.TESTED}, right.results
    assert {"selection", "conservation"}.isdisjoint(words(right))
    off = words(check("mine.py:off", "mean.py", **how))
    assert (off["result"], off["steps"], off["volume"]) == (Word.REFUTED, Word.REFUTED, Word.TESTED)
    keeps = words(check("mine.py:keeps", "mean.py", **how))
    assert (keeps["result"], keeps["agreement"], keeps["steps"]) == (Word.REFUTED, Word.REFUTED, Word.TESTED)


def test_another_width_of_messages_is_another_volume(folder, unshrunk):
    wide = MEAN_OF_MINE.replace("x.size, np.uint8", "x.size, np.int16").replace("(codes /", "(codes.astype(np.uint8) /")
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
    how = {"level": "steps", "on": on, "ranks": [1, 2, 3], "max_examples": 25}
    right = words(check("slowly.py:Allreduce", "slow.py", **how))
    assert "agreement" not in right
    assert {word for prop, word in right.items() if prop not in UNSEEN[on]} == {Word.TESTED}
    report = check("slowly.py:Forgets", "slow.py", **how)
    wrong = {result.property: result for result in report.results}
    assert wrong["result"].verdict.word == wrong["steps"].verdict.word == Word.REFUTED
    assert "in call 2" in wrong["result"].detail


def test_commands_take_them(folder):
    """``run`` counts bytes as they are, ``show`` prints the program, ``verify`` says what there is not."""
    ran = CliRunner().invoke(cli, ["run", "mean.py", "--ranks", "3", "--size", "8", "--json"])
    assert json.loads(ran.output)["run"]["bytes"] == [16, 32, 32]
    assert "def program(xs, state, params):" in CliRunner().invoke(cli, ["show", "mean.py"]).output
    verified = CliRunner().invoke(cli, ["verify", "mean.py", "--json"])
    told = {result["property"] for result in json.loads(verified.output)["results"]}
    assert {"terms", "sizes", "selection", "economy"}.isdisjoint(told)
    assert "agreement" in told
    costed = CliRunner().invoke(cli, ["cost", "mean.py"])
    assert "a program, whose cost depends on the data, and its proof module has no bound" in costed.output
