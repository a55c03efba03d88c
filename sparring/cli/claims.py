"""``sparring claims``: what papers say of the algorithms' costs, and what each statement is worth."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from sparring.cli import _options

if TYPE_CHECKING:
    from sparring.claims import Replayed


@click.command("claims")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@_options.as_json
def command(ids: tuple[str, ...], json_: bool) -> None:
    """Judge published claims against what is derived from the pages; by default all.

    An ID names one claim, ring/bandwidth, and shows all that is known of it; ring/ names all of an
    algorithm, ok-topk/ all of a source of the literature.

    A claim is equal, a bound (never below what is sent, somewhere above), or different; what is
    known to be different is refuted as expected, with the reason. A statement that decides itself
    follows or is false. What is not judged comes last, with the reason.
    """
    from sparring import api, claims
    from sparring.literature.papers import sources
    from sparring.report import Report, Result

    start = time.perf_counter()
    pages, literature = [api.page(name) for name in api.pages()], sources()
    whole = [name.rstrip(claims.SEPARATOR) for name in ids if name.endswith(claims.SEPARATOR)]
    those = [source for source in literature if source.id in whole]
    among = [api.page(name) for name in whole if name not in {source.id for source in those}]
    wanted = [name for name in ids if not name.endswith(claims.SEPARATOR)]
    console = _options.console(json_)
    with _options.console(json_=True).status("judging …"):
        found = [*claims.replayed(among, [], those)] if whole else []
        found += claims.replayed(pages, wanted, literature) if wanted or not whole else []
    found.sort(key=lambda one: one.judged.verdict == claims.NOT_JUDGED)
    results = [Result(one.stated.id, "claim", one.judged.checked, one.judged.detail) for one in found]
    gaps = [f"{one.stated.id}: {one.judged.detail}" for one in found if one.judged.verdict == claims.NOT_JUDGED]
    extra = {"claims": [enveloped(one) for one in found]}
    report = Report("claims", results, gaps, time.perf_counter() - start, extra)
    for line in () if json_ else [*format_claims(found, in_full=bool(wanted)), *counted(found)]:
        _options.tell(console, line)
    _options.finish(report, json_)


def format_claims(found: list[Replayed], in_full: bool) -> Iterator[str]:
    """Yield a line for each claim; in full, everything about it."""
    from sparring.claims import NOT_JUDGED
    from sparring.literature.statements import TAGS

    wide = max((len(one.stated.id) for one in found), default=0)
    for stated, judged, derived, quantity in found:
        said = judged.detail if judged.verdict == NOT_JUDGED else judged.checked
        yield f"{stated.id:<{wide}}  {judged.verdict:<10}  {said}"
        if not in_full:
            continue
        yield f"  stated    {stated.statement}{f' where {stated.given}' if stated.given else ''}"
        yield f"  source    {stated.source}"
        if stated.tag:
            yield f"  known     {'; '.join(f'{tag}: {TAGS[tag]}' for tag in stated.tag)}"
        if quantity and judged.verdict != NOT_JUDGED:
            yield f"  derived   {derived or 'no closed form'}"
        yield f"  judged    {judged.verdict}: {judged.detail}"
        if judged.difference:
            yield f"  claimed minus derived: {judged.difference}"


def counted(found: list[Replayed]) -> Iterator[str]:
    """Yield how many claims have each verdict, where there are several."""
    words = Counter(one.judged.verdict for one in found)
    if len(found) > 1:
        yield f"{len(found)} claims: {', '.join(f'{many} {word}' for word, many in words.items())}"


def enveloped(one: Replayed) -> dict[str, Any]:
    """Return a claim for the envelope."""
    judged = one.judged
    return {
        **one.stated._asdict(), "quantity": one.quantity, "derived": one.derived, "judged": judged.verdict,
        "verdict": str(judged.checked), "detail": judged.detail, "difference": judged.difference,
    }  # fmt: skip
