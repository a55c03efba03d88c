"""Every judge of schedules: a planted bug is caught, its correct twin passes, and a second interpreter agrees."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from sparring import InputError, page
from sparring.schedules import deadlock, from_page, rccl
from sparring.schedules.formats import goal, msccl
from sparring.schedules.program import Block, Program, Rank, Step, check_program
from tests.sparring.schedules.programs import Interpreter, changed, file, judge, program, programs

SAMPLES = Path(__file__).parent / "samples"
EXCHANGE = [
    Block(0, (Step("s", ("i", 0), count=2), Step("r", None, ("s", 0), 2), Step("re", ("s", 0), ("i", 0), 2)), 1, 1)
]
PAIR = program(EXCHANGE, [replace(EXCHANGE[0], send=0, recv=0)])


def test_two_ranks_exchange_and_add():
    """The twin of what follows."""
    one = judge(PAIR)
    assert (one.wrong, one.races, one.depth, list(one.unmatched)) == ([], [], 1, [])


@pytest.mark.parametrize(
    ("rank", "step", "new", "told"),
    [
        (0, 2, {"op": "cpy"}, "rank 0 o[0] lacks rank 0's chunk 0"),
        (0, 2, {"dst": ("i", 1), "count": 1}, "rank 0 o[0] lacks rank 1's chunk 0"),
        (1, 2, {"src": ("i", 0)}, "rank 1 o[0] lacks rank 0's chunk 0 and has several times rank 1's chunk 0"),
        (1, 2, {"src": ("s", 1), "count": 1}, "rank 1 o[0] lacks rank 0's chunk 0 and has wrongly rank 0's chunk 1"),
        (1, 1, {"op": "rrc", "src": ("s", 0)}, "rank 1 o[0] holds nothing"),
    ],
    ids=["copied", "elsewhere", "twice", "another chunk", "never put"],
)
def test_wrong_cells_are_listed(rank, step, new, told):
    """Which contributions are missing, doubled or foreign, and where."""
    wrong = judge(changed(PAIR, rank, 0, step, **new)).wrong
    assert str(wrong[0]) == told
    assert all(w.rank == rank for w in wrong)


def test_a_part_is_counted_from_its_own_begin():
    """The input of an allgather in place, if it is no longer than a rank's share."""
    swap = [Block(0, (Step("s", ("i", 0)), Step("r", None, ("o", 1 - r))), 1 - r, 1 - r) for r in range(2)]
    one = judge(Program("mine", "allgather", True, 2, tuple(Rank(1, 2, 0, (block,)) for block in swap)))
    assert (one.wrong, one.races) == ([], [])


@pytest.mark.parametrize("place", ["i", "s"])
def test_out_of_place_the_input_stays_as_it_was(place):
    """A sum that is made in the input and copied out overwrites what the caller has; one in the scratch does not."""
    adds = Step("re", ("s", 0), ("i", 0), 2) if place == "i" else Step("re", ("i", 0), ("s", 0), 2)
    block = replace(EXCHANGE[0], steps=(*EXCHANGE[0].steps[:2], adds, Step("cpy", (place, 0), ("o", 0), 2)))
    ranks = [block], [replace(block, send=0, recv=0)]
    assert judge(program(*ranks)).wrong == []
    found = [str(w) for w in judge(program(*ranks, inplace=False)).wrong]
    assert found[:1] == ["rank 0 i[0] has wrongly rank 1's chunk 0"] * (place == "i")


@pytest.mark.parametrize(("buffer", "at"), [("i", 2), ("o", 3), ("s", 0)])
def test_nothing_lies_behind_a_vector(buffer, at):
    """A rank that declares more chunks than the collective has may not use them: only its scratch is its own."""
    steps = Step("s", ("i", 0), count=2), Step("r", None, (buffer, at), 2), Step("re", (buffer, at), ("i", 0), 2)
    whole = Program("mine", "allreduce", True, 2, tuple(Rank(5, 5, 2, (Block(0, steps, q, q),)) for q in (1, 0)))
    if buffer == "s":
        assert judge(whole).wrong == []
        return
    with pytest.raises(InputError, match=rf"{buffer}\[{at}\] to .* but its \w+ has 2 chunks .allreduce of 2"):
        judge(whole)


def round_by(first):
    """Rank 0's second block reads what the first writes, after a message of the first went round by rank 1."""
    return program(
        [
            Block(0, tuple(first), send=1),
            Block(1, (Step("r", None, ("s", 1)), Step("cpy", ("s", 0), ("i", 1))), recv=1),
        ],
        [Block(0, (Step("r", None, ("s", 0)), Step("s", ("s", 0))), 0, 0)],
    )


def test_a_race_tells_how_far_the_steps_know_each_other():
    """What is written before the message goes comes before; after, the chain by rank 1 shows what is the last."""
    assert judge(round_by([Step("cpy", ("i", 0), ("s", 0)), Step("s", ("i", 1))])).races == []
    one = judge(round_by([Step("s", ("i", 1)), Step("cpy", ("i", 0), ("s", 0))]))
    [race] = one.races
    assert race.told(one.graph, one.cell(race)) == (
        "rank 0 block 0 step 1 (cpy) writes s[0], rank 0 block 1 step 1 (cpy) reads it, and nothing orders the two: "
        "the last step of rank 0 block 0 that comes before the second is that of rank 0 block 0 step 0 (s) -> "
        "rank 1 block 0 step 0 (r) -> rank 1 block 0 step 1 (s) -> rank 0 block 1 step 0 (r) -> "
        "rank 0 block 1 step 1 (cpy)"
    )


def test_a_step_that_overwrites_what_it_still_reads_races_with_itself():
    """Chunks of one step move side by side: two that shift by one touch a place, two that lie apart do not."""
    for at, raced in ((1, [0, 1]), (2, [])):
        steps = *EXCHANGE[0].steps[:2], Step("cpy", ("s", 0), ("s", at), 2), Step("re", ("s", at), ("i", 0), 2)
        block = replace(EXCHANGE[0], steps=steps)
        one = judge(program([block], [replace(block, send=0, recv=0)], scratch=4))
        assert (one.wrong, [one.graph.nodes[race.first].rank for race in one.races]) == ([], raced)
    one = judge(program([Block(0, (Step("cpy", ("s", 0), ("s", 1), 2),))], scratch=3))
    assert one.races[0].told(one.graph, one.cell(one.races[0])) == (
        "rank 0 block 0 step 0 (cpy) writes s[1] for one of its chunks and touches it for another, and nothing orders "
        "the two"
    )


def test_a_circle_of_waits_never_ends():
    """Two blocks that wait for each other: at every depth, and the circle is told."""
    steps = [Step("nop", count=0, after=(1, 0))], [Step("nop", count=0, after=(0, 0))]
    one = judge(program([Block(0, tuple(steps[0])), Block(1, tuple(steps[1]))]))
    assert (one.ends, one.depth, one.wrong, one.races) == (False, None, None, None)
    assert one.stuck(None).endswith("which closes the circle")
    assert "rank 0 block 0 step 0 (nop) waits for rank 0 block 1 step 0 (nop)" in one.stuck(None)


def test_a_receive_without_a_send_never_ends():
    """And says for which message it waits; a send without a receive is lost, and lengths must agree."""
    one = judge(changed(PAIR, 0, 0, 0))
    assert one.depth is None
    assert "waits for message 0 from rank 0 to 1 on channel 0, which is never sent" in one.stuck(None)
    assert [*one.unmatched] == [
        "rank 0 to 1 on channel 0: 1 messages are received and 0 sent; none comes for rank 1 block 0 step 1 (r)"
    ]
    lost = judge(changed(PAIR, 0, 0, 1))
    assert lost.depth == 1
    assert next(lost.unmatched).endswith("the first lost is that of rank 1 block 0 step 0 (s)")
    shorter = judge(changed(PAIR, 1, 0, 1, count=1))
    assert next(shorter.unmatched) == (
        "rank 0 to 1 on channel 0: rank 0 block 0 step 0 (s) sends 2 and rank 1 block 0 step 1 (r) takes 1"
    )


@pytest.mark.parametrize("ahead", [1, 2, 3, 7])
def test_the_smallest_depth(ahead):
    """Two ranks that send so many messages before they take any need room for them."""
    block = Block(0, (Step("s", ("i", 0)),) * ahead + (Step("r", None, ("s", 0)),) * ahead, 1, 1)
    one = judge(program([block], [replace(block, send=0, recv=0)]))
    assert one.depth == ahead
    assert one.stuck(ahead) == ""
    if ahead > 1:
        assert f"which holds {ahead - 1}: message 0 has not been taken" in one.stuck(ahead - 1)


def test_two_blocks_cannot_share_an_end():
    """Their messages would have no order."""
    blocks = [Block(0, (Step("s", ("i", 0)),), send=1), Block(1, (Step("s", ("i", 1)),), send=1)]
    takes = [Block(0, (Step("r", None, ("i", 0)), Step("r", None, ("i", 1))), recv=0)]
    with pytest.raises(InputError, match="use the same end of a channel"):
        judge(program(blocks, takes))


@settings(max_examples=60, deadline=None)
@given(programs(wild=True), st.integers(1, 3), st.integers(0, 3))
def test_another_interpreter_ends_where_the_graph_does(whole, depth, seed):
    """At each depth, in any order."""
    one = judge(whole)
    assert Interpreter(whole).run(seed) is one.ends
    assert (
        Interpreter(whole, depth).run(seed)
        is (one.stuck(depth) == "")
        is (one.depth is not None and depth >= one.depth)
    )


@settings(max_examples=60, deadline=None)
@given(programs(), st.integers(0, 10))
def test_without_races_every_order_has_the_result(whole, seed):
    """That of the interpreter is right in just the cells that are not listed; of no order otherwise."""
    one = judge(whole)
    assert one.ends
    if one.races == []:
        interpreter = Interpreter(whole)
        interpreter.run(seed)
        everybody = range(one.ranks)
        bad = {
            (r, c)
            for r in everybody
            for c in range(whole.chunks)
            if interpreter.cells[one.places.cell(r, "o", c)] != {(q, c): 1 for q in everybody}
        }
        assert {(w.rank, w.place) for w in one.wrong} == bad


@settings(max_examples=60, deadline=None)
@given(programs(), st.integers(0, 3))
def test_the_steps_of_a_race_come_either_way_round(whole, seed):
    """Holding back the block of the one lets the other go first."""
    one = judge(whole)
    keys = [(r, b.id, s) for r, rank in enumerate(whole.ranks) for b in rank.blocks for s in range(len(b.steps))]
    for race in one.races:
        a, b = keys[race.first], keys[race.second]
        orders = []
        for held in (a, b):
            interpreter = Interpreter(whole)
            other = b if held is a else a
            while other not in interpreter.gone:
                free = [k for k in interpreter.ready() if (*k, interpreter.at[k]) != held]
                assert free, f"{held} must come before {other}"
                interpreter.go(free[seed % len(free)])
            orders.append(held in interpreter.gone)
        assert orders == [False, False]


@settings(max_examples=60, deadline=None)
@given(programs())
def test_no_race_is_missed(whole):
    """Two steps that touch one place, one writing, that can come either way round: then a race is told."""
    one = judge(whole)
    if one.races:
        return
    for b in range(len(one.graph.nodes)):
        for a in range(b):
            touches = one.touches[a], one.touches[b]
            reads = [{*t.src, *(t.dst if t.both else ())} for t in touches]
            writes = [set(t.dst) for t in touches]
            if writes[0] & (reads[1] | writes[1]) or writes[1] & reads[0]:
                assert reaches(one.waiting, a, b) or reaches(one.waiting, b, a)


def reaches(waiting, a, b):
    """Whether ``a`` happens before ``b``."""
    seen, todo = set(), [b]
    while todo:
        node = todo.pop()
        if node == a:
            return True
        if node not in seen:
            seen.add(node)
            todo += waiting[node]
    return False


ALL = ["ring", "recursive_doubling", "rabenseifner", "recursive_multiplying", "ring_allgather", "ring_sparse"]


@pytest.mark.parametrize("name", ALL)
def test_our_schedules_are_right(name):
    """Exported for 1 to 13 ranks: right, without races, at a depth of 2 at most."""
    for p in range(1, 14):
        one = judge(from_page.exported(page(name), p))
        assert (one.wrong, one.races, [*one.unmatched]) == ([], [], []), p
        assert one.depth in (1, 2), p


@pytest.mark.parametrize(
    ("name", "topology"),
    [("ring", "ring"), ("ring", "tree"), ("rabenseifner", "torus:k=2"), ("recursive_doubling", "ring"),
     ("recursive_doubling", "crossbar")],
)  # fmt: skip
def test_contention_agrees_with_the_page(name, topology):
    """Links are exclusive just where the page's are; where eager sends can meet, so do the file's."""
    from sparring import contention

    theirs = contention(name, topology, 8).freedom.level
    ours = judge(from_page.exported(page(name), 8)).crossing(topology)
    assert ours.level == {"exclusive": "exclusive", "eager": "eager"}.get(theirs, "contended")
    assert (ours.meetings > 0) is (ours.level == "contended")


def test_messages_one_after_the_other_do_not_meet():
    """0 sends to 2 over a shared link, and 1 does once it has heard that it came."""
    then = [
        [Block(0, (Step("s", ("i", 0)),), send=2)],
        [Block(0, (Step("r", None, ("s", 0)), Step("s", ("i", 0))), 2, 2)],
        [
            Block(0, (Step("r", None, ("s", 0)),), recv=0),
            Block(1, (Step("s", ("i", 0), after=(0, 0)), Step("r", None, ("s", 1))), 1, 1),
        ],
    ]
    assert judge(program(*then)).crossing("crossbar").level == "eager"
    then[2][1] = replace(then[2][1], steps=(Step("s", ("i", 0)), then[2][1].steps[1]))
    found = judge(program(*then)).crossing("crossbar")
    assert (found.level, found.meetings) == ("contended", 1)


def test_costs_are_the_ring_s():
    """2 (p - 1) messages, 2 (p - 1)/p of the vector, as published; and the counted way is as long."""
    cost = judge(from_page.exported(page("ring"), 8)).cost
    assert (cost.messages, str(cost.volume), cost.path_messages, str(cost.path_volume), str(cost.added)) == (
        14, "7/4", 14, "7/4", "7/8",
    )  # fmt: skip
    longer = judge(msccl.read((SAMPLES / "allreduce_recursive_halving_doubling_8.xml").read_bytes())).cost
    assert (longer.path_messages, str(longer.path_volume)) == (6, "7/4")


def test_wildcards_leave_the_rest_open():
    """What a receive from anybody takes is not known, and so not what it costs."""
    text = b"num_ranks 2\nrank 0 {\nl0: send 8b to 1\n}\nrank 1 {\nl0: recv 8b from -1\n}\n"
    one = judge(goal.read(text))
    assert (one.graph.wild, one.collective, one.wrong, one.races, one.cost) == ([1], None, None, None, None)


def test_the_order_of_a_channel_must_be_fixed():
    """Two receives of one channel that nothing orders take their messages in any order; ordered ones do not."""
    text = "num_ranks 2\nrank 0 {\na: send 8b to 1\nb: send 8b to 1\nb requires a\n}\nrank 1 {\n"
    free = f"{text}a: recv 8b from 0\nb: recv 8b from 0\n}}\n"
    assert [str(c) for c in judge(goal.read(free.encode())).loose] == ["rank 0 to 1 on channel 0"]
    assert judge(goal.read(free.replace("0\n}", "0\nb requires a\n}").encode())).loose == []
    assert judge(from_page.exported(page("ring"), 4)).loose == []


def test_what_rccl_refuses():
    """Its limits, one planted at a time; our export of a small ring has nothing in its way."""
    whole = from_page.exported(page("ring"), 8)
    assert [*rccl.refusals(whole)] == []
    assert [*rccl.refusals(msccl.read((SAMPLES / "allreduce_ring_8.xml").read_bytes()))] == [
        f"the attribute {name} is missing" for name in ("outofplace", "minBytes", "maxBytes")
    ]
    long = from_page.exported(page("ring"), 40)
    assert next(rccl.refusals(long)) == "rank 0 block 0 has 79 steps; at most 64"
    assert judge(long).wrong == []
    block = whole.ranks[0].blocks[0]
    gap = replace(whole, ranks=(replace(whole.ranks[0], blocks=(replace(block, id=2),)), *whole.ranks[1:]))
    assert next(rccl.refusals(check_program(gap))) == "rank 0 has blocks 2; right: 0, 1, 2, ... without a gap"
    few = file(whole).replace(b'nchannels="1"', b'nchannels="0"')
    assert next(rccl.refusals(msccl.read(few))) == "rank 0 block 0 is on channel 0, and nchannels=0"
    none = program([Block(0, (Step("cpy", ("i", 0), ("s", 0)),), channel=-1)])
    assert "rank 0 block 0 is on channel -1; RCCL demands 0 or more" in [*rccl.refusals(msccl.read(file(none)))]
    with pytest.raises(InputError, match="rank 0 block 0 is on channel -1; right: 0 or more, or -1 where it neither"):
        program([Block(0, (), send=1, channel=-1)], [])


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        ([Step("cpy", ("i", 0), ("s", 0), 72)], "step 0 moves 72 chunks; at most 71"),
        ([Step("cpy", ("i", 0), ("s", 0), after=(1, 0))],
         "step 0 waits for step 0 of block 1, whose hasdep is 0: for ever"),
        ([Step("cpy", ("i", 0), ("s", 0), after=(1, 1))],
         "step 0 waits for step 1 of block 1, a nop, which tells nobody: for ever"),
        ([Step("nop", count=0, after=(1, 1)), Step("cpy", ("i", 0), ("s", 0))],
         "step 1 comes after a nop that waits, and waits for nothing itself, which RCCL refuses"),
    ],
    ids=["count", "hasdep", "waits for a nop", "nop"],
)  # fmt: skip
def test_what_rccl_refuses_of_a_block(steps, told):
    """The counts and waits."""
    other = Block(1, (Step("nop", count=0), Step("nop", count=0, awaited=True)))
    whole = program([Block(0, tuple(steps)), other], chunks=80, scratch=80)
    assert f"rank 0 block 0 {told}" in [*rccl.refusals(whole)]


def test_a_deadlock_names_few():
    """However long the circle is."""
    one = judge(from_page.exported(page("ring"), 30))
    told = one.stuck(1)
    assert "and so on over 26 more" in told
    assert deadlock.stuck(one.graph, 2) is None


def test_wrong_cells_and_races_are_listed_up_to_a_hundred():
    """All wrong cells are counted; of contributions, too, the first hundred are told."""
    idle = judge(program(*[[]] * 120, chunks=2))
    assert (len(idle.wrong), idle.wrong_count, len(idle.wrong[0].missing)) == (100, 240, 100)
    blocks = [Block(i, (Step("cpy", ("i", i % 2), ("s", 0)),)) for i in range(200)]
    assert len(judge(program(blocks)).races) == 100


def test_what_is_too_large_is_left_open(monkeypatch):
    """The clock of all steps, and the pairs of messages on a link."""
    whole = from_page.exported(page("recursive_doubling"), 8)
    monkeypatch.setattr("sparring.schedules.link_contention.PAIRS", 5)
    assert judge(whole).crossing("crossbar").level == "undecided"
    monkeypatch.setattr("sparring.schedules.races.LARGEST", 5)
    one = judge(whole)
    assert (one.races, one.wrong, one.crossing("crossbar").level) == (None, [], "undecided")
