"""Schedules as TE-CCL writes them (microsoft/TE-CCL: the solvers' writers, and the outputs that it provides)."""

from __future__ import annotations

import pytest

from sparring import InputError, check_schedule
from sparring.proofs.core.verdicts import Word
from sparring.proofs.schedules import teccl
from tests.proofs.schedules.programs import judge
from tests.proofs.schedules.strangers import PAIRS, exchange, flow, output, ring


def read(flows, pairs=PAIRS, **new):
    """What there is to say of the flows."""
    return judge(teccl.read(output(flows, pairs, **new)))


@pytest.mark.parametrize("chunks", [1, 3])
def test_flows_that_reach_all_are_an_allgather(chunks):
    """GPUs are ranks in ascending order; switches are none."""
    one = read(ring(chunks))
    assert (one.collective, one.ranks, one.program.chunks) == ("allgather", 4, 4 * chunks)
    assert (one.wrong, one.races, list(one.unmatched), one.depth) == ([], [], [], 1)
    assert one.cost.total == 3


def test_the_order_of_lines_does_not_matter():
    """Epochs order them; a flow needs one of an earlier epoch."""
    assert read(ring()[::-1]).wrong == []
    assert read([*ring(), flow(0, 1, 1, 2, 2)]).wrong == []  # what has come already, once more
    early = read([line.replace("epoch 2", "epoch 1") for line in ring()])
    assert early.wrong and len(early.races) == 4


def test_a_planted_fault_leaves_a_place_empty():
    """A flow that is missing, of another chunk, or from where the chunk never was."""
    assert [(w.rank, w.place, w.empty) for w in read(ring()[:-1]).wrong] == [(0, 1, True)]
    lines = ring()
    lines[-1] = lines[-1].replace("from 2", "from 4")
    assert {(w.rank, w.place) for w in read(lines).wrong} == {(0, 1)}
    lines = ring()
    lines[8] = flow(0, 4, 2, 1, 2)
    assert read(lines).wrong
    silent = [line for line in ring() if "from 5" not in line]
    assert {(w.rank, w.place) for w in read(silent).wrong} == {(0, 3), (1, 3), (2, 3)}


@pytest.mark.parametrize("share", [1, 2])
def test_flows_with_volumes_are_an_alltoall(share):
    """Chunk c is for the rank c mod p; the solver writes no 6-Demand_Met there."""
    one = read(exchange(share=share), (), **{"6-Demand_Met": None})
    assert (one.collective, one.ranks, one.program.chunks) == ("alltoall", 4, 4 * share)
    assert (one.wrong, one.races, list(one.unmatched), one.depth) == ([], [], [], 1)
    lost = [line for line in exchange(share=share) if "1->2" not in line or "from 0" not in line]
    assert {(w.rank, w.place) for w in read(lost, ()).wrong} == {(2, m) for m in range(share)}
    wrong = [line.replace("Chunk 1 from 2", "Chunk 0 from 2") for line in exchange(share=share)]
    assert (1, 2 * share) in {(w.rank, w.place) for w in read(wrong, ()).wrong}


def test_a_file_is_judged_by_its_keys(tmp_path):
    """RCCL's reader is not asked; what times say, neither."""
    file = tmp_path / "flows.json"
    file.write_bytes(output(ring(), PAIRS))
    report = check_schedule(file, load=True, topology="ring")
    words = {r.property: r.verdict.word for r in report.results}
    assert words == {
        **dict.fromkeys(("implements", "races", "deadlock", "hygiene", "contention"), Word.PROVED_AT),
        **dict.fromkeys(("agreement", "loader"), Word.NOT_COVERED),
    }
    assert "loader: RCCL reads MSCCL's XML, and no flows of TE-CCL" in report.not_covered


FAULTS = {
    "no list": (output(None, PAIRS, **{"7-Flows": 3}), "Expected `array`, got `int` - at `$.7-Flows`"),
    "line": (output(["Chunk 0 went"], PAIRS),
             'flow 0 is \'Chunk 0 went\'; right: "Chunk C from S traveled over I->J in epoch K"'),
    "huge": (output([flow(10**9, 1, 1, 2, 0)], PAIRS), "flow 0 is 'Chunk 1000000000 from"),
    "many": (output([flow(10**8, 1, 1, 2, 0)], PAIRS), "a buffer of 400000004 chunks; at most 65536 are followed"),
    "part": (output([flow(0, 1, 1, 2, 0, volume="0.5")], PAIRS),
             "flow 0 has volume 0.5, and does not say which part that is; right: whole chunks"),
    "number": (output([flow(0, 1, 1, 2, 0, volume="1.0.0")], PAIRS), "flow 0 has volume 1.0.0; right: a number"),
    "mixed": (output([flow(0, 1, 1, 2, 0), flow(1, 1, 1, 2, 0, volume="1.0")], PAIRS),
              "some flows have a volume and some have none; right: all, of an alltoall, or none"),
    "switch": (output([flow(0, 1, 1, 0, 0)], PAIRS), "flow 0 goes from 1 to 0; right: two GPUs"),
    "itself": (output([flow(0, 1, 1, 1, 0)], PAIRS), "flow 0 goes from 1 to 1; right: two GPUs"),
    "demand": (output([], PAIRS, **{"6-Demand_Met": {"TPU 1": {}}}), "a demand names 'TPU 1'; right: 'GPU N'"),
    "path": (output([], PAIRS, **{"8-Chunk paths": {"x": []}}), "a chunk path is of 'x'; right: 'Demand at D"),
    "nobody": (output([], []), "0 GPUs; right: 1 to 4096"),
    "deep": (b'{"7-Flows":' + b"[" * 100000, "right: TE-CCL's output"),
    "no text": (b"\xff\xfe{}", "JSON is malformed"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_one_sentence(fault):
    """What is wrong, and where."""
    data, told = FAULTS[fault]
    with pytest.raises(InputError) as caught:
        judge(teccl.read(data))
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
