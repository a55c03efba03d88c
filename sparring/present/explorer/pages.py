"""Documents of algorithms: what a page says, step by step, on so many ranks.

Of a page with formulas the messages are the same whatever the vectors are.  Of one whose messages depend on the data,
a sparse page or a composition, a run on a small example is shown, the same one every time.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from msgspec.structs import replace

from sparring.errors import InputError
from sparring.present.explorer import contents, examples, programs, routes, sparse_runs
from sparring.present.explorer.contents import count
from sparring.present.explorer.document import Document, Formula, Run, Stage, Step
from sparring.present.explorer.exchanges import sends
from sparring.present.explorer.formulas import formulas, of_messages, prose
from sparring.present.explorer.letters import lettered
from sparring.spec.core import runner
from sparring.spec.core.exchanges import served
from sparring.spec.core.loading import load
from sparring.spec.core.model import Page
from sparring.spec.core.schedule import number
from sparring.spec.core.sparse import width

MOST = 1_000_000
"""Copies that a document may speak of, and chunks that its messages may have together."""
EXAMPLE = 128
"""Ranks at most on which a run on the example is shown."""


def document(page: Page, ranks: int, topology: str | None = None, called: str = "") -> Document:
    """Return the document of an algorithm on so many ranks.

    ``topology``: the network whose links messages take, if one is to be shown; ``called``: how the page was asked for,
    where that is not its name.

    Raises InputError for no ranks, or more than fit into a document; ScheduleFault where formulas make no schedule.
    """
    if ranks < 1:
        raise InputError(f"ranks={ranks}; right: at least 1")
    stages = exchanged(page, ranks) if page.data == "vector" else on_example(page, ranks)
    by_page = {page.name: formulas(page.module)}
    by_page |= {one.page: formulas(served(one.page).module) for one in stages if one.page not in {"", page.name}}
    runs = [Run([replace(one, formulas=numbers(by_page, one.page)) for one in stages])]
    return Document(
        "algorithm", f"{page.title}, {count(ranks, 'rank')}", ranks, runs, cited(prose(page.doc)),
        command(page, called or page.name, ranks, topology), values(page, ranks), [*chain(*by_page.values())],
        topology=routes.topology(topology, runs, ranks) if topology else None, notes=notes(page, ranks),
    )  # fmt: skip


def cited(text: str) -> str:
    r"""Return prose with its sources as people write them, and not as Sphinx reads them.

    >>> cited("The ring [PY09]_.\n\n.. [PY09] P. Patarasuk and X. Yuan")
    'The ring [PY09].\n\n[PY09] P. Patarasuk and X. Yuan'
    """
    return re.sub(r"(?m)^\.\. (?=\[)", "", re.sub(r"(\[\w+\])_", r"\1", text))


def exchanged(page: Page, p: int) -> list[Stage]:
    """Return the one stage of a page whose formulas say all."""
    steps, chunks = number(page.steps(p)), number(page.chunks(p))
    bounded(page, p, chunks * p)
    found = []
    for t in range(steps):
        found.append(lettered(Step(sends(page, t, p), t), page, p))
        bounded(page, p, sum(len(m.chunks) for m in found[-1].messages) * steps)
    start, goal = contents.start(page, p), contents.goal(page, p)
    return [Stage(page=page.name, chunks=chunks, start=start, goal=goal, steps=found)]


def bounded(page: Page, p: int, many: int) -> None:
    """Raises InputError where there is more to show than fits."""
    if many > MOST:
        raise InputError(f"{page.name} on {p} ranks: more than {MOST} chunks to show; right: fewer ranks")


def on_example(page: Page, p: int) -> list[Stage]:
    """Return the stages of a run on the example."""
    if p > EXAMPLE:
        raise InputError(f"{page.name} on {p} ranks: its messages depend on the data; right: at most {EXAMPLE} ranks")
    xs = examples.vectors(page, p)
    if page.composed:
        return programs.stages(page, xs)
    return [sparse_runs.stage(runner.run(page, xs), width(xs[0]))]


def numbers(by_page: Mapping[str, Sequence[Formula]], name: str) -> list[int]:
    """Return the numbers of the formulas of this page that speak of messages, among those of all pages."""
    names = [*by_page]
    if name not in by_page:
        return []
    first = sum(len(by_page[one]) for one in names[: names.index(name)])
    return of_messages(by_page[name], first)


def values(page: Page, p: int) -> dict[str, int]:
    """Return the letters that have one value: ``p``, and the parameters that are whole numbers."""
    return {"p": p, **{name: value for name, value in page.params.items() if type(value) is int}}


def command(page: Page, called: str, p: int, topology: str | None) -> str:
    """Return what to type for this document."""
    params = changed(page)
    words = ["sparring", "show", called, "--ranks", str(p)]
    words += chain(*(("-P", f"{name}={written(value)}") for name, value in params.items()))
    return shlex.join([*words, *(["--topology", topology] if topology else [])])


def changed(page: Page) -> dict[str, Any]:
    """Return the parameters that are not the page's own."""
    given = load(page.module).params
    return {name: value for name, value in page.params.items() if name not in given or given[name] != value}


def written(value: Any) -> str:
    """Return a parameter's value as the command line takes it."""
    return value if isinstance(value, str) else json.dumps(value)


def notes(page: Page, p: int) -> list[str]:
    """Return what to know of the vectors that are shown."""
    if page.data == "vector":
        return []
    n = examples.size(page, p)
    return [f"This is a run on an example: {n} entries of float32 a rank, small whole numbers, always the same."]
