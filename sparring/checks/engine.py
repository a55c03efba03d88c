"""One engine behind the command, the Python call and the tests in a user's own file.

First many examples are drawn and each is judged for every property at once; then, for each
property that some example falsified, the smallest such example is looked for.  Hypothesis draws
and shrinks; what is small here is p first, then n, then the values.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Flaky

from sparring.checks import conventions
from sparring.checks.examples import hard
from sparring.checks.examples.drawn import KINDS
from sparring.checks.findings import Findings
from sparring.checks.judged import Judged, judge, properties, properties_of
from sparring.checks.places import Place, Real
from sparring.checks.properties import BAD, MADE
from sparring.checks.question import Question
from sparring.checks.ranks.scenes import SCENES
from sparring.errors import Refuted
from sparring.refinement.example import Example

Advance = Callable[[Sequence[str]], None]
SHRINKING = 8.0
"""Seconds for finding a smaller example of one property."""

USUAL, IN_SERIES = ("result", "deadlock"), ("agreement", "selection", "conservation", "entries", "contraction")
"""What is wrong in hard examples too if it is in usual ones; the second of several calls."""
WRONG = "not looked at where usual examples fail already"
"""Why a kind was not tried."""
UNSAID = "the page has no result for any of these examples"
"""Why none of a kind was tried."""
STUCK = "no more were tried after one that did not come to its end"
"""Why an example was not run."""

SHARE = {
    "result": 0.6, "edge sizes": 0.2, "dtypes": 0.2, BAD: 0.2, "special values": 0.22, "long vectors": 0.08,
    "many ranks": 0.1, "communicators": 0.15, "repeated calls": 0.05, "other arrays": 0.1, "expectation": 0.03,
}  # fmt: skip
"""How the examples are divided among the kinds."""


def explore(question: Question, place: Place, advance: Advance, rehearsal: Place | None = None) -> Findings:
    """Judge drawn examples, then look for smaller counterexamples of each falsified property.

    ``advance`` is called after each example with the flaws that it was the first to show, without those of steps and
    volume: see :func:`by_convention`.  ``rehearsal``: the place where an example that does not end here is shrunk, if
    it shows the same flaw there.
    """
    search = Search(question, place, advance)
    search.draw()
    search.make()
    with question.clock:
        by_convention(question, place, search.findings)
    if search.findings.deadly:
        rehearsal = None  # it would run in this process
    smaller(question, place, search.findings, rehearsal)
    return search.findings


class Search:
    """The examples that are tried in a place, kind by kind, and what is found of them."""

    def __init__(self, question: Question, place: Place, advance: Advance) -> None:
        self.question, self.place, self.advance = question, place, advance
        self.findings = Findings()
        self.few = {kind: max(1, int(question.max_examples * SHARE[kind])) for kind in kinds(question)}

    def draw(self) -> None:
        """Try examples that hypothesis draws."""
        none = {kind: why for kind in self.few if (why := self.question.none(kind))}
        self.findings.unseen |= none
        usual = [kind for kind in self.few if kind not in MADE and kind not in none]
        drawn = [example for kind in usual for example in some(self.question, kind, self.few[kind])]
        self.tried([example for example in drawn if not (example.scene and unplayable(self.place, example.prop))])

    def make(self) -> None:
        """Try examples that are made to be hard."""
        question, findings = self.question, self.findings
        for kind in [kind for kind in self.few if kind in MADE]:
            if needless(question, findings, kind):
                continue
            wrong = {*findings.smallest} & {*USUAL, *(IN_SERIES if question.in_series else ())}
            if why := unplayable(self.place, kind) or WRONG * bool(wrong):
                findings.unseen = dict.fromkeys(properties(kind), why) | findings.unseen
            else:
                number = max(self.few[kind], hard.least(kind, question.dtypes, sparse=question.sparse))
                played = [one for one in question.hard(kind, number) if playable(self.place.name, one)]
                findings.unseen |= {} if played else {kind: UNSAID}
                findings.meanings[kind] = hard.describe_played(played, question.meanings.get(kind, ""))
                self.tried(played)

    def tried(self, examples: Sequence[Example]) -> None:
        """Try these examples, one after the other, until the place refuses one."""
        self.place.expect(examples)
        for example in examples:
            if not self.findings.refused:
                self.discover(example)

    def discover(self, example: Example) -> None:
        """Judge an example, and tell the flaws that it is the first to show."""
        question, findings = self.question, self.findings
        about, known, judged = properties_of(question, example), {*findings.smallest}, None
        if why := question.clock.over() or STUCK * (example.prop in findings.stuck):
            findings.miss(dict.fromkeys(about, why))
            return
        with question.clock:
            judged = judge(question, self.place, example)
        if judged is None:
            findings.miss(dict.fromkeys(about, question.clock.why))
            return
        findings.stuck.update(spent(self.place, judged))
        findings.count(question, judged)
        new = [(prop, why) for prop, why in judged.flaws.items() if prop not in known]
        self.advance([f"{prop} at {example.place}: {why}" for prop, why in new if prop not in ("steps", "volume")])


def needless(question: Question, findings: Findings, kind: str) -> bool:
    """Return whether examples are tried for messages alone, which are known to be wrong."""
    asked = {*properties(kind)} & {*question.judged}
    return not asked and bool({"steps", "volume"} & {*findings.smallest}) and not any(question.convention)


def spent(place: Place, judged: Judged) -> Sequence[str]:
    """Return the kinds of examples that are tried no more, since this one took too much time."""
    if isinstance(place, Real) and "deadlock" in judged.seen.flaws:
        return [BAD] if judged.example.prop == BAD else [*KINDS, *MADE]
    failed = isinstance(place, Real) and place.costly and judged.flaws and not judged.seen.ys
    return [judged.example.prop] if failed else []


def by_convention(question: Question, place: Place, findings: Findings) -> None:
    """Settle steps and volume if messages are the page's with its chunks cut or numbered in another usual way."""
    props = [prop for prop in ("steps", "volume") if prop in findings.smallest]
    page = question.page
    if question.clock.over() or not props or any(question.convention) or page is None or not conventions.apply(page):
        return
    probes = [hard.numbered(p, cuts * p + 2, question.dtypes[0]) for p in question.ranks if p > 1 for cuts in (1, 2)]
    seen = [(xs, place.observe(question.target, Example(xs, "result")).trace) for xs in probes]
    asked = replace(question, only=props)
    for one in conventions.fitting(page, seen, "steps" if "steps" in question.watched else "volume"):
        other = replace(asked, convention=one)
        if any(prop in judge(other, place, findings.smallest[prop][0]).flaws for prop in props):
            continue
        found = explore(other, place, lambda told: None)
        if not found.smallest and found.judged:
            findings.settle(props, found, str(one))
            return


def smaller(question: Question, place: Place, findings: Findings, rehearsal: Place | None) -> None:
    """Look for a smaller counterexample of each falsified property."""
    for prop in list(findings.smallest):
        narrow = replace(question, only=[prop])
        if question.clock.over():
            return
        with question.clock:
            shrunk(narrow, place, findings, rehearsal, prop)


def shrunk(question: Question, place: Place, findings: Findings, rehearsal: Place | None, prop: str) -> None:
    """Look for a smaller counterexample of one property, here or in the rehearsal."""
    example, _ = findings.smallest[prop]
    if example.prop not in findings.stuck:
        shrink(question, place, findings, prop)
    elif rehearsal and prop in judge(question, rehearsal, example).flaws:
        rehearsed(question, place, rehearsal, findings, prop)


def rehearsed(question: Question, place: Place, rehearsal: Place, findings: Findings, prop: str) -> None:
    """Shrink in the rehearsal, where a hang costs nothing, and play only the smallest example here."""
    there = Findings(smallest={prop: findings.smallest[prop]})
    shrink(question, rehearsal, there, prop)
    smallest, _ = there.smallest[prop]
    findings.keep(judge(question, place, smallest))


def kinds(question: Question) -> list[str]:
    """Return the kinds of examples that the question needs."""
    asked = set(question.judged) - ({BAD} if max(question.ranks) < 2 else set())
    others = asked - {*KINDS, *MADE}
    also = {*KINDS} - {BAD} if any(question.convention) else {"result"}  # chunks are cut at the edge, too
    usual = [kind for kind in KINDS if kind in asked or (kind in also and others)]
    again = {hard.SPECIAL, hard.LONG, hard.MANY} if any(question.convention) else set()  # it explains these, too
    again |= {hard.LONG} if asked & {"steps", "volume"} else set()  # a short vector may pass for notes beside messages
    made = (kind for kind in MADE if kind in again or asked & {*properties(kind)})
    return [*usual, *(kind for kind in made if kind in {*question.meanings})]


def unplayable(place: Place, kind: str) -> str:
    """Say why examples of a kind are not played in a place; "" if they are."""
    if kind == hard.MANY:
        return "" if place.name == "simulated" else "no more real ranks are started"
    here = place.name in ("simulated", "mpi") or kind in (hard.SPECIAL, hard.LONG)
    calls = place.name == "torch" and kind in ("repeated calls", "expectation")
    return "" if here or calls else "it is tried on communicators and arrays as mpi4py has them"


def playable(place: str, example: Example) -> bool:
    """Return whether a place can play this example: real ranks are on the machines that they are on."""
    return place == "simulated" or not example.scene or not SCENES[example.scene].node


def some(question: Question, kind: str, number: int) -> list[Example]:
    """Draw at most ``number`` examples of a kind."""
    if (spread := question.first(kind, number)) is not None:
        return spread
    found: list[Example] = []

    def keep(example: Example) -> None:  # hypothesis needs a Python function
        found.append(example)

    drawn(question, kind, keep, [Phase.generate], number)
    return found


def drawn(question: Question, kind: str, test: Callable[[Example], None], phases: list[Phase], number: int) -> None:
    """Call ``test`` with examples that hypothesis draws, the same for the same seed."""
    quiet = settings(
        max_examples=number, phases=phases, deadline=None, database=None, print_blob=False,
        report_multiple_bugs=False, suppress_health_check=list(HealthCheck),  # pyright: ignore[reportArgumentType]  # its metaclass hides what it holds
    )  # fmt: skip
    seed(question.seed)(quiet(given(question.examples(kind))(test)))()


def shrink(question: Question, place: Place, findings: Findings, prop: str) -> None:
    """Find and keep the smallest example that still falsifies ``prop``, within ``SHRINKING`` seconds."""
    end = min(time.monotonic() + SHRINKING, question.clock.end)

    def still(example: Example) -> None:
        if time.monotonic() > end:
            raise OutOfTime
        judged = judge(question, place, example)
        findings.keep(judged)
        if prop in judged.flaws:
            raise Refuted(judged.flaws[prop])

    kind = findings.smallest[prop][0].prop
    slow = kind in MADE or question.stateful or place.name == "command"
    if not slow:  # else hypothesis is too slow: it starts anew
        with suppress(Refuted, Flaky, OutOfTime):
            drawn(question, kind, still, [Phase.generate, Phase.shrink], question.max_examples)
    with suppress(OutOfTime):
        at: int | None = 0
        while at is not None:
            at = pared(question, place, findings, prop, still, at)


def pared(
    question: Question, place: Place, findings: Findings, prop: str, still: Callable[[Example], None], at: int
) -> int | None:
    """Find a smaller variant of the smallest example that still falsifies ``prop``; return its number, or None.

    Variants are tried in turn, from number ``at`` on; the smallest first if many cost as much as one.
    """
    less = [*question.fewer(findings.smallest[prop][0])]
    turn = sorted(range(len(less)), key=lambda i: less[i].size if place.together else (i < at,))
    place.expect([less[i] for i in turn])
    for i in turn:
        try:
            still(less[i])
        except Refuted:
            return i
    return None


class OutOfTime(BaseException):
    """The time for shrinking is over; no Exception, so that hypothesis lets it pass."""
