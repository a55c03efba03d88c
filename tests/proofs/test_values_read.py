"""Entries are any numbers, and marks of a user's functions are no proofs: pages that rest on either are not proved."""

from __future__ import annotations

from textwrap import indent

import pytest

import sparring
from sparring.errors import InputError, Undecided
from sparring.proofs.kernel import kernel
from sparring.proofs.logic import queries
from sparring.proofs.logic.obligations import Obligation
from sparring.proofs.logic.values import whole
from sparring.proofs.logic.verdicts import PROVED
from sparring.proofs.proving import proving
from sparring.spec.core.numbers import Sym, either
from tests.proofs.single_questions import judged
from tests.proofs.wrong_texts import wrong

HEAD = '''"""A page that is read."""

from sparring.spec.codecs.sign_codec import Signs
from sparring.spec.core.exchanges import allgather, allreduce, read, reduce_scatter
from sparring.spec.core.vectors import each, entrywise, local, total, where

data = "dense"


@local
def norm(v):
    return sum(abs(one) for one in v)


@local(known=lambda found, v: found < 1)
def tiny(v):
    return sum(abs(one) for one in v)


@entrywise
def early(v):
    return v if len(v) < 100 else v * 0


@entrywise
def negative(v):
    return each(lambda one: -one, v)


'''
BRANCH = "y = yield allreduce(x)\nif norm(y) > 0:\n    if norm(y) {}:\n        return y - y\nreturn y"
CHUNK = "return (yield allgather({}((yield reduce_scatter(x)))))"
TRUTH = "y = yield allreduce(x)\nif 50 - call:\n    return y\nreturn y - y"
TWINS = {
    "between two whole numbers": ("return (yield allreduce(where({}, x, 0)))", "total(where(x > 0, x, 0))",
                                  "x >= 1", "x > 0"),
    "of entries": ("return (yield allreduce(each(lambda v: where({}, v, 0), x)))", "total(where(x > 0, x, 0))",
                   "v >= 1", "v > 0"),
    "a side of a branch": (BRANCH, "total(x)", "< 1", "< 0"),
    "the truth of a number": (TRUTH, "where({}, total(x), 0)", "call <= 49", "call != 50"),
    "said to be of entries": (CHUNK, "{}(total(x))", "early", "negative"),
}  # fmt: skip
"""By what is misread: a text and what it ensures, with gaps; what makes these wrong, and what makes them right."""


def page(tmp_path, program, ensures, words):
    """Return a page with this text and this result."""
    program, ensures = program.replace("{}", words), ensures.replace("{}", words)
    text = f"def program(x, call):\n{indent(program, '    ')}\n\n\ndef ensures(x, call):\n    return {ensures}\n"
    (tmp_path / "mine.py").write_text(HEAD + text, encoding="utf-8")
    return sparring.page(str(tmp_path / "mine.py"))


@pytest.mark.parametrize("what", TWINS)
def test_what_is_so_of_whole_numbers_alone_is_not_proved(what, tmp_path, monkeypatch):
    """By the solver, where no run is asked; what nothing but a run shows, by that."""
    program, ensures, wrong, right = TWINS[what]
    assert judged(page(tmp_path, program, ensures, right))[0] == PROVED
    if "said" not in what:
        monkeypatch.setattr(kernel, "FEW", ())
    assert judged(page(tmp_path, program, ensures, wrong))[0] != PROVED


def test_what_a_users_function_says_of_its_numbers_is_not_believed(tmp_path):
    """What is known of sparring's own is proved beside them."""
    text = "y = yield allreduce(x)\nreturn where({}(x) < 1, y, y)"
    assert judged(page(tmp_path, text, "total(x)", "norm"))[0] == PROVED
    _, told = judged(page(tmp_path, text, "total(x)", "tiny"))
    assert "tiny says what is known of its numbers, which nothing proves" in told


def test_counterexamples_between_whole_numbers_are_told():
    """Solvers give fractions; ranks, calls and parameters stay whole."""
    x, p = Sym.var("x"), Sym.var("p")
    (found,) = queries.answered([Obligation("none", (p >= 1,), either(x >= 1, x <= 0))], True, "values")
    assert 0 < found.witness["x"] < 1 and found.witness["p"] == 1 and not found.problem
    (found,) = queries.answered([Obligation("none", (p >= 1,), either(p >= 2, p <= 1))], True, "values")
    assert found.holds
    assert [name for name in ("p", "r", "call", "param_k", "param_3", "x", "norm_0") if whole(name)] == [
        "p",
        "r",
        "call",
        "param_k",
    ]


def test_a_text_that_mixes_truths_and_numbers_is_told_so(tmp_path):
    """In one sentence, and not in a solver's words."""
    text = '"""The ring."""\n\nfrom sparring.spec.core.numbers import both\nfrom sparring.spec.ring import {}\n\n\n{}'
    names = "chunk, dst, holds, src, steps"
    (tmp_path / "mine.py").write_text(text.format(names, "def adds(t, p): return both(t < p - 1, 1)\n"))
    with pytest.raises(InputError, match="where a truth is meant"):
        judged(sparring.page(str(tmp_path / "mine.py")))


PIECES = "    return y.largest(0) if {} else y"


@pytest.mark.parametrize("asked", ["y.indices == (70,)", "y == ((70,), (1.0,), 90)", "{y: True}.get(x)"])
def test_pieces_are_not_compared_by_local_functions(asked):
    """A run may find them equal, and cut what nobody speaks of; a formula may ask how many entries there are."""
    cut = "    return x.largest(part(c, p, where(k <= n, k, n)))"
    begins = cut.replace("return", "y =") + "\n"
    with pytest.raises(InputError, match="which no proof can read"):
        next(proving.prove(wrong("ring_topk", cut, begins + PIECES.replace("{}", asked)), planted=False))
    same = begins + "    return y.largest(0).where(y.m < 0, y)"
    assert judged(wrong("ring_topk", cut, same))[0] == PROVED


def test_a_page_may_have_a_function_that_is_called_as_an_annotation(tmp_path):
    """Which is a mapping, from parameters to their least values."""
    (tmp_path / "mine.py").write_text(LEAST, encoding="utf-8")
    assert judged(sparring.page(str(tmp_path / "mine.py")))[0] == PROVED


LEAST = '''"""The ring."""

from sparring.spec.ring import adds, chunk, dst, holds, src


def least(a, b): return a - b


def steps(p): return 2 * least(p, 1)
'''


def test_a_loop_that_values_end_is_told(tmp_path):
    """Nobody can read all of its ways."""
    text = "y = yield allreduce(x)\nwhile norm(y) > {}:\n    y = y - y\nreturn y"
    with pytest.raises(Undecided, match=r"more than 64 paths|no loop ends there"):
        judged(page(tmp_path, text.replace("y - y", "y / 2"), "total(x)", "10"))


@pytest.mark.parametrize(
    ("exchange", "ensured", "so"),
    [
        ("allreduce(x, Signs(1), 'ring')", "total(read(Signs(1), x))", False),
        ("allreduce(x, Signs(1), 'direct_allgather')", "total(read(Signs(1), x))", True),
        ("allgather((yield reduce_scatter(x, Signs(1), 'ring')))", "total(read(Signs(1), x))", False),
        ("allgather((yield reduce_scatter(x, Signs(1))))", "total(read(Signs(1), x))", True),
        ("allreduce(x, filled=50 - call)", "total(x)", False),
        ("allreduce(x, filled=50 + call)", "total(x)", True),
    ],
)
def test_exchanges_that_no_rank_can_carry_out(tmp_path, exchange, ensured, so):
    """Codes are not added, and nothing is filled up to a multiple of less than 1."""
    found = page(tmp_path, f"return (yield {exchange})", ensured, "")
    assert (judged(found)[0] == PROVED) == so
