"""``sparring claims``: what papers say of the algorithms' costs, and what each statement is worth."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from sparring.cli import _options

if TYPE_CHECKING:
    from sparring.claiming import Replayed


@click.command("claims")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@_options.as_json
def command(ids: tuple[str, ...], json_: bool) -> None:
    """Judge published claims against what is derived from the pages; by default all.

    An ID names one claim, ring/bandwidth, and shows all that is known of it; ring/ names all of an algorithm.

    A claim is equal, a bound (never below what is sent, somewhere above), or different; what is
    known to be different is refuted as expected, with the reason.
    """
    from sparring import api, claiming
    from sparring.report import Report, Result

    start = time.perf_counter()
    pages = [api.page(name) for name in api.pages()]
    whole = [name.rstrip(claiming.SEPARATOR) for name in ids if name.endswith(claiming.SEPARATOR)]
    among = [api.page(name) for name in whole] or pages
    wanted = [name for name in ids if not name.endswith(claiming.SEPARATOR)]
    with _options.console(json_=True).status("judging …"):
        found = [*claiming.replayed(among, [])] if whole or not wanted else []
        found += claiming.replayed(pages, wanted) if wanted else []
    for line in () if json_ else told(found, in_full=bool(wanted)):
        click.echo(line)
    results = [Result(one.stated.id, "claim", one.judged.checked, one.judged.detail) for one in found]
    extra = {"claims": [enveloped(one) for one in found]}
    _options.finish(Report("claims", results, [], time.perf_counter() - start, extra), json_)


def told(found: list[Replayed], in_full: bool) -> Iterator[str]:
    """A line for each claim; in full, everything about it."""
    wide = max((len(one.stated.id) for one in found), default=0)
    for stated, judged, derived in found:
        yield f"{stated.id:<{wide}}  {judged.verdict:<9}  {judged.checked}"
        if not in_full:
            continue
        yield f"  stated    {stated.statement}{f' where {stated.given}' if stated.given else ''}"
        yield f"  source    {stated.source}"
        yield f"  derived   {derived or 'no closed form'}"
        yield f"  judged    {judged.verdict}: {judged.detail}"
        if judged.difference:
            yield f"  claimed minus derived: {judged.difference}"


def enveloped(one: Replayed) -> dict[str, Any]:
    """A claim for the envelope."""
    judged = one.judged
    return {
        **one.stated._asdict(), "quantity": judged.claim.quantity, "derived": one.derived, "judged": judged.verdict,
        "verdict": str(judged.checked), "detail": judged.detail, "difference": judged.difference,
    }  # fmt: skip
