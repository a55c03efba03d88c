"""The catalogue of wrong allreduces: kinds of right targets, each with what is planted in them.

Tests go through it, and `docs/planted/judge.py`, which runs all of it by the command.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import sparring
from sparring.checks.checking import check
from sparring.checks.contracts import ALLREDUCE
from sparring.checks.examples.hard import LONG, SPECIAL
from sparring.checks.judges.scenes import OWN
from sparring.checks.properties import HARD, MESSAGES, meanings
from sparring.ranges import parse
from sparring.report import Report
from tests.sparring.adapters import c_targets, torch_defects
from tests.sparring.checks import (
    dense_targets,
    nonblocking_targets,
    reducer_defects,
    sparse_targets,
    stateful_targets,
)
from tests.sparring.checks.defect import Defect

MPICC = Path(sys.executable).with_name("mpicc")
COMMAND = ("mpiexec", "-n", "{p}", "./allreduce", "{input}", "{output}")
USUAL, HARDER = 50, 20
"""Examples that show each of the defects which usual vectors show, and those which hard ones alone show."""
Target = str | list[str]


class Suite(NamedTuple):
    """Sources of targets, as what they are judged, on how many ranks and by how many examples in a test.

    ``always``: what the check must be told of each, where nothing is asked of messages.
    """

    sources: ModuleType
    page: str
    entry: str
    ranks: range
    examples: int
    always: Mapping[str, Any]

    @property
    def defects(self) -> Mapping[str, Defect]:
        found: Mapping[str, Defect] = self.sources.DEFECTS
        return found

    @property
    def ours(self) -> str:
        return f"sparring.impl.{self.page}:{self.entry}"

    @property
    def properties(self) -> list[str]:
        return [*meanings(page=sparring.page(self.page), sparse=self.sparse)]

    @property
    def sparse(self) -> bool:
        return self.page == "ring_allgather"

    def judged(self, name: Any, **asked: Any) -> Report:
        """The report on a target that is said to be the page's."""
        how = {"page": self.page, "ranks": self.ranks, "level": "steps", "max_examples": self.examples}
        return check(name, **{**how, **asked})

    def options(self, defect: Defect) -> Mapping[str, Any]:
        """What the command must be told, so that it finds the defect: as little as there is."""
        if defect.options is not None:
            return defect.options
        seen = defect.refuted - {*MESSAGES["steps"]}
        return self.always if seen else {"page": self.page, "level": "steps"}

    def closely(self, defect: Defect) -> Mapping[str, Any]:
        """What a test asks: of messages, too, unless hard examples alone show the defect, or it says what is asked."""
        if defect.options is not None:
            return defect.options
        messages = self.page != ALLREDUCE and not defect.refuted <= {*HARD}
        return {"page": self.page, "level": "steps"} if messages else self.always

    def looked(self, target: Target, defect: Defect, **asked: Any) -> Report:
        """The report with few examples; only more have the third length, short special values and each edge."""
        most = (
            self.examples
            if {LONG, SPECIAL, "edge sizes"} >= defect.refuted
            else HARDER
            if defect.refuted <= {*HARD}
            else USUAL
        )
        few = {"ranks": self.ranks, "max_examples": min(self.examples, most)}
        if "many ranks" in defect.refuted:
            del few["ranks"]
        return check(target, **{**few, **arguments(self.closely(defect)), **asked})

    def declared(self, defect: Defect) -> list[str]:
        """What must be judged to tell whether a defect falsifies what it says and no other.

        Where usual examples show it, hard ones may show it or not: then they need not be played.  Empty, which is
        all, where a contract says what is judged.
        """
        options = self.closely(defect)
        if "contract" in options:
            return []
        name = options.get("page", ALLREDUCE)
        page = None if name == ALLREDUCE else sparring.page(name)
        many, bad = "many ranks" in defect.refuted, "bad_input" in options
        known = [*meanings(page=page, sparse=self.sparse, many=many, bad_input=bad)]
        return known if defect.refuted <= {*HARD} else [prop for prop in known if prop not in {*HARD} - defect.refuted]

    def twin(self, defect: Defect) -> str:
        """The source, or the place, of what is right."""
        return defect.twin or self.sources.TWIN

    def wrong(self, defect: Defect) -> str:
        """The source, or the place, of what is wrong."""
        source = defect.wrong or self.twin(defect)
        for old, new in defect.changes.items():
            assert old in source, old
            source = source.replace(old, new)
        return source

    def written(self, folder: Path, source: str) -> Target:
        """What the check is given there: a source is written, and a program compiled."""
        if "\n" not in source:
            return source
        if self.sources is not c_targets:
            (folder / "mine.py").write_text(source, encoding="utf-8")
            return f"mine.py:{self.entry}"
        (folder / "allreduce.c").write_text(source, encoding="utf-8")
        command = [MPICC, "-o", folder / "allreduce", folder / "allreduce.c"]
        subprocess.run(command, check=True, timeout=60, capture_output=True)
        return [*COMMAND]


SUITES = {
    "dense": Suite(dense_targets, "ring", "allreduce", range(1, 6), 60, {}),
    "nonblocking": Suite(nonblocking_targets, "ring", "allreduce", range(1, 6), 60, {}),
    "sparse": Suite(sparse_targets, "ring_allgather", "allreduce", range(1, 4), 60, {"sparse": True}),
    "stateful": Suite(stateful_targets, "ring_topk", "Allreduce", range(1, 4), 30, {"page": "ring_topk"}),
}
"""Those that run on simulated ranks."""
REAL = {
    "torch": Suite(torch_defects, ALLREDUCE, "", range(2, 4), 30, {}),
    "C": Suite(c_targets, ALLREDUCE, "", range(2, 4), 20, {"dtypes": "float64"}),
}
"""Those that need more than Python."""
REDUCERS = Suite(reducer_defects, ALLREDUCE, "", range(1, 9), 100, {})
"""Those that are judged by what they promise."""
CATALOGUE = {**SUITES, "contracts": REDUCERS, **REAL}


def command_line(options: Mapping[str, Any]) -> list[str]:
    """What stands on the command line.

    >>> " ".join(command_line({"page": "ring", "level": "steps", "bad_input": True}))
    '--algorithm ring --level steps --bad-input'
    """
    named = {"page": "algorithm", "dtypes": "dtype"}
    words = []
    for name, value in options.items():
        bounds = [f"{key}={span}" for key, span in value.items()] if isinstance(value, Mapping) else [value]
        words += [(f"--{named.get(name, name).replace('_', '-')}", one) for one in bounds]
    return [word for name, value in words for word in ([name] if value is True else [name, str(value)])]


def arguments(options: Mapping[str, Any]) -> dict[str, Any]:
    """The same for the function."""
    read: Mapping[str, Callable[[str], Any]] = {"ranks": parse, "dtypes": lambda text: [text]}
    return {name: read[name](value) if name in read else value for name, value in options.items()}


def rows(*kinds: str) -> Iterator[tuple[str, str]]:
    """Each kind with the names of its defects."""
    yield from ((kind, name) for kind in kinds for name in CATALOGUE[kind].defects)


def twins(*kinds: str) -> dict[tuple[str, ...], Defect]:
    """Of each twin and each thing that it is asked the first defect."""
    found: dict[tuple[str, ...], Defect] = {}
    for kind, name in rows(*kinds):
        suite = CATALOGUE[kind]
        defect = suite.defects[name]
        found.setdefault((kind, suite.twin(defect), *command_line(suite.options(defect))), defect)
    return found


def due(defect: Defect, options: Mapping[str, Any]) -> set[str]:
    """What must be refuted with these options."""
    return {*defect.refuted} - (set() if options.get("level") == "steps" else {"steps", "volume"})


def allowed(defect: Defect) -> set[str]:
    """What may be refuted: of those that show in some examples only, and in hard ones, any.

    What is wrong of long vectors may show in other hard examples as well, some of which are long; what returns an
    input or an old result shares its memory, too.
    """
    alone = defect.refuted <= {*HARD} - {LONG}
    return {*defect.refuted, *defect.also} | (set() if alone else {*HARD, OWN})
