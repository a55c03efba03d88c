"""The formats: reading back is the identity, each defect is one sentence, and no bytes crash a reader."""

from __future__ import annotations

import random
import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparring import InputError, MissingExtra, page
from sparring.proofs.schedules import chakra, forestcoll, goal, messages, msccl, mscclpp, pages, plain, program, teccl
from sparring.proofs.schedules.messages import Act, Messages, carried
from tests.proofs.schedules import plans
from tests.proofs.schedules.programs import judge, programs
from tests.proofs.schedules.strangers import PAIRS, exchange, forest, output, ring, trees

RING = msccl.write(pages.exported(page("ring"), 3))
XML = RING.decode()
JSON = plain.write(pages.exported(page("recursive_doubling"), 3))
GOAL = goal.write(carried(pages.exported(page("ring"), 3), 96))
ET = chakra.write(carried(pages.exported(page("ring"), 3), 96))


@pytest.mark.parametrize("file", sorted((Path(__file__).parent / "samples").glob("*.xml")), ids=lambda f: f.stem)
def test_others_programs_come_back(file):
    """Written in either form and read again."""
    whole = msccl.read(file.read_bytes())
    assert msccl.read(msccl.write(whole)) == whole == plain.read(plain.write(whole))


@settings(max_examples=50, deadline=None)
@given(programs(wild=True))
def test_programs_come_back(whole):
    """Any program, from both forms; and what remains of it as messages, from the two others."""
    assert msccl.read(msccl.write(whole)) == whole == plain.read(plain.write(whole))
    left = carried(whole, 1000)
    assert goal.read(goal.write(left)) == left
    assert chakra.read(chakra.write(left)) == left


@st.composite
def talks(draw):
    """Any messages, wildcards, processors and begins included."""
    p = draw(st.integers(1, 3))
    ranks = []
    for r in range(p):
        others = [q for q in range(p) if q != r]
        count = draw(st.integers(0, 5))
        acts = []
        for i in range(count):
            kind = draw(st.sampled_from(["send", "recv", "calc"] if others else ["calc"]))
            waits = st.lists(st.integers(0, count - 1).filter(lambda x, i=i: x != i), unique=True, max_size=2).map(
                tuple
            )
            size, after, beside, cpu = draw(st.integers(0, 2**40)), draw(waits), draw(waits), draw(st.integers(0, 255))
            if kind == "calc":
                acts.append(Act("calc", size, after=after, beside=beside, cpu=cpu))
            else:
                peers, tags = (others, [0, 7, 2**32 - 1]) if kind == "send" else ([*others, -1], [0, 7, -1])
                peer, tag, nic = draw(st.sampled_from(peers)), draw(st.sampled_from(tags)), draw(st.integers(0, 255))
                acts.append(Act(kind, size, peer, tag, after, beside, cpu, nic))
        ranks.append(tuple(acts))
    return messages.checked(Messages(tuple(ranks)))


@settings(max_examples=60, deadline=None)
@given(talks())
def test_messages_come_back_from_goal(talk):
    """All of them; from Chakra those that it can say, and the others are refused."""
    assert goal.read(goal.write(talk)) == talk
    plainly = Messages(tuple(
        tuple(msgspec.structs.replace(a, beside=(), cpu=0, nic=0, tag=max(a.tag, 0) % 2**31,
                                      peer=a.peer if a.peer >= 0 or a.kind == "calc" else (r + 1) % len(talk.ranks))
              for a in acts) for r, acts in enumerate(talk.ranks)
    ))  # fmt: skip
    assert chakra.read(chakra.write(plainly)) == plainly
    if any(a.beside or a.cpu or a.nic or a.tag >= 2**31 or (-1 in (a.tag, a.peer) and a.kind != "calc")
           for acts in talk.ranks for a in acts):  # fmt: skip
        with pytest.raises(InputError, match="says what no Chakra trace can"):
            chakra.write(talk)


def test_goal_reads_what_others_write():
    """Comments, blanks, processors, several labels, dependencies of both kinds, no tag."""
    text = b"""/* two
    ranks */ num_ranks 2
    rank 1 { // the second first
      a1: calc 3 cpu 2
      recv  8b from 0   tag 4
      b: recv 8 b from -1 tag -1 nic 1
      b requires a1
      b irequires a1
    }

    rank 0 {
    x: send 8b to 1 tag 4
    }
    """
    assert goal.read(text) == Messages((
        (Act("send", 8, 1, 4),),
        (Act("calc", 3, cpu=2), Act("recv", 8, 0, 4), Act("recv", 8, -1, -1, (0,), (0,), nic=1)),
    ))  # fmt: skip


def test_the_newer_xml_is_read():
    """<op step= buf= off=> names one place, for what a step reads and writes."""
    new = """<algo name="n" proto="LL" ngpus="2" coll="allreduce" inplace="1">
      <gpu id="1" i_chunks="1" o_chunks="0" s_chunks="0"><tb id="0" send="0" recv="0" chan="0">
        <op step="0" type="rrc" buf="i" off="0" hasdep="1"/><op step="1" type="s" buf="i" off="0"/></tb></gpu>
      <gpu id="0" i_chunks="1" o_chunks="0" s_chunks="0"><tb id="0" send="1" recv="1" chan="0">
        <op step="0" type="s" buf="i" off="0"/><op step="1" type="r" buf="i" off="0" cnt="1"/></tb></gpu></algo>"""
    whole = msccl.read(new.encode())
    assert (whole.chunks, [len(r.blocks[0].steps) for r in whole.ranks]) == (1, [2, 2])
    assert (judge(whole).wrong, judge(whole).races) == ([], [])


def swapped(old, new, count=1):
    """The ring's XML with a piece replaced."""
    assert old in XML
    return XML.replace(old, new, count).encode()


BOMB = '<!DOCTYPE a [<!ENTITY x "ha"><!ENTITY y "&x;&x;&x;&x;&x;&x;&x;&x;">]>'
FAULTS = {
    "empty": (b"", "line 1: no XML (no element found); right: an <algo> of <gpu>s of <tb>s of <step>s"),
    "dtd": ((BOMB + XML).encode(), "has a DTD or entities, which are not read; right: plain elements"),
    "cut": (RING[:300], re.compile(r"line \d+: no XML \(.*\); right: an <algo>")),
    "element": (swapped("<gpu", "<cpu"), "line 2: <cpu> in <algo>; right: an <algo> of <gpu>s of <tb>s of <step>s"),
    "text": (swapped("<tb", "hello<tb"), re.compile("line .*: text 'hello'; right: elements alone")),
    "number": (swapped('i_chunks="3"', 'i_chunks="three"'), re.compile("i_chunks='three'; right: an integer")),
    "negative": (swapped('i_chunks="3"', 'i_chunks="-3"'), re.compile(r"Expected `int` >= 0")),
    "huge": (swapped('i_chunks="3"', f'i_chunks="{"9" * 5000}"'), re.compile("right: an integer")),
    "many chunks": (swapped('i_chunks="3"', 'i_chunks="99999999"'), re.compile("`int` <= 65536")),
    "lacks": (swapped('coll="allreduce"', ""), re.compile("lacks coll")),
    "type": (swapped('type="rrcs"', 'type="put"'), re.compile("type='put'; right: s, r, rcs, rrs, rrc, ")),
    "buffer": (swapped('srcbuf="i"', 'srcbuf="x"'), re.compile("srcbuf='x'; right: i, o or s")),
    "order": (swapped(' s="1"', ' s="2"'), re.compile("step 2 where step 1 should be")),
    "gpus": (swapped('ngpus="3"', 'ngpus="4"'), re.compile("ngpus=4, but there are 3 gpus")),
    "inplace": (swapped('inplace="1"', 'inplace="yes"'), re.compile("inplace='yes'; right: 0 or 1")),
    "peer": (swapped('send="1"', 'send="7"'),
             "rank 0 block 0 sends to rank 7; right: another of the ranks 0 to 2, or -1 for none"),
    "itself": (swapped('send="1"', 'send="0"'), re.compile("sends to rank 0; right: another")),
    "nobody": (swapped('send="1"', 'send="-1"'), re.compile(r"step 0 \(s\) sends, but the block sends to nobody")),
    "outside": (swapped('srcoff="0"', 'srcoff="9"'),
                "rank 0 block 0 step 0 (s) uses i[9] to i[9], but its input has 3 chunks"),
    "wait": (swapped('depid="-1" deps="-1"', 'depid="0" deps="77"'),
             "rank 0 block 0 step 0 (s) waits for step 77 of block 0, which there is not"),
    "itself again": (swapped('depid="-1" deps="-1"', 'depid="0" deps="0"'),
                     "rank 0 block 0 step 0 (s) waits for itself"),
    "unicode": (b"\xff\xfe" + RING, re.compile(".")),
    "encoding": (b'<?xml version="1.0" encoding="utf-7"?>' + RING, re.compile(".")),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_of_xml_is_one_sentence(fault):
    """What is wrong, where, and what would be right."""
    data, told = FAULTS[fault]
    with pytest.raises(InputError) as caught:
        judge(msccl.read(data))
    assert re.search(told, str(caught.value)) if isinstance(told, re.Pattern) else str(caught.value) == told
    assert "\n" not in str(caught.value)


JSONS = {
    "empty": (b"", "truncated"),
    "list": (b"[]", "Expected `object`"),
    "stranger": (b'{"format": "other"}', "Invalid value 'other'"),
    "lacks": (b'{"format": "sparring-schedule-1", "name": "x"}', "missing required field"),
    "unknown": (JSON.replace(b'"name"', b'"nom"'), "unknown field `nom`"),
    "type": (JSON.replace(b'"chunks":1', b'"chunks":"1"'), "Expected `int`, got `str`"),
    "op": (JSON.replace(b'"op":"s"', b'"op":"x"'), "Invalid enum value 'x'"),
    "unused": (JSON.replace(b'"op":"s"', b'"op":"nop"', 1), "has a src, which it does not use"),
    "no ranks": (
        b'{"format":"sparring-schedule-1","name":"","collective":"allreduce","inplace":true,"chunks":1,"ranks":[]}',
        "length >= 1",
    ),
    "deep": (b'{"x":' + b"[" * 100000, "."),
    "no text": (b"\xff\xfe{}", "."),
}


@pytest.mark.parametrize("fault", JSONS)
def test_each_fault_of_json_is_one_sentence(fault):
    """As msgspec tells it, and what would be right."""
    data, told = JSONS[fault]
    with pytest.raises(InputError, match=told) as caught:
        judge(plain.read(data))
    assert "\n" not in str(caught.value)


GOALS = {
    "": "line 1: no rank 0; right: num_ranks N, then every rank once",
    "rank 0 {\n}": "line 1: 'rank 0 {'; right: num_ranks N first",
    "num_ranks 0": "line 1: num_ranks 0; right: 1 to 4096",
    "num_ranks 99999": "line 1: num_ranks 99999; right: 1 to 4096",
    "num_ranks 2\nrank 0 {\n}": "line 3: no rank 1; right: num_ranks N, then every rank once",
    "num_ranks 1\nrank 1 {": "line 2: rank 1 of 1; right: 0 to num_ranks - 1",
    "num_ranks 1\nrank 0 {\n}\nrank 0 {": "line 4: rank 0 a second time",
    "num_ranks 1\nrank 0 {\nl0: calc 1": "line 3: rank 0 is not closed; right: }",
    "num_ranks 1\nrank 0 {\nfoo\n}":
        "line 3: 'foo'; right: [label:] send Nb to R, recv Nb from R, calc N, or l2 requires l1",
    "num_ranks 1\nrank 0 {\na requires b\n}": "line 3: no operation 'a' above; right: a label that is defined before",
    "num_ranks 1\nrank 0 {\na: calc 1\na: calc 2\n}": "line 4: a second 'a'; right: a label once in a rank",
    "num_ranks 2\nrank 0 {\na: send 1b to 0\n}\nrank 1 {\n}":
        "rank 0 operation 0 (send) names rank 0 as its other end; right: another of the ranks 0 to 1",
    "num_ranks 2\nrank 0 {\na: send 1b to 1 cpu 300\n}": "line 3: Expected `int` <= 255 - at `$.cpu`",
    "num_ranks 1\nrank 0 {\na: calc 1\na requires a\n}":
        "rank 0 operation 0 (calc) waits for itself, or for an operation that there is not",
    "num_ranks 1 /* rank": "line 1: a comment is not closed; right: /* ... */",
    "num_ranks 1\xe9": "byte 11 is no ASCII; right: GOAL's text",
}  # fmt: skip


@pytest.mark.parametrize("text", GOALS)
def test_each_fault_of_goal_is_one_sentence(text):
    """With its line."""
    with pytest.raises(InputError) as caught:
        goal.read(text.encode("latin-1"))
    assert str(caught.value) == GOALS[text]


def test_each_fault_of_chakra_is_one_sentence():
    """With its node."""
    classes = chakra.schema()

    def node(**values):
        made = classes.Node(id=5, type=5, **{k: v for k, v in values.items() if k == "data_deps"})
        for name, value in values.items():
            if name != "data_deps":
                made.attr.add(name=name, int64_val=value)
        import io

        stream = io.BytesIO()
        classes.proto.serialize_length_prefixed(classes.GlobalMetadata(version="1"), stream)
        classes.proto.serialize_length_prefixed(made, stream)
        return stream.getvalue()

    other = chakra.write(Messages(((),)))[0]
    for data, told in (
        (b"", "the file of rank 0 is empty; right: a Chakra trace"),
        (ET[0][:-3], "the file of rank 0 is damaged after node"),
        (node(comm_dst=1), "rank 0 node 5 (COMM_SEND_NODE) lacks the attribute comm_size, an integer"),
        (node(comm_size=1, comm_dst=1, comm_src=1),
         "rank 0 node 5 (COMM_SEND_NODE): comm_src = 1 in the file of rank 0"),
        (node(comm_size=1, comm_dst=1, data_deps=[9]), "rank 0 node 5 depends on node 9, which there is not"),
        (node(comm_size=-1, comm_dst=1), "rank 0 node 5: Expected `int` >= 0 - at `$.size`"),
        (node(comm_size=1, comm_dst=9),
         "rank 0 operation 0 (send) names rank 9 as its other end; right: another of the ranks 0 to 1"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=re.escape(told)):
            chakra.read([data, other])


def test_without_protobuf_the_extra_is_named(monkeypatch):
    """One sentence, how to get it."""
    import sys

    chakra.schema.cache_clear()
    monkeypatch.setitem(sys.modules, "google.protobuf", None)
    with pytest.raises(MissingExtra, match=re.escape("Chakra's traces need protobuf: pip install 'sparring[chakra]'")):
        chakra.read([b""])
    chakra.schema.cache_clear()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<step/>" * (program.STEPS // 64), "lacks s"),
        ('<algo name="a"><gpu id="0">' + "<tb><tb>" * 3, "<tb> in <tb>"),
        ("<algo>" * 100000, "<algo> in <algo>"),
        ("<algo " + " ".join(f'a{i}="1"' for i in range(10000)) + "/>", "lacks coll"),
    ],
    ids=["steps", "nested", "deep", "attributes"],
)
def test_xml_that_is_too_much(text, told):
    """Is refused where it begins to be."""
    whole = text if text.startswith("<algo") else f'<algo><gpu id="0"><tb id="0">{text}'
    with pytest.raises(InputError, match=told):
        msccl.read(whole.encode())


def test_limits(monkeypatch):
    """Of steps, of chunks moved and held, of dependencies, and of what sums are made of."""
    whole = pages.exported(page("ring"), 3)
    for module, name, told in (
        (program, "STEPS", "15 steps; at most 5 are read"),
        (program, "CELLS", "its steps move 15 chunks together; at most 5 are followed"),
    ):
        monkeypatch.setattr(module, name, 5)
        with pytest.raises(InputError, match=told):
            program.checked(whole)
        monkeypatch.undo()
    from sparring.proofs.schedules import collectives, places

    for module, name, told in (
        (places, "MOST", "more than 5 chunks"), (collectives, "KEPT", "take more than 5 bytes together"),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, 5)
        with pytest.raises(InputError, match=told):
            _ = judge(whole).wrong
        monkeypatch.undo()


SEEDS = {"xml": (RING, msccl.read), "json": (JSON, plain.read), "goal": (GOAL, goal.read),
         "et": (ET[0], lambda data: chakra.read([data, *ET[1:]])),
         "trees": (forest(trees(3)), forestcoll.read),
         "flows": (output(ring(), PAIRS), teccl.read),
         "volumes": (output(exchange(), ()), teccl.read),
         "plan": (plans.plan(plans.reduced(2), "allreduce", (2, 2, 0)), mscclpp.read),
         "packets": (plans.plan(plans.packed(2), "allreduce", (2, 2, 4)), mscclpp.read),
         "ports": (plans.plan(plans.gathered(2, "port"), wire="port"), mscclpp.read),
         "pipeline": (plans.plan(plans.piped(2), "allreduce", (2, 2, 2), False, 1), mscclpp.read)}  # fmt: skip
PIECES = [
    b"-1",
    b"0",
    b"99999999999999999999",
    b'"',
    b"<",
    b">",
    b"{",
    b"[",
    b"]",
    b"\x00",
    b"\xff",
    b"i",
    b"nop",
    b"&lt;",
]


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
        consistent(one)
        return
    assert "\n" not in told and len(told) < 600


def consistent(one):
    """What is said of a program fits together."""
    assert one.ends is (one.stuck(None) == "")
    assert one.depth is None or one.stuck(one.depth) == ""
    list(one.unmatched)
    assert (one.wrong is None) is (one.collective is None or not one.ends)
    assert one.races is None or all(race.told(one.graph, one.cell(race)) for race in one.races)
