"""Plays one example, and judges it for every property at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sparring.checks import against
from sparring.checks.against import SAME
from sparring.checks.judges import contract_calls, judging, scenes
from sparring.checks.judges.scenes import OWN
from sparring.checks.places import Place
from sparring.checks.properties import BAD, HARD
from sparring.checks.question import Question
from sparring.checks.ranks.scenes import SCENES
from sparring.refinement import bits
from sparring.refinement.example import Example
from sparring.refinement.observing import Observed

ALWAYS = (
    "agreement", "selection", "conservation", "entries", "contraction", "input untouched", "reproducibility", OWN,
    "deadlock", "hygiene", SAME,
)  # fmt: skip
"""The properties that every example is judged for, except those of bad input or with a scene."""
FAILED = "the others failed before"
"""Why a property of an example was not judged."""


class Judged(NamedTuple):
    """An example as it was played, and what came of it."""

    example: Example
    flaws: Mapping[str, str]
    """Property -> what is wrong, for those asked for, and for all if a run failed."""
    seen: Observed
    unseen: Mapping[str, str] = {}
    """Property -> why such an example tells nothing about it."""
    missed: Mapping[str, str] = {}
    """Property -> why it was not judged on this example."""
    unread: bool = False
    """Whether messages were counted, but not read."""
    again: Observed | None = None
    """The run in another timing, if there was one."""


def judge(question: Question, place: Place, example: Example) -> Judged:
    """Play one example, and judge it for all the properties asked for."""
    seen = place.observe(question.target, example)
    if example.prop == BAD:
        return unfit(question, example, seen)
    if scenes.refused(example, seen):
        return Judged(example, {}, seen)
    if example.scene:
        return in_scene(question, example, seen)
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
    if seen.ys and (settings := question.against):
        other = place.beside(settings.environment).observe(settings.target or question.target, example)
        unlike = against.compare_bits(seen, other, settings)
        flaws |= {prop: why for prop, why in unlike.items() if prop in about}
        unseen |= against.unseen(seen, other, settings)
    again = runs[1] if len(runs) > 1 else None
    unread = judging.unread(example, seen, page)
    missed = dict.fromkeys({*about} & {*question.watched}, seen.unrecorded) if seen.unrecorded else {}
    return Judged(example, flaws, seen, unseen, missed | short_of(about, runs, flaws), unread, again)


def in_scene(question: Question, example: Example, seen: Observed) -> Judged:
    """Judge an example with a scene."""
    about = properties_of(question, example)
    if SCENES[example.scene].series:
        found = judging.judge_series(example, seen, question)
    else:
        found = scenes.judge_scene(example, seen, question.page, question.contract)
    flaws = {prop: why for prop, why in found.items() if prop in about or not seen.ys}
    return Judged(example, flaws, seen, missed=short_of(about, [seen], flaws))


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


def short_of(about: Sequence[str], runs: Sequence[Observed], flaws: Mapping[str, str]) -> dict[str, str]:
    """Return property -> why these runs, without a flaw in it, did not come to the point where it is judged."""
    if runs[-1].ys:
        return {}
    about = about if len(runs) == 1 else ["reproducibility"]
    return {prop: FAILED for prop in about if prop not in flaws}


def properties_of(question: Question, example: Example) -> list[str]:
    """Return the properties that an example is judged for."""
    about = {BAD} if example.prop == BAD else {example.prop, *ALWAYS, *question.watched}
    if example.scene:
        about = {example.prop, *([] if example.prop == BAD else [OWN]), "deadlock", "hygiene"}
    return [p for p in question.judged if p in about]


def properties(kind: str) -> list[str]:
    """Return the properties that a kind of examples is needed for: hard ones also for own memory."""
    return [kind, OWN] if kind in HARD else [kind]
