"""One engine behind the command, the Python call and the tests in a user's own file.

First many examples are drawn and each is judged for every property at once; then, for each
property that some example falsified, the smallest such example is looked for.  Hypothesis draws
and shrinks; what is small here is p first, then n, then the values.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Flaky

from sparring.checks import against, conventions
from sparring.checks.against import SAME
from sparring.checks.examples import hard
from sparring.checks.examples.drawn import KINDS
from sparring.checks.judges import contract_calls, judging, scenes
from sparring.checks.judges.nearest import Nearest
from sparring.checks.judges.scenes import OWN
from sparring.checks.places import Place, Real
from sparring.checks.properties import BAD, MADE
from sparring.checks.question import Question
from sparring.errors import Refuted
from sparring.refinement import bits
from sparring.refinement.example import Example
from sparring.refinement.observing import Observed

Advance = Callable[[Sequence[str]], None]
PRINTED = 120
"""Characters of what a target prints that are shown with a failure."""
SHRINKING = 8.0
"""Seconds for finding a smaller example of one property."""

WRONG = "not looked at where usual examples fail already"
FAILED = "the others failed before"
STUCK = "no more were tried after one that did not come to its end"
"""Reasons why a kind was not tried; why a property of an example was not judged; why an example was not run."""

SHARE = {
    "result": 0.6, "edge sizes": 0.2, "dtypes": 0.2, BAD: 0.2, "special values": 0.2, "long vectors": 0.05,
    "many ranks": 0.1, "communicators": 0.15, "repeated calls": 0.05, "other arrays": 0.06, "expectation": 0.03,
}  # fmt: skip
"""How the examples are divided among the kinds."""


class Judged(NamedTuple):
    """An example as it was played, and what came of it.

    ``flaws``: property -> what is wrong, for those asked for, and for all if a run failed; ``unseen``: property -> why
    such an example tells nothing about it; ``missed``: property -> why it was not judged on this example.
    """

    example: Example
    flaws: Mapping[str, str]
    seen: Observed
    unseen: Mapping[str, str] = {}
    missed: Mapping[str, str] = {}
    unread: bool = False
    again: Observed | None = None
    """The run in another timing, if there was one."""


@dataclass
class Findings:
    """The findings about a target in one place.

    ``smallest``: property -> the smallest example that falsifies it, with the sentence;
    ``seen``: property -> the run of that example, and the one in another timing;
    ``wanted``: property -> how many examples were to be judged;
    ``judged``: property -> how many were; ``missed``: property -> why the last of the others was not;
    ``refused``: why the place could not run the target at all; ``unseen``: property -> why such an
    example tells nothing about it; ``unread``: in how many examples messages were counted, but not
    read; ``meanings``: property -> what it means that it holds, if that depends on the examples that were
    tried; ``shared``: what ranks share here and real ones do not; ``stuck``: the kinds of examples of
    which no more are tried on real ranks, since one did not end; ``convention``: how the page's chunks
    are cut or numbered, if not in the page's own way; ``nearest``: the page that its
    messages come nearest to, or why there is none; ``deadly``: whether the target has ended a process.
    """

    smallest: dict[str, tuple[Example, str]] = field(default_factory=dict)
    seen: dict[str, tuple[Observed, Observed | None]] = field(default_factory=dict)
    wanted: Counter[str] = field(default_factory=Counter)
    judged: Counter[str] = field(default_factory=Counter)
    missed: dict[str, str] = field(default_factory=dict)
    refused: str = ""
    unseen: dict[str, str] = field(default_factory=dict)
    unread: int = 0
    meanings: dict[str, str] = field(default_factory=dict)
    shared: str = ""
    convention: str = ""
    stuck: set[str] = field(default_factory=set)
    nearest: Nearest | str = ""
    deadly: bool = False

    def count(self, question: Question, judged: Judged) -> None:
        """Count an example, and keep it for each property of which it is the smallest counterexample."""
        self.refused = judged.seen.refused
        self.unseen |= judged.unseen
        self.unread += judged.unread
        self.shared = self.shared or judged.seen.shared
        self.deadly |= judged.seen.refusing and not judged.seen.raised and not judged.seen.ys
        about = [prop for prop in properties_of(question, judged.example) if prop not in judged.unseen]
        self.miss({prop: judged.missed[prop] for prop in about if prop in judged.missed})
        for prop in about:
            if prop not in judged.missed:
                self.wanted[prop] += 1
                self.judged[prop] += 1
        self.keep(judged)

    def miss(self, why: Mapping[str, str]) -> None:
        """Note why these properties were not judged on an example."""
        self.wanted.update([*why])
        self.missed |= why

    def settle(self, props: Sequence[str], found: Findings, convention: str) -> None:
        """Note that these properties hold by a convention, with the counts of ``found``."""
        self.convention = convention
        for prop in props:
            del self.smallest[prop]
            self.seen.pop(prop, None)
            self.wanted[prop], self.judged[prop] = found.wanted[prop], found.judged[prop]

    def keep(self, judged: Judged) -> None:
        """Keep an example for each property of which it is the smallest counterexample."""
        for prop, why in judged.flaws.items():
            if prop not in self.smallest or judged.example.size < self.smallest[prop][0].size:
                self.smallest[prop] = judged.example, why + last_words(judged.seen.printed)
                self.seen[prop] = judged.seen, judged.again


def last_words(printed: str) -> str:
    """Return the last line that the target printed, to end a sentence; "" if it printed nothing."""
    line = printed.strip().rpartition("\n")[2]
    return f"; it printed: {line[:PRINTED]}" if line else ""


ALWAYS = (
    "agreement", "selection", "conservation", "entries", "contraction", "input untouched", "reproducibility",
    "deadlock", "hygiene", SAME,
)  # fmt: skip
"""The properties that every example is judged for, except those of bad input or with a scene."""


def properties_of(question: Question, example: Example) -> list[str]:
    """Return the properties that an example is judged for."""
    about = {BAD} if example.prop == BAD else {example.prop, *ALWAYS, *question.watched}
    if example.scene:
        about = {*properties(example.prop), "deadlock", "hygiene"}
    return [p for p in question.judged if p in about]


def judge(question: Question, place: Place, example: Example) -> Judged:
    """Play one example, and judge it for all the properties asked for."""
    seen = place.observe(question.target, example)
    if example.prop == BAD:
        return unfit(question, example, seen)
    if scenes.refused(example, seen):
        return Judged(example, {}, seen)
    if example.scene:
        about = properties_of(question, example)
        found = scenes.judge_scene(example, seen, question.page, question.contract)
        flaws = {prop: why for prop, why in found.items() if prop in about or not seen.ys}
        return Judged(example, flaws, seen, missed={p: w for p, w in short_of(about, [seen]).items() if p not in flaws})
    example, page = example.first(len(seen.ys) or len(example.calls)), question.page_for(example)
    about, runs, flaws = properties_of(question, example), [seen], judging.judge_run(example, seen, page, question)
    if seen.ys and {*about} - {*flaws}:
        runs.append(second := place.observe(question.target, example, again=True))
        flaws = judging.judge_run(example, second, page, question) | judging.unstable(seen, second) | flaws
        seen = seen._replace(shared=seen.shared or second.shared)
    unseen = judging.unclaimed(example, seen.trace, page, question) | dict(seen.unseen)
    flaws = {p: why for p, why in flaws.items() if p in about and p not in unseen} | failure(runs)
    if page and page.selecting and (why := bits.unshown(seen)):
        unseen["conservation"] = why
    if question.reduces:
        unseen |= contract_calls.unseen(example, seen, question.reduces, question.drawn.warm_up[0])
    if question.against and seen.ys:
        other = place.beside(question.against.environment).observe(question.against.target or question.target, example)
        flaws |= {
            prop: why for prop, why in against.compare_bits(seen, other, question.against).items() if prop in about
        }
        unseen |= against.unseen(seen, other, question.against)
    missed = {prop: why for prop, why in short_of(about, runs).items() if prop not in flaws}
    again = runs[1] if len(runs) > 1 else None
    return Judged(example, flaws, seen, unseen, missed, judging.unread(example, seen, page), again)


def unfit(question: Question, example: Example, seen: Observed) -> Judged:
    """Judge an example whose ranks do not fit together."""
    if not example.scene:
        return Judged(example, judging.accepted(example, seen), seen)
    why = scenes.taken(example, seen, mean=question.averages)
    missed = {BAD: seen.refused} if seen.refused else {}
    return Judged(example, {BAD: why} if why else {}, seen._replace(refused=""), missed=missed)


def failure(runs: Sequence[Observed]) -> dict[str, str]:
    """Return all flaws of the last run if it did not end, asked for or not, so that none goes unreported."""
    return {} if runs[-1].ys else dict(runs[-1].flaws)


def short_of(about: Sequence[str], runs: Sequence[Observed]) -> dict[str, str]:
    """Return property -> why these runs did not come to the point where it is judged."""
    if runs[-1].ys:
        return {}
    about = about if len(runs) == 1 else ["reproducibility"]
    return dict.fromkeys(about, FAILED)


def explore(question: Question, place: Place, advance: Advance, rehearsal: Place | None = None) -> Findings:
    """Judge drawn examples, then look for smaller counterexamples of each falsified property.

    ``advance`` is called after each example with the flaws that it was the first to show, without those of steps and
    volume: see :func:`by_convention`.  ``rehearsal``: the place where an example that does not end here is shrunk, if
    it shows the same flaw there.
    """
    findings = Findings()

    def discover(example: Example) -> None:
        if findings.refused:
            return
        about, known, judged = properties_of(question, example), {*findings.smallest}, None
        if why := question.clock.over() or STUCK * (example.prop in findings.stuck):
            findings.miss(dict.fromkeys(about, why))
            return
        with question.clock:
            judged = judge(question, place, example)
        if judged is None:
            findings.miss(dict.fromkeys(about, question.clock.why))
            return
        findings.stuck.update(spent(place, judged))
        findings.count(question, judged)
        new = [(prop, why) for prop, why in judged.flaws.items() if prop not in known]
        advance([f"{prop} at {example.place}: {why}" for prop, why in new if prop not in ("steps", "volume")])

    def tried(examples: Sequence[Example]) -> None:
        place.expect(examples)
        for example in examples:
            discover(example)

    few = {kind: max(1, int(question.max_examples * SHARE[kind])) for kind in kinds(question)}
    findings.unseen |= {kind: why for kind in few if (why := question.none(kind))}
    usual = [kind for kind in few if kind not in MADE and kind not in findings.unseen]
    drawn = [example for kind in usual for example in some(question, kind, few[kind])]
    tried([example for example in drawn if not (example.scene and unplayable(place, example.prop))])
    for kind in [kind for kind in few if kind in MADE]:
        if why := unplayable(place, kind) or WRONG * bool({"result", "deadlock"} & {*findings.smallest}):
            findings.unseen |= dict.fromkeys(properties(kind), why)
        else:
            number = max(few[kind], hard.least(kind, question.dtypes, sparse=question.sparse))
            played = question.hard(kind)[:number]
            findings.meanings[kind] = hard.describe_played(played, question.meanings.get(kind, ""))
            tried(played)
    with question.clock:
        by_convention(question, place, findings)
    smaller(question, place, findings, None if findings.deadly else rehearsal)  # a rehearsal runs in this process
    return findings


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
        found = explore(replace(asked, convention=one), place, lambda told: None)
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
    return [*usual, *(kind for kind in MADE if kind in SHARE and asked & {*properties(kind)})]


def properties(kind: str) -> list[str]:
    """Return the properties that a kind of examples is judged for: repeated calls also for their own memory."""
    return [kind, OWN] if kind == "repeated calls" else [kind]


def unplayable(place: Place, kind: str) -> str:
    """Say why examples of a kind are not played in a place; "" if they are."""
    if kind == hard.MANY:
        return "" if place.name == "simulated" else "no more real ranks are started"
    here = place.name in ("simulated", "mpi") or kind in (hard.SPECIAL, hard.LONG)
    calls = place.name == "torch" and kind in ("repeated calls", "expectation")
    return "" if here or calls else "it is tried on communicators and arrays as mpi4py has them"


def some(question: Question, kind: str, number: int) -> list[Example]:
    """Draw at most ``number`` examples of a kind."""
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
