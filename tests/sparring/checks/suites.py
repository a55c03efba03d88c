"""Three rings, each with what is planted in it: on whole vectors, on lists, and with a choice and a memory."""

from __future__ import annotations

from types import ModuleType
from typing import Any, NamedTuple

import sparring
from sparring.checks.checking import check
from sparring.checks.properties import meanings
from sparring.report import Report
from tests.sparring.checks import dense_targets, sparse_targets, stateful_targets


class Suite(NamedTuple):
    """Sources of targets, as what they are judged, on how many ranks and by how many examples."""

    sources: ModuleType
    page: str
    entry: str
    ranks: range
    examples: int

    @property
    def ours(self) -> str:
        return f"sparring.impl.{self.page}:{self.entry}"

    @property
    def properties(self) -> list[str]:
        return [*meanings(page=sparring.page(self.page), sparse=self.page == "ring_allgather")]

    def judged(self, name: Any, **asked: Any) -> Report:
        """The report on a target that is said to be the page's."""
        how = {"page": self.page, "ranks": self.ranks, "level": "steps", "max_examples": self.examples}
        return check(name, **{**how, **asked})

    def planted(self, name: str) -> tuple[str, set[str], set[str]]:
        """The twin with a defect; what this falsifies, and what it may falsify too, in some examples."""
        *changes, falsified, also = self.sources.DEFECTS[name]
        if not isinstance(changes[0], dict):
            changes, falsified, also = [{changes[0]: falsified}], also, set()
        source = self.sources.TWIN
        for old, new in changes[0].items():
            assert old in source, old
            source = source.replace(old, new)
        return source, falsified, also


SUITES = {
    "dense": Suite(dense_targets, "ring", "allreduce", range(1, 6), 60),
    "sparse": Suite(sparse_targets, "ring_allgather", "allreduce", range(1, 5), 100),
    "stateful": Suite(stateful_targets, "ring_topk", "Allreduce", range(1, 4), 30),
}
