"""What the tests know of each algorithm: a module ``NAME.py`` with one :class:`Known` in it.

Family tests ask :data:`ALGORITHMS`.  An algorithm needs a fault that its page may share; whatever else its module
does not say is as :class:`Known` has it, and such tests pass the algorithm by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

Params = Mapping[str, Any]
NONE: Params = MappingProxyType({})
NAN, INF = float("nan"), float("inf")
FORMULAS = ("result", "agreement", "economy", "deadlock", "peers")
PLAIN = ("result", "agreement", "partition", "deadlock", "contention", "peers")
TEXTS = (*PLAIN, "volume")
"""What is proved of pages of formulas; of texts; and of those whose messages have a stated length."""
OTHER, PARTIAL = "the result is what the page ensures", "the result is partial"
LOST = "nothing is lost"
"""Why theorems do not hold of wrong texts."""
FREE, MEETING = "rendezvous on crossbar", ("lock step on ring", "lock step on tree")
"""Where messages never meet on a link, and where most do."""


class Fault(NamedTuple):
    """``old``, ``new``: what is replaced by what in the implementation, or in ``module`` of ``sparring.impl``.

    ``also``: further texts there; ``breaks``: which properties, messages alone or these among others; ``ranks``: on so
    many; ``params``: of the page.
    """

    name: str
    old: str
    new: str
    also: Mapping[str, str] = MappingProxyType({})
    module: str = ""
    breaks: AbstractSet[str] = frozenset({"result"})
    ranks: int = 3
    params: Params = NONE

    @property
    def texts(self) -> list[tuple[str, str]]:
        """All that is replaced, each with what stands in its place."""
        return [(self.old, self.new), *self.also.items()]


class Same(NamedTuple):
    """A text of the page, and another that means the same."""

    old: str
    new: str
    slow: bool = False


class Program(NamedTuple):
    """A dense program of numpy, from the paper, which knows no messages.

    ``calls``: is given vectors by call and rank, and parameters; yields results by rank, and what ranks keep.
    ``params``: with which; ``wrong``: texts of the page that it tells apart, with parameters; ``exact``: on fractions,
    else on floats; ``lengths``: of vectors on ``p`` ranks; ``kept``: where a state has what the program keeps.
    """

    calls: Callable[..., Iterator[tuple[Any, Any]]]
    params: Sequence[Params]
    wrong: Mapping[str, tuple[str, str, Params]] = MappingProxyType({})
    exact: bool = True
    lengths: Callable[[int], Sequence[int]] = lambda p: (1, 6, 11)
    kept: Callable[[Any], Sequence[Any]] | None = None


class Known(NamedTuple):
    """What the tests know of one algorithm; the name is that of the module."""

    # the implementation
    alike: tuple[str, str, str]
    """A fault that the page might have, too, what is replaced, and by what: numpy's sum finds it."""
    faults: Sequence[Fault] = ()
    """Each is found, by what it breaks."""
    aimed: Sequence[Fault] = ()
    """Each shows in one kind of run alone, after which it is named; ``verify`` makes such a run."""
    made_with: Params = NONE
    """Parameters with which it refuses vectors."""
    keeps: str = "the residual"
    """What has the dtype of the calls before, as the refusal of another says."""
    refused: Sequence[tuple[Params, str]] = ()
    """Parameters of one rank, and its own sentence; that each wrong one is refused is what ``verify`` asks."""
    different: Sequence[tuple[Params, str]] = ()
    """Good parameters of rank 2 that the others have not, and what all are told."""
    refused_by_all: Sequence[tuple[Params, str]] = ()
    """Parameters that are wrong in the same way on all ranks, and what each says."""

    # the page
    theorems: Sequence[str] = ()
    """All, but for links on which nothing meets; where messages meet, as it says, the page is refuted."""
    wrong_texts: Sequence[tuple[str, str, str, str]] = ()
    """What stands in the page, and what instead; which theorem is lost, and why."""
    same_texts: Sequence[Same] = ()
    """Other words, with which all is proved as before."""
    gone_through: bool = False
    """Whether its proofs have been gone through: some generated fault refutes each obligation."""
    open_obligations: AbstractSet[str] = frozenset()
    """Those for which no fault is generated yet."""
    spoilt: Sequence[tuple[Params, float, Sequence[int], bool]] = ()
    """Parameters, an entry, where results are NaN for it, and whether the next call is as if it had not been."""
    octets: Sequence[tuple[Params, str, int, int, Sequence[int]]] = ()
    """Parameters, a dtype, so many entries on so many ranks: what the last rank sends in each step."""
    formulas_with: Sequence[Params] = (NONE,)
    """Parameters with which formulas are looked at."""
    messages: Callable[..., Iterable[Any]] | None = None
    """By number of ranks, and parameters, the messages step by step as another program works them out."""
    powers: bool = False
    """The other program is for powers of two alone."""
    program: Program | None = None
    """Has the same results, call after call."""

    # costs
    words: Callable[[int, int, int], int] | None = None
    """The most that a rank sends, where ``p`` is a power of 4 that divides ``n`` and ``k``."""
    wrong_contributions: Sequence[Mapping[str, Callable[..., Any]]] = ()
    """What the proof module says wrongly of who contributed to a message; it is refuted."""
    no_pattern: str = ""
    """Why no cost of shared links is derived."""
    open_costs: Sequence[str] = ()
    """Topologies on which what messages share is no form that is known."""
    costed_with: Sequence[Params] = ()
    """Parameters with which the cost of a composition is a bound that runs keep to."""

    # pictures and programs
    other_ways: Params = NONE
    """Parameters by which a composition goes other ways."""
    reader: str = ""
    """The module in ``examples/vectors/`` that replays its test vectors."""
    reader_defects: Mapping[str, tuple[str, str]] = MappingProxyType({})
    """What goes wrong, a text in that module, and what is planted in the text's place."""


def read(folder: Path, package: str) -> dict[str, Any]:
    """By name, what the modules of a package know."""
    names = sorted(file.stem for file in folder.glob("*.py") if file.stem != "__init__")
    return {name: import_module(f"{package}.{name}").KNOWN for name in names}


ALGORITHMS: dict[str, Known] = read(Path(__file__).parent, __name__)


def rows(field: str) -> list[Any]:
    """Of all algorithms the rows that they have there, each behind the algorithm's name."""
    return [(name, *row) for name, one in ALGORITHMS.items() for row in getattr(one, field)]
