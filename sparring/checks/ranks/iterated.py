"""A stateful target of ``verify`` on a group of real ranks, called several times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparring.errors import InputError, RankFailed
from sparring.refinement.stateful import Case, Done, copy_done

if TYPE_CHECKING:
    from sparring.checks.ranks.group import Group
    from sparring.spec.core.model import Page


def run(group: Group, page: Page, target: str, case: Case) -> list[list[Done]]:
    """Run ``target``, and return what each rank has after each call, by rank.

    Raises as ``group.examine`` does, and RankFailed for a rank without such a result or residual.
    """
    seen = group.examine(target, case.xs, rows=True, **case.params(page))
    if page.dense:
        return [[Done(ys[r], None) for ys in seen.ys] for r in range(len(case.xs))]
    done: list[list[Done]] = []
    for r, xs in enumerate(case.xs):
        try:
            done.append([copy_done(ys[r], left[r], x) for ys, left, x in zip(seen.ys, seen.residuals, xs)])
        except InputError as error:
            raise RankFailed(r, str(error)) from error
    return done
