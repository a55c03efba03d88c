"""Compositions as stages of an explorer's document: what ranks do by themselves, and the exchanges in between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from sparring.present.explorer import averages, exchanges
from sparring.present.explorer.document import Stage
from sparring.present.explorer.exchanges import Meeting
from sparring.present.explorer.program_text import Place, Source, waiting
from sparring.spec.core.compositions import ComposedRun, played
from sparring.spec.core.exchange_runs import Carried
from sparring.spec.core.model import Page
from sparring.spec.core.sparse import width


class Seen(NamedTuple):
    """An exchange of a run, and where rank 0's text waits for it."""

    met: Meeting
    places: list[Place]


def stages(page: Page, xs: Sequence[Any]) -> list[Stage]:
    """Return the stages of a first call on ``xs``, one vector a rank."""
    return [*told(page, watched(page, xs), averages.begun(len(xs), len(xs[0])))]


def watched(page: Page, xs: Sequence[Any]) -> list[Seen]:
    """Run a composition; return the exchanges that have messages."""
    texts, seen = ComposedRun(page, xs).texts(), []

    def watch(each: Sequence[Any], carried: Carried) -> None:
        if carried.trace:
            seen.append(Seen(Meeting(each, carried, page, width(xs[0])), waiting(texts[0], page.module)))

    played(page, texts, watch)
    return seen


def told(page: Page, seen: Sequence[Seen], held: averages.Held) -> Iterator[Stage]:
    """Return the exchanges as stages, and before, between and after them what a rank does by itself."""
    source, before = Source(page.module), list[Place]()
    if not seen:
        yield from local(source.program())
        return
    for one in seen:
        yield from local(source.between(before, one.places))
        stage = exchanges.stage(one.met, held)
        lines = source.statement(one.places[-1]) if one.places else ""
        yield replace(stage, text="\n".join(filter(None, [lines, stage.text])))
        before = one.places
    yield from local(source.between(before, []))


def local(text: str) -> Iterator[Stage]:
    """Return local work as a stage, where there is any."""
    if text:
        yield Stage(text=text)
