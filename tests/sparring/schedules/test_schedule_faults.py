"""What is wrong in a file is told in one sentence: where, and what would be right; and no bytes crash a reader."""

from __future__ import annotations

import io
import json
import random
import re
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparring import InputError, MissingExtra, page
from sparring.schedules import collectives, from_page, memory, program
from sparring.schedules import plans as shared
from sparring.schedules.formats import chakra, forestcoll, goal, msccl, msccl_json, mscclpp, teccl
from tests.sparring.schedules import plans
from tests.sparring.schedules.plans import gathered, here, nop, op, plan, there
from tests.sparring.schedules.programs import file, judge, traces
from tests.sparring.schedules.strangers import (
    PAIRS,
    addressed,
    algorithm,
    copied_ring,
    exchange,
    flow,
    forest,
    output,
    ring,
    taccl,
    trees,
)

EXPORTED = from_page.exported(page("ring"), 3)
RING = file(EXPORTED)
JSON = file(from_page.exported(page("recursive_doubling"), 3), "json")
ET = traces(EXPORTED)
FOREST = forest(trees(3))
COPIED, TWICE = copied_ring(3), '<copy i_off="0" o_off="0"/>'
DEEP = b"[" * 100000
BOMB = b'<!DOCTYPE a [<!ENTITY x "ha"><!ENTITY y "&x;&x;&x;&x;&x;&x;&x;&x;">]>'


def swapped(data, old, new):
    """The file with the first of such pieces replaced."""
    assert old.encode() in data
    return data.replace(old.encode(), new.encode(), 1)


def xml(old, new):
    """The ring's."""
    return swapped(RING, old, new)


def tree(old, new):
    """The trees'."""
    return swapped(FOREST, old, new)


MSCCL = {
    "line 1: no XML (no element found); right: an <algo> of <gpu>s of <tb>s of <step>s": b"",
    "has a DTD or entities, which are not read; right: plain elements": BOMB + RING,
    "line 5: no XML (unclosed token); right: an <algo> of <gpu>s": RING[:400],
    "line 2: <cpu> in <algo>; right: an <algo> of <gpu>s of <tb>s of <step>s": xml("<gpu", "<cpu"),
    "line 3: text 'hello'; right: elements alone": xml("<tb", "hello<tb"),
    "i_chunks='three'; right: an integer": xml('i_chunks="3"', 'i_chunks="three"'),
    "Expected `int` >= 0": xml('i_chunks="3"', 'i_chunks="-3"'),
    "i_chunks='99999999999999999999'; right: an integer": xml('i_chunks="3"', f'i_chunks="{"9" * 5000}"'),
    "`int` <= 65536": xml('i_chunks="3"', 'i_chunks="99999999"'),
    "lacks coll": xml('coll="allreduce"', ""),
    "type='put'; right: s, r, rcs, rrs, rrc, ": xml('type="rrcs"', 'type="put"'),
    "srcbuf='x'; right: i, o or s": xml('srcbuf="i"', 'srcbuf="x"'),
    "step 2 where step 1 should be": xml(' s="1"', ' s="2"'),
    "ngpus=4, but there are 3 gpus": xml('ngpus="3"', 'ngpus="4"'),
    "inplace='yes'; right: 0 or 1": xml('inplace="1"', 'inplace="yes"'),
    "rank 0 block 0 sends to rank 7; right: another of the ranks 0 to 2, or -1 for none": xml('send="1"', 'send="7"'),
    "sends to rank 0; right: another": xml('send="1"', 'send="0"'),
    "step 0 (s) sends, but the block sends to nobody": xml('send="1"', 'send="-1"'),
    "rank 0 block 0 step 0 (s) uses i[9] to i[9], but its input has 3 chunks": xml('srcoff="0"', 'srcoff="9"'),
    "rank 0 block 0 step 0 (s) waits for step 77 of block 0, which there is not": xml(
        'depid="-1" deps="-1"', 'depid="0" deps="77"'
    ),
    "rank 0 block 0 step 0 (s) waits for itself": xml('depid="-1" deps="-1"', 'depid="0" deps="0"'),
    "no XML (": b"\xff\xfe" + RING,
    "no XML (multi-byte encodings are not supported)": b'<?xml version="1.0" encoding="utf-7"?>' + RING,
    "line 1: <step> lacks s": b'<algo><gpu id="0"><tb id="0">' + b"<step/>" * (program.STEPS // 64),
    "<tb> in <tb>": b'<algo name="a"><gpu id="0">' + b"<tb><tb>" * 3,
    "<algo> in <algo>": b"<algo>" * 100000,
    "<algo> lacks coll": b"<algo " + b" ".join(b'a%d="1"' % i for i in range(10000)) + b"/>",
}
COPIES = {
    "line 3: <copy> lacks o_off": swapped(COPIED, 'o_off="0"', ""),
    "line 3: i_off='zero'; right: an integer": swapped(COPIED, 'i_off="0"', 'i_off="zero"'),
    "line 3: i_off=-1; right: 0 to 65535": swapped(COPIED, 'i_off="0"', 'i_off="-1"'),
    "line 3: <copy> with 'cnt'; right: i_off and o_off, for one chunk": swapped(COPIED, "<copy", '<copy cnt="2"'),
    "line 5: <copy> in <tb>": swapped(COPIED, "<step", '<copy i_off="0" o_off="0"/><step'),
    "line 12: a <copy> behind a <tb>; right: in front": swapped(COPIED, "</gpu>", '<copy i_off="0" o_off="0"/></gpu>'),
    "<step> in <copy>": swapped(COPIED, '"0"/>', '"0"><step/></copy>'),
    "a copy of rank 0 uses o[7] to o[7], but its output has 3 chunks": swapped(COPIED, 'o_off="0"', 'o_off="7"'),
    "a copy of rank 0 uses i[3] to i[3], but its input has 1 chunks": swapped(COPIED, 'i_off="0"', 'i_off="3"'),
    "rank 0 copies i[0] to o[0], which another copy reads or writes": swapped(COPIED, '"0"/>', '"0"/>' + TWICE),
    "rank 1 copies i[0] to o[1], which another copy reads or writes, and nothing says which comes first": taccl(
        "alltoall", 3, [[], [(0, 1), (1, 2), (2, 0)], []], [[]] * 3, inplace=True
    ),
}
PLAIN = {
    "truncated": b"",
    "Expected `object`": b"[]",
    "Invalid value 'other'": b'{"format": "other"}',
    "missing required field": b'{"format": "sparring-schedule-1", "name": "x"}',
    "a field comes twice": swapped(JSON, '"name"', '"name":"x","name"'),
    "unknown field `nom`": swapped(JSON, '"name"', '"nom"'),
    "Expected `int`, got `str`": swapped(JSON, '"chunks":1', '"chunks":"1"'),
    "Invalid enum value 'x'": swapped(JSON, '"op":"s"', '"op":"x"'),
    "has a src, which it does not use": swapped(JSON, '"op":"s"', '"op":"nop"'),
    "length >= 1": b'{"format":"sparring-schedule-1","name":"","collective":"x","inplace":true,"chunks":1,"ranks":[]}',
    "; right: an object with": b'{"x":' + DEEP,
    "malformed": b"\xff\xfe{}",
}
SYNCHRONOUS = {
    "missing required field": b"{}",
    "Invalid value 'step'": b'{"msccl_type": "step"}',
    "step 0 sends address 0 from rank 0 to 0; right: two of 3 ranks": addressed(3, [[[0, 0, 0]]]),
    "step 0 sends address 7 from rank 0 to 1": addressed(3, [[[7, 0, 1]]]),
    "post lacks address 1 on rank 0, not so an allgather of 2": algorithm(2, [], [([0], [0, 1], 0), ([1], [1], 1)]),
    "pre has address 1 on rank 0, not so an allgather of 2": algorithm(2, [], [([0], [0, 1], 0), ([0], [0, 1], 1)]),
    "pre has address 1 on rank 5": algorithm(2, [], [([0], [0, 1], 0), ([1, 5], [0, 1], 1)]),
    "collective 'alltonext'; right: allreduce, allgather": algorithm(2, [], [([0], [1], 0)], "Alltonext"),
    "Expected `array` of length 3": algorithm(2, [[[0, 0]]], [([0], [1], 0)]),
    '; right: an object with "msccl_type": "algorithm"': b'{"msccl_type":' + DEEP,
}
GOAL = {
    "line 1: no rank 0; right: num_ranks N, then every rank once": "",
    "line 1: 'rank 0 {'; right: num_ranks N first": "rank 0 {\n}",
    "line 1: num_ranks 0; right: 1 to 4096": "num_ranks 0",
    "line 1: num_ranks 99999; right: 1 to 4096": "num_ranks 99999",
    "line 3: no rank 1; right: num_ranks N, then every rank once": "num_ranks 2\nrank 0 {\n}",
    "line 2: rank 1 of 1; right: 0 to num_ranks - 1": "num_ranks 1\nrank 1 {",
    "line 4: rank 0 a second time": "num_ranks 1\nrank 0 {\n}\nrank 0 {",
    "line 3: rank 0 is not closed; right: }": "num_ranks 1\nrank 0 {\nl0: calc 1",
    "line 3: 'foo'; right: [label:] send Nb to R, recv Nb from R, calc N, or l2 requires l1":
        "num_ranks 1\nrank 0 {\nfoo\n}",
    "line 3: no operation 'a' above; right: a label that is defined before": "num_ranks 1\nrank 0 {\na requires b\n}",
    "line 4: a second 'a'; right: a label once in a rank": "num_ranks 1\nrank 0 {\na: calc 1\na: calc 2\n}",
    "rank 0 operation 0 (send) names rank 0 as its other end; right: another of the ranks 0 to 1":
        "num_ranks 2\nrank 0 {\na: send 1b to 0\n}\nrank 1 {\n}",
    "line 3: Expected `int` <= 255 - at `$.cpu`": "num_ranks 2\nrank 0 {\na: send 1b to 1 cpu 300\n}",
    "rank 0 operation 0 (calc) waits for itself, or for an operation that there is not":
        "num_ranks 1\nrank 0 {\na: calc 1\na requires a\n}",
    "line 1: a comment is not closed; right: /* ... */": "num_ranks 1 /* rank",
    "byte 11 is no ASCII; right: GOAL's text": "num_ranks 1\xe9",
}  # fmt: skip


def traced(**values):
    """A trace of one send, with these attributes and dependencies."""
    known, stream = chakra.schema(), io.BytesIO()
    made = known.Node(id=5, type=5, data_deps=values.pop("data_deps", ()))
    for name, value in values.items():
        made.attr.add(name=name, int64_val=value)
    known.proto.serialize_length_prefixed(known.GlobalMetadata(version="1"), stream)
    known.proto.serialize_length_prefixed(made, stream)
    return stream.getvalue()


CHAKRA = {
    "the file of rank 0 is empty; right: a Chakra trace": b"",
    "the file of rank 0 is damaged after node": ET[0][:-3],
    "rank 0 node 5 (COMM_SEND_NODE) lacks the attribute comm_size, an integer": traced(comm_dst=1),
    "rank 0 node 5 (COMM_SEND_NODE): comm_src = 1 in the file of rank 0": traced(comm_size=1, comm_dst=1, comm_src=1),
    "rank 0 node 5 depends on node 9, which there is not": traced(comm_size=1, comm_dst=1, data_deps=[9]),
    "rank 0 node 5: Expected `int` >= 0 - at `$.size`": traced(comm_size=-1, comm_dst=1),
    "rank 0 operation 0 (send) names rank 9 as its other end; right: another of the ranks 0 to 1": traced(
        comm_size=1, comm_dst=9
    ),
}
FORESTCOLL = {
    "line 1: no XML (no element found); right: an <Algo> of <tree>s of <send>s": b"",
    "line 1: no <tree>; right: an <Algo> of <tree>s of <send>s": b'<Algo nchunkspernode="1"/>',
    "line 3: <tree> in <tree>; right: an <Algo>": tree("<send", "<tree"),
    "line 2: <tree> lacks nchunks": tree(' nchunks="1"', ""),
    "line 1: nchunkspernode='-1'; right: 1 to 65536": tree('nchunkspernode="1"', 'nchunkspernode="-1"'),
    "65000 chunks of each of 3 nodes; at most 65536 together are followed": tree(
        'nchunkspernode="1"', 'nchunkspernode="65000"'
    ),
    "the trees of root (0, 'GPU', 0) carry more than nchunkspernode=1 chunks together": tree(
        ' nchunks="1"', ' nchunks="2"'
    ),
    "line 6: a second tree 0 of root (0, 'GPU', 0); right: an index of its own for each": tree(
        "<tree root=\"(0, 'GPU', 1)", "<tree root=\"(0, 'GPU', 0)"
    ),
    "line 3: (0, 'GPU', 0) sends to itself; right: two nodes": tree("dst=\"(0, 'GPU', 1)", "dst=\"(0, 'GPU', 0)"),
    "; right: from src=(0, 'GPU', 0) to dst=": tree("path=\"(0, 'GPU', 0)", "path=\"(0, 'GPU', 2)"),
    "line 3: src='xxxxxxxxxxxxxxxxxxxx'; right: a name of": tree("src=\"(0, 'GPU', 0)", 'src="' + "x" * 300),
}
TECCL = {
    "Expected `array`, got `int` - at `$.7-Flows`": output(None, PAIRS, **{"7-Flows": 3}),
    "flow 0 is 'Chunk 0 went'; right: \"Chunk C from S traveled over I->J in epoch K\"": output(
        ["Chunk 0 went"], PAIRS
    ),
    "flow 0 is 'Chunk 1000000000 from": output([flow(10**9, 1, 1, 2, 0)], PAIRS),
    "a buffer of 400000004 chunks; at most 65536 are followed": output([flow(10**8, 1, 1, 2, 0)], PAIRS),
    "flow 0 has volume 0.5, and does not say which part that is; right: whole chunks": output(
        [flow(0, 1, 1, 2, 0, volume="0.5")], PAIRS
    ),
    "flow 0 has volume 1.0.0; right: a number": output([flow(0, 1, 1, 2, 0, volume="1.0.0")], PAIRS),
    "some flows have a volume and some have none; right: all, of an alltoall, or none": output(
        [flow(0, 1, 1, 2, 0), flow(1, 1, 1, 2, 0, volume="1.0")], PAIRS
    ),
    "flow 0 goes from 1 to 0; right: two GPUs": output([flow(0, 1, 1, 0, 0)], PAIRS),
    "flow 0 goes from 1 to 1; right: two GPUs": output([flow(0, 1, 1, 1, 0)], PAIRS),
    "a demand names 'TPU 1'; right: 'GPU N'": output([], PAIRS, **{"6-Demand_Met": {"TPU 1": {}}}),
    "a chunk path is of 'x'; right: 'Demand at D": output([], PAIRS, **{"8-Chunk paths": {"x": []}}),
    "0 GPUs; right: 1 to 4096": output([], []),
    "right: TE-CCL's output": b'{"7-Flows":' + DEEP,
    "JSON is malformed": b"\xff\xfe{}",
}


def first(name="put", **new):
    """A plan whose first operation is changed."""
    return plan([[[op(name, [here("o", 0)], [there(0, 1, "o", 0)]) | new]], [[]]])


def only(*ops, sizes=(1, 1, 1), blocks=1, **how):
    """A plan of one rank, whose blocks have these operations."""
    return plan([[list(ops)] * blocks], sizes=sizes, **how)


def whole(**new):
    """A plan with another field, or with another of its first rank (``gpu``)."""
    made = json.loads(plan(gathered(2)))
    made["gpus"][0] |= new.pop("gpu", {})
    return json.dumps(made | new).encode()


COPY = [here("i", 0)], [here("s", 0)]
MSCCLPP = {
    "a plan as older releases of MSCCL++ wrote it (inputChunks); right: input_chunks":
        whole(gpu={"inputChunks": 1, "input_chunks": "x"}),
    "`id` - at `$.gpus[0]`; right: an execution plan of MSCCL++": b'{"gpus": [{}]}',
    "Expected `array` of length >= 1": whole(gpus=[]),
    "right: an execution plan of MSCCL++": b'{"gpus":' + DEEP,
    "gpu 0 has id 3, or blocks out of order; right: ids 0, 1, 2, ... of both": whole(gpu={"id": 3}),
    "no rank has input or output chunks; right: 1 or more": only(sizes=(0, 0, 0)),
    "a buffer of 100000 chunks or slices; at most 65536 are followed":
        only(op("copy", *COPY, tbg_info={"tb_id": 0, "tbg_size": 1000}), sizes=(1, 1, 100)),
    "rank 0 is connected to 0; right: another of the ranks 0 to 1":
        whole(gpu={"channels": [{"channel_type": "memory", "connected_to": [0]}]}),
    "rank 0 block 0 step 0 (teleport) is an operation that is not known; known: put, ": first("teleport"),
    "step 0.0 in pass 0 (pipeline) stands in a pipeline; right: neither packets":
        only(op("pipeline", iter_context={"num_chunks": 1, "unit_size": 1}, ops=[op("pipeline")])),
    "in a pipeline that lacks iter_context": only(op("pipeline", ops=[nop()])),
    "is for thread block 2 of 2; right: 0 to 1": first(tbg_info={"tb_id": 2, "tbg_size": 2}),
    "<= 1024": first(tbg_info={"tb_id": 0, "tbg_size": 1025}),
    "has parts of 1 and 2 chunks or slices; right: equal ones": first(dst_buff=[there(0, 1, "o", 0, 2)]),
    "has 1 sources and 0 targets; right: l* to r*, in pairs": first(dst_buff=[]),
    "uses o[9] to o[9], but its output has 2 chunks": first(dst_buff=[there(0, 1, "o", 9)]),
    "names remote buffer over memory 7 of 3": first(dst_buff=[{"buffer_id": 7, "index": 0, "size": 1}]),
    "lacks type": first(src_buff=[{"index": 0, "size": 1}]),
    "goes over a channel of type 'switch'; right: memory or port": only(op("signal", to=[0], wire="switch")),
    "names memory channel 5 of 1": plan([[[op("signal", to=[5])]], [[]]]),
    "has channel_type port; right: no port": first("get", channel_type="port"),
    "has channel_type memory; right: port": first("pws"),
    "puts to rank 2 over a channel to rank 1; right: to that rank": plan(
        [[[op("put", [here("o", 0)], [there(0, 2, "o", 0)], [0], "port")]], [[]], [[]]], sizes=(1, 3, 0), wire="port"),
    "has packets in 'o'; right: in the scratch": first("ppkt"),
    "step 1 (upkt) uses rank 0's scratch with packets, and others do otherwise":
        only(op("copy", *COPY), op("upkt", [here("s", 0)], [here("o", 0)])),
    "names semaphore 0 of 0": only(op("sem_release", semaphore_ids=[0])),
    "which comes first is open": only(op("sem_release", semaphore_ids=[0]), blocks=2, semaphores=1),
    "2 blocks meet at barrier 0, which is of [1]; right: as many as num_threadblocks says":
        only(op("barrier", barrier_id=0, num_threadblocks=1), blocks=2),
}  # fmt: skip
OTHER = chakra.trace(1, ())
FAULTS = [
    pytest.param(read, data if isinstance(data, bytes) else data.encode("latin-1"), told, id=f"{form}: {told}")
    for form, read, some in (
        ("msccl", msccl.read, MSCCL), ("copies", msccl.read, COPIES), ("json", program.read, PLAIN),
        ("steps", msccl_json.read, SYNCHRONOUS), ("goal", goal.read, GOAL),
        ("chakra", lambda data: chakra.read([data, OTHER]), CHAKRA),
        ("trees", forestcoll.read, FORESTCOLL), ("flows", teccl.read, TECCL), ("plan", mscclpp.read, MSCCLPP),
    )
    for told, data in some.items()
]  # fmt: skip


@pytest.mark.parametrize(("read", "data", "told"), FAULTS)
def test_each_fault_is_one_sentence(read, data, told):
    with pytest.raises(InputError) as caught:
        judge(read(data))
    said = str(caught.value)
    assert told in said and "\n" not in said and len(said) < 400


def test_without_protobuf_the_extra_is_named(monkeypatch):
    """And how to get it."""
    chakra.schema.cache_clear()
    monkeypatch.setitem(sys.modules, "google.protobuf", None)
    with pytest.raises(MissingExtra, match=re.escape("Chakra's traces need protobuf: pip install 'sparring[chakra]'")):
        chakra.read([b""])
    chakra.schema.cache_clear()


SLICED = only(*[op("copy", *COPY, tbg_info={"tb_id": 0, "tbg_size": 6})] * 9, collective="custom")
PACKED = plan(plans.packed(3), "allreduce", (3, 3, 6))
ONLY_COPIES = program.Program("mine", "allgather", False, 6, (program.Rank(1, 6, 0, (), ((0, 0),) * 6),))
LIMITS = [
    (program, "STEPS", "15 steps; at most 5 are read", lambda: program.check_program(EXPORTED)),
    (
        program,
        "CELLS",
        "its steps and copies move 15 chunks together; at most 5 are followed",
        lambda: program.check_program(EXPORTED),
    ),
    (program, "CELLS", "its steps and copies move 6 chunks", lambda: program.check_program(ONLY_COPIES)),
    (msccl, "STEPS", "line 8: more than 5 steps", lambda: msccl.read(copied_ring(6, [[(0, o) for o in range(6)]] * 6))),
    (memory, "MOST", "more than 5 chunks", lambda: judge(EXPORTED)),
    (collectives, "KEPT", "take more than 5 bytes together", lambda: judge(EXPORTED).wrong),
    (shared, "STEPS", "more than 5 steps", lambda: mscclpp.read(PACKED)),
    (shared, "CELLS", "or 5 chunks that they touch", lambda: mscclpp.read(PACKED)),
    (mscclpp, "SLICES", "cut chunks into more than 5 slices", lambda: mscclpp.read(SLICED)),
    (forestcoll, "BLOCKS", "more than 5 trees", lambda: forestcoll.read(forest(trees(6)))),
    (forestcoll, "STEPS", "more than 2 sends", lambda: forestcoll.read(FOREST)),
    (forestcoll, "RANKS", "6 nodes; right: 1 to 5", lambda: forestcoll.read(forest(trees(6)))),
]


@pytest.mark.parametrize(("module", "name", "told", "read"), LIMITS)
def test_limits(monkeypatch, module, name, told, read):
    """Of what is read, followed and kept."""
    monkeypatch.setattr(module, name, 5)
    with pytest.raises(InputError, match=told):
        read()


SEEDS = {
    "xml": (RING, msccl.read),
    "json": (JSON, program.read),
    "copies": (COPIED, msccl.read),
    "goal": (file(EXPORTED, "goal"), goal.read),
    "et": (ET[0], lambda data: chakra.read([data, *ET[1:]])),
    "trees": (FOREST, forestcoll.read),
    "flows": (output(ring(), PAIRS), teccl.read),
    "volumes": (output(exchange(), ()), teccl.read),
    "plan": (plan(plans.reduced(2), "allreduce", (2, 2, 0)), mscclpp.read),
    "packets": (plan(plans.packed(2), "allreduce", (2, 2, 4)), mscclpp.read),
    "ports": (plan(gathered(2, "port"), wire="port"), mscclpp.read),
    "pipeline": (plan(plans.piped(2), "allreduce", (2, 2, 2), False, 1), mscclpp.read),
}
PIECES = b'-1 0 99999999999999999999 " < > { [ ] \x00 \xff i nop &lt;'.split()


@pytest.mark.parametrize("form", SEEDS)
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_no_bytes_crash_a_reader(form, data):
    """Changed files are read and judged, or refused in one sentence."""
    good, read = SEEDS[form]
    drawn = random.Random(data.draw(st.integers(0, 2**32)))
    bad = bytearray(data.draw(st.binary(max_size=40))) if drawn.random() < 0.1 else bytearray(good)
    for _ in range(drawn.randint(1, 4)):
        at, end = sorted(drawn.randint(0, len(bad)) for _ in range(2))
        what = drawn.choice(["piece", "cut", "twice", "bit", "digit"])
        if what == "piece":
            bad[at:at] = drawn.choice(PIECES)
        elif what == "cut":
            del bad[at : min(end, at + 60)]
        elif what == "twice":
            bad[at:at] = bad[at:end][:200]
        elif what == "bit" and at < len(bad):
            bad[at] ^= 1 << drawn.randint(0, 7)
        elif digits := [i for i, c in enumerate(bad) if 48 <= c < 58]:
            bad[drawn.choice(digits)] = 48 + drawn.randint(0, 9)
    try:
        one = judge(read(bytes(bad)))
    except InputError as refused:
        told = str(refused)
    else:
        told = ""
        consistent(one)
    assert "\n" not in told and len(told) < 600


def consistent(one):
    """What is said of a program fits together."""
    assert one.ends is (one.stuck(None) == "")
    assert one.depth is None or one.stuck(one.depth) == ""
    list(one.unmatched)
    assert (one.wrong is None) is (one.collective is None or not one.ends)
    assert one.races is None or all(race.told(one.graph, one.cell(race)) for race in one.races)
