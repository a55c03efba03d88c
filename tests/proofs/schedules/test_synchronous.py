"""Algorithms in MSCCL's JSON, which all ranks follow step by step."""

from __future__ import annotations

import json

import pytest

from sparring import InputError, check_schedule
from sparring.proofs.schedules import synchronous
from tests.proofs.schedules.programs import judge


def algorithm(p, steps, chunks, name="Allgather", **new):
    """A file as msccl-tools writes it."""
    collective = {
        "msccl_type": "collective", "name": f"{name}(n={p})", "nodes": p, "triggers": {}, "runtime_name": name.lower(),
        "chunks": [{"msccl_type": "chunk", "pre": pre, "post": post, "addr": addr} for pre, post, addr in chunks],
    }  # fmt: skip
    whole = {
        "msccl_type": "algorithm", "name": "mine", "input_map": {}, "output_map": {}, "collective": collective,
        "instance": {"msccl_type": "instance", "steps": len(steps), "extra_rounds": 0},
        "steps": [{"msccl_type": "step", "rounds": 1, "sends": sends} for sends in steps],
        "topology": {"msccl_type": "topology", "name": "full", "links": [], "switches": []},
    }  # fmt: skip
    return json.dumps({**whole, **new}).encode()


def gathered(p, steps):
    """An allgather."""
    return algorithm(p, steps, [([r], [*range(p)], r) for r in range(p)])


def reduced(p, steps):
    """An allreduce of one address a rank."""
    return algorithm(p, steps, [([r], [*range(p)], a) for a in range(p) for r in range(p)], "Allreduce")


RING = [[[(r - t) % 3, r, (r + 1) % 3] for r in range(3)] for t in range(2)]


def test_a_ring_allgather_is_right():
    """And wrong with a step less, or with a send that reads what the same step brings."""
    one = judge(synchronous.read(gathered(3, RING)))
    assert (one.wrong, one.races, one.depth) == ([], [], 1)
    assert len(judge(synchronous.read(gathered(3, RING[:1]))).wrong) == 3
    assert len(judge(synchronous.read(gathered(3, [RING[0] + RING[1]]))).wrong) == 3


def test_an_allreduce_adds_and_then_shows():
    """The ring's two laps: the first adds, the second takes the place; a lap too many shows the same again."""
    laps = [[[(r - t) % 3, r, (r + 1) % 3] for r in range(3)] for t in range(4)]
    one = judge(synchronous.read(reduced(3, laps)))
    assert (one.wrong, one.races) == ([], [])
    twice = judge(synchronous.read(reduced(3, [laps[0], laps[0], *laps[1:]])))
    assert any(w.twice for w in twice.wrong)


def test_a_file_is_judged(tmp_path):
    """By its ending and its first words."""
    file = tmp_path / "a.msccl.json"
    file.write_bytes(gathered(3, RING))
    report = check_schedule(file)
    assert (report.verdict, report.extra["collective"], report.extra["implements"]) == ("holds", "allgather", True)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"{}", "missing required field"),
        (b'{"msccl_type": "step"}', "Invalid value 'step'"),
        (gathered(3, [[[0, 0, 0]]]), "step 0 sends address 0 from rank 0 to 0; right: two of 3 ranks"),
        (gathered(3, [[[7, 0, 1]]]), "step 0 sends address 7 from rank 0 to 1"),
        (
            algorithm(2, [], [([0], [0, 1], 0), ([1], [1], 1)]),
            "post lacks address 1 on rank 0, not so an allgather of 2",
        ),
        (
            algorithm(2, [], [([0], [0, 1], 0), ([0], [0, 1], 1)]),
            "pre has address 1 on rank 0, not so an allgather of 2",
        ),
        (algorithm(2, [], [([0], [0, 1], 0), ([1, 5], [0, 1], 1)]), "pre has address 1 on rank 5"),
        (algorithm(2, [], [([0], [1], 0)], "Alltonext"), "collective 'alltonext'; right: allreduce, allgather"),
        (algorithm(2, [[[0, 0]]], [([0], [1], 0)]), "Expected `array` of length 3"),
        (b'{"msccl_type":' + b"[" * 100000, "."),
    ],
)
def test_each_fault_is_one_sentence(data, told):
    """What is wrong, and where."""
    with pytest.raises(InputError, match=told) as caught:
        synchronous.read(data)
    assert "\n" not in str(caught.value)
