"""``check`` on targets that select entries and keep the rest: what is drawn, what may be given, what is not covered."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from sparring.checks import engine
from sparring.checks.examples import series
from sparring.checks.question import Question, page_of
from sparring.cli import cli
from sparring.refinement.example import Example
from tests.sparring.checks.refuting import failed
from tests.sparring.checks.stateful_targets import TWIN
from tests.sparring.checks.suites import SUITES

STATEFUL = SUITES["stateful"]
MINE = "mine.py:Allreduce"
judged = STATEFUL.judged


@pytest.mark.parametrize("name", ["mine.py:allreduce", "sparring.impl.ring_topk:allreduce"])
def test_a_function_is_judged_in_one_call(target, name):
    """It keeps nothing, and one sentence says so."""
    target(TWIN)
    report = judged(name, max_examples=10)

    assert not failed(report)
    assert report.not_covered == [
        "conservation: a function keeps nothing from call to call: what it leaves out is lost"
    ]


def test_a_hidden_residual_is_told(target, unshrunk):
    """What such a target keeps shows in its next results alone; forgetting is found all the same."""
    hidden = TWIN.replace("self.residual", "self._left")
    report = judged(target(hidden, "Allreduce"), max_examples=15)
    assert not failed(report)
    assert len(report.not_covered) == 1
    assert report.not_covered[0].startswith("conservation: after a call rank 0 shows no residual, an array as its")

    found = failed(
        judged(target(hidden.replace("x + self._left", "x + 0"), "Allreduce"), only=["result", "conservation"])
    )
    assert set(found) == {"result"}
    assert "in call 2" in found["result"]


def drawn(**asked) -> list[Example]:
    """Examples of each kind, as they are drawn."""
    question = Question("none", page_of("ring_topk", {}), (1, 2, 3, 4), **asked)
    found: list[Example] = []

    def look(example: Example) -> None:
        found.append(example)

    for kind in series.KINDS:
        engine.drawn(question, kind, look, [engine.Phase.generate], 40)
    return found


def test_what_is_drawn_reaches_the_traps():
    """Ties, too few non-zeros, no entry kept or all of them, what is no number, empty chunks, several calls."""
    found = drawn()
    traps = {
        "none kept": lambda x, k: k == 0 < x.shape[1],
        "more than there are": lambda x, k: k > x.shape[1] > 0,
        "too few that are no zeros": lambda x, k: (np.count_nonzero(x, axis=1) < min(k, x.shape[1])).any(),
        "ties": lambda x, k: any(0 < k < row.size > len(np.unique(np.abs(row))) for row in x),
        "NaN": lambda x, k: np.isnan(x).any(),
        "infinity": lambda x, k: np.isinf(x).any(),
        "-0.0": lambda x, k: x.dtype.kind == "f" and (np.signbit(x) & (x == 0)).any(),
        "several calls": lambda x, k: len(x) > 1 and 0 < k < x.shape[1],
        "no entries": lambda x, k: x.shape[1] == 0,
    }
    for name, trap in traps.items():
        assert sum(any(trap(x, e.params["k"]) for x in e.xs) for e in found) >= 3, name
    assert any(e.n < e.p for e in found) and any(e.p == 1 for e in found)


def test_how_many_are_kept_may_be_given(target):
    """Then the target and the page get that number, and nothing is drawn."""
    target(TWIN)
    report = judged(MINE, k=2, max_examples=10)
    assert not failed(report)
    target(STATEFUL.wrong(STATEFUL.defects["has one entry too many"]))
    (told,) = failed(judged(MINE, k=2, only=["volume"], max_examples=15)).values()
    assert " k=" not in told.split(":")[0]
    assert "**{'k': 2}" in Path("sparring-failures/volume.py").read_text(encoding="utf-8")


def test_examples_may_be_given(target):
    """For each rank an array with a row a call; a vector is one call."""
    target(STATEFUL.wrong(STATEFUL.defects["forgets its residual"]))
    rows = np.array([[1, 2, 3], [0, 0, 0]])
    told = failed(judged(MINE, k=1, examples=[([rows, rows], "result")]))
    assert told["conservation"].startswith("p=2 n=3, 2 calls: in call 2 at index 0: 2 was put in")
    assert not failed(judged(MINE, k=1, examples=[([rows[0], rows[0]], "result")]))


def test_on_the_command_line(target, unshrunk):
    """The figure too: steps of the second call stand below those of the first."""
    target(STATEFUL.wrong(STATEFUL.defects["forgets its residual"]))
    args = ["check", MINE, "--algorithm", "ring_topk", "--level", "steps", "--ranks", "2", "-P", "k=1", "--json"]
    done = CliRunner().invoke(cli, [*args, "--max-examples", "20"])

    verdicts = {result["property"]: result["verdict"] for result in json.loads(done.stdout)["results"]}
    assert done.exit_code == 1
    assert list(verdicts) == STATEFUL.properties
    assert {p for p, verdict in verdicts.items() if verdict == "refuted"} >= {"result", "conservation", "steps"}
    for name in ("steps.svg", "steps.tex"):
        assert "step 3" in (Path("sparring-failures") / name).read_text(encoding="utf-8")


def test_a_form_that_reads_some_messages_only_is_not_taken(target):
    """The first message reads the same with value and index swapped; the second tells which is which."""
    target(TWIN)
    xs = [np.array([0, 1, 0]), np.array([0, 0, 1])]

    assert not failed(judged(MINE, k=1, examples=[(xs, "result")]))


def test_what_is_not_selected_in_long_vectors_alone_is_found(target):
    """A twin with one more line."""
    wrong = TWIN.replace("x + self.residual", "x + self.residual * (x.size < 300)")
    assert wrong != TWIN
    found = failed(judged(target(wrong, "Allreduce"), only=["result", "long vectors"], max_examples=20))
    assert {*found} == {"long vectors"} and "n=300" in found["long vectors"]
    assert not failed(judged(target(TWIN, "Allreduce"), only=["long vectors"], max_examples=20))
