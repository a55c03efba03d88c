"""What is wrong on one rank is one sentence on all, nobody waits, and what is remembered stays as it was."""

from __future__ import annotations

import functools
import subprocess
import sys

import numpy as np
import pytest

from sparring import world
from sparring.errors import InputError
from sparring.impl.core import sparse_lists
from tests.algorithms import ALGORITHMS
from tests.impl.algorithms import LOSSLESS, PAGES, RANKS, SELECTING, STATEFUL, called, heard
from tests.impl.on_ranks import module, stateful
from tests.sweeps import third

ELSEWHERE = "rank {}'s arguments are refused, as its own error says; nothing was computed"
WHOLE = "it must be a whole number, 0 or more"
LISTS = {
    "unsorted": "indices not strictly ascending: indices[1]=1 follows 2",
    "duplicate": "indices not strictly ascending: indices[1]=1 follows 1",
    "out of range": "index out of range: indices[1]=5, but n=5",
    "below zero": "index out of range: indices[0]=-1, but n=5",
    "more values than indices": "1 indices and 2 values: there must be one value for each index",
    "no array": "indices make no array",
    "masked": "values are a masked array: they must be a plain one; values.compressed() is",
    "n beyond all": "n = 1180591620717411303424: it must be a whole number, 0 or more, below 2**63",
    "k a word": f"k = 'all': {WHOLE}",
    "k a fraction": f"k = 2.5: {WHOLE}",
    "not even an array": "x is a NoneType: it must be a numpy array",
    "negative k": "k = -1: it must be 0 or more",
    "NaN": "x[1] is NaN, which has no magnitude",
    "dense": "x is a ndarray: it must be a sparring.Sparse, or a vector together with k",
}
DIFFERENT_LISTS = {
    "another n": "rank {} has float64 and 6 entries, rank 0 float64 and 5",
    "another dtype": "rank {} has float32 and 5 entries, rank 0 float64 and 5",
}
GROUPS = "comm is an inter-communicator: one between the ranks of one group is needed"


@pytest.mark.parametrize("name", third(LOSSLESS))
@pytest.mark.parametrize(("p", "bad"), [(1, 0), (4, 2)])
def test_lists(name, p, bad):
    """A list that is none is refused in its rank's own words; ranks that differ hear the same."""
    for what, sentence in LISTS.items():
        texts = heard("refused_list", p, name=name, what=what, bad=[bad])
        assert texts.pop(bad).startswith(f"rank {bad}: {sentence}")
        assert texts == [ELSEWHERE.format(bad)] * (p - 1)
    for what, sentence in DIFFERENT_LISTS.items() if p > 1 else ():
        (text,) = {*heard("refused_list", p, name=name, what=what, bad=[bad])}
        assert text.startswith(sentence.format(bad))


def test_what_is_no_triple_is_refused():
    """A tuple of two, for instance."""
    with pytest.raises(InputError, match="x is a tuple"):
        sparse_lists.taken(([1], [2]), None, allow_nan=True)


@pytest.mark.parametrize("name", [name for name, one in ALGORITHMS.items() if one.refused or one.different])
def test_parameters(name):
    """Wrong ones of one rank, and good ones that the others have not."""
    for wrong, sentence in ALGORITHMS[name].refused:
        texts = heard("refused_when_made", name=name, wrong=wrong, bad=[2])
        assert texts.pop(2).removeprefix("rank 2: ").startswith(sentence)
        assert texts == [ELSEWHERE.format(2)] * 3
    for other, sentence in ALGORITHMS[name].different:
        (text,) = {*heard("refused_when_made", name=name, wrong=other, bad=[2])}
        assert text.startswith("rank 2 has ") and sentence in text and "all ranks need one" in text


@pytest.mark.parametrize("name", [name for name, one in ALGORITHMS.items() if one.refused_by_all])
def test_parameters_that_are_wrong_on_all_ranks(name):
    """Each says so itself."""
    for wrong, sentence in ALGORITHMS[name].refused_by_all:
        texts = heard("refused_when_made", 2, name=name, wrong=wrong, bad=[0, 1])
        assert len(texts) == 2 and all(text.startswith(sentence) for text in texts)


def vectors_refused(name):
    """By vector, how many good calls come before it, and what its rank is told; nothing where all hear the same."""
    known, keeps = ALGORITHMS[name], name in STATEFUL
    told = {
        "list": "x is a list: it must be a numpy array",
        "matrix": "x has 2 dimensions: it must have 1",
        "gaps": "x has gaps between its entries: it must be contiguous; x.copy() is",
        "askew": "x begins at an odd address for float64: it must be aligned; x.copy() is",
        "masked": "x is a masked array: it must be a plain one; x.filled(0) is",
        "half precision": "x has dtype float16: it must be float32",
    }
    if keeps:
        kind = stateful(module(name)).__name__
        told |= {what: f"x has {n} entries: this {kind} was made for 5" for what, n in (("shorter", 4), ("longer", 6))}
    if known.made_with.get("allow_nan") is False:
        told["NaN"] = "x[1] is NaN"
    found = [(what, before, text) for what, text in told.items() for before in ((0, 2) if keeps else (0,))]
    if PAGES[name].dtypes == ("float32", "float64"):
        found += [("whole numbers", 0, "x has dtype int64: ")]
    if keeps:
        found += [("another dtype", 1, f"x has dtype float32, {known.keeps} float64: all ")]
    else:
        found += [("shorter", 0, "")]
    return [*found, ("another dtype", 0, "")]


@pytest.mark.parametrize("name", third(name for name in PAGES if name not in LOSSLESS))
def test_vectors(name):
    """In the first call and in later ones; the next one goes on as if nothing had been."""
    for what, before, sentence in vectors_refused(name):
        texts = heard("refused_vector", 3, name=name, what=what, bad=2, before=before, **ALGORITHMS[name].made_with)
        if sentence:
            assert texts.pop(2).startswith(sentence), (what, before)
            assert texts == [ELSEWHERE.format(2)] * 2
        else:
            assert len({*texts}) == 1 and texts[0].startswith(("rank 2 has float32", "rank 2 has float64"))


@pytest.mark.parametrize("name", SELECTING)
def test_without_validation_each_rank_checks_its_own(name):
    """No exchange takes place, and what is wrong on all ranks is refused on all."""
    call = functools.partial(called, name=name, wrong={"k": -1})
    outcome = world.run(f"{RANKS}:unvalidated", 2, [None] * 2, call=call).raise_if_found()
    told = [f"k = -1: {WHOLE}", "x has 5 entries: this Allreduce was made for 4"]
    assert [bytes(y).decode().splitlines() for y in outcome.results] == [told] * 2
    assert "Allgather" not in {one.name for one in outcome.collectives}


@pytest.mark.mpi
def test_on_real_ranks(group):
    """Every rank has its sentence, also under MPI, each within seconds; a right call follows on the same ranks."""

    def real(function, p, **params):
        return [bytes(y).decode() for y in group.run(f"{RANKS}:{function}", [np.zeros(1)] * p, timeout=9.0, **params)]

    for name, p in (("ring_allgather", 1), ("ring_allgather", 4), ("ring_sparse", 3), ("bruck_allgather", 2)):
        for what, sentence in LISTS.items():
            texts = real("refused_list", p, name=name, what=what, bad=[p // 2])
            assert texts.pop(p // 2).startswith(f"rank {p // 2}: {sentence}")
            assert texts == [ELSEWHERE.format(p // 2)] * (p - 1)
    texts = real("refused_list", 3, name="ring_allgather", what="unsorted", bad=[1, 2])
    assert [text.split(":")[0].split("'")[0] for text in texts] == ["rank 1", "rank 1", "rank 2"]
    for what, before, sentence in vectors_refused("ring_topk"):
        texts = real(
            "refused_vector", 3, name="ring_topk", what=what, bad=2, before=before, **ALGORITHMS["ring_topk"].made_with
        )
        assert texts[2].startswith(sentence or "rank 2 has") and texts[0].startswith("rank 2")


@pytest.mark.parametrize("name", PAGES)
def test_two_groups_of_ranks(name):
    """A communicator between them is refused by all ranks, before any message."""
    params = {**({"k": 2} if name in LOSSLESS else {}), **ALGORITHMS[name].made_with}
    assert {*heard("refused_groups", name=name, **params)} == {GROUPS}


def test_importing_starts_no_mpi():
    """The arithmetic of all implementations can be read without an MPI library."""
    names = ", ".join(f"sparring.impl.{name}" for name in PAGES)
    code = f"import sys, {names}; sys.exit('mpi4py' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0
