"""Documents to look at: runs of pages, a run beside its page, a deadlock."""

from __future__ import annotations

from collections.abc import Iterable

from sparring.present.explorer import pages
from sparring.present.explorer.document import (
    Cell,
    Detail,
    Document,
    Finding,
    Formula,
    Message,
    Route,
    Run,
    Stage,
    Step,
    Topology,
    Wait,
)
from sparring.present.spacetime.history import Cells, Hop, cells, hops
from sparring.spec.core.model import Page
from sparring.spec.core.pages import find

EXPRESSIONS = {"dst": "(r + 1) % p", "src": "(r - 1) % p", "chunk": "(r - t) % p", "adds": "t < p - 1"}


def lists(copies: Cells) -> list[list[list[int]]]:
    """Return sets of ranks as lists."""
    return [[sorted(cell) for cell in row] for row in copies]


def messages(step: Iterable[Hop]) -> list[Message]:
    """Return the messages of a step."""
    return [Message(hop.src, hop.dst, list(hop.chunks), hop.adds) for hop in step]


def stage(page: Page, p: int) -> Stage:
    """Return the exchange of ``page`` at ``p`` ranks."""
    begun, wanted = cells(page, page.start, p), cells(page, page.goal, p)
    steps = [Step(messages(step), t=t) for t, step in enumerate(hops(page, p))]
    return Stage(page.name, page.name, "", len(begun[0]), lists(begun), lists(wanted), steps=steps)


def algorithm(name: str, p: int) -> Document:
    """Return the document of the page called ``name`` at ``p`` ranks."""
    page = find(name)
    return Document("algorithm", page.doc.splitlines()[0], p, [Run([stage(page, p)])], prose=page.doc, values={"p": p})


LETTERS = {"adds": ["t", "p"]}
FORMULAS = [
    Formula(name, letters, f"def {name}({', '.join(letters)}): return {text}", text)
    for name, text in EXPRESSIONS.items()
    for letters in [LETTERS.get(name, ["r", "t", "p"])]
]
"""The ring's, each with its expression."""


def ring(p: int) -> Document:
    """Return the ring with its formulas and the links of a network, two ranks a switch."""
    page = find("ring")
    one = Stage("ring", "ring", chunks=p, steps=stage(page, p).steps, formulas=[0, 1, 2, 3])
    routes = [Route(r, (r + 1) % p, [r // 2, p // 2 + r % 2]) for r in range(p)]
    links = [f"switch {r} -> switch {(r + 1) % (p // 2)}" for r in range(p // 2)] + ["even -> core", "odd -> core"]
    return Document(
        "algorithm",
        "Dense ring allreduce",
        p,
        [Run([one])],
        prose=page.doc,
        command=f"sparring show ring --ranks {p} --html",
        values={"p": p},
        formulas=FORMULAS,
        topology=Topology("two ranks a switch", links, routes),
        notes=["A note of the page."],
    )


def on_topology(name: str, p: int, topology: str) -> Document:
    """Return the document of the page called ``name`` at ``p`` ranks with the links of a topology of ours."""
    return pages.document(find(name), p, topology)


def failure() -> Document:
    """Return a run on four ranks that leaves the ring in its second step, beside the page; its entries are sparse."""
    right = stage(find("ring"), 4)
    seen, wanted = [*right.steps], [*right.steps]
    sent = seen[1].messages
    differing = [
        Detail(0, "wrong", "another value", 2, 16, [0, 2], ["1.5", "2"], ["1.5", "3"], "mine.py:12"),
        Detail(2, "missing", "rank 2 sends nothing in step 1", 3, 24),
    ]
    same = [Detail(1, entries=3, bytes=24, where="mine.py:12"), Detail(3, entries=1, bytes=8, where="mine.py:12")]
    copies = [Cell(1, 3, [0, 2], ["1.5", "2"]), Cell(2, 0, [1, 5, 6], ["1", "2", "3"])]
    seen[1] = Step(sent, 1, details=[*differing, *same], cells=copies)
    wanted[1] = Step(sent, 1, details=[Detail(i, "expected", entries=2 + i, bytes=16 + 4 * i) for i in (0, 2)])
    findings = [
        Finding("rank 0 sends another value in step 1: seen 1.5 2, the page has 1.5 3", 1, 1, [0], "mine.py:12"),
        Finding("rank 2 sends nothing in step 1", 1, 1, [2]),
        Finding("rank 1 ends with another sum", 1, 5, [1]),
    ]
    return Document(
        "failure",
        "mine.py:allreduce leaves ring",
        4,
        [Run([exchange(wanted)], "page"), Run([exchange(seen)], "seen")],
        command="sparring check mine.py:allreduce",
        values={"p": 4},
        formulas=FORMULAS,
        findings=findings,
    )


def exchange(steps: list[Step]) -> Stage:
    """Return a ring on four ranks with these steps."""
    return Stage("ring", "ring", chunks=4, sizes=[8] * 4, steps=steps, formulas=[0, 1, 2, 3])


def deadlock() -> Document:
    """Return four ranks that wait for one another in a circle, after a local work and a message."""
    steps = [Step([Message(0, 1)], label="time 0", details=[Detail(0, bytes=64, where="stuck.py:7")])]
    waits = [Wait(r, [(r - 1) % 4], "Recv", f"stuck.py:{9 + r}") for r in range(4)]
    found = [Finding("ranks 0, 1, 2, 3 wait for one another in a circle", 0, 1, [0, 1, 2, 3], "stuck.py:9", waits)]
    work = Stage("select", text="Each rank takes its largest entries.\nIt sends them in one message.")
    return Document("world", "stuck.py: a deadlock", 4, [Run([work, Stage("messages", steps=steps)])], findings=found)


def composition() -> Document:
    """Return local works around two exchanges, one of them an allgather, on six ranks."""
    scatter, gather = stage(find("recursive_doubling"), 6), stage(find("bruck_allgather"), 6)
    local = [Stage(f"work {i}", text=f"What each rank does in part {i}.") for i in range(3)]
    stages = [local[0], scatter, local[1], gather, local[2]]
    return Document("algorithm", "A composition", 6, [Run(stages)], values={"p": 6})
