"""GOAL's text, as LogGOPSim reads it (spcl/LogGOPSim, ``src/LogGOPSim/txt2bin.re``).

    num_ranks 2
    rank 0 {
    l0: send 8b to 1 tag 3
    }
    rank 1 {
    l0: recv 8b from 0 tag 3
    l1: calc 100
    l1 requires l0
    }

``requires`` waits for the end of another operation, ``irequires`` for its beginning.  A label is defined before it is
used.  A receive from -1 takes messages from any rank, one of tag -1 those of any tag.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NoReturn

import msgspec

from sparring.errors import InputError
from sparring.schedules.messages import LINKS, Act, Messages, check_messages
from sparring.schedules.program import RANKS, STEPS

NUMBER = r"(\d{1,18})"
ENDS = rf"(?: +cpu +{NUMBER})?(?: +nic +{NUMBER})?"
HEAD = re.compile(rf"num_ranks +{NUMBER}")
OPEN = re.compile(rf"rank +{NUMBER} *\{{")
LABEL = r"(?:([a-zA-Z][a-zA-Z0-9_]{0,99}) *: *)?"
MOVE = re.compile(
    rf"{LABEL}(send|recv) +{NUMBER} *b +(to|from) +(-1|\d{{1,18}})(?: +tag +(-1|\d{{1,18}}))?{ENDS}", re.ASCII
)
CALC = re.compile(rf"{LABEL}calc +{NUMBER}(?: +cpu +{NUMBER})?", re.ASCII)
WAIT = re.compile(r"([a-zA-Z][a-zA-Z0-9_]{0,99}) +(i?requires) +([a-zA-Z][a-zA-Z0-9_]{0,99})")
COMMENT = re.compile(r"//|/\*")


def read(data: bytes) -> Messages:
    """Read a GOAL file; raise InputError, which says what is wrong, and where."""
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError as error:
        raise InputError(f"byte {error.start} is no ASCII; right: GOAL's text") from None
    reader = Reader()
    for at, line in enumerate(uncommented(text).split("\n"), 1):
        reader.line(at, " ".join(line.split()))
    return check_messages(reader.close())


def uncommented(text: str) -> str:
    """Return the text without comments; lines keep their numbers."""
    kept, at = [], 0
    while found := COMMENT.search(text, at):
        kept.append(text[at : found.start()])
        end = text.find("\n" if found[0] == "//" else "*/", found.end())
        if end < 0 and found[0] == "/*":
            raise InputError(
                f"line {1 + text.count(chr(10), 0, found.start())}: a comment is not closed; right: /* ... */"
            )
        at = len(text) if end < 0 else end + 2 * (found[0] == "/*")
        kept.append("\n" * text.count("\n", found.start(), at))
    return "".join([*kept, text[at:]])


class Reader:
    """A reader of GOAL that takes line after line."""

    def __init__(self) -> None:
        self.ranks: list[tuple[Act, ...] | None] = []
        self.rank: int | None = None
        self.acts: list[Any] = []
        self.after: list[dict[str, list[int]]] = []
        self.labels: dict[str, int] = {}
        self.count = self.links = self.at = 0

    def line(self, at: int, line: str) -> None:
        """Take the next line, in which blanks are single."""
        self.at = at
        if not line:
            return
        if self.rank is None:
            self.outside(line)
        elif line == "}":
            self.ranks[self.rank] = tuple(
                msgspec.structs.replace(act, **{k: tuple(dict.fromkeys(v)) for k, v in after.items()})
                for act, after in zip(self.acts, self.after)
            )
            self.rank = None
        elif found := WAIT.fullmatch(line):
            self.wait(found)
        else:
            self.act(line)

    def outside(self, line: str) -> None:
        """Take a line outside of ranks."""
        if (found := HEAD.fullmatch(line)) and not self.ranks:
            if not 1 <= (p := int(found[1])) <= RANKS:
                self.fail(f"num_ranks {p}; right: 1 to {RANKS}")
            self.ranks = [None] * p
        elif not self.ranks:
            self.fail(f"{line[:40]!r}; right: num_ranks N first")
        elif found := OPEN.fullmatch(line):
            self.rank = int(found[1])
            if self.rank >= len(self.ranks):
                self.fail(f"rank {self.rank} of {len(self.ranks)}; right: 0 to num_ranks - 1")
            if self.ranks[self.rank] is not None:
                self.fail(f"rank {self.rank} a second time")
            self.acts, self.after, self.labels = [], [], {}
        else:
            self.fail(f"{line[:40]!r}; right: rank N {{")

    def wait(self, found: re.Match[str]) -> None:
        """Add a dependency."""
        for label in (found[1], found[3]):
            if label not in self.labels:
                self.fail(f"no operation {label[:40]!r} above; right: a label that is defined before")
        self.links += 1
        if self.links > LINKS:
            self.fail(f"more than {LINKS} dependencies; at most so many are read")
        self.after[self.labels[found[1]]]["after" if found[2] == "requires" else "beside"].append(self.labels[found[3]])

    def act(self, line: str) -> None:
        """Add an operation."""
        self.count += 1
        if self.count > STEPS:
            self.fail(f"more than {STEPS} operations; at most so many are read")
        if found := CALC.fullmatch(line):
            label, size, cpu = found.groups()
            values = {"kind": "calc", "size": size, "cpu": cpu or 0}
        elif (found := MOVE.fullmatch(line)) and (found[2] == "send") == (found[4] == "to"):
            label, kind, size, _, peer, tag, cpu, nic = found.groups()
            values = {"kind": kind, "size": size, "peer": peer, "tag": tag or 0, "cpu": cpu or 0, "nic": nic or 0}
        else:
            self.fail(f"{line[:40]!r}; right: [label:] send Nb to R, recv Nb from R, calc N, or l2 requires l1")
        try:
            self.acts.append(msgspec.convert(values, Act, strict=False))
        except msgspec.ValidationError as error:
            self.fail(str(error))
        self.after.append({"after": [], "beside": []})
        if label in self.labels:
            self.fail(f"a second {label!r}; right: a label once in a rank")
        if label:
            self.labels[label] = len(self.acts) - 1

    def close(self) -> Messages:
        """Return all messages."""
        if self.rank is not None:
            self.fail(f"rank {self.rank} is not closed; right: }}")
        missing = next((r for r, acts in enumerate(self.ranks) if acts is None), None)
        if missing is not None or not self.ranks:
            self.fail(f"no rank {missing or 0}; right: num_ranks N, then every rank once")
        return Messages(tuple(acts or () for acts in self.ranks))

    def fail(self, why: str) -> NoReturn:
        """Raise InputError with the line."""
        raise InputError(f"line {self.at}: {why}")


def head(ranks: int) -> str:
    """Return the first line."""
    return f"num_ranks {ranks}\n"


def rank(r: int, acts: Sequence[Act]) -> str:
    """Return a rank's lines."""
    lines = [f"rank {r} {{", *(f"l{i}: {format_act(act)}" for i, act in enumerate(acts))]
    for i, act in enumerate(acts):
        lines += [f"l{i} requires l{other}" for other in act.after]
        lines += [f"l{i} irequires l{other}" for other in act.beside]
    return "\n".join([*lines, "}", ""])


def format_act(act: Act) -> str:
    """Return an operation's line, without its label."""
    ends = "".join(f" {name} {value}" for name, value in (("cpu", act.cpu), ("nic", act.nic)) if value)
    if act.kind == "calc":
        return f"calc {act.size}{ends}"
    way = "to" if act.kind == "send" else "from"
    return f"{act.kind} {act.size}b {way} {act.peer}{f' tag {act.tag}' if act.tag else ''}{ends}"
