"""The formats: reading back is the identity, and what others write is read."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring import InputError
from sparring.schedules import messages, program
from sparring.schedules.formats import chakra, goal, msccl
from sparring.schedules.messages import Act, Messages, acts, octets
from sparring.schedules.program import Block, Step
from tests.sparring.schedules.programs import file, judge, programs, traces


@pytest.mark.parametrize("sample", sorted((Path(__file__).parent / "samples").glob("*.xml")), ids=lambda f: f.stem)
def test_others_programs_come_back(sample):
    """Written in either form and read again."""
    whole = msccl.read(sample.read_bytes())
    assert msccl.read(file(whole)) == whole == program.read(file(whole, "json"))


@settings(max_examples=50, deadline=None)
@given(programs(wild=True))
def test_programs_come_back(whole):
    """Any program, from both forms, XML with the channels that it uses; and its messages, from the two others."""
    assert msgspec.structs.replace(msccl.read(file(whole)), channels=None) == whole == program.read(file(whole, "json"))
    left = Messages(tuple(acts(rank.blocks, octets(whole.chunks, 1000)) for rank in whole.ranks))
    assert goal.read(file(whole, "goal")) == left == chakra.read(traces(whole))


def told(talk):
    """Messages in GOAL."""
    return "".join([goal.head(len(talk.ranks)), *(goal.rank(r, own) for r, own in enumerate(talk.ranks))]).encode()


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
    return messages.check_messages(Messages(tuple(ranks)))


@settings(max_examples=60, deadline=None)
@given(talks())
def test_messages_come_back_from_goal(talk):
    """All of them; from Chakra those that it can say, and the others are refused."""
    assert goal.read(told(talk)) == talk
    plainly = Messages(tuple(
        tuple(msgspec.structs.replace(a, beside=(), cpu=0, nic=0, tag=max(a.tag, 0) % 2**31,
                                      peer=a.peer if a.peer >= 0 or a.kind == "calc" else (r + 1) % len(talk.ranks))
              for a in acts) for r, acts in enumerate(talk.ranks)
    ))  # fmt: skip
    assert chakra.read([chakra.trace(r, own) for r, own in enumerate(plainly.ranks)]) == plainly
    if any(
        a.beside or a.cpu or a.nic or a.tag >= 2**31 or (-1 in (a.tag, a.peer) and a.kind != "calc")
        for acts in talk.ranks
        for a in acts
    ):
        with pytest.raises(InputError, match="says what no Chakra trace can"):
            _ = [chakra.trace(r, own) for r, own in enumerate(talk.ranks)]


def test_what_remains_of_a_program_is_its_messages():
    """Two for a step that passes on; whoever waits for it waits for both; chunks have the bytes between their ends."""
    blocks = Block(0, (Step("rcs", None, ("i", 2), 2),), 1, 2, 7), Block(1, (Step("nop", count=0, after=(0, 0)),))
    found = acts(blocks, octets(4, 11))
    assert found == (Act("recv", 6, 2, 7), Act("send", 6, 1, 7, (0,)), Act("calc", 0, after=(1,)))


@pytest.mark.parametrize("waits", [100, 9000])
def test_a_node_of_a_trace_may_be_long(waits):
    """Longer than one byte tells, or two."""
    own = (*[Act("calc", 1)] * waits, Act("calc", 2, after=tuple(range(waits))))
    assert chakra.read([chakra.trace(0, own)]).ranks == (own,)


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
    assert goal.read(text) == Messages(
        (
            (Act("send", 8, 1, 4),),
            (Act("calc", 3, cpu=2), Act("recv", 8, 0, 4), Act("recv", 8, -1, -1, (0,), (0,), nic=1)),
        )
    )


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
