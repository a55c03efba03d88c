"""ForestColl's trees (liangyuRain/ForestColl, ``pipeline_allgather.py``: ``spanning_trees_to_xml``), as a program.

    <Algo nchunkspernode="1">
      <tree root="0" index="0" nchunks="1" height="1">
        <send src="0" dst="1" path="0,2,1"/>
      </tree>
      ...

Each tree brings some chunks of its root to all nodes; together they are an allgather, in place.  Nodes have any names;
ranks are the nodes by ascending name, with numbers in names compared as numbers.  A root's trees take its chunks in
ascending order of their index.  A node passes on what a tree has brought it; sends of different trees are not ordered.
The paths and the trees' heights are ignored.
"""

from __future__ import annotations

import re
from typing import ClassVar, NamedTuple

from sparring.errors import InputError
from sparring.schedules.chunk_flows import Flow, Told, blocks
from sparring.schedules.formats.markup import Target, parse
from sparring.schedules.program import BLOCKS, CHUNKS, RANKS, STEPS, Program, Rank, check_program

LONGEST = 200
"""The most characters of a node's name."""
GAPS = {"loader": "RCCL reads MSCCL's XML, and no trees of ForestColl"}


class Tree(NamedTuple):
    """A tree: its root, its number among the root's trees, how many chunks it carries, and its edges."""

    root: str
    number: int
    chunks: int
    sends: list[tuple[str, str]]


def read(data: bytes) -> Told:
    """Read the program in a file; raise InputError, which says what is wrong, and where."""
    reader = parse(data, Reader())
    names = sorted(
        {name for tree in reader.trees for send in (*tree.sends, (tree.root,)) for name in send}, key=natural
    )
    ranks, k = {name: r for r, name in enumerate(names)}, reader.chunks
    if not 1 <= len(names) <= RANKS:
        raise InputError(f"{len(names)} nodes; right: 1 to {RANKS}")
    if k * len(names) > CHUNKS:
        raise InputError(f"{k} chunks of each of {len(names)} nodes; at most {CHUNKS} together are followed")
    used = dict.fromkeys(names, 0)
    flows: list[Flow] = []
    for tag, tree in enumerate(sorted(reader.trees, key=lambda tree: (ranks[tree.root], tree.number))):
        first = ranks[tree.root] * k + used[tree.root]
        used[tree.root] += tree.chunks
        if used[tree.root] > k:
            raise InputError(f"the trees of root {tree.root} carry more than nchunkspernode={k} chunks together")
        flows += carried(tree, ranks, first, len(flows), tag)
    whole = tuple(Rank(0, k * len(names), 0, tuple(own)) for own in blocks(flows, len(names)))
    return Told(check_program(Program("ForestColl", "allgather", True, k * len(names), whole)), GAPS)


def carried(tree: Tree, ranks: dict[str, int], chunk: int, before: int, tag: int) -> list[Flow]:
    """Return a tree's flows, which follow ``before`` others; each waits for the first one that leads to its source."""
    came: dict[str, int] = {}
    for i, (_, dst) in enumerate(tree.sends):
        came.setdefault(dst, before + i)
    came[tree.root] = -1
    return [
        Flow(ranks[src], ranks[dst], tag, ("o", chunk), ("o", chunk), tree.chunks, came.get(src, -1))
        for src, dst in tree.sends
    ]


def natural(name: str) -> list[tuple[int, str]]:
    """Return a key that orders names, with numbers in them compared as numbers.

    >>> sorted(["(1, 'GPU', 0)", "(0, 'GPU', 10)", "(0, 'GPU', 9)"], key=natural)
    ["(0, 'GPU', 9)", "(0, 'GPU', 10)", "(1, 'GPU', 0)"]
    """
    return [(int(part) if at % 2 else 0, part) for at, part in enumerate(re.split(r"([0-9]{1,18})", name))]


class Reader(Target):
    """A target of the XML parser that collects trees."""

    inside: ClassVar[dict[str, tuple[str, ...]]] = {"": ("Algo",), "Algo": ("tree",), "tree": ("send",), "send": ()}
    wanted = "an <Algo> of <tree>s of <send>s"

    def __init__(self) -> None:
        super().__init__()
        self.chunks = 0
        self.trees: list[Tree] = []
        self.known: set[tuple[str, int]] = set()
        self.count = 0

    def start(self, tag: str, attrib: dict[str, str]) -> None:
        """Take the beginning of an element."""
        self.enter(tag)
        if tag == "Algo":
            self.chunks = self.number(attrib, "nchunkspernode", 1, CHUNKS)
        elif tag == "tree":
            self.tree(attrib)
        else:
            self.send(attrib)

    def tree(self, attrib: dict[str, str]) -> None:
        """Begin a tree."""
        root, index = self.name(attrib, "root"), self.number(attrib, "index", 0, CHUNKS)
        if (root, index) in self.known:
            self.fail(f"a second tree {index} of root {root}; right: an index of its own for each")
        self.known.add((root, index))
        self.trees.append(Tree(root, index, self.number(attrib, "nchunks", 1, CHUNKS), []))
        if len(self.trees) > BLOCKS:
            self.fail(f"more than {BLOCKS} trees; at most so many are read")

    def send(self, attrib: dict[str, str]) -> None:
        """Add an edge to the tree."""
        src, dst = self.name(attrib, "src"), self.name(attrib, "dst")
        if src == dst:
            self.fail(f"{src} sends to itself; right: two nodes")
        path = attrib.get("path", f"{src},{dst}")
        if not (path.startswith(f"{src},") and path.endswith(f",{dst}")):
            self.fail(f"path={path[:40]!r}; right: from src={src} to dst={dst}")
        self.trees[-1].sends.append((src, dst))
        self.count += 1
        if 2 * self.count > STEPS:
            self.fail(f"more than {STEPS // 2} sends; at most so many are read")

    def end(self, _: str) -> None:
        """Take the end of an element."""
        self.open.pop()

    def close(self) -> Reader:
        """Return the reader at the end of the file; its trees must name a node."""
        if not self.trees:
            self.fail(f"no <tree>; right: {self.wanted}")
        return self

    def name(self, attrib: dict[str, str], name: str) -> str:
        """Return an attribute that names a node."""
        value = self.text(attrib, name)
        if not 0 < len(value) <= LONGEST or not value.isprintable():
            self.fail(f"{name}={value[:20]!r}; right: a name of 1 to {LONGEST} characters")
        return value

    def number(self, attrib: dict[str, str], name: str, least: int, most: int) -> int:
        """Return an attribute that is an integer in a range."""
        value = self.text(attrib, name)
        if not re.fullmatch("[0-9]{1,9}", value) or not least <= int(value) <= most:
            self.fail(f"{name}={value[:20]!r}; right: {least} to {most}")
        return int(value)
