"""A falsified property as files: a script that fails by itself, and a page of the explorer that shows the run."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from sparring.checks.contracts import ALLREDUCE
from sparring.checks.examples import hard
from sparring.checks.examples.series import KEPT
from sparring.checks.question import Question
from sparring.checks.ranks.target import anywhere
from sparring.present.explorer import html
from sparring.present.explorer.document import Document
from sparring.refinement.example import Example
from sparring.refinement.vectors import source
from sparring.sparse import Sparse

FOLDER = Path("sparring-failures")

SCRIPT = '''\
"""refuted: {title}

Run: python {file}
"""

import numpy as np

import sparring

xs = [
{vectors}
]
report = sparring.check(
    {target!r},
    {page!r},
    on={on!r},
    level={level!r},
    only=[{prop!r}],
    sparse={sparse!r},
    topology={topology!r},
    bad_input={bad_input!r},
    against={against!r},
    contract={contract!r},
    draw={draw!r},
    examples=[(xs, {kind!r})],
    **{params!r},
)
report.raise_if_refuted()
print("holds: {prop} on this example")
'''


def write(question: Question, on: str, prop: str, example: Example, why: str, document: Document) -> str:
    """Write the files for ``prop``, and say where they are; "" for a target that has no name to find it by."""
    if not isinstance(question.target, str | list | tuple):
        return ""
    file = FOLDER / f"{prop.replace(' ', '-')}.py"
    shown, command = file.with_suffix(".html"), f"python {file.as_posix()}"
    try:
        FOLDER.mkdir(exist_ok=True)
        file.write_text(script(question, on, prop, example, why, file), encoding="utf-8")
        shown.write_text(html.page(msgspec.structs.replace(document, command=command)), encoding="utf-8")
    except OSError as error:
        return f". {FOLDER} cannot be written: {error.strerror}"
    return f". Run: {command}. See: {shown.as_posix()}"


def write_page(target: str, page: Callable[[], str]) -> str:
    """Write the page on a target that is a file or a folder, and say where it is."""
    name = re.sub(r"[^\w.-]", "-", Path(target).resolve().name).strip(".") or "target"
    file = FOLDER / f"{name}.html"
    try:
        FOLDER.mkdir(exist_ok=True)
        file.write_text(page(), encoding="utf-8")
    except OSError as error:
        return f"{FOLDER} cannot be written: {error.strerror}"
    return f"See: {file.as_posix()}"


def script(question: Question, on: str, prop: str, example: Example, why: str, file: Path) -> str:
    """Return the text of the script."""
    return SCRIPT.format(
        title=first_line(f"{prop} at {example.place}: {why}"), file=file.as_posix(),
        vectors="\n".join(f"    {one}," for one in sources(example)),
        target=absolute(question.target), page=page_name(question), on=on, level=question.level, prop=prop,
        sparse=question.sparse, topology=question.topology, bad_input=question.bad_input,
        against=str(question.against) if question.against else None,
        contract=question.contract.text if question.contract else "",
        draw={name: said for name, said in question.drawn.asked.items() if name != KEPT},
        kind=example.prop,
        params={**question.params, **example.params},
    )  # fmt: skip


def sources(example: Example) -> list[str]:
    """Return the vectors as Python expressions; long ones by the rule that makes them."""
    if example.prop == hard.LONG:
        return [by_rule(r, x, example) for r, x in enumerate(example.xs)]
    if example.prop == hard.SPECIAL and example.n > hard.FEW_LEFT:
        return [hard.over_and_over(x) for x in example.xs]
    return [source(x) for x in example.xs]


def by_rule(r: int, x: Any, example: Example) -> str:
    """Return rank ``r``'s long vector as a Python expression; of several calls the array of all."""
    if not example.iterated:
        return hard.rule(r, example.n, str(x.dtype), sparse=isinstance(x, Sparse))
    return f"np.stack([{', '.join(hard.rule(r, example.n, str(x.dtype), call) for call in range(len(x)))}])"


def first_line(text: str) -> str:
    """Return the first line of ``text``, fit for a docstring."""
    return text.splitlines()[0].replace("\\", "/").replace('"""', "'''")


def absolute(target: str | Sequence[str]) -> str | list[str]:
    """Return the target with absolute paths, so that the script runs anywhere; of a command, the words with paths."""
    if isinstance(target, str):
        return str(anywhere(target))
    return [str(Path(word).resolve()) if word.startswith(("./", "../")) else word for word in target]


def page_name(question: Question) -> str:
    """Return what the page can be found by: its name, or its file."""
    if question.page is None:
        return ALLREDUCE
    file = question.page.module.__file__
    own = question.page.module.__name__.startswith("sparring.spec.")
    return question.page.name if own or file is None else str(Path(file).resolve())
