"""``check`` on sparse vectors: what is drawn, what is not covered, and which support is right."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner

from sparring import sparse_lists
from sparring.checks import engine
from sparring.checks.checking import check
from sparring.checks.judges import sums
from sparring.cli import cli
from tests.sparring.checks.refuting import failed
from tests.sparring.checks.sparse_targets import APART, AS_FLOATS, TWIN
from tests.sparring.checks.suites import SUITES

GAP = (
    r"steps and volume: in \d+ examples no message reads as a list of the page, an index of 4 or 8 bytes and a value "
    r"each; there messages were counted, not their bytes or entries compared"
)
judged = SUITES["sparse"].judged


def test_messages_that_nobody_can_read_are_counted_and_it_says_so(target, unshrunk):
    """Right ones hold with a gap; one message too many is still found."""
    right = judged(target(AS_FLOATS), max_examples=10)
    assert not failed(right)
    assert [re.fullmatch(GAP, gap) is not None for gap in right.not_covered] == [True]
    said = [r.detail for r in right.results if r.property in ("steps", "volume")]
    assert all(re.search(r"; in \d+ examples messages were counted alone$", one) for one in said) and len(said) == 2

    one_more = AS_FLOATS.replace(
        "    sums = {}",
        "    comm.size > 1 and " + "comm.Sendrecv(lists[me], dest=(me + 1) % "
        "size, recvbuf=lists[me - 1].copy(), source=(me - 1) % size)\n    sums = {}",
    )
    assert set(failed(judged(target(one_more), max_examples=10))) == {"steps", "volume"}


def test_another_algorithm_is_right_but_not_this_one(target, unshrunk):
    """The library gathers without a message; where nobody asks for messages, it passes."""
    assert set(failed(judged(target(APART), max_examples=10))) == {"steps", "volume"}
    assert not failed(judged(target(APART), max_examples=5, level="result"))


def test_the_contract_alone_can_be_sparse(target, unshrunk):
    """By the argument and by the command's option; without it, vectors are arrays."""
    name = target(APART)
    assert check(name, sparse=True, ranks=[1, 2, 3], max_examples=5).exit_code == 0
    assert "AttributeError" in failed(check(name, only=["result"], max_examples=5))["result"]
    done = CliRunner().invoke(cli, ["check", name, "--sparse", "--only", "dtypes", "--json", "--max-examples", "20"])
    assert (done.exit_code, json.loads(done.stdout)["check"]["sparse"]) == (0, True)


def test_drawn_supports_cover_the_cases():
    """Empty and full, overlapping and disjoint, unequal, both widths, all dtypes, zeros and sums that cancel."""
    seen: set[str] = set()

    def look(example):
        xs, dense = example.xs, [x.dense() for x in example.xs]
        supports, n = [set(x.indices.tolist()) for x in xs], example.n
        seen.update(f"{x.dtype} {x.indices.dtype}" for x in xs)
        if n >= example.p > 1:
            seen.add("all empty" if not any(supports) else "all full" if all(len(s) == n for s in supports) else "")
            seen.add("some empty" if any(supports) and not all(supports) else "")
            seen.add("disjoint" if all(supports) and sum(map(len, supports)) == len(set().union(*supports)) else "")
            seen.add("overlap" if set.intersection(*supports) and len(set(map(len, supports))) > 1 else "")
        seen.add("n = 0" if n == 0 else "n < p" if n < example.p else "p = 1" if example.p == 1 else "")
        seen.add("zero" if any((x.values == 0).any() for x in xs) else "")
        total = np.sum(dense, axis=0)
        seen.add("cancel" if any(total[i] == 0 != d[i] for d in dense for i in range(n)) else "")

    question = engine.Question("none", ranks=(1, 2, 3, 4), sparse=True)
    for kind in ("result", "edge sizes", "dtypes"):
        engine.drawn(question, kind, look, [engine.Phase.generate], 100)

    dtypes = {f"{v} {i}" for v in ("int32", "int64", "float32", "float64") for i in ("int32", "int64")}
    cases = {"all empty", "all full", "some empty", "disjoint", "overlap", "n = 0", "n < p", "p = 1", "zero", "cancel"}
    assert seen - {""} == dtypes | cases


@pytest.mark.parametrize("sparse", [False, True])
def test_floats_are_tenths_where_a_target_takes_nothing_else(sparse):
    """Sums of whole numbers are exact in narrower floats, too; integers are those that are drawn."""
    for dtype in ("float32", "int32"):
        question = engine.Question("none", ranks=(2, 3), sparse=sparse, dtypes=[dtype])
        drawn = [sparse_lists.values(x) for example in engine.some(question, "dtypes", 40) for x in example.xs]
        values = np.concatenate(drawn)
        assert values.dtype == dtype and np.abs(values).max() >= (0.9 if dtype == "float32" else 9)
        part = (values % 1 != 0)[values != 0].mean()
        assert part > 0.8 if dtype == "float32" else part == 0


def test_the_page_says_which_support_is_right(target, monkeypatch):
    """A page whose sums have whole chunks may have more than the union: then the union alone is refuted."""

    def full(_, xs):
        union = {i for x in xs for i in x.indices.tolist()}
        support = [i for i in range(xs[0].n) if i in union or i == 0]
        return SimpleNamespace(results=[x.having(support, [0] * len(support)) for x in xs])

    monkeypatch.setattr(sums, "run", full)
    more = TWIN.replace("sums = {}", "sums = {0: x.dtype.type(0)} if x.n else {}")

    assert not failed(judged(target(more), level="result", max_examples=10))
    told = failed(judged(target(TWIN), level="result", ranks=[2], only=["result"], max_examples=20))["result"]
    assert "p=2 n=2: rank 0 has nothing at index 0, the reference an entry: [], reference [0:0]" in told


@pytest.mark.parametrize("lost", [0, -1])
def test_a_page_that_loses_entries_is_no_excuse(target, unshrunk, monkeypatch, lost):
    """A target that loses the same ones returns no sum.  The first of several is lost, or the last."""

    def lossy(_, xs):
        union = sorted({i for x in xs for i in x.indices.tolist()})
        support = [i for i in union if len(union) < 2 or i != union[lost]]
        return SimpleNamespace(results=[x.having(support, [0] * len(support)) for x in xs])

    monkeypatch.setattr(sums, "run", lossy)
    less = TWIN.replace("sorted(sums)", f"[i for i in sorted(sums) if len(sums) < 2 or i != sorted(sums)[{lost}]]")

    assert "the reference an entry" in failed(judged(target(less), level="result", max_examples=10))["result"]
    assert not failed(judged(target(TWIN), level="result", max_examples=10))
