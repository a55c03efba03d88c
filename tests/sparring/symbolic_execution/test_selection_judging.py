"""Allreduces that select: right ones are proved, each planted bug is refuted by numbers that show it."""

from __future__ import annotations

from math import comb
from pathlib import Path

import numpy as np
import pytest

from sparring import impl, page
from sparring.errors import InputError
from sparring.proofs.logic.verdicts import REFUTED, UNDECIDED
from sparring.symbolic_execution import judging
from sparring.symbolic_execution.forms import constant
from sparring.symbolic_execution.judging import judge, judge_all, seen
from sparring.symbolic_execution.runs import Shape, Subject

PAGE = page("ring_topk")
OURS = "sparring.impl.ring_topk:Allreduce"
THEIRS = Path(__file__).with_name("selecting_targets.py").read_text(encoding="utf-8")
CODE = Path(impl.__path__[0], "ring_topk.py").read_text(encoding="utf-8")
ONE, TWO = Shape(3, 4, 2, 1), Shape(3, 4, 2, 2)
FIRST = "np.sort(np.lexsort((np.arange(len(x)), -np.abs(x)))[:k])"
CHOOSE = 'np.sort(np.argsort(-np.abs(x), kind="stable")[:k])'


@pytest.fixture
def written(tmp_path):
    """Writes code with pieces of text replaced to a file; returns its name."""

    def write(code, changes):
        for old, new in changes.items():
            assert old in code, old
            code = code.replace(old, new)
        file = tmp_path / "mine.py"
        file.write_text(code, encoding="utf-8")
        return str(file)

    return write


@pytest.mark.parametrize(("shape", "cells"), [(ONE, 2**3), (Shape(2, 3, 1, 2), 16)])
def test_the_ring_is_right_for_every_input(shape, cells):
    """Of 3 ranks with 4 entries, 2 of them kept: three times one is sent from a chunk of two.

    In the second call residuals are forms of both calls' inputs.
    """
    assert judge(Subject(OURS, PAGE), shape) == judging.Judged(cells)


@pytest.mark.parametrize("shape", [(1, 4, 2, 1), (2, 3, 2, 2), (3, 2, 1, 2), (2, 0, 1, 1), (2, 2, 5, 1)])
def test_somebody_elses_ring_is_right(written, shape):
    """Written with lexsort, pickled messages and arrays of its own."""
    assert judge(Subject(f"{written(THEIRS, {})}:Ring", PAGE), Shape(*shape)).verdict is None


LARGER = "np.array([i for i in range(len(x)) if sum(abs(v) > abs(x[i]) for v in x) < k], np.int64)"
FAILS = """values = acc[at]
        assert x[2] != 7 * x[3] or not x[3]"""
WAITS = """values = acc[at]
        if abs(x[2]) == abs(x[3]) != 0:
            self.comm.recv(source=p - 1)"""
BUGS = {
    "of equal ones the last": (FIRST, FIRST.replace("np.arange", "-np.arange"), ONE, "result at index"),
    "ties left to comparisons": (FIRST, LARGER, ONE, "result at index"),
    "the smallest": (FIRST, FIRST.replace("-np.abs(x)", "np.abs(x)"), ONE, "result at index"),
    "residual lost": ("self.residual = acc", "pass", ONE, "rank 0's residual at index 0 is 0, the page's"),
    "residual not added": ("acc = x + self.residual", "acc = x + 0 * self.residual", TWO, "after call 2, rank"),
    "selects from the input": ("first(acc[lo:hi], kept)", "first(x[lo:hi], kept)", ONE, "result at index"),
    "sent and kept": ("        acc[at] = 0\n", "", ONE, "residual at index"),
    "ranks differ": ("result[at] = values", "result[at] = values if r else 2 * values", ONE, "rank 0's result"),
    "raises on ties": ("values = acc[at]", FAILS, ONE, "raised AssertionError"),
    "waits on ties": ("values = acc[at]", WAITS, ONE, "waits in"),
    "a threshold": (FIRST, "np.flatnonzero(np.abs(x) > 0.5)[:k]", ONE, "result at index"),
}


@pytest.mark.parametrize("name", BUGS)
def test_each_bug_is_refuted_by_numbers(written, name):
    """Which show it when the code runs on them as it is; the correct code is right on the same."""
    old, new, shape, words = BUGS[name]
    subject = Subject(f"{written(THEIRS, {old: new})}:Ring", PAGE)

    found = judge(subject, shape)

    assert (found.verdict, words in found.detail) == (REFUTED, True), found
    given = found.witness["inputs"]
    assert np.shape(given) == (3, shape.calls, 4)
    wrong = seen(subject, shape, given)[2]
    assert wrong and wrong.what in found.detail
    assert seen(Subject(OURS, PAGE), shape, given)[2] is None


OWN_BUGS = {
    "kept and sent": ("here[largest.indices] = 0", "pass"),
    "selects from the input": (
        "return through(self._select, self._waiting, self._reduced)",
        "return self._reduced(x.copy())",
    ),
}


@pytest.mark.parametrize("name", OWN_BUGS)
def test_bugs_in_our_own_ring_are_refuted(written, name):
    """Through packed buffers and the summary of our own selector."""
    old, new = OWN_BUGS[name]
    found = judge(Subject(f"{written(CODE, {old: new})}:Allreduce", PAGE), TWO)
    assert found.verdict == REFUTED, found


def test_a_bug_in_our_own_selector_is_refuted(written, monkeypatch):
    """It changes what the summary says, which is made of the code."""
    from sparring.impl.core import selection
    from sparring.symbolic_execution import summaries

    monkeypatch.setattr(summaries, "OWN", {})
    monkeypatch.setattr(selection, "largest", lambda size, k: np.sort(np.argsort(size, kind="stable")[size.size - k :]))
    found = judge(Subject(OURS, PAGE), ONE)
    assert found.verdict == UNDECIDED  # ranks have copies of their own, which are right, as numbers show
    assert "numbers" in found.detail


def test_what_a_library_leaves_open_is_not_called_refuted(written):
    """Which of equal entries an unstable order has first: numbers cannot show it where it has the lower index first."""
    found = judge(Subject(f"{written(THEIRS, {FIRST: 'np.sort(np.argsort(-np.abs(x))[:k])'})}:Ring", PAGE), ONE)
    assert found.verdict in (UNDECIDED, REFUTED)
    if found.verdict == UNDECIDED:
        assert "np.argsort, not being stable, may take either of equal entries" in found.detail


@pytest.mark.parametrize(
    ("p", "selectors"), [(2, {}), (2, {"choose": {}}), pytest.param(3, {"choose": {}}, marks=pytest.mark.slow)]
)
def test_every_ranks_largest_make_216_cells(written, p, selectors):
    """The choice of 2 out of 4 on each of 3 ranks; without a page, one result and nothing lost."""
    found = judge(Subject(f"{written(THEIRS, {})}:Local", None, selectors), Shape(p, 4, 2, 1))
    assert found == judging.Judged(comb(4, 2) ** p)


SELECTORS = {
    "sorted": "np.array(sorted(sorted(range(len(x)), key=lambda i: -abs(x[i]))[:k]))",
    "one by one": "np.array(sorted([max(range(len(x)), key=lambda i: abs(x[i]))]))",
    "parted": "np.argpartition(-np.abs(x), k)[:k]",
    "a mask": "np.flatnonzero((np.arange(len(x)) == np.argmax(np.abs(x))))",
}


@pytest.mark.parametrize("name", SELECTORS)
def test_any_selector_is_summarised(written, name):
    """Whatever it is written with: on one rank each of its answers is a cell."""
    target = f"{written(THEIRS, {CHOOSE: SELECTORS[name]})}:Local"
    found = judge(Subject(target, None, {"choose": {}}), Shape(2, 3, 1, 1))
    assert (found.verdict, found.cells) == (None, 9)
    assert bool(found.free) == (name == "parted")


def test_ties_that_make_messages_longer_are_found(written):
    """A threshold at the k-th magnitude lets all of equal ones through, and ranks differ in how many they send."""
    target = f"{written(THEIRS, {CHOOSE: 'np.flatnonzero(np.abs(x) >= np.sort(np.abs(x))[-k])'})}:Local"
    found = judge(Subject(target, None), Shape(2, 3, 1, 1))
    assert (found.verdict, "in Allgather" in found.detail) == (REFUTED, True), found


UNREAD = {
    "values[0] * values[0]": "not the product of two of them",
    "values.astype(np.float32)": "not converting to float32",
}


@pytest.mark.parametrize("odd", UNREAD)
def test_what_forms_cannot_say_is_undecided(written, odd):
    """With what it was, also where the code goes on without it."""
    careless = f"values = acc[at]\n        try:\n            {odd}\n        except Exception:\n            pass"
    found = judge(Subject(f"{written(THEIRS, {'values = acc[at]': careless})}:Ring", PAGE), ONE)
    assert (found.verdict, UNREAD[odd] in found.detail) == (UNDECIDED, True), found


def test_ids_behind_the_forms_back_are_found(written):
    """Memory compared as raw numbers goes another way than the forms' cells say: the numbers of a cell show it."""
    behind = """values = acc[at]
        raw = memoryview(np.abs(acc[lo:hi]).tobytes()).cast("d").tolist()
        if raw != sorted(raw):
            values = 2 * values"""
    changes = {"values = acc[at]": behind}
    found = judge(Subject(f"{written(THEIRS, changes)}:Ring", None), ONE)
    assert found.verdict in (UNDECIDED, REFUTED), found


def test_numbers_of_every_cell_are_what_forms_say(monkeypatch):
    """An operation on forms that is another one than on numbers, planted, decides nothing."""
    from sparring.symbolic_execution import arrays

    monkeypatch.setitem(arrays.ELEMENTWISE, np.add, lambda a, b: constant(1))
    found = judge(Subject(OURS, None), Shape(1, 2, 2, 1))
    assert found.verdict == UNDECIDED


def test_the_budget_is_one_for_all_sizes():
    """And what was explored is told."""
    found = judge_all(Subject(OURS, PAGE), [Shape(2, 3, 1, 1), Shape(3, 4, 2, 1)], budget=10)
    assert (found.verdict, found.cells) == (UNDECIDED, 10)
    assert "cells explored, not exhausted" in found.detail


def test_a_function_keeps_nothing(written):
    """It is called anew each time, so that only what it returns is judged."""
    function = "def summed(comm, x, k):\n    y = np.empty_like(x)\n    comm.Allreduce(x, y)\n    return y\n"
    assert judge(Subject(f"{written(THEIRS + function, {})}:summed", None), ONE).verdict is None
    doubled = {"return y": "return y if comm.Get_rank() else 2 * y"}
    wrong = judge(Subject(f"{written(THEIRS + function, doubled)}:summed", None), ONE)
    assert (wrong.verdict, "rank 1's result" in wrong.detail) == (REFUTED, True), wrong


def test_one_schedule_is_told(written):
    """Where a receive takes whatever comes."""
    changes = {"source=(r - 1) % p": "source=MPI.ANY_SOURCE"}
    code = THEIRS.replace("import numpy as np\n", "import numpy as np\nfrom mpi4py import MPI\n", 1)
    found = judge(Subject(f"{written(code, changes)}:Ring", PAGE), Shape(2, 2, 1, 1))
    assert found.verdict is None
    assert found.outside == {"sendrecv from any source (mine.py:22)"}


def test_a_selector_that_is_not_there_is_bad_input(written):
    """One sentence."""
    with pytest.raises(InputError, match="has no function 'chose' in its module"):
        judge(Subject(f"{written(THEIRS, {})}:Local", None, {"chose": {}}), ONE)
