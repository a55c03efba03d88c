"""OmniReduce's messages, beside a few lines of numpy of the paper's definition."""

from __future__ import annotations

import numpy as np
import pytest

import sparring
from sparring.analysis.compression import block_bytes
from sparring.proofs.logic.verdicts import REFUTED
from sparring.proofs.proving import proving
from sparring.spec.codecs.nonzero_blocks import NonzeroBlocks
from sparring.spec.core.vectors import Vector
from tests.proofs.wrong_texts import wrong


def dense(x, block):
    """The message of ``x`` by definition: rows of a matrix that are not zero, and a bit for each row."""
    rows = np.append(x, np.zeros(-x.size % block, x.dtype)).reshape(-1, block)
    there = np.abs(rows).max(axis=1, initial=0) != 0
    entries = np.concatenate([x[:0], *(x[i * block : (i + 1) * block] for i in np.flatnonzero(there))])
    return np.packbits(there, bitorder="little").tobytes() + (entries + 0).tobytes()


@pytest.mark.parametrize("dtype", ["float32", "int64"])
@pytest.mark.parametrize("block", [1, 3, 8, 100])
def test_a_message_is_what_rows_of_a_matrix_say(dtype, block):
    """Also of no entries, of zeros of both signs, and where the last block is short."""
    rng = np.random.default_rng(block)
    for n in (0, 1, 7, 24, 65):
        x = (rng.integers(-1, 2, n) * (rng.random(n) < 0.2)).astype(dtype)
        assert bytes(NonzeroBlocks(block).written(Vector.of(x))) == dense(x, block)


def test_a_nan_is_something():
    """All of its block is sent, and it is the usual NaN whatever bits it had."""
    odd = np.array([0x7FF0000000000001, 0], np.uint64).view(np.float64)
    assert bytes(NonzeroBlocks(2).written(Vector.of(odd))) == b"\1" + np.array([np.nan, 0]).tobytes()


def test_messages_that_cancel_come_in_the_first_step_alone():
    x = np.array([1.0, 0, 0, 0])
    first, then = sparring.run("omnireduce", [x, -x], block=2).trace
    assert [len(m.entries) for m in first] == [1, 1 + 2 * 8]
    assert [len(m.entries) for m in then] == [1, 1]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("y = yield allgather(sums, code)", "y = yield allgather(sums + x, code)"),
        ("sums = yield reduce_scatter(x, code)", "sums = yield reduce_scatter(x + x, code)"),
    ],
)
def test_a_wrong_text_is_refuted(old, new):
    """By proof alone; the page itself is proved."""
    assert any(one.verdict == REFUTED for one in proving.prove(wrong("omnireduce", old, new), planted=False))


def test_what_more_is_sent_is_counted(monkeypatch):
    """A block that is sent though it is zero shows in the counts of the paper's statement."""
    assert block_bytes.blocks_alone().holds
    monkeypatch.setattr(block_bytes, "sent", lambda there: [[9] * len(there)] * 2)
    assert not block_bytes.blocks_alone().holds
    monkeypatch.setattr(block_bytes, "sent", lambda there: [[10**6] * len(there)] * 2)
    assert not block_bytes.part_of_all().holds
