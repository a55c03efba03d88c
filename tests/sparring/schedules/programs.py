"""Programs to judge: small ones by hand, random ones, and an interpreter that follows them one step at a time."""

from __future__ import annotations

import random
from collections import Counter, defaultdict, deque
from typing import Any

from hypothesis import strategies as st
from msgspec.structs import replace

from sparring.schedules.judgement import Judgement
from sparring.schedules.memory import Places
from sparring.schedules.program import USES, Block, Program, Rank, Step, check_program
from sparring.schedules.writing import pieces


def judge(whole) -> Any:
    """What there is to say of a program."""
    return Judgement(whole)


def file(whole, form="msccl"):
    """A program's file."""
    return b"".join(data for _, data in pieces(whole, len(whole.ranks), whole.ranks, form, 1000))


def traces(whole):
    """Its traces, of each rank one."""
    return [data for _, data in pieces(whole, len(whole.ranks), whole.ranks, "chakra", 1000)]


def program(*ranks, collective="allreduce", chunks=2, inplace=True, scratch=2):
    """A program of these ranks, each a list of blocks."""
    made = tuple(Rank(chunks, chunks, scratch, tuple(blocks)) for blocks in ranks)
    return check_program(Program("mine", collective, inplace, chunks, made))


def changed(whole, rank, block, step, **new):
    """The program with one step changed; without ``new``, with the step left out."""
    blocks = list(whole.ranks[rank].blocks)
    at = next(i for i, b in enumerate(blocks) if b.id == block)
    steps = list(blocks[at].steps)
    steps[step : step + 1] = [replace(steps[step], **new)] if new else []
    blocks[at] = replace(blocks[at], steps=tuple(steps))
    ranks = list(whole.ranks)
    ranks[rank] = replace(ranks[rank], blocks=tuple(blocks))
    return check_program(replace(whole, ranks=tuple(ranks)))


@st.composite
def programs(draw, wild=False):
    """Programs of two or three ranks whose messages match; ``wild``: steps may wait for later ones, so some hang."""
    p = draw(st.integers(2, 3))
    pairs = [(a, b) for a in range(p) for b in range(p) if a != b]
    blocks = [{(a, b): [] for a, b in pairs if r in (a, b)} for r in range(p)]
    place = st.tuples(st.sampled_from("os"), st.integers(0, 1))
    begun = [[] for _ in range(p)]
    for _ in range(draw(st.integers(1, 10))):
        a, b = draw(st.sampled_from(pairs))
        if draw(st.booleans()):
            new = [(a, (a, b), Step("s", draw(place))), (b, (a, b), draw(receives(place)))]
        else:
            op = draw(st.sampled_from(["cpy", "re"]))
            new = [(a, (a, b), Step(op, draw(place), draw(place)))]
        for r, key, made in new:
            step = made
            others = begun[r] if not wild else begun[r] + [(k, 0) for k in blocks[r] if k != key and blocks[r][k]]
            if others and draw(st.booleans()):
                other, at = draw(st.sampled_from(others))
                step = replace(step, after=(list(blocks[r]).index(other), at))
            begun[r].append((key, len(blocks[r][key])))
            blocks[r][key].append(step)
    if wild:
        r = draw(st.integers(0, p - 1))
        key = draw(st.sampled_from(list(blocks[r])))
        if blocks[r][key]:
            late = (list(blocks[r]).index(key), len(blocks[r][key]) - 1)
            other = draw(st.sampled_from(list(blocks[r])))
            if blocks[r][other] and late != (list(blocks[r]).index(other), 0):
                blocks[r][other][0] = replace(blocks[r][other][0], after=late)
    return program(
        *(
            [Block(i, tuple(steps), *((b, -1) if r == a else (-1, a))) for i, ((a, b), steps) in enumerate(of.items())]
            for r, of in enumerate(blocks)
        )
    )


def receives(place):
    """A step that takes a message."""
    return st.one_of(
        st.builds(lambda dst: Step("r", None, dst), place),
        st.builds(lambda src, dst: Step("rrc", src, dst), place, place),
    )


class Interpreter:
    """Runs a program on multisets, any step that can go at a time; channels hold ``depth`` messages."""

    def __init__(self, whole, depth=None):
        self.whole, self.depth, self.places = whole, depth, Places(whole)
        self.cells: list[Any] = [None] * self.places.cells
        for r in range(len(whole.ranks)):
            if whole.collective == "allgather":  # in place, one chunk a rank
                self.cells[self.places.cell(r, "o", r)] = Counter({(r, r): 1})
                continue
            for c in range(whole.chunks):
                self.cells[self.places.cell(r, "i", c)] = Counter({(r, c): 1})
        self.queues = defaultdict(deque)
        self.at = {(r, b.id): 0 for r, rank in enumerate(whole.ranks) for b in rank.blocks}
        self.blocks = {(r, b.id): b for r, rank in enumerate(whole.ranks) for b in rank.blocks}
        self.gone = []

    def ready(self):
        """The blocks whose next step can go."""
        return [key for key in self.at if self.can(key)]

    def can(self, key):
        """Whether the block's next step can go."""
        block = self.blocks[key]
        if self.at[key] == len(block.steps):
            return False
        step, uses = block.steps[self.at[key]], USES[block.steps[self.at[key]].op]
        if step.after and self.at[key[0], step.after[0]] <= step.after[1]:
            return False
        if uses.receives and not self.queues[block.recv, key[0], block.channel]:
            return False
        queue = self.queues[key[0], block.send, block.channel]
        return not (uses.sends and self.depth is not None and len(queue) >= self.depth)

    def go(self, key):
        """Let the block's next step go."""
        block = self.blocks[key]
        step = block.steps[self.at[key]]
        uses = USES[step.op]
        self.gone.append((*key, self.at[key]))
        self.at[key] += 1
        src, dst = (list(self.places.range(key[0], x, step.count)) if x else [] for x in (step.src, step.dst))
        values = [self.cells[c] for c in src]
        if uses.receives:
            came = self.queues[block.recv, key[0], block.channel].popleft()
            values = list(map(plus, came, values)) if uses.adds else came
        elif uses.adds:
            values = list(map(plus, values, [self.cells[c] for c in dst]))
        if uses.writes:
            for c, value in zip(dst, values):
                self.cells[c] = value
        if uses.sends:
            self.queues[key[0], block.send, block.channel].append(values)

    def run(self, seed=0, last=None):
        """All that can go, in a random order; block ``last`` only when nothing else can.  Whether everything went."""
        drawn = random.Random(seed)
        while ready := self.ready():
            some = [key for key in ready if key != last] or ready
            self.go(drawn.choice(some))
        return all(self.at[key] == len(block.steps) for key, block in self.blocks.items())


def plus(a, b):
    """The sum of two multisets; nothing, if one is nothing."""
    return None if a is None or b is None else a + b
