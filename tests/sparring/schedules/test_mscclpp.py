"""Execution plans as MSCCL++ reads them (microsoft/mscclpp, ``execution_plan.cc`` and the plans of its tests)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from sparring import check_schedule
from sparring.errors import InputError
from sparring.proofs.logic.verdicts import Word
from sparring.schedules.formats import mscclpp
from tests.sparring.schedules.plans import (
    barred,
    gathered,
    here,
    nop,
    op,
    packed,
    piped,
    plan,
    reduced,
    sliced,
    switched,
    there,
)
from tests.sparring.schedules.programs import judge


def read(ranks, collective="allgather", sizes=None, **how):
    """What there is to say of a plan."""
    p = len(ranks)
    sizes = sizes or {"allgather": (1, p, 0), "allreduce": (p, p, 2 * p)}[collective]
    return judge(mscclpp.read(plan(ranks, collective, sizes, **how)))


RIGHT = {
    "put": lambda p: read(gathered(p)),
    "port": lambda p: read(gathered(p, "port"), wire="port"),
    "slices": lambda p: read(sliced(p)),
    "barrier": lambda p: read(barred(p), inplace=False),
    "read": lambda p: read(reduced(p), "allreduce"),
    "packets": lambda p: read(packed(p), "allreduce"),
    "switch": lambda p: read(switched(p), "allreduce"),
    "pipeline": lambda p: read(piped(p), "allreduce", inplace=False, semaphores=1),
}


@pytest.mark.parametrize("p", [2, 3, 5])
@pytest.mark.parametrize("name", RIGHT)
def test_a_right_plan_is_right(name, p):
    """Whatever orders it: signals, ports, packets, semaphores, barriers."""
    one = RIGHT[name](p)
    assert one.ranks == p and one.ends
    assert (one.wrong, one.races, list(one.unmatched), one.unequal) == ([], [], [], None)
    if name == "switch":
        assert one.cost is None
    else:
        gathers = one.collective == "allgather"
        assert one.cost.total == (p - 1 if gathers else 2 * (p - 1))
        assert one.cost.path_messages == (1 if gathers else {"pipeline": 4}.get(name, 2))
        halves = 1 + (name in ("slices", "pipeline"))
        assert one.cost.path_volume == Fraction(one.cost.path_messages, p * halves)


def test_a_plan_that_reduces_in_two_ways_is_refused():
    """A rank that takes the least of what others add up has no sum; whichever one is meant, it is one for all."""
    ranks = reduced(3)
    for block in ranks[1]:
        for one in block:
            one.update({"reduce_op": "min"} if "reduce_op" in one else {})
    with pytest.raises(InputError, match=r"its operations reduce by min, sum; right: all by one"):
        read(ranks, "allreduce")
    assert read(reduced(3), "allreduce").wrong == []


def test_a_plan_that_adds_twice_or_not_at_all():
    """A source that stands there twice, and one that is missing."""
    ranks = reduced(3)
    reads = next(o for o in ranks[0][0] if o["name"] == "rres")
    reads["src_buff"].append(reads["src_buff"][1])
    one = read(ranks, "allreduce")
    assert [(w.rank, w.place, w.twice) for w in one.wrong] == [(r, 0, [[1, 0]]) for r in range(3)]
    del reads["src_buff"][2:]
    assert [w.missing for w in read(ranks, "allreduce").wrong] == [[[2, 0]]] * 3


def test_a_put_that_is_missing_or_goes_astray():
    """A place stays empty; a wrong chunk is told where it lies."""
    ranks = gathered(3)
    put = next(o for o in ranks[1][0] if o["name"] == "put")
    put["src_buff"][0]["index"] = 0  # what rank 0 has put there, or not
    one = read(ranks)
    assert [(w.rank, w.place) for w in one.wrong] == [(0, 1)]
    assert any("rank 1 block 0 step 5" in words and "rank 0 block 0 step 5" in words for words in told(one))
    del put["src_buff"][0], put["dst_buff"][0]
    one = read(ranks)
    assert [(w.rank, w.place, w.empty) for w in one.wrong] == [(0, 1, True)]
    assert one.races == []


def without(ranks, r, b, steps):
    """The plan without some steps of a block."""
    ranks[r][b] = [o for i, o in enumerate(ranks[r][b]) if i not in steps]
    return ranks


def told(one):
    """The races in words."""
    return [race.told(one.graph, one.cell(race)) for race in one.races]


def test_a_signal_without_nop_tells_nothing():
    """Threads go on: that of the signal need not be the last that puts."""
    one = read(without(gathered(2), 0, 0, [6]))
    assert one.wrong == []
    (words,) = told(one)
    assert words.startswith(
        "rank 0 block 0 step 5 (put) writes rank 1's o[0], end of rank 1 reads it, and nothing orders"
    )
    assert "that of rank 0 block 0 step 4 (nop) -> rank 0 block 0 step 6 (signal) -> " in words


@pytest.mark.parametrize("p", [2, 3])
def test_a_rank_that_does_not_wait_in_the_end_has_a_race(p):
    """Its result may come after it has ended."""
    ranks = gathered(p)
    for r in range(p):
        without(ranks, r, 0, [6, 7, 8, 9, 10])
    one = read(ranks)
    assert (one.wrong, list(one.unmatched)) == ([], [])
    assert len(one.races) == p * (p - 1)
    assert all("end of rank" in words for words in told(one))


def test_a_relaxed_signal_orders_no_memory():
    """The same plan, but for that: of signals and waits, or of the ones or the others alone."""
    for relaxed in (("signal", "wait"), ("signal",), ("wait",)):
        ranks = switched(2)
        for o in (o for blocks in ranks for o in blocks[0][6:] if o["name"] in relaxed):
            o["name"] = f"rlx{o['name']}"
        assert len(read(ranks, "allreduce").races) == 2


def test_a_missing_signal_is_a_deadlock():
    """Nobody waits for ever without being named; nor is a signal sent for nobody."""
    one = read(without(gathered(2), 0, 0, [7]))
    assert not one.ends
    assert one.stuck(None) == (
        "rank 1 block 0 step 9 (wait) waits for message 1 from rank 0 to 1 on channel 0, which is never sent"
    )
    assert list(one.unmatched) == [
        "rank 0 to 1 on channel 0: 2 signals are received and 1 sent; none comes for rank 1 block 0 step 9 (wait)"
    ]
    one = read(without(gathered(2), 0, 0, [9]))
    assert one.ends and len(one.races) == 1
    (words,) = one.unmatched
    assert words.startswith(
        "rank 1 to 0 on channel 0: 2 signals are sent and 1 received; the first lost is that of rank 1 "
    )


def test_a_thread_that_signals_need_not_wait_for_another():
    """Rank 0's first thread signals rank 2 once rank 1 has signalled; with a nop it waits for rank 2, too."""
    for between, ends in (([], True), ([nop()], False)):
        one = read(
            [
                [[op("wait", to=[0, 1]), *between, op("signal", to=[1])]],
                [[op("signal", to=[0])]],
                [[op("wait", to=[0]), op("signal", to=[0])]],
            ]
        )
        assert one.ends is ends


def test_a_packet_that_nobody_writes():
    """Its reader waits for ever; a plan without a signal has nothing else to go wrong."""
    ranks = packed(2)
    ranks[0][0][0]["dst_buff"][0]["index"] = 2
    one = read(ranks, "allreduce")
    assert not one.ends
    assert "waits for a packet in rank 1's s[0], which nobody writes" in one.stuck(None)


def test_a_packet_that_two_write_in_turn():
    """Its reader still does not know which: the second may come while it reads, though the file has that first."""
    meeting = op("barrier", barrier_id=0, num_threadblocks=2)
    copy = op("cpkt", [here("i", 0)], [here("s", 0)])
    one = read([[[meeting, copy], [copy, meeting], [op("upkt", [here("s", 0)], [here("o", 0)])]]], sizes=(1, 1, 1))
    assert one.ends and one.races
    assert all("(upkt)" in words for words in told(one))


def test_packets_are_added_up_first():
    """Then what the rank has itself: each adds its own last, and the last bits differ."""
    ranks = [
        [
            [op("ppkt", [here("i", 0)], [there(r, q, "s", r)]) for q in others]
            + [op("repkt", [here("i", 0), *(here("s", q) for q in others)], [here("o", 0)])]
        ]
        for r, others in enumerate([(1, 2), (0, 2), (0, 1)])
    ]
    one = read(ranks, "allreduce", (1, 1, 3), inplace=False)
    assert (one.wrong, one.races) == ([], [])
    assert (one.unequal.ranks, one.unequal.orders) == ((0, 1), ((1, 6), (5, 2)))


def test_what_is_read_comes_from_where_it_lies():
    """Rank 0 reads from 1 and 2, round a ring by the same link: these two are the sources."""
    gets = [op("get", [there(0, q, "i", 0)], [here("o", q)], [0]) for q in (1, 2)]
    for ops, level in ((gets, "contended"), ([gets[0], nop(), gets[1]], "eager")):
        one = read([[ops], *([[[]]] * 4)], "custom", (1, 5, 0))
        assert one.crossing("ring").level == level


def test_packets_through_a_port():
    """A port takes them as they lie there: all threads must have written them; rppkt waits for that itself."""

    def ranks(*between):
        copies = [[op("cpkt", [here("o", r)], [here("s", r)]), *between] for r in range(2)]
        return [[copies[r], [op("upkt", [here("s", 1 - r)], [here("o", 1 - r)])]] for r in range(2)]

    for name, between, races in (("ppkt", [nop()], 0), ("ppkt", [], 2), ("rppkt", [], 0)):
        made = ranks(*between)
        for r in range(2):
            made[r][0].append(op(name, [here("s", r)], [there(r, 1 - r, "s", r)], [0], "port"))
        one = read(made, sizes=(1, 2, 2), wire="port")
        assert one.ends and len(one.races) == races
        assert one.wrong == [] or races


@pytest.mark.parametrize(("how", "steps"), [("put", 1), ("pws", 0), ("pwsf", 0)])
def test_what_a_port_puts_is_done_later(how, steps):
    """Whoever overwrites what is put needs a flush, and a signal on the way comes after the put."""

    def ranks(*flush):
        overwrite = op("copy", [here("s", 0)], [here("i", 0)])
        signal = [op("signal", to=[0], wire="port")] * steps
        put = op(how, [here("i", 0)], [there(0, 1, "o", 0)], [0], "port")
        return [[[put, *signal, *flush, nop(), overwrite]], [[op("wait", to=[0], wire="port"), nop()]]]

    without_flush = read(ranks(), "custom", (1, 1, 1), wire="port")
    assert len(without_flush.races) == (how != "pwsf")
    one = read(ranks(op("flush", to=[0], wire="port")), "custom", (1, 1, 1), wire="port")
    assert (one.races, list(one.unmatched), one.collective) == ([], [], None)


def test_barriers_and_semaphores_that_do_not_come_out():
    """A barrier of more than arrive, a semaphore that is not released, and one that is left another."""
    ranks = barred(2)
    for o in (o for block in ranks[0] for o in block if o["name"] == "barrier"):
        o["num_threadblocks"] = 3
    assert "waits for barrier 0, where 2 of 3 blocks arrive" in read(ranks, inplace=False).stuck(None)
    ranks = piped(2)
    released = ranks[0][0][0]["ops"].pop()
    one = read(ranks, "allreduce", inplace=False, semaphores=1)
    assert "waits for semaphore 0, which nobody releases once more" in one.stuck(None)
    ranks[0][0][0]["ops"] += [released, released]
    one = read(ranks, "allreduce", inplace=False, semaphores=1)
    assert list(one.unmatched) == [
        "rank 0: semaphore 0 is released 4 times and acquired 2 times, and the next run begins with another value"
    ]


def test_a_pipeline_whose_blocks_do_not_wait_has_races():
    """Without the semaphore the second block reads what the first has not copied."""
    ranks = piped(2)
    for r in range(2):
        ranks[r][0][0]["ops"].pop()
        ranks[r][1][0]["ops"] = ranks[r][1][0]["ops"][1:]
    assert read(ranks, "allreduce", inplace=False, semaphores=1).races


def test_a_plan_is_judged_by_its_keys(tmp_path):
    """What holds is proved; with pipelines, of which two passes are looked at, it is tested."""
    file = tmp_path / "plan.json"
    file.write_bytes(plan(reduced(3), "allreduce", (3, 3, 0)))
    report = check_schedule(file, load=True, topology="crossbar")
    words = {r.property: r.verdict.word for r in report.results}
    assert words == {
        **dict.fromkeys(("implements", "agreement", "races", "deadlock", "hygiene"), Word.PROVED_AT),
        "contention": words["contention"],
        "loader": Word.NOT_COVERED,
    }
    assert report.extra["deadlock_free_depth"] is None
    file.write_bytes(plan(piped(2), "allreduce", (2, 2, 2), inplace=False, semaphores=1))
    report = check_schedule(file)
    told = {r.property: (r.verdict.word, r.detail) for r in report.results}
    assert told["implements"][0] is told["races"][0] is told["deadlock"][0] is Word.TESTED
    assert told["deadlock"][1].endswith("where pipelines go round 2 times")
    file.write_bytes(plan(switched(2), "allreduce", (2, 2, 0)))
    report = check_schedule(file, topology="ring")
    assert "contention: what goes through a switch that adds is no message from rank to rank" in report.not_covered
    file.write_bytes(plan(without(gathered(2), 0, 0, [7]), sizes=(1, 2, 0)))
    report = check_schedule(file, depth=3)
    found = {r.property for r in report.results if r.verdict.word is Word.REFUTED}
    assert found == {"implements", "deadlock", "hygiene"}
