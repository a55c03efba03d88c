"""Test vectors: what an algorithm must send and compute on given inputs, for programs that are not ours.

A file an algorithm, in the manner of C2SP's Wycheproof: groups of tests, each test with flags that
notes explain.  The format is told in docs/reference/test-vectors.md and closed by ``data/vectors.schema.json``.
What :func:`export` writes of our algorithms has the digests in ``data``, and so the same bytes on every machine.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from platform import python_version
from typing import Any

from sparring.errors import InputError, OtherBits
from sparring.proofs.reading.local_functions import rule
from sparring.spec.core import pages
from sparring.spec.core.model import Page
from sparring.vectors import dense
from sparring.vectors.cases import Given, cases
from sparring.vectors.dense import cases as whole
from sparring.vectors.dense import recording as kept
from sparring.vectors.flags import flags, notes
from sparring.vectors.recording import group, recorded, schedule, test
from sparring.vectors.writing import text

VERSION = 1
SCHEMA = "vectors.schema.json"  # no page has such a name
DATA = files("sparring.vectors") / "data"
PROGRAMS = {"sparring.spec.oktopk": "thresholds"}
"""By page, what files call the data of a composition, whose rules are its own."""


def export(algorithms: Sequence[str | Page], folder: str | Path) -> list[Path]:
    """Write the test vectors of these algorithms to ``folder``, made if need be: the schema, and ``NAME.json`` each.

    Files of these names are replaced.  Returns their paths.  Raises InputError for what is no
    allreduce, and where the folder cannot be written to; OtherBits, with nothing written, where the file of an
    algorithm of ours is not the one of this release.
    """
    found = [a if isinstance(a, Page) else pages.find(a) for a in algorithms]
    names = [page.name for page in found]
    if twice := [name for name in names if names.count(name) > 1]:
        raise InputError(f"two algorithms are called {twice[0]!r}, and would have one file: export them to two folders")
    made = {SCHEMA: (DATA / SCHEMA).read_text(encoding="utf-8")}
    made |= {f"{page.name}.json": text(document(page)) for page in found}
    for page in found:
        compare_digest(page, made[f"{page.name}.json"])
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name, content in made.items():
            (Path(folder) / name).write_text(content, encoding="utf-8", newline="\n")
    except OSError as error:
        raise InputError(f"{error.filename} cannot be written: {error.strerror}") from error
    return [Path(folder) / name for name in made]


def compare_digest(page: Page, content: str) -> None:
    """Raise OtherBits unless the file of an algorithm of ours is that of the release."""
    known = DATA / f"{page.name}.sha256"
    if known.is_file() and page is pages.find(page.name) and known.read_text(encoding="utf-8") != digest(page, content):
        raise OtherBits(
            f"{page.name}.json would not be the file of this release, whose digest is in {known}: "
            f"this Python {python_version()} or numpy {version('numpy')} computes other bits, or sparring was changed"
        )


def digest(page: Page, content: str) -> str:
    """Return the line that ``sha256sum`` prints for the page's file."""
    return f"{hashlib.sha256(content.encode()).hexdigest()}  {page.name}.json\n"


def document(page: Page) -> dict[str, Any]:
    """Return the whole content of the page's file.  Raises InputError unless the page is an allreduce."""
    if page.collective != "allreduce":
        raise InputError(f"{page.name} is a {page.kind}: there are test vectors of allreduces only")
    if odd := [name for name, value in page.params.items() if not (page.dense or isinstance(value, int))]:
        raise InputError(
            f"{page.name}: {odd[0]} = {page.params[odd[0]]!r}; in test vectors parameters are whole numbers"
        )
    data = sort(page)
    groups: dict[str, list[Given]] = {}
    for given in whole.cases(page) if page.dense else cases(page):
        groups.setdefault(str((given.p, *given.page.params.values())), []).append(given)
    numbered = list(grouped(groups.values()))
    tests = [one for each in numbered for one in each["tests"]]
    return {
        "schema": VERSION,
        "algorithm": page.name,
        "title": page.title,
        "data": data,
        "test_count": len(tests),
        "notes": notes(page, {name for one in tests for name in one["flags"]}),
        "groups": numbered,
    }


def covered(page: Page) -> bool:
    """Return whether there can be test vectors of the page: it is no program, or one that files have rules for.

    In files the chunks of a message lie in a row, and ranks that follow formulas have one result.
    """
    if page.carries or parts_ways(page):
        return False
    return not page.composed or page.module.__name__ in PROGRAMS or dense.own(page) is not None


def parts_ways(page: Page) -> bool:
    """Return whether formulas let ranks end with different bits."""
    return not page.composed and not page.agrees


def sort(page: Page) -> str:
    """Return the file's word for the page's data.  Raises InputError for a composition or residuals without a rule."""
    if page.carries:
        raise InputError(f"{page.name} picks the chunks of a message one by one; in test vectors they lie in a row")
    if parts_ways(page):
        raise InputError(f"{page.name} lets ranks end with different bits; test vectors have one result for all")
    if not covered(page):
        raise InputError(
            f"{page.name} is a composition: what it sends depends on the data, by rules that no test vectors have"
        )
    if page.composed:
        return PROGRAMS.get(page.module.__name__, page.data)
    if not (found := rule(page)):
        raise InputError(f"{page.name}: what its formula left leaves behind is no rule that test vectors have")
    if found != "cut":
        return found
    if not hasattr(page.module, "selects"):
        return page.data
    return f"{page.data} once" if page.once else f"{page.data} again"


def grouped(groups: Iterable[list[Given]]) -> Iterator[dict[str, Any]]:
    """Yield the groups, with their tests numbered through from 1."""
    before = 0
    for mine in groups:
        made, tests = whole_group(mine, before) if mine[0].page.dense else group_of(mine, before)
        before += len(mine)
        yield {**made, "tests": tests}


def group_of(mine: Sequence[Given], before: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return what a group's tests have in common, and the tests; ``before``: the number of tests in earlier groups."""
    page, p = mine[0].page, mine[0].p
    sends = schedule(page, p)
    done = [recorded(given, sends) for given in mine]
    return group(page, p, sends), [test(case, flags(case), before + i) for i, case in enumerate(done, start=1)]


def whole_group(mine: Sequence[Given], before: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the group and the tests, as :func:`group_of`, of a composition on whole vectors."""
    done = [kept.recorded(given) for given in mine]
    tests = [kept.test(case, flags(case), before + i) for i, case in enumerate(done, start=1)]
    return kept.group(mine[0].page, mine[0].p), tests
