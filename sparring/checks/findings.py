"""What is found about a target in one place: the smallest counterexamples, and how many examples were judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sparring.checks.judged import Judged, properties_of
from sparring.checks.judges.nearest import Nearest
from sparring.checks.question import Question
from sparring.refinement.example import Example
from sparring.refinement.observing import Observed

PRINTED = 120
"""Characters of what a target prints that are shown with a failure."""


@dataclass
class Findings:
    """The findings about a target in one place."""

    smallest: dict[str, tuple[Example, str]] = field(default_factory=dict)
    """Property -> the smallest example that falsifies it, with the sentence."""
    seen: dict[str, tuple[Observed, Observed | None]] = field(default_factory=dict)
    """Property -> the run of that example, and the one in another timing."""
    wanted: Counter[str] = field(default_factory=Counter)
    """Property -> how many examples were to be judged."""
    judged: Counter[str] = field(default_factory=Counter)
    """Property -> how many were."""
    together: set[str] = field(default_factory=set)
    """The properties that were judged on more than one rank."""
    missed: dict[str, str] = field(default_factory=dict)
    """Property -> why the last of the others was not."""
    refused: str = ""
    """Why the place could not run the target at all."""
    unseen: dict[str, str] = field(default_factory=dict)
    """Property -> why such an example tells nothing about it."""
    unread: int = 0
    """In how many examples messages were counted, but not read."""
    meanings: dict[str, str] = field(default_factory=dict)
    """Property -> what it means that it holds, if that depends on the examples that were tried."""
    shared: str = ""
    """What ranks share here and real ones do not."""
    convention: str = ""
    """How the page's chunks are cut or numbered, if not in the page's own way."""
    stuck: set[str] = field(default_factory=set)
    """The kinds of examples of which no more are tried on real ranks, since one did not end."""
    nearest: Nearest | str = ""
    """The page that its messages come nearest to, or why there is none."""
    deadly: bool = False
    """Whether the target has ended a process."""

    def count(self, question: Question, judged: Judged) -> None:
        """Count an example, and keep it for each property of which it is the smallest counterexample."""
        self.refused = judged.seen.refused
        self.unseen |= judged.unseen
        self.unread += judged.unread
        self.shared = self.shared or judged.seen.shared
        self.deadly |= judged.seen.refusing and not judged.seen.raised and not judged.seen.ys
        about = [prop for prop in properties_of(question, judged.example) if prop not in judged.unseen]
        self.miss({prop: judged.missed[prop] for prop in about if prop in judged.missed})
        for prop in about:
            if prop not in judged.missed:
                self.wanted[prop] += 1
                self.judged[prop] += 1
                self.together |= {prop} if judged.example.p > 1 else set()
        self.keep(judged)

    def miss(self, why: Mapping[str, str]) -> None:
        """Note why these properties were not judged on an example."""
        self.wanted.update([*why])
        self.missed |= why

    def settle(self, props: Sequence[str], found: Findings, convention: str) -> None:
        """Note that these properties hold by a convention, with the counts of ``found``."""
        self.convention = convention
        for prop in props:
            del self.smallest[prop]
            self.seen.pop(prop, None)
            self.wanted[prop], self.judged[prop] = found.wanted[prop], found.judged[prop]
            self.together |= found.together & {prop}

    def keep(self, judged: Judged) -> None:
        """Keep an example for each property of which it is the smallest counterexample."""
        for prop, why in judged.flaws.items():
            if prop not in self.smallest or judged.example.size < self.smallest[prop][0].size:
                self.smallest[prop] = judged.example, why + last_words(judged.seen.printed)
                self.seen[prop] = judged.seen, judged.again


def last_words(printed: str) -> str:
    """Return the last line that the target printed, to end a sentence; "" if it printed nothing."""
    line = printed.strip().rpartition("\n")[2]
    return f"; it printed: {line[:PRINTED]}" if line else ""
