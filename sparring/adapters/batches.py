"""Programs that play many examples in one launch, each in a folder of its own below ``{batch}``."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from sparring.adapters import recorder, vectorfiles
from sparring.adapters.executable import UNSEEN, Executable, Failed, Stuck, filled, put, result, run, sent, shown
from sparring.checks.ranks.answers import Examined
from sparring.errors import RankFailed

if TYPE_CHECKING:
    from sparring.checks.question import Question

MOST = 100
"""Examples of one launch, at most."""
ENTRIES = 1 << 20
"""Entries of all vectors of one launch, at most, unless one example has more."""

LONG = 10.0
"""Seconds after which a launch is ended if some of its examples have results; the others get a launch of their own."""

Vectors: TypeAlias = Sequence[Any]
Answer: TypeAlias = Examined | Failed | Stuck
"""The outcome of an example: results, or why there are none."""
Run: TypeAlias = tuple[tuple[str, ...], int, int]
"""A command, the id of an example, and how many times in a row the command plays it."""


class Batches(Executable):
    """A program, started once for many examples: ``mpiexec -n {p} ./a.out {batch}``.

    The caller announces the next examples with :meth:`expect`; any other example is played alone.
    """

    examples: ClassVar[int] = 100
    needed: ClassVar[Sequence[str]] = ("p", "batch")

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        self.coming: list[Vectors] = []
        self.known: dict[Run, Answer] = {}

    def expect(self, examples: Sequence[Vectors]) -> None:
        """Announce the next examples, each the very list of vectors that will be asked for."""
        self.coming, self.known = list(examples), {}

    def examine(
        self, target: Sequence[str], xs: Vectors, *, calls: int = 1, rows: bool = False, trace: bool = False,
        timeout: float = 20.0, **params: Any,
    ) -> Examined:  # fmt: skip
        """Return the outcome of the example, known or from a launch that begins with it; raise Failed or Stuck."""
        if not any(one is xs for one in self.coming):
            self.coming.append(xs)  # as long as it is there, no other has its id
        words = tuple(target)
        if (words, id(xs), calls) not in self.known:
            traced = trace and self.library is not None  # a trace is of a whole launch
            batch = [xs] if traced else [xs, *self.after(words, xs, calls)]
            launch = Launch(words, calls, timeout, params, self.library if traced else None)
            self.known |= {(words, id(one), calls): answer for one, answer in zip(batch, launch.answers(batch))}
        if isinstance(answer := self.known[words, id(xs), calls], RankFailed):
            raise answer  # it stays known, so that no other launch comes to it
        del self.known[words, id(xs), calls]
        return answer

    def after(self, words: tuple[str, ...], xs: Vectors, calls: int) -> Iterator[Vectors]:
        """Yield the examples that come after this one, on as many ranks, as many as fit into its launch.

        Examples that have failed are left out, and all from the first that has hung: then no more are tried.
        """

        def once(one: Vectors) -> Answer | None:
            return self.known.get((words, id(one), 1))

        at = next(i for i, one in enumerate(self.coming) if one is xs)
        later = takewhile(lambda one: not isinstance(once(one), Stuck), self.coming[at + 1 :])
        fresh = (one for one in later if not (isinstance(once(one), Failed) or (words, id(one), calls) in self.known))
        room = ENTRIES - entries(xs)
        for one in islice((one for one in fresh if len(one) == len(xs)), MOST - 1):
            room -= entries(one)
            if room < 0:
                return
            yield one


def entries(xs: Vectors) -> int:
    """Return the number of entries in all ranks' vectors."""
    return sum(len(x) for x in xs)


class Enough(Exception):
    """A signal that a launch has taken long, and some examples have results."""


@dataclass(frozen=True)
class Launch:
    """A way to launch a program: each example is played ``calls`` times in a row."""

    words: Sequence[str]
    calls: int
    timeout: float
    params: Mapping[str, Any]
    library: Path | None
    """The recorder of what is sent, where that is compared."""

    def answers(self, batch: Sequence[Vectors]) -> list[Answer]:
        """Return the outcomes of the first examples, of at least one.

        If the program does not finish its batch, the first example without results is played alone, and then the one
        after it, since some rank may have reached that already.  If neither fails alone, the first has failed only
        after others.
        """
        answers, failure = self.played(batch)
        if failure is None or len(batch) == 1:
            return answers if failure is None else [failure]
        at = len(answers)
        for one in batch[at : at + 2]:
            answers += self.answers([one])
            if isinstance(answers[-1], RankFailed):
                return answers
        others = f"after {at} other{'s' * (at != 1)} in one launch, though not alone"
        answers[at] = type(failure)(f"{failure}; so it is {others}")
        return answers

    def played(self, batch: Sequence[Vectors]) -> tuple[list[Answer], Failed | Stuck | None]:
        """Return the outcomes of the first examples, and what kept the program from the others, or from its end."""
        ranks, name = len(batch[0]), shown(self.words, len(batch[0]))
        with tempfile.TemporaryDirectory(prefix="sparring-") as place:
            folder = Path(place, "batch")
            for i, xs in enumerate(xs for xs in batch for _ in range(self.calls)):
                put(folder / str(i) / "input", folder / str(i) / "output", xs)
            batch, failure = self.run(Path(place), batch, name)
            came = ended(folder, ranks) // self.calls
            answers = [self.answer(Path(place), i, xs, name) for i, xs in enumerate(batch[: came + 1])]
        if failure is None and came >= len(batch):
            return answers, None
        last = answers.pop()  # it has no results, or is the one before a bad end
        if failure and answers and isinstance(answers[-1], RankFailed):
            answers.pop()  # some rank was ended while it wrote
        late = Failed(f"'{name}' wrote results after it had ended")
        return answers, failure or (last if isinstance(last, RankFailed) else late)

    def run(self, place: Path, batch: Sequence[Vectors], name: str) -> tuple[Sequence[Vectors], Failed | Stuck | None]:
        """Return the examples that the program had time for, and what kept it from its end."""
        folder, end = place / "batch", time.monotonic() + LONG
        values = {"p": len(batch[0]), "batch": folder, **self.params}
        preload = recorder.environment(self.library, place) if self.library else {}

        def done() -> int:
            came = ended(folder, len(batch[0]))
            if time.monotonic() > end and self.calls < came < self.calls * len(batch):
                raise Enough
            return came

        try:
            run([filled(word, values) for word in self.words], name, self.timeout, preload, done)
        except (Failed, Stuck) as failure:
            return batch, failure
        except Enough:
            whole = ended(folder, len(batch[0])) - 1  # of the last there may be a part
            return batch[: whole // self.calls], None
        return batch, None

    def answer(self, place: Path, number: int, xs: Vectors, name: str) -> Answer:
        """Return the outcome of one example of a launch that has ended."""
        lines = range(number * self.calls, (number + 1) * self.calls)
        try:
            ys = [self.results(place / "batch", i, len(xs), name) for i in lines]
            return Examined(ys, list(xs), sent(place, name, len(xs)) if self.library else None, [], UNSEEN)
        except Failed as failure:
            return failure

    def results(self, batch: Path, line: int, ranks: int, name: str) -> list[Any]:
        """Return what every rank wrote for one example; raise Failed for the first that wrote no vector."""
        return [result(batch / str(line) / "output", r, ranks, f"{name}', '{line}/output") for r in range(ranks)]


def ended(folder: Path, ranks: int) -> int:
    """Return the number of examples, from the first on, of which all ranks have results."""

    def there(i: int) -> bool:
        places = (vectorfiles.files(folder / str(i) / "output", r) for r in range(ranks))
        return all(raw.is_file() or zipped.is_file() for raw, zipped in places)

    return sum(1 for _ in takewhile(there, count()))
