"""The words for verdicts: a closed set, from the strongest to the worst."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


class Word(Enum):
    """The possible verdicts on a claim, strongest first."""

    PROVED = "proved for every p"
    PROVED_BELOW = "proved for every p < 2^31"
    PROVED_UP_TO = "proved for p <= {}"
    PROVED_AT = "proved for p = {}"
    PROVED_CHOSEN = "proved for chosen values"
    TESTED = "tested ({} example{s})"
    EXPECTED = "refuted as expected"
    NOT_COVERED = "not covered"
    UNDECIDED = "undecided"
    NOT_INDUCTIVE = "not inductive"
    REFUTED = "refuted"

    @property
    def exit_code(self) -> int:
        """The exit code of a command that ends in this verdict."""
        return {Word.UNDECIDED: 3, Word.NOT_INDUCTIVE: 3, Word.REFUTED: 1}.get(self, 0)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A word and the number that some words need.

    >>> str(Verdict(Word.PROVED_UP_TO, 64))
    'proved for p <= 64'
    """

    word: Word
    number: int = 0

    def __str__(self) -> str:
        return self.word.value.format(self.number, s="" if self.number == 1 else "s")


PROVED = Verdict(Word.PROVED)
PROVED_BELOW = Verdict(Word.PROVED_BELOW)
PROVED_CHOSEN = Verdict(Word.PROVED_CHOSEN)
"""For every p, but of something else only for values that were chosen: lengths, parameters, entries."""
EXPECTED = Verdict(Word.EXPECTED)
NOT_COVERED = Verdict(Word.NOT_COVERED)
UNDECIDED = Verdict(Word.UNDECIDED)
NOT_INDUCTIVE = Verdict(Word.NOT_INDUCTIVE)
REFUTED = Verdict(Word.REFUTED)


def proved_up_to(p: int) -> Verdict:
    """Return the verdict of a proof that exhausts all inputs, for every number of ranks up to ``p``."""
    return Verdict(Word.PROVED_UP_TO, p)


def proved_at(p: int) -> Verdict:
    """Return the verdict of a proof that exhausts all inputs, for ``p`` ranks alone.

    What is judged has no other number of ranks.
    """
    return Verdict(Word.PROVED_AT, p)


def tested(examples: int) -> Verdict:
    """Return the verdict that ``examples`` examples were tested, none of which failed."""
    return Verdict(Word.TESTED, examples)


def overall(verdicts: list[Verdict]) -> Word:
    """Return the worst word of all, or NOT_COVERED if there are no verdicts.

    >>> overall([PROVED, REFUTED, NOT_COVERED])
    <Word.REFUTED: 'refuted'>
    """
    order = list(Word)
    return max((v.word for v in verdicts), key=order.index, default=Word.NOT_COVERED)


class Settled(NamedTuple):
    """The outcome of a proof of one statement: whether it holds, and how that was found or where it fails."""

    holds: bool
    detail: str
    verdict: Verdict = PROVED
    """How sure it is that it holds."""
