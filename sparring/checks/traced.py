"""The verdict on a trace: what its messages tell of a run whose vectors nobody has.

A trace has the lengths and the digests of messages, see :mod:`sparring.checks.judges.trace_lengths`.  What it does
not tell is not covered.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sparring.checks import trace_documents
from sparring.checks.contracts import ALLREDUCE
from sparring.checks.judges import trace_counts, trace_lengths
from sparring.checks.judges.judging import crowded
from sparring.checks.judges.nearest import Likeness, Message, candidates, chosen
from sparring.checks.properties import HARD
from sparring.checks.question import Question, page_alone
from sparring.checks.verdicts import held_against
from sparring.present.explorer import html
from sparring.present.explorer.observed import Beside
from sparring.proofs.logic.verdicts import NOT_COVERED, REFUTED, tested
from sparring.report import Report, Result
from sparring.spec.core.model import Page
from sparring.trace.compare import inside
from sparring.trace.events import Trace
from sparring.trace.files import read
from sparring.trace.links import exclusive

GAPS = {
    **dict.fromkeys(("result", "selection", "conservation", "input untouched", "own memory"), "a trace has no vectors"),
    **dict.fromkeys(("reproducibility", "edge sizes", "dtypes", *HARD), "a trace is one run"),
    "deadlock": "the run came to its end; whether it does with other buffers a trace does not tell",
    "hygiene": "a trace does not tell what is done with requests and buffers",
}
"""The properties that no trace tells about, each with the reason."""
JUDGED = ("agreement", "steps", "volume", "contention")
"""Those that a trace may tell about."""
LONG = "message by message as long as the page's, in its order; what is in them a trace does not tell"
ALIKE = "messages that are alike in the page have the same digest"


def is_trace(target: Any) -> bool:
    """Return whether the target is the file or the folder of a trace."""
    return isinstance(target, (str, Path)) and (Path(target).is_dir() or str(target).endswith(".jsonl"))


def report(
    target: Any, page: str = ALLREDUCE, *, level: str, topology: str, expected: Mapping[str, str],
    only: Sequence[str] | None, params: Mapping[str, Any],
) -> Report:  # fmt: skip
    """Judge a trace; on level "volume" by its volume, else message by message.

    Raises InputError for what is no trace, or an unknown page, property or topology.
    """
    start = time.perf_counter()
    found, trace = page_alone(page, params), read(Path(target))
    question = Question(str(target), found, only=tuple(only or ()), topology=topology)
    question.expects(expected)
    seen = looked(trace, found, level, topology)
    results = [result(question, prop, seen) for prop in question.asked]
    gaps = [f"{r.property}: {r.detail}" for r in results if r.verdict == NOT_COVERED]
    told: dict[str, Any] = {"target": str(target), "page": page, "level": level, "ranks": [trace.ranks], "on": "trace"}
    told |= {"topology": topology, "judged": [*filter(seen.counts, question.asked)]}
    if found is None and seen.width and any(fewer(trace.ranks)):
        told["nearest"] = nearest(trace, seen.width)
    judged = [held_against(expected, one) for one in results]
    name = Path(target).name

    def shown() -> str:
        met = crowded(trace, found, topology) if "contention" in seen.flaws else None
        return html.page(trace_documents.document(name, trace, judged, beside(found, trace), topology, met))

    return Report("check", judged, gaps, time.perf_counter() - start, {"check": told}, explorers={"": shown})


def beside(page: Page | None, trace: Trace) -> Beside | None:
    """Return where the trace leaves the page, by lengths; None where it does not, or where these are not compared."""
    width, gap = word(trace)
    if page is None or gap or unsized(page) or incomparable(page, trace.ranks):
        return None
    n = trace_lengths.size(page, trace, width)
    divergence = trace_lengths.match([*trace_lengths.planned(page, trace.ranks, n)], trace, width).divergence
    dtype = np.dtype(next(event.dtype for event in trace.sends() if event.nbytes))
    wanted = trace_lengths.expected(page, trace.ranks, n, dtype)
    return Beside(page, wanted, trace, divergence, sized=True) if divergence else None


class Seen(NamedTuple):
    """``flaws``: property -> what is wrong; ``gaps``: property -> why it is not judged; the others hold."""

    flaws: Mapping[str, str]
    gaps: Mapping[str, str]
    width: int
    """The bytes of a word; 0 if not known."""
    open: Sequence[str] = ()
    """Those of ``gaps`` that a trace of such a run tells about, and this one does not."""

    def counts(self, prop: str) -> bool:
        """Return whether a weak verdict on the property is one on the trace, and not on what no trace tells."""
        return prop not in self.gaps or prop in self.open


def looked(trace: Trace, page: Page | None, level: str, topology: str) -> Seen:
    """Judge all that the trace tells."""
    width, gap = word(trace)
    if unsized(page) and any(trace.sends()):
        gap = ""
    told = ("volume",) if level == "volume" else ("steps", "volume")
    left = told if page and gap and trace.ranks > 1 else ()
    gap = gap or incomparable(page, trace.ranks)
    flaws: dict[str, str] = {}
    gaps: dict[str, str] = {**GAPS, **dict.fromkeys(("agreement", "steps", "volume"), gap)}
    if page and not gap:
        flaws, unlike = (
            trace_counts.compared(page, trace) if unsized(page) else trace_lengths.compared(page, trace, width)
        )
        gaps = {**GAPS, **unlike}
    if level == "volume":
        gaps["steps"] = "level 'volume' does not look at it"
    if not any(trace.sends()):
        gaps["contention"] = "nothing is sent"
    elif not topology and (page is None or not exclusive(page) or trace_lengths.many(page, trace.ranks)):
        gaps["contention"] = "no topology to look at: --topology NAME"
    elif why := crowded(trace, page, topology):
        flaws["contention"] = str(why)
    return Seen(flaws, gaps, width, left)


def unsized(page: Page | None) -> bool:
    """Return whether the lengths of the page's messages depend on entries."""
    return page is not None and (page.listed or page.stateful)


def incomparable(page: Page | None, p: int) -> str:
    """Say why messages cannot be compared with the page's; "" if they can."""
    if page is None:
        return "no page to compare with: --algorithm ALGO"
    if page.composed:
        return f"what {page.name} sends depends on the vectors, which a trace does not have"
    many = trace_lengths.many(page, p)
    return f"on {p} ranks {page.name} sends more than {trace_lengths.MESSAGES} messages" if many else ""


def result(question: Question, prop: str, seen: Seen) -> Result:
    """Return the verdict on one property."""
    if prop in seen.gaps or prop not in JUDGED:
        return Result(question.name, prop, NOT_COVERED, seen.gaps.get(prop, "a trace does not tell"))
    flaw = seen.flaws.get(prop)
    steps = trace_counts.COUNTED if unsized(question.page) else LONG
    holds = {"agreement": ALIKE, "steps": steps}.get(prop, question.meanings[prop])
    return Result(question.name, prop, REFUTED if flaw else tested(1), flaw or holds)


def word(trace: Trace) -> tuple[int, str]:
    """Return the bytes of a word, or 0 and why there is nothing to compare."""
    kinds = sorted({event.dtype for event in trace.sends() if event.nbytes})
    if len(kinds) == 1 and kinds[0] != "object":
        return np.dtype(kinds[0]).itemsize, ""
    if kinds:
        return 0, f"messages are of {' and '.join(kinds)}: how many words they have is not known"
    calls = inside(trace, 0)
    return 0, f"rank 0 sends nothing; it calls {calls}, whose messages nobody sees" if calls else "nothing is sent"


def fewer(p: int) -> Iterator[Page]:
    """Return the pages of dense vectors that do not have too many messages."""
    return (page for page in candidates(sparse=False) if not trace_lengths.many(page, p))


def nearest(trace: Trace, width: int) -> dict[str, Any]:
    """Return the page of dense vectors that the messages come nearest to."""
    ours: list[Message] = [(event.rank, event.peer, event.nbytes) for event in trace.sends()]
    likely: list[Likeness] = []
    sizes: list[int] = []
    for page in fewer(trace.ranks):
        sizes.append(trace_lengths.size(page, trace, width))
        planned = list(trace_lengths.planned(page, trace.ranks, sizes[-1]))
        theirs: list[Message] = [(m.src, m.dst, m.words * width) for m in planned]
        likely.append(Likeness(page, not trace_lengths.match(planned, trace, width).flaw, ours, theirs))
    best = min(range(len(likely)), key=lambda i: likely[i].rank)
    return chosen(likely, trace.ranks, sizes[best], width).as_dict()
