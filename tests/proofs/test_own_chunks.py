"""What a rank takes of a vector by ``own_chunk`` is read as its own chunk only if it is that."""

from __future__ import annotations

import pytest

import sparring
from sparring.proofs.logic.verdicts import PROVED, UNDECIDED
from sparring.proofs.proving import proving

TEXT = '''"""Adds up twice, takes one sum away chunk by chunk, and gathers the rest."""

from sparring.spec.core.exchanges import allgather, allreduce, own_chunk, reduce_scatter
from sparring.spec.core.vectors import total

data = "dense"


def program(x, r, p):
    y = yield allreduce(x)
    s = yield reduce_scatter(x)
    return (yield allgather(s + s - own_chunk(y, CHUNK)))


def ensures(x):
    return total(x)
'''


@pytest.mark.parametrize(("chunk", "verdict"), [("r, p", PROVED), ("0, p", UNDECIDED), ("r, 2", UNDECIDED)])
def test_only_its_own_chunk_is_read_as_a_ranks_own(tmp_path, chunk, verdict):
    """The chunk of another rank, or of a vector cut for other ranks, gives no theorem; that of the rank itself does."""
    file = tmp_path / "chunks.py"
    file.write_text(TEXT.replace("CHUNK", chunk))
    (found,) = (one for one in proving.prove(sparring.page(str(file))) if one.name == "result")
    assert found.verdict == verdict


def test_a_theorem_does_not_call_a_sum_a_mean(tmp_path):
    """A page that says so of its result, and ensures a sum: nobody has shown that it is a mean."""
    file = tmp_path / "chunks.py"
    file.write_text(TEXT.replace("CHUNK", "r, p").replace('"dense"', '"dense"\naverages = True'))
    (found,) = (one for one in proving.prove(sparring.page(str(file))) if one.name == "result")
    assert found.verdict == PROVED and "mean" not in found.statement
