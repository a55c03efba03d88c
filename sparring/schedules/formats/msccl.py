"""MSCCL's XML, as microsoft/msccl-tools writes it and RCCL reads it (``src/misc/msccl/msccl_parser.cc``).

Both of its forms are read: ``<step s= srcbuf= srcoff= dstbuf= dstoff=>``, and the newer ``<op step= buf= off=>``, which
names one place for what a step reads and writes.  The first is written.

TACCL (microsoft/taccl, ``taccl/ncclize.py``) and TE-CCL, which writes with TACCL's script (microsoft/TE-CCL,
``teccl/examples/MSCCL_examples``), put a ``<copy i_off= o_off=>`` in front of a rank's blocks for each chunk that
belongs to its input and to its output; the steps name the output alone.  The script's docstring calls that "an initial
transfer to the output buffer": chunk ``i_off`` of the input lies at ``o_off`` of the output before the first step of
any block.  In place the two are one place as a rule, and nothing moves.  Runtimes pass over the element ("Ignoring
element", ``msccl_parser.cc``): a copy that moves a chunk is judged as written, and ``rccl`` says that it gets lost.

The text is untrusted: it may have no DTD, and only the five elements, each in its place.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple
from xml.sax.saxutils import quoteattr

import msgspec

from sparring.schedules.formats.markup import Target, parse
from sparring.schedules.program import CHUNKS, STEPS, USES, Block, Place, Program, Rank, Step, check_program

BUFFERS = ("i", "o", "s")
SIDES = {
    (new, side): ("buf", "off") if new else (f"{side}buf", f"{side}off")
    for new in (False, True)
    for side in ("src", "dst")
}
"""The attributes of a step's places."""


def read(data: bytes) -> Program:
    """Read the program in an MSCCL file; raise InputError, which says what is wrong, and where."""
    return check_program(parse(data, Reader()))


class Gpu(NamedTuple):
    """What is known of a rank while its element is read."""

    attrib: dict[str, str]
    copies: list[tuple[int, int]]
    blocks: list[Block]


class Reader(Target):
    """A target of the XML parser that builds a program."""

    inside: ClassVar[dict[str, tuple[str, ...]]] = {
        "": ("algo",), "algo": ("gpu",), "gpu": ("copy", "tb"), "copy": (), "tb": ("step", "op"), "step": (), "op": (),
    }  # fmt: skip
    wanted = "an <algo> of <gpu>s of <tb>s of <step>s"

    def __init__(self) -> None:
        super().__init__()
        self.algo: dict[str, str] = {}
        self.gpus: dict[int, Gpu] = {}
        self.gpu = -1
        self.tb: dict[str, str] = {}
        self.steps: list[Step] = []
        self.count = 0

    def start(self, tag: str, attrib: dict[str, str]) -> None:
        """Take the beginning of an element."""
        self.enter(tag)
        if tag == "algo":
            self.algo = attrib
        elif tag == "gpu":
            self.gpu = self.number(attrib, "id")
            if self.gpu in self.gpus:
                self.fail(f"a second gpu {self.gpu}; each is there once")
            self.gpus[self.gpu] = Gpu(attrib, [], [])
        elif tag == "copy":
            self.gpus[self.gpu].copies.append(self.copy(attrib))
        elif tag == "tb":
            self.tb, self.steps = attrib, []
        else:
            self.steps.append(self.step(attrib, new=tag == "op"))

    def end(self, tag: str) -> None:
        """Take the end of an element."""
        self.open.pop()
        if tag == "tb":
            made: dict[str, Any] = {"id": self.number(self.tb, "id"), "steps": tuple(self.steps)}
            made |= {
                ours: self.number(self.tb, theirs)
                for ours, theirs in (("send", "send"), ("recv", "recv"), ("channel", "chan"))
            }
            self.gpus[self.gpu].blocks.append(self.made(Block, made))

    def close(self) -> Program:
        """Return the whole program."""
        if not self.algo:
            self.fail(f"no <algo>; right: {self.wanted}")
        ranks = self.number(self.algo, "ngpus") if "ngpus" in self.algo else len(self.gpus)
        if sorted(self.gpus) != list(range(ranks)):
            self.fail(f"ngpus={ranks}, but there are {len(self.gpus)} gpus; right: ids 0 to ngpus - 1, each once")
        made = [
            self.made(Rank, {
                **{ours: self.number(one.attrib, theirs) for ours, theirs in
                   (("input", "i_chunks"), ("output", "o_chunks"), ("scratch", "s_chunks"))},
                "blocks": tuple(one.blocks), "copies": tuple(one.copies),
            })
            for _, one in sorted(self.gpus.items())
        ]  # fmt: skip
        most = max((max(rank.input, rank.output) for rank in made), default=0)
        chunks = self.number(self.algo, "nchunksperloop") if "nchunksperloop" in self.algo else most
        whole: dict[str, Any] = {
            "name": self.algo.get("name", ""),
            "collective": self.text(self.algo, "coll"),
            "inplace": self.truth("inplace"),
            "chunks": chunks,
            "ranks": tuple(made),
            "protocol": self.algo.get("proto", "Simple"),
        }
        optional = {"outofplace": "outofplace", "channels": "nchannels", "least": "minBytes", "most": "maxBytes"}
        for ours, theirs in optional.items():
            if theirs in self.algo:
                whole[ours] = self.truth(theirs) if ours == "outofplace" else self.number(self.algo, theirs)
        program: Program = self.made(Program, whole)
        return program

    def copy(self, attrib: dict[str, str]) -> tuple[int, int]:
        """Return an element as a chunk of the input and its place in the output."""
        self.counted()
        if self.gpus[self.gpu].blocks:
            self.fail("a <copy> behind a <tb>; right: in front, since copies come before all steps")
        if others := attrib.keys() - {"i_off", "o_off"}:
            self.fail(f"<copy> with {min(others)[:20]!r}; right: i_off and o_off, for one chunk")
        return self.offset(attrib, "i_off"), self.offset(attrib, "o_off")

    def counted(self) -> None:
        """Count a step or copy."""
        self.count += 1
        if self.count > STEPS:
            self.fail(f"more than {STEPS} steps; at most so many are read")

    def step(self, attrib: dict[str, str], *, new: bool) -> Step:
        """Return an element as a step."""
        self.counted()
        if (at := self.number(attrib, "step" if new else "s")) != len(self.steps):
            self.fail(f"step {at} where step {len(self.steps)} should be; right: 0, 1, 2, ... in each tb")
        uses = USES.get(op := self.text(attrib, "type"))
        if uses is None:
            self.fail(f"type={op[:20]!r}; right: {', '.join(USES)}")
        if new and op in ("cpy", "re"):
            self.fail(f"an <op> of type {op}, which does not say from where; right: <step>, with srcbuf and dstbuf")
        src = self.place(attrib, *SIDES[new, "src"]) if "src" in uses.reads else None
        dst = self.place(attrib, *SIDES[new, "dst"]) if uses.writes else None
        count = 0 if op == "nop" else 1 if new and "cnt" not in attrib else self.number(attrib, "cnt")
        block = -1 if new and "depid" not in attrib else self.number(attrib, "depid")
        after = (block, self.number(attrib, "deps")) if block >= 0 else None
        if not 0 <= count <= CHUNKS or (after and after[1] < 0):
            self.fail(
                f"cnt={count}, depid={block} and deps={after and after[1]}; right: 0 to {CHUNKS}, and -1 for none"
            )
        return Step(op, src, dst, count, after, attrib.get("hasdep", "0") != "0")  # type: ignore[arg-type]  # a key of USES

    def place(self, attrib: dict[str, str], buffer: str, offset: str) -> Place:
        """Return a buffer and a chunk in it."""
        name = self.text(attrib, buffer)
        if name not in BUFFERS:
            self.fail(f"{buffer}={name[:20]!r}; right: i, o or s")
        return name, self.offset(attrib, offset)  # type: ignore[return-value]  # one of BUFFERS

    def offset(self, attrib: dict[str, str], name: str) -> int:
        """Return an attribute that is the number of a chunk."""
        index = self.number(attrib, name)
        if not 0 <= index < CHUNKS:
            self.fail(f"{name}={index}; right: 0 to {CHUNKS - 1}")
        return index

    def truth(self, name: str) -> bool:
        """Return an attribute of the algo that is 0 or 1."""
        value = self.text(self.algo, name)
        if value not in ("0", "1"):
            self.fail(f"{name}={value[:20]!r}; right: 0 or 1")
        return value == "1"

    def number(self, attrib: dict[str, str], name: str) -> int:
        """Return an attribute that is an integer."""
        value = integer(attrib[name]) if name in attrib else None
        if value is None:
            self.fail(f"{name}={self.text(attrib, name)[:20]!r}; right: an integer")
        return value

    def made(self, kind: Any, values: dict[str, Any]) -> Any:
        """Return a part of the program, its values checked."""
        try:
            return msgspec.convert(values, kind)
        except msgspec.ValidationError as error:
            self.fail(f"<{self.open[-1] or 'algo'}>: {error}")


@lru_cache(maxsize=2**16)
def integer(text: str) -> int | None:
    """Return the integer that a text holds; None where it holds none, or one too large to mean anything."""
    return int(text) if re.fullmatch("-?[0-9]{1,19}", text) else None


TAIL = "</algo>\n"


def head(program: Program, ranks: int) -> str:
    """Return the first line, for a program of so many ranks; channels are counted in the ranks that the program has."""
    channels = program.channels
    if channels is None:
        channels = 1 + max((0, *(block.channel for rank in program.ranks for block in rank.blocks)))
    attrib = {
        "name": program.name, "proto": program.protocol, "nchannels": channels, "nchunksperloop": program.chunks,
        "ngpus": ranks, "coll": program.collective, "inplace": int(program.inplace),
        "outofplace": None if program.outofplace is None else int(program.outofplace),
        "minBytes": program.least, "maxBytes": program.most,
    }  # fmt: skip
    return f"<algo {attributes(attrib)}>\n"


def gpu(r: int, rank: Rank) -> str:
    """Return a rank's lines."""
    sizes = {"i_chunks": rank.input, "o_chunks": rank.output, "s_chunks": rank.scratch}
    lines = [f"  <gpu {attributes({'id': r, **sizes})}>"]
    lines += [f"    <copy {attributes({'i_off': i, 'o_off': o})}/>" for i, o in rank.copies]
    for block in rank.blocks:
        ends = {"id": block.id, "send": block.send, "recv": block.recv, "chan": block.channel}
        lines.append(f"    <tb {attributes(ends)}>")
        lines += [f"      <step {attributes(step_attributes(s, step))}/>" for s, step in enumerate(block.steps)]
        lines.append("    </tb>")
    return "\n".join([*lines, "  </gpu>", ""])


def step_attributes(s: int, step: Step) -> dict[str, Any]:
    """Return a step's attributes; where it uses one place only, that stands for both."""
    src, dst = step.src or step.dst or ("i", -1), step.dst or step.src or ("o", -1)
    block, at = step.after or (-1, -1)
    return {
        "s": s, "type": step.op, "srcbuf": src[0], "srcoff": src[1], "dstbuf": dst[0], "dstoff": dst[1],
        "cnt": step.count, "depid": block, "deps": at, "hasdep": int(step.awaited),
    }  # fmt: skip


def attributes(values: dict[str, Any]) -> str:
    """Return attributes as XML writes them; those that are None are left out."""
    some = ((name, value) for name, value in values.items() if value is not None)
    return " ".join(f'{name}="{x}"' if isinstance(x, int) else f"{name}={quoteattr(x)}" for name, x in some)
