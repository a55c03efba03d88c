"""Faults that a page may share with its implementation: numpy's sum finds each, and no text of a page is asked.

What is planted is what people get wrong in both: a rank's vector left out, a part never delivered, the smallest kept.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from sparring import page_runs
from sparring.proofs import thc
from sparring.refinement import sums
from sparring.refinement.looks import summing
from sparring.refinement.runtime_faults import unharmed
from sparring.spec.core import runner
from tests.impl.algorithms import PAGES, SELECTING, TARGETS, planted

RANKS = (1, 2, 3, 4, 8)


class Alike(NamedTuple):
    """``module``, ``old``, ``new``: what is changed; ``what``: what goes wrong by that."""

    module: str
    old: str
    new: str
    what: str


LEFT_OUT, UNDELIVERED = "a rank's vector is left out", "a part is not delivered"
SMALLEST, FORGOTTEN = "the smallest are kept", "what is not sent is forgotten"
HALVED = "means are halved"
ALIKE = {
    "ring": Alike(
        "ring", "np.add(inbox, x[here], out=y[here])", "np.add(inbox, x[here] * (i < p - 2), out=y[here])", LEFT_OUT
    ),
    "pat": Alike("pat", "np.add(part, block, out=block)", "np.add(part * (i < 1), block, out=block)", LEFT_OUT),
    "two_shot": Alike("two_shot", "for q in range(p)], r)", "for q in range(p - (p > 2))], r)", LEFT_OUT),
    "recursive_doubling": Alike(
        "recursive_doubling",
        "sums = np.add(spare, sums, out=y)",
        "sums = np.add(spare * (i < 1), sums, out=y)",
        LEFT_OUT,
    ),
    "rabenseifner": Alike(
        "rabenseifner",
        "for i in reversed(range(rounds(p))):",
        "for i in reversed(range(min(1, rounds(p)))):",
        UNDELIVERED,
    ),
    "recursive_multiplying": Alike("recursive_multiplying", "for part in rest[1:]:", "for part in rest[2:]:", LEFT_OUT),
    "ring_sparse": Alike(
        "ring_sparse", "mine = chunks[given(left(r, p), i, p)]", "mine = chunks[given(left(r, p), 0, p)]", LEFT_OUT
    ),
    "two_shot_sparse": Alike("two_shot_sparse", "for q in range(p)))", "for q in range(p) if q < 2))", LEFT_OUT),
    "ssar_recursive_doubling": Alike(
        "ssar_recursive_doubling", "mine = add(theirs, mine)", "mine = add(theirs, mine) if i < 1 else mine", LEFT_OUT
    ),
    "dsar_split_allgather": Alike(
        "dsar_split_allgather", "first, *others = parts\n", "first, *others = parts[:3]\n", LEFT_OUT
    ),
    "ring_allgather": Alike("ring_allgather", "for message in lists]", "for message in lists[:3]]", LEFT_OUT),
    "bruck_allgather": Alike("bruck_allgather", "for q in range(p)]\n", "for q in range(min(p, 3))]\n", LEFT_OUT),
    "recursive_doubling_allgather": Alike(
        "recursive_doubling_allgather", "for q in range(p)]\n", "for q in range(max(1, p - 1))]\n", LEFT_OUT
    ),
    "ring_topk": Alike(
        "ring_topk",
        "for c, message in enumerate(messages)]\n    at",
        "for c, message in enumerate(messages[:2])]\n    at",
        UNDELIVERED,
    ),
    "gtopk": Alike("gtopk", "added([come, (mine.indices, mine.values)], mine)", "added([come], mine)", LEFT_OUT),
    "topka2a": Alike("topka2a", "total[at] += values", "total[at] += values * (i < 2)", LEFT_OUT),
    "spardl": Alike(
        "spardl",
        "parts = [every.entries(place(c, r, p)) for c in range(p)]",
        "parts = [every.entries(place(c, r, p)) for c in range(min(p, 2))]",
        UNDELIVERED,
    ),
    "oktopk": Alike(
        "oktopk",
        "return gathered(comm, mine, sizes)",
        "return gathered(comm, mine, sizes) if len(sizes) == 1 else mine",
        UNDELIVERED,
    ),
    "error_feedback": Alike("error_feedback", "waiting[sent.indices] = 0", "waiting[:] = 0", FORGOTTEN),
    "ef21": Alike("ef21", "estimate[nearer.indices] += nearer.values", "pass", FORGOTTEN),
    "ef21_m": Alike("ef21_m", "/ kind(WHOLE)", "/ kind(2 * WHOLE)", HALVED),
    "arc_top_k": Alike("arc_top_k", "first(magnitudes(", "first(~magnitudes(", SMALLEST),
    "power_sgd": Alike("power_sgd", "held[self._n :] = 0", "held[self._n - 1 :] = 0", UNDELIVERED),
    "one_bit": Alike(
        "one_bit",
        "total += sign_codec.decode(coming[q], pieces[r])",
        "total += sign_codec.decode(coming[q], pieces[r]) * (q < 2)",
        LEFT_OUT,
    ),
    "flash": Alike("flash", "for copy in copies[1:]:", "for copy in copies[2:]:", LEFT_OUT),
    "lossy_two_shot": Alike(
        "lossy_two_shot",
        "for q in others:\n            self._take",
        "for q in others[1:]:\n            self._take",
        UNDELIVERED,
    ),
    "hierarchical": Alike("hierarchical", "shown(rail, mine)", "shown(rail, mine[:0])", UNDELIVERED),
    "omnireduce": Alike("omnireduce", "[x[parts[r]]] * p, block))", "[x[parts[r]]] * p, block)[:2])", LEFT_OUT),
    "clt_k": Alike("clt_k", "held[at] = 0 if self._beta == WHOLE else held[at] - v[at]", "held[:] = 0", FORGOTTEN),
    "dgc": Alike("dgc", "np.add(held, u, out=held)", "np.add(held, u / 2, out=held)", HALVED),
    "diloco": Alike("diloco", "np.divide(gradient, self", "np.divide(gradient / 2, self", HALVED),
    "sparse_loco": Alike(
        "sparse_loco", "total += code.decode(coming[q])", "total += code.decode(coming[q]) * (q < 2)", LEFT_OUT
    ),
    "streaming_diloco": Alike(
        "streaming_diloco", "gradient = sums / self._comm", "gradient = sums / 2 / self._comm", HALVED
    ),
    "moshpit": Alike("moshpit", "zip(others, weights[1:])", "zip(others[1:], weights[1:])", LEFT_OUT),
    "qgz": Alike("qgz", "np.add(total, one, out=total)", "np.add(total, one * (q < 2), out=total)", LEFT_OUT),
    "qsgd": Alike(
        "qsgd", "y += read(coming[q], x, self._levels)", "y += read(coming[q], x, self._levels) * (q < 3)", LEFT_OUT
    ),
    "thc": Alike(
        "thc",
        "total += integer_bytes.unpacked(coming[q], lengths[r], bits)",
        "total += integer_bytes.unpacked(coming[q], lengths[r], bits) * (q != 0)",
        LEFT_OUT,
    ),
}


def found(name):
    """What numpy's sum finds."""
    return (flaw for trial in summing(PAGES[name], TARGETS[name], RANKS) for flaw in trial.flaws(unharmed))


@pytest.fixture(autouse=True)
def no_text_is_asked(monkeypatch):
    """A page that is wrong alike would not change a thing."""
    for module in (runner, page_runs):  # which has it by its own name
        monkeypatch.setattr(module, "run", lambda *_, **__: pytest.fail("the page ran"))


def test_each_algorithm_has_one():
    assert ALIKE.keys() == PAGES.keys()


@pytest.mark.parametrize("name", ALIKE)
def test_what_is_wrong_alike_is_found(name):
    """By numpy alone."""
    fault = ALIKE[name]
    with planted(fault.module, (fault.old, fault.new)):
        flaw = next(found(name))
    assert flaw.property == sums.SUM
    assert "numpy's" in flaw.detail or "did not come at once" in flaw.detail, flaw.detail


@pytest.mark.parametrize("name", SELECTING)
def test_the_smallest_are_no_sum(name):
    """Nor is what comes of them later: the zeros that ranks end with are smaller still."""
    with planted("core.selection", ("else largest(size, k)", "else largest(~size, k)")):
        assert next(found(name)).property == sums.SUM


def test_codes_may_not_be_off_by_as_much_as_a_rank_has(monkeypatch):
    """A proof module that allows everything is found out."""
    monkeypatch.setattr(thc, "off", lambda xs, params: np.inf)  # as modules have it

    assert "rank 0's vector could be missing" in next(found("thc")).detail
