"""Trees of ForestColl, flows of TE-CCL, MSCCL's JSON, TACCL's XML: right ones are right, planted faults are found."""

from __future__ import annotations

import pytest

from sparring.schedules import program, rccl
from sparring.schedules.formats import forestcoll, msccl, msccl_json, teccl
from tests.sparring.schedules.programs import file, judge
from tests.sparring.schedules.strangers import (
    BOX,
    LAPS,
    PAIRS,
    addressed,
    copied_exchange,
    copied_ring,
    exchange,
    flow,
    forest,
    output,
    reduced,
    ring,
    trees,
)


def wooden(found, **how):
    """What there is to say of trees."""
    return judge(forestcoll.read(forest(found, **how)))


def flowing(flows, pairs=PAIRS, **new):
    """What there is to say of flows."""
    return judge(teccl.read(output(flows, pairs, **new)))


def stepwise(data):
    """What there is to say of MSCCL's JSON."""
    return judge(msccl_json.read(data))


def copying(data):
    """What there is to say of TACCL's XML."""
    return judge(msccl.read(data))


RIGHT = {
    **{f"trees {p} {k} {count}": (lambda p=p, k=k, count=count: wooden(trees(p, k), k=k, count=count),
                                  ("allgather", p, p * k * count, p - 1))
       for p, k, count in ((1, 1, 1), (2, 1, 1), (4, 1, 1), (5, 2, 3), (12, 3, 1))},
    **{f"flows {chunks}": (lambda chunks=chunks: flowing(ring(chunks)), ("allgather", 4, 4 * chunks, 3))
       for chunks in (1, 3)},
    **{f"volumes {share}": (lambda share=share: flowing(exchange(share=share), (), **{"6-Demand_Met": None}),
                            ("alltoall", 4, 4 * share, None)) for share in (1, 2)},
    "steps": (lambda: stepwise(addressed(3, LAPS[:2])), ("allgather", 3, 3, 2)),
    **{f"copies {inplace}": (lambda inplace=inplace: copying(copied_ring(4, inplace=inplace)), ("allgather", 4, 4, 3))
       for inplace in (True, False)},
    "copies of own parts": (lambda: copying(copied_exchange(3)), ("alltoall", 3, 3, 2)),
    "laps": (lambda: stepwise(reduced(3, LAPS)), ("allreduce", 3, 3, 4)),
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_file_is_right(name):
    """Its collective, ranks, chunks and volume; nodes are ranks in ascending order, switches none."""
    read, (collective, ranks, chunks, total) = RIGHT[name]
    one = read()
    assert (one.collective, one.ranks, one.program.chunks) == (collective, ranks, chunks)
    assert (one.wrong, one.races, list(one.unmatched), one.depth) == ([], [], [], 1)
    assert total in (None, one.cost.total)


def tree_of_1(change):
    """What is said of the trees of four nodes, that of node 1 changed."""
    found = trees(4)
    key = (BOX.format(1), 0)
    found[key] = change(found[key])
    return wooden(found)


def test_a_tree_that_leads_elsewhere():
    """What no tree brings stays empty; who sends on what a tree has not brought it has nothing to send."""
    missing = tree_of_1(lambda sends: sends[:-1])
    assert [(w.rank, w.place, w.empty) for w in missing.wrong] == [(3, 1, True)] and missing.races == []
    found = trees(4)
    del found[BOX.format(2), 0]
    assert {(w.rank, w.place) for w in wooden(found).wrong} == {(0, 2), (1, 2), (3, 2)}
    circle = tree_of_1(lambda sends: [sends[0], (BOX.format(3), BOX.format(0)), (BOX.format(0), BOX.format(3))])
    assert not circle.ends and "which closes the circle" in circle.stuck(None)
    elsewhere = tree_of_1(lambda sends: [(BOX.format(3), BOX.format(0)), *sends[1:]])
    assert elsewhere.ends and [w.empty for w in elsewhere.wrong] == [True] * 3
    twice = tree_of_1(lambda sends: [*sends, (BOX.format(1), sends[-1][1])])
    assert (twice.wrong, len(twice.races)) == ([], 1)
    back = wooden({("0", 0): [("0", "1"), ("1", "0")], ("1", 0): [("1", "0")]})  # its root does not wait for that
    assert back.ends and back.wrong == []


def test_flows_in_another_order():
    """That of lines does not matter, since epochs order them; a flow needs one of an earlier epoch."""
    assert flowing(ring()[::-1]).wrong == []
    assert flowing([*ring(), flow(0, 1, 1, 2, 2)]).wrong == []  # what has come already, once more
    early = flowing([line.replace("epoch 2", "epoch 1") for line in ring()])
    assert early.wrong and len(early.races) == 4


@pytest.mark.parametrize("left_out", ["", "6-Demand_Met", "8-Chunk paths"])
def test_a_chunk_that_is_demanded_and_never_flows(left_out):
    """Each table of demands says by itself how many chunks there are, and flows need not."""
    more = {left_out: None} if left_out else {}
    pairs = [*PAIRS, *((d, s, 1) for d, s, _ in PAIRS)]
    lacking = flowing(ring(), pairs, **more)
    assert {w.place % 2 for w in lacking.wrong} == {1} and all(w.empty for w in lacking.wrong)
    assert flowing(ring(2), pairs, **more).wrong == []


def test_flows_that_are_wrong():
    """One that is missing, of another chunk, from where the chunk never was, or all of a GPU's; and of an alltoall."""
    lines = ring()
    other = [*lines[:-1], lines[-1].replace("from 2", "from 4")]
    silent = [line for line in lines if "from 5" not in line]
    for some, places in ((lines[:-1], {(0, 1)}), (other, {(0, 1)}), (silent, {(0, 3), (1, 3), (2, 3)})):
        assert {(w.rank, w.place) for w in flowing(some).wrong} == places
    assert flowing([*lines[:8], flow(0, 4, 2, 1, 2), *lines[9:]]).wrong
    lost = [line for line in exchange() if "1->2" not in line or "from 0" not in line]
    assert {(w.rank, w.place) for w in flowing(lost, ()).wrong} == {(2, 0), (2, 1)}
    wrong = [line.replace("Chunk 1 from 2", "Chunk 0 from 2") for line in exchange()]
    assert (1, 4) in {(w.rank, w.place) for w in flowing(wrong, ()).wrong}


def test_steps_that_are_wrong():
    """One less, one that reads what the same step brings, or one that adds again what is there."""
    assert len(stepwise(addressed(3, LAPS[:1])).wrong) == 3
    assert len(stepwise(addressed(3, [LAPS[0] + LAPS[1]])).wrong) == 3
    assert any(w.twice for w in stepwise(reduced(3, [LAPS[0], *LAPS])).wrong)


OWN = [[(0, 0)], [(0, 1)], [(0, 2)]]
"""The copies of three ranks."""


@pytest.mark.parametrize(
    ("copies", "wrong"),
    [
        ([OWN[0], [], OWN[2]], {(0, 1), (1, 1), (2, 1)}),
        ([OWN[0], [(0, 0)], OWN[2]], {(0, 1), (1, 1), (2, 1)}),
        ([OWN[0], OWN[1], [(0, 2), (0, 0)]], set()),  # one more, where a message comes later
        ([[(0, 0), (0, 1)], OWN[1], OWN[2]], set()),
    ],
)
def test_copies_that_are_wrong(copies, wrong):
    """A chunk that nobody copies, or that is copied elsewhere, is missing on every rank; a message takes its place."""
    one = copying(copied_ring(3, copies, inplace=False))
    assert {(w.rank, w.place) for w in one.wrong} == wrong and one.ends


def test_copies_come_before_all_steps():
    """So no step races with them, and one that overwrites what they brought is judged as such."""
    parts = copying(copied_exchange(3, [[(1, 0)], [(1, 1)], [(2, 2)]]))
    assert [(w.rank, w.place, w.foreign) for w in parts.wrong] == [(0, 0, [[0, 1]])] and parts.races == []
    nobody = copying(copied_exchange(3, [[(0, 0)], [(1, 1)], []]))
    assert [(w.rank, w.place, w.empty) for w in nobody.wrong] == [(2, 2, True)]


def test_rccl_passes_over_copies():
    """One that moves a chunk gets lost there; in place it moves nothing."""
    moving, still = msccl.read(copied_ring(2, inplace=False)), msccl.read(copied_ring(2))
    assert [why for why in rccl.refusals(moving) if "copy" in why] == [
        f"rank {r} has a <copy> of i[0] to o[{r}], which RCCL passes over" for r in range(2)
    ]
    assert not [why for why in rccl.refusals(still) if "copy" in why]


@pytest.mark.parametrize("inplace", [True, False])
def test_copies_come_back(inplace):
    """Written in either form and read again."""
    whole = msccl.read(copied_ring(3, inplace=inplace))
    assert [rank.copies for rank in whole.ranks] == [((0, r),) for r in range(3)]
    assert msccl.read(file(whole)) == whole == program.read(file(whole, "json"))
