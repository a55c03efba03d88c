"""How vectors are cut into chunks, and how these are numbered, is a convention; which of them a rank sends is not."""

from __future__ import annotations

import numpy as np
import pytest

from sparring.checks.checking import check
from sparring.checks.conventions import AS_THE_PAGE, OTHERS, CutRun, fitting
from sparring.proofs.logic.verdicts import Word
from sparring.spec.core import pages
from sparring.spec.core.runner import run
from tests.sparring.checks.dense_targets import TWIN
from tests.sparring.checks.refuting import detail, failed, words

VIEWS = "np.split(total, [len(x) * i // size for i in range(1, size)])"
HOPS = "there, here = views[(me - hop) % size], views[(me - hop - 1) % size]"
AHEAD = "there, here = views[(me + 1 - hop) % size], views[(me - hop) % size]"
BACK = "there, here = views[(hop - me - 1) % size], views[(hop - me) % size]"
SPLIT = "np.array_split(total, size)"
REST = "[total[i * (len(x) // size) : (i + 1) * (len(x) // size) if i < size - 1 else None] for i in range(size)]"
KNOWN = {
    "cut as numpy.array_split cuts them": [(VIEWS, SPLIT)],
    "numbered from the next one on": [(HOPS, AHEAD)],
    "numbered backwards": [(HOPS, BACK)],
    "cut as numpy.array_split cuts them and numbered from the next one on": [(VIEWS, SPLIT), (HOPS, AHEAD)],
    "cut evenly but for the last, which has the rest": [(VIEWS, REST)],
}
WRONG = {
    "one cut elsewhere": [(VIEWS, "np.split(total, [min(len(x), 2 * i) for i in range(1, size)])")],
    "another neighbour": [("(me + 1) % size", "(me - 1) % size"), ("source=(me - 1) % size", "source=(me + 1) % size"),
                          (HOPS, "there, here = views[(me + hop) % size], views[(me + hop + 1) % size]"),
                          (VIEWS, SPLIT)],
    "wrong where chunks are empty": [
        (VIEWS, SPLIT), ("range(2 * size - 2)", "range((2 * size - 2) * (len(x) >= size))"),
        ("    return total", "    return total if len(x) >= size else comm.allreduce(x)"),
    ],
    "a message too many": [
        (VIEWS, SPLIT), ("    return total", "    comm.sendrecv(1, dest=me, source=me)\n    return total"),
    ],
    "a message too many for long vectors": [
        (VIEWS, SPLIT),
        ("    return total", "    len(x) < 300 or comm.sendrecv(1, dest=me, source=me)\n    return total"),
    ],
}  # fmt: skip


@pytest.fixture
def judged(target, unshrunk):
    """The twin with other words."""

    def judge(changes, **asked):
        source = TWIN
        for old, new in changes:
            assert old in source
            source = source.replace(old, new)
        return check(target(source), "ring", level="steps", **{"ranks": range(1, 5), "max_examples": 20, **asked})

    return judge


@pytest.mark.parametrize("convention", KNOWN)
def test_a_ring_with_its_own_chunks_sends_what_the_page_does(judged, convention):
    """And the line says with which; everything else is judged as before."""
    told: list[str] = []
    report = judged(KNOWN[convention], advance=told.extend)
    assert set(words(report).values()) == {Word.TESTED} and not told
    assert detail(report, "steps") == f"message by message what the page sends, with its chunks {convention}"
    assert detail(report, "volume").endswith(convention)


@pytest.mark.parametrize("what", WRONG)
def test_no_convention_makes_it_right(judged, what):
    """The sums are right, and it is not the ring."""
    assert "steps" in failed(
        judged(WRONG[what], only=["result", "long vectors", "steps", "volume"], ranks=range(1, 6), max_examples=20)
    )


def test_the_page_as_it_is_needs_none(judged):
    """Its line is as before."""
    assert detail(judged([], only=["steps"]), "steps") == "message by message what the page sends"


@pytest.mark.parametrize("name", ["ring", "rabenseifner", "recursive_doubling", "two_shot"])
def test_a_run_with_other_chunks_is_a_run(name):
    """The same sums, whatever the convention; the page's own convention gives its own messages."""
    page, xs = pages.find(name), [np.arange(11) * (r + 1) for r in range(4)]
    for one in OTHERS:
        assert all((y == sum(xs)).all() for y in CutRun(page, xs, one).results)
    ours = [[m.entries.tolist() for m in wire] for wire in CutRun(page, xs, AS_THE_PAGE).trace]
    assert ours == [[m.entries.tolist() for m in wire] for wire in run(page, xs).trace]
    assert fitting(page, [(xs, None)], "steps") == []
