"""Planted faults in the page and in an implementation of it, each caught; the correct twins pass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sparring import Sparse, page
from sparring.proofs.core import kernel, lists, refinement
from sparring.proofs.core.verdicts import Word
from sparring.spec.core.numbers import both

PAGE = page("ring_allgather")
ALL = ("result", "agreement", "economy", "deadlock", "peers")


def words(one):
    return {a.name: a.verdict.word for a in kernel.prove(one)}


def test_the_page_is_proved():
    """Everything that can be said of lists; they are not cut, so nothing is said of cuts."""
    found = words(PAGE)

    assert set(found.values()) == {Word.PROVED, Word.PROVED_UP_TO} and found["timing"] is Word.PROVED_UP_TO
    assert {*ALL} <= set(found)
    assert "partition" not in found


PLANTED = {
    "wrong dst": ({"dst": lambda r, t, p: (r + 2) % p}, "deadlock", Word.REFUTED),
    "wrong chunk": ({"chunk": lambda r, t, p: r}, "result", Word.REFUTED),
    "step short": ({"steps": lambda p: p - 2}, "result", Word.REFUTED),
    "step long": ({"steps": lambda p: p}, "economy", Word.REFUTED),
    "wrong holds": (
        {"holds": lambda q, r, c, t, p: both(q == c, (r - c) % p <= t + 1)},
        "result",
        Word.NOT_INDUCTIVE,
    ),
    "another start": ({"start": lambda q, r, c, p: q == r}, "result", Word.NOT_INDUCTIVE),
}


@pytest.mark.parametrize("name", PLANTED)
def test_each_fault_of_the_page_is_caught(name):
    """With the word that it deserves: the algorithm is wrong, or what the page says of itself."""
    wrong, prop, word = PLANTED[name]

    assert words(replace(PAGE, **wrong))[prop] is word


TWIN = """\
import numpy as np
from sparring import Sparse

def allreduce(comm, x):
    p, r = comm.Get_size(), comm.Get_rank()
    counts = np.empty(p, np.int32)
    comm.Allgather(np.array([len(x)], np.int32), counts)
    indices = [np.empty(k, x.indices.dtype) for k in counts]
    values = [np.empty_like(x.values, shape=k) for k in counts]
    indices[r][:], values[r][:] = x.indices, x.values
    for i in range(p - 1):
        there, here = (r - i) % p, (r - 1 - i) % p
        requests = [comm.Irecv(values[here], (r - 1) % p, 1), comm.Irecv(indices[here].view(np.uint8), (r - 1) % p, 2)]
        requests += [comm.Isend(values[there], (r + 1) % p, 1)]
        requests += [comm.Isend(indices[there].view(np.uint8), (r + 1) % p, 2)]
        for request in requests:
            request.Wait()
    support = np.unique(np.concatenate(indices))
    sums = np.full_like(x.values, -0.0, shape=support.size)
    order = range(p)
    for q in order:
        at = np.searchsorted(support, indices[q])
        sums[at] = sums[at] + values[q]
    return Sparse(support, sums + sums.dtype.type(0), x.n)
"""

BUGS = {
    "another order of adding": ("order = range(p)", "order = reversed(range(p))", "terms", "the page's is"),
    "the order of arrival": ("order = range(p)", "order = [(r - i) % p for i in range(p)]", "agreement", "on rank 0"),
    "an entry dropped": (
        "support = np.unique(np.concatenate(indices))",
        "support = np.unique(np.concatenate(indices)); indices[0], values[0] = indices[0][1:], values[0][1:]",
        "terms",
        "the page's is",
    ),
    "an index dropped": ("sums.dtype.type(0), x.n)", "0.0, x.n) if r else Sparse([], sums[:0], x.n)", "terms", "index"),
    "a rank left out": ("order = range(p)", "order = range(1, p)", "terms", "the page's is"),
    "added twice": ("order = range(p)", "order = [0, *range(p)]", "terms", "the page's is"),
    "arithmetic on ids": (
        "sums[at] = sums[at] + values[q]",
        "sums.view(np.ndarray)[at] += values[q].view(np.ndarray)",
        "terms",
        "",
    ),
    "one hop short": ("range(p - 1)", "range(p - 2)", "terms", ""),
    "another neighbour": (
        "comm.Isend(values[there], (r + 1) % p, 1)",
        "comm.Isend(values[there], (r + 2) % p, 1)",
        "deadlock",
        "",
    ),
    "a message too many": (
        "    return Sparse",
        "    comm.Isend(support, (r + 1) % p, 7)\n    return Sparse",
        "hygiene",
        "never",
    ),
    "dense": ("return Sparse(support, sums + sums.dtype.type(0), x.n)", "return sums", "terms", "not a Sparse"),
    "another length": ("x.n)", "x.n + 1)", "terms", "returned n="),
    "writes to its input": (
        "    order",
        "    x.values.setflags(write=True)\n    x.values[:] = 0.0\n    order",
        "input untouched",
        "was changed",
    ),
}


@pytest.fixture
def target(tmp_path):
    """Writes the twin with one piece of text replaced; returns the target."""

    def written(old: str = "", new: str = "") -> str:
        assert old in TWIN
        file = tmp_path / "mine.py"
        file.write_text(TWIN.replace(old, new, 1) if old else TWIN, encoding="utf-8")
        return f"{file}:allreduce"

    return written


def flaws(target, p, n):
    return [
        f for buffers in ("synchronous", "unbounded") for f in refinement.on_terms(PAGE, target, p, n, buffers).flaws
    ]


@pytest.mark.parametrize("p", [1, 2, 3, 5])
def test_the_correct_twin_passes(target, p):
    """On terms, and bit for bit on numbers of all dtypes: another program, the same sums."""
    for n in refinement.sizes(p):
        assert flaws(target(), p, n) == []
        for dtype in refinement.DTYPES:
            xs = lists.given(PAGE, refinement.vectors(dtype, p, n))
            assert refinement.on_numbers(PAGE, target(), xs, "dtypes") == []


@pytest.mark.parametrize("name", BUGS)
def test_each_bug_is_caught(target, name):
    """The property is the planted one's, and the sentence says what happened."""
    old, new, prop, told = BUGS[name]

    found = [f for n in (9, 10, 11) for f in flaws(target(old, new), 4, n)]

    assert [f for f in found if f.property == prop and told in f.detail], found


def test_a_lost_zero_sign_is_caught(target):
    """Without the final + 0 some rank shows -0.0."""
    xs = [Sparse([1, 3], np.array([-0.0, -0.0], np.float32), 4)] * 2

    assert refinement.on_numbers(PAGE, target(), xs, "dtypes") == []
    (flaw,) = refinement.on_numbers(PAGE, target("sums + sums.dtype.type(0)", "sums"), xs, "dtypes")
    assert "rank 0 at index 1: entry 0 is -0.0, the page's is 0.0" in flaw.detail


def test_inputs_are_of_every_sort():
    """Empty, full and partial lists, near and far entries, both widths: what is drawn covers the cases."""
    xs = [x for p in range(1, 9) for n in refinement.sizes(p) for x in lists.given(PAGE, [np.ones(n)] * p)]

    assert {0, 1, 17} <= {len(x) for x in xs}
    assert {x.indices.dtype.name for x in xs} == {"int32", "int64"}
    assert max(x.n for x in xs) > 1 << 40
    assert lists.given(page("ring"), [1, 2]) == [1, 2]
