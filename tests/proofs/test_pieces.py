"""What local functions do to values, and how long messages are, is proved from their text; faults are refused."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

import pytest

import sparring
from sparring.errors import InputError
from sparring.proofs.logic.obligations import p, r, t
from sparring.proofs.logic.queries import answered
from sparring.proofs.logic.verdicts import PROVED, REFUTED
from sparring.proofs.mutants.planting import built
from sparring.proofs.mutants.syntax import ast
from sparring.proofs.proving import proving
from sparring.proofs.reading import local_functions
from sparring.proofs.statements import execution
from sparring.spec import ring_sparse
from sparring.spec.core.loading import load
from sparring.spec.core.numbers import Sym, where
from sparring.spec.core.sparse import NOTHING, SparseVector
from tests.proofs.wrong_texts import changed
from tests.sweeps import sweep, third

SPARSE, RING, GTOPK, A2A, SPARDL = map(sparring.page, ("ring_sparse", "ring_topk", "gtopk", "topka2a", "spardl"))
LOCAL = {
    page.name: page
    for page in map(sparring.page, sparring.pages())
    if not page.composed and (page.data in local_functions.LOCAL or hasattr(page.module, "words"))
}


def unproved(page):
    """The obligations of local functions that not both solvers prove."""
    claims = [*local_functions.values(page), *local_functions.staying(page), *local_functions.sizes(page)]
    return {a.obligation.name for a in answered(claims, True) if not a.holds}


def all_but_one(x, *_):
    return x.without(x.largest(1))


@pytest.mark.parametrize("name", third(LOCAL))
def test_what_pages_do_is_proved(name):
    """Of each page that has local functions, and there is something to prove."""
    page = LOCAL[name]
    assert [*local_functions.values(page), *local_functions.sizes(page)]
    assert unproved(page) == set()


SENT = {
    "the first entry is dropped": lambda x, c, t, p, n, w: x.at(x.indices[1:]),
    "the largest is dropped": all_but_one,
    "one less than all": lambda x, c, t, p, n, w: x.largest(x.m - 1),
    "twice": lambda x, c, t, p, n, w: x + x,
    "other values": lambda x, c, t, p, n, w: x.having(x.indices, x.values),
    "full of something else": lambda x, c, t, p, n, w: (x.full() + x).where(x.m < x.n, x),
    "never full": lambda x, c, t, p, n, w: x,
    "always full": lambda x, c, t, p, n, w: x.full(),
    "full too soon": lambda x, c, t, p, n, w: x.full(2 * x.m >= x.n),
    "empty in one step": lambda x, c, t, p, n, w: x.without(x).where(t == 3, SPARSE.sends(x, c, t, p, n, w)),
}
VALUES = {"what is there is sent", "nothing else is sent"}
DENSE = sparring.page("dsar_split_allgather")


@pytest.mark.parametrize("fault", third(SENT))
def test_what_lossless_pages_send(fault):
    """It has every value that was there, and is full exactly where that is the cheapest."""
    wrong = unproved(replace(SPARSE, sends=SENT[fault]))
    assert wrong
    assert bool(wrong & VALUES) == (fault not in ("never full", "always full", "full too soon"))


@pytest.mark.parametrize("fault", third(["the first entry is dropped", "twice"]))
def test_what_lossless_pages_take_and_keep(fault):
    """As what they send."""

    def made(x, c, p, n, w):
        return SENT[fault](x, c, 0, p, n, w)

    assert "what is there is selected" in unproved(replace(SPARSE, selects=made))
    assert "what is there is kept" in unproved(replace(SPARSE, keeps=made))


TWINS = {
    "all of it": lambda x, c, t, p, n, w: SPARSE.sends(x.largest(x.m), c, t, p, n, w),
    "where it is full": lambda x, c, t, p, n, w: x.full().where(SPARSE.module.full(x.m, x.n, w), x),
    "in two parts": lambda x, c, t, p, n, w: SPARSE.sends(x.largest(3) + x.without(x.largest(3)), c, t, p, n, w),
    "the other way round": lambda x, c, t, p, n, w: x.full().where(SPARSE.module.full(x.m, x.n, w), x.meeting(x)),
}


@pytest.mark.parametrize("twin", TWINS)
def test_other_words_for_the_same(twin):
    """Values are as they were."""
    claims = local_functions.values(replace(SPARSE, sends=TWINS[twin]))
    assert all(a.holds for a in answered(claims, True))


@pytest.mark.parametrize("which", sweep(["what is shown", "what is added", "all"], few=["what is shown", "all"]))
def test_only_what_has_been_added_goes_dense_by_a_rule(which):
    """Zeros that are filled in before add nothing."""
    adds = {"what is shown": DENSE.adds, "what is added": lambda t, p: t > 0, "all": lambda t, p: t < 0}
    module: Any = built(DENSE.module, ast.parse(inspect.getsource(DENSE.module)))
    module.adds = adds[which]
    wrong = unproved(replace(load(module), adds=DENSE.adds))
    assert wrong == (set() if which == "what is shown" else {"nothing makes a message longer"})


CUT = {
    "added to itself": lambda x, c, t, p, n, w: x.largest(5) + x.largest(5),
    "values of its own": lambda x, c, t, p, n, w: x.largest(5).having(x.indices, x.values),
}


@pytest.mark.parametrize("fault", CUT)
@pytest.mark.parametrize("page", third([RING, SPARDL, A2A, GTOPK]), ids=lambda page: page.name)
def test_what_is_cut_and_what_is_sent(page, fault):
    """Together they are what was there; so an entry goes whole or not at all."""
    assert "what is sent and what is cut make what was there" in unproved(replace(page, sends=CUT[fault]))


LEFT = {
    "forgets what the rank had": lambda x, cut, y: cut.meeting(y),
    "forgets what was cut": lambda x, cut, y: x.without(y),
    "the wrong way round": lambda x, cut, y: cut.without(y) + x.meeting(y),
    "both": lambda x, cut, y: x.without(y) + cut,
    "all that it had": lambda x, cut, y: x,
    "what the rank has of it": lambda x, cut, y: x.without(cut) + cut,
}


@pytest.mark.parametrize("fault", third(LEFT))
def test_what_stays_behind(fault):
    """A rule that loses something is refuted, and runs lose it, too."""
    page = replace(SPARDL, left=LEFT[fault])
    assert any(name.startswith("what stays behind") for name in unproved(page))
    assert local_functions.rule(page) == ""
    found = execution.first(execution.mass_lost, page, range(1, 6))
    assert found is not None
    assert "result and all residuals make" in found.why


def test_rules_that_keep_the_sum():
    """The page's own, in its words and others, and what the other pages have."""
    other = replace(SPARDL, left=lambda x, cut, y: cut.meeting(y) + x.without(x.meeting(y)))
    assert unproved(other) == set()
    assert [local_functions.rule(page) for page in (SPARDL, other, RING)] == ["collected", "collected", "cut"]


LENGTHS = {
    "words": lambda page: {"words": lambda r, t, c, p, n, k: page.words(r, t, c, p, n, k) + 1},
    "added": lambda page: {"added": lambda r, t, c, p, n, k: page.added(r, t, c, p, n, k) - 1},
    "words in a later step": lambda page: {
        "words": lambda r, t, c, p, n, k: page.words(r, t, c, p, n, k) + where(t == 2, 1, 0)
    },
    "octets": lambda page: {"octets": lambda m, size, w: page.octets(m, size, w + 1)},
    "encoded": lambda page: {"encoded": lambda m, size, w: where(m <= size - 1, "values", "pairs")},
}


@pytest.mark.parametrize("fault", LENGTHS)
@pytest.mark.parametrize("page", third([RING, SPARDL, A2A, GTOPK]), ids=lambda page: page.name)
def test_how_long_messages_are(page, fault):
    """Words, values, bytes and names are of as many entries as the text selects."""
    assert unproved(replace(page, **LENGTHS[fault](page)))


SILENT = '''"""The sparse ring, which says nothing of encodings."""

from sparring.spec.ring import adds, chunk, dst, holds, src, steps

data = "sparse"
'''
ALONE = "\n\ndef octets(m, w):\n    return m * w\n"


@pytest.mark.parametrize(("more", "verdict"), [("", PROVED), (ALONE, REFUTED)])
def test_a_page_that_says_no_bytes_sends_pairs(tmp_path, more, verdict):
    """An index and a value each, as its messages are called; one that says otherwise is refuted."""
    file = tmp_path / "silent.py"
    file.write_text(SILENT + more, encoding="utf-8")
    found = {one.name: one.verdict for one in proving.prove(sparring.page(str(file)))}
    assert (found["result"], found["sizes"]) == (PROVED, verdict)


PARTS = {
    "one more": (GTOPK, {"selects": lambda x, c, p, n, w: x.largest(101)}),
    "what is summed is not cut": (GTOPK, {"keeps": lambda x, c, p, n, w: x}),
    "each chunk has k": (RING, {"sends": lambda x, c, t, p, n, w: x.largest(100)}),
    "the smallest": (RING, {"sends": all_but_one}),
}


@pytest.mark.parametrize("fault", PARTS)
def test_how_many_entries_are_selected(fault):
    """All parts together make k, and no message has more."""
    page, change = PARTS[fault]
    assert unproved(replace(page, **change))


def planted(text):
    """The page with other words for what it sends."""
    return load(built(ring_sparse, changed(ring_sparse, "return x.full(full(x.m, x.n, w))", text)))


@pytest.mark.slow
def test_a_ring_that_drops_entries_is_refuted():
    """By proof: runs of contributions are clean."""
    page = planted("return x.at(x.indices[1:])")
    attempts = {a.name: a for a in proving.prove(page)}
    assert attempts["result"].verdict == REFUTED
    assert attempts["result"].detail.startswith("what is there is sent fails at ")
    assert attempts["agreement"].verdict == PROVED
    assert execution.first(execution.wrong_result, page) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("return x if len(x.indices) else x.full()", "right is x.m"),
        ("return x.full() if full(x.m, x.n, w) else x", "has no truth value"),
        ("return x.having(*zip(*[(i, v) for i, v in zip(x.indices, x.values)]))", "entries one by one"),
        ("return x._replace(n=3)", "asks a piece for '_replace'"),
        ("return x.indices", "is no piece"),
    ],
)
def test_text_that_no_proof_can_read(text, told):
    """Is told with its line, and is no theorem."""
    page = planted(text)
    with pytest.raises(InputError, match=rf"ring_sparse.py.*{told}"):
        list(proving.prove(page))


def test_a_piece_runs_as_it_is_read():
    """Methods that pages ask for, on a vector."""
    x = SparseVector((0, 2, 3), (3, -5, 4), 4)
    assert (x.m, x.largest(2)) == (3, SparseVector((2, 3), (-5, 4), 4))
    assert [x.where(c, x.full()) is x for c in (True, False)] == [x.full(not c) is x for c in (True, False)]
    assert x.full() == SparseVector((0, 1, 2, 3), (3, NOTHING, -5, 4), 4)


def test_letters_stand_for_what_is_no_arithmetic():
    """The same for equal terms; a side that hypotheses rule out is gone."""
    n = Sym.var("n")
    claim = local_functions.plain_obligation(
        GTOPK, "", [n >= 1], where(n >= 1, 1 << t, r) + (1 << t) == (n // p) + n // p
    )
    assert repr(claim.claim) == "((any0 + any0) == (any1 + any1))"
