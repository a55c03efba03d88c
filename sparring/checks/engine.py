"""One engine behind the command, the Python call and the tests in a user's own file.

First many examples are drawn and each is judged for every property at once; then, for each
property that some example falsified, the smallest such example is looked for.  Hypothesis draws
and shrinks; what is small here is p first, then n, then the values.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Flaky

from sparring.checks import judging
from sparring.checks.examples import KINDS, Example, examples, fewer
from sparring.checks.places import Observed, Place
from sparring.checks.properties import LEVELS, MESSAGES, PROPERTIES
from sparring.errors import InputError, Refuted
from sparring.proofs.trace.events import Trace
from sparring.spec.core.model import Page

SHRINKING = 8.0
"""Seconds for finding a smaller example of one property."""

SHARE = {"result": 0.6, "edge sizes": 0.2, "dtypes": 0.2}
"""How the examples are divided among the kinds."""


@dataclass(frozen=True)
class Question:
    """What is asked of a target."""

    target: Any
    page: Page | None = None
    ranks: Sequence[int] = tuple(range(1, 9))
    level: str = "result"
    seed: int = 0
    max_examples: int = 100
    only: Sequence[str] = tuple(PROPERTIES)
    sparse: bool = False
    """Whether the target takes sparse vectors; a page says so itself."""

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            raise InputError(f"level {self.level!r}: there are {', '.join(LEVELS)}")
        if self.level != "result" and self.page is None:
            raise InputError(f"level {self.level!r} needs a page to compare messages with: --algorithm ALGO")
        if unknown := [p for p in self.only if p not in PROPERTIES]:
            raise InputError(f"no property {unknown[0]!r}: there are {', '.join(PROPERTIES)}")
        if not self.ranks or min(self.ranks) < 1:
            raise InputError("ranks: at least one number of ranks, each at least 1")


@dataclass
class Findings:
    """What is known of a target in one place.

    ``smallest``: property -> the smallest example that falsifies it, with the sentence;
    ``traces``: what was sent then; ``judged``: property -> how many examples were looked at;
    ``refused``: why the place could not run the target at all; ``unread``: in how many examples
    messages were counted, but not read; ``stuck``: the kinds of examples
    of which no more are tried on real ranks, since one came to no end.
    """

    smallest: dict[str, tuple[Example, str]] = field(default_factory=dict)
    traces: dict[str, Trace] = field(default_factory=dict)
    judged: dict[str, int] = field(default_factory=dict)
    refused: str = ""
    unread: int = 0
    stuck: set[str] = field(default_factory=set)

    def add(self, example: Example, flaws: Mapping[str, str], seen: Observed, looked_at: Iterable[str]) -> None:
        """Count an example and keep it where it is the smallest of its kind."""
        for prop in looked_at:
            self.judged[prop] = self.judged.get(prop, 0) + 1
        for prop, why in flaws.items():
            if prop not in self.smallest or example.size < self.smallest[prop][0].size:
                self.smallest[prop] = example, why
                if seen.trace is not None:
                    self.traces[prop] = seen.trace


def asked(question: Question, example: Example) -> list[str]:
    """The properties that an example is about."""
    always = ("agreement", "input untouched", "reproducibility", "deadlock", "hygiene")
    about = {example.prop, *always, *MESSAGES[question.level]}
    return [p for p in question.only if p in about]


def judge(question: Question, place: Place, example: Example) -> tuple[dict[str, str], Observed]:
    """Every flaw that one example shows, of the properties asked for."""
    seen = place.observe(question.target, example)
    flaws = judging.judged(example, seen, question.page, question.level)
    if seen.ys and not seen.refused:
        second = place.observe(question.target, example, again=True)
        flaws = judging.judged(example, second, question.page, "result") | judging.unstable(seen, second) | flaws
    return {p: why for p, why in flaws.items() if p in asked(question, example)}, seen


def explore(question: Question, place: Place, advance: Callable[[], None], rehearsal: Place | None = None) -> Findings:
    """Judge drawn examples, then look for smaller ones of what was falsified.

    ``rehearsal``: where an example that comes to no end here is shrunk, if it shows the same there.
    """
    findings = Findings()

    def discover(example: Example) -> None:
        if findings.refused or example.prop in findings.stuck:
            return
        flaws, seen = judge(question, place, example)
        findings.refused = seen.refused
        if rehearsal is not None and not seen.ys:
            findings.stuck.update(KINDS if "deadlock" in seen.flaws else [example.prop])
        findings.unread += judging.unread(example, seen, question.page)
        findings.add(example, flaws, seen, asked(question, example))
        advance()

    for kind in kinds(question):
        drawn(question, kind, discover, [Phase.generate], max(1, int(question.max_examples * SHARE[kind])))
    for prop, (example, _) in list(findings.smallest.items()):
        narrow = replace(question, only=[prop])
        if example.prop not in findings.stuck:
            shrink(narrow, place, findings, prop)
        elif rehearsal and prop in judge(narrow, rehearsal, example)[0]:
            rehearsed(narrow, place, rehearsal, findings, prop)
    return findings


def rehearsed(question: Question, place: Place, rehearsal: Place, findings: Findings, prop: str) -> None:
    """Shrink in the rehearsal, where a hang costs nothing, and play only the smallest example here."""
    there = Findings(smallest={prop: findings.smallest[prop]})
    shrink(question, rehearsal, there, prop)
    smallest, _ = there.smallest[prop]
    flaws, seen = judge(question, place, smallest)
    findings.add(smallest, flaws, seen, [])


def kinds(question: Question) -> list[str]:
    """Which kinds of examples are needed."""
    others = set(question.only) - set(KINDS)
    return [kind for kind in KINDS if kind in question.only or (kind == "result" and others)]


def drawn(question: Question, kind: str, test: Callable[[Example], None], phases: list[Phase], number: int) -> None:
    """Call ``test`` with examples that hypothesis draws, the same for the same seed."""
    quiet = settings(
        max_examples=number, phases=phases, deadline=None, database=None, print_blob=False,
        report_multiple_bugs=False, suppress_health_check=list(HealthCheck),  # pyright: ignore[reportArgumentType]  # its metaclass hides what it holds
    )  # fmt: skip
    drawn_from = examples(question.ranks, kind, sparse=question.sparse)
    seed(question.seed)(quiet(given(drawn_from)(test)))()


def shrink(question: Question, place: Place, findings: Findings, prop: str) -> None:
    """Keep the smallest example that still falsifies ``prop``, within the time for it."""
    end = time.monotonic() + SHRINKING

    def still(example: Example) -> None:
        if time.monotonic() > end:
            raise OutOfTime
        flaws, seen = judge(question, place, example)
        findings.add(example, flaws, seen, [])
        if prop in flaws:
            raise Refuted(flaws[prop])

    with suppress(Refuted, Flaky, OutOfTime):
        kind = findings.smallest[prop][0].prop
        drawn(question, kind, still, [Phase.generate, Phase.shrink], question.max_examples)
    with suppress(OutOfTime):
        while pared(question, findings, prop, still):
            pass


def pared(question: Question, findings: Findings, prop: str, still: Callable[[Example], None]) -> bool:
    """Whether the smallest example, less something, still falsifies ``prop``: what hypothesis may have left over."""
    for example in fewer(findings.smallest[prop][0], question.ranks):
        try:
            still(example)
        except Refuted:
            return True
    return False


class OutOfTime(BaseException):
    """The time for shrinking is over; no Exception, so that hypothesis lets it pass."""
