"""Makes a question of the arguments of ``check``: what is asked of a target."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import cycle, islice
from typing import Any

import numpy as np
from hypothesis import strategies as st

from sparring import page_runs
from sparring.checks import properties
from sparring.checks.against import ITSELF, SAME, Against
from sparring.checks.clock import Clock
from sparring.checks.contracts import ALLREDUCE, Contract
from sparring.checks.conventions import AS_THE_PAGE, Convention
from sparring.checks.examples import contract_draws, hard, series
from sparring.checks.examples import drawn as examples
from sparring.checks.examples.contract_draws import Bounds
from sparring.checks.examples.series import KEPT
from sparring.checks.properties import APART, BAD, LEVELS, MADE, MESSAGES, ON_TOPOLOGY, meanings
from sparring.checks.ranks import scenes
from sparring.checks.ranks.scenes import SCENES
from sparring.errors import InputError
from sparring.proofs.contention import networks
from sparring.refinement.example import DTYPES, Example
from sparring.spec.core import pages
from sparring.spec.core.loading import load
from sparring.spec.core.local_selection import concerning
from sparring.spec.core.model import Page


@dataclass(frozen=True)
class Question:
    """The question about a target: the properties to judge, and the examples to judge them on.

    ``only``: the properties asked for, by default all that apply.  ``params``: the target's arguments.
    """

    target: Any
    page: Page | None = None
    ranks: Sequence[int] = tuple(range(1, 9))
    level: str = "result"
    seed: int = 0
    max_examples: int = 100
    only: Sequence[str] = ()
    sparse: bool = False
    """Whether the target takes sparse vectors; a page says so itself."""
    params: Mapping[str, Any] = field(default_factory=dict)
    dtypes: Sequence[str] = DTYPES
    """The dtypes of vectors."""
    topology: str = ""
    """The topology on which messages may not meet; by default those that the page names."""
    clock: Clock = field(default_factory=Clock)
    """How long examples are tried."""
    convention: Convention = AS_THE_PAGE
    """How the page's chunks are cut and numbered."""
    against: Against = ITSELF
    """The target or setting that must give the same bits."""
    many: bool = False
    """Whether more ranks than ``ranks`` may be tried where they cost nothing."""
    bad_input: bool = False
    """Whether to judge how the target handles vectors that do not fit together."""
    contract: Contract | None = None
    """The contract, if no page says which bits are right; None: the sum."""
    drawn: Bounds = Bounds()  # noqa: RUF009  # a tuple
    """The bounds of the examples that are drawn for a contract."""

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            raise InputError(f"level {self.level!r}: there are {', '.join(LEVELS)}")
        if self.level != "result" and self.page is None:
            raise InputError(f"level {self.level!r} needs a page to compare messages with: --algorithm ALGO")
        if unknown := [p for p in self.only if p not in self.meanings]:
            raise InputError(f"no property {unknown[0]!r}: there are {', '.join(self.meanings)}")
        if odd := [dtype for dtype in self.dtypes if dtype not in DTYPES]:
            raise InputError(f"no dtype {odd[0]!r}: there are {', '.join(DTYPES)}")
        promised = self.contract.text if self.contract else ""
        if promised and (odd := [dtype for dtype in self.dtypes if not dtype.startswith("float")]):
            raise InputError(f"contract {promised}: {odd[0]} is none of float32 and float64, which it speaks of")
        if self.reduces and (self.sparse or self.level != "result"):
            raise InputError(f"contract {promised}: its targets take arrays, and messages are not looked at")
        if not self.dtypes:
            raise InputError("dtypes: at least one that the target takes")
        if not self.ranks or min(self.ranks) < 1:
            raise InputError("ranks: at least one number of ranks, each at least 1")
        if self.topology:
            networks.find(self.topology)

    @property
    def closer(self) -> str:
        """The level; if it looks at none of the properties asked for, the first level that looks at them."""
        if self.only and not self.judged and {*self.only} <= {*MESSAGES["steps"]}:
            return next(level for level in LEVELS if set(self.only) <= set(MESSAGES[level]))
        return self.level

    @property
    def stateful(self) -> bool:
        """True if the target is a class whose calls depend on the calls before."""
        return self.reduces is not None or (self.page is not None and self.page.stateful)

    @property
    def in_series(self) -> bool:
        """True if a page's bits or a contract of several calls are judged, and not a sum."""
        return self.reduces is not None or (self.page is not None and (self.page.selecting or self.page.dense))

    @property
    def reduces(self) -> Contract | None:
        """The contract, if it is one of several calls; else None."""
        return self.contract if self.contract and self.contract.iterated else None

    @property
    def averages(self) -> bool:
        """True if results are means."""
        return self.contract is not None and self.contract.mean

    @property
    def meanings(self) -> Mapping[str, str]:
        """The properties that apply, and what they mean."""
        known = meanings(page=self.page, sparse=self.sparse, bad_input=self.bad_input, many=self.many)
        if self.averages:
            known = {prop: words.replace("the sum", "the mean") for prop, words in known.items()}
        if self.reduces:
            known = self.reduces.meanings(self.dtypes)
            known = {prop: words for prop, words in known.items() if self.many or prop != hard.MANY}
        if self.fewer_dtypes:
            known = {**known, "dtypes": known["dtypes"].replace(properties.DTYPES, " and ".join(self.dtypes))}
        if self.against:
            known = {**known, SAME: f"the same bits as with {self.against}"}
        return {**known, "contention": ON_TOPOLOGY.format(self.topology)} if self.topology else known

    @property
    def fewer_dtypes(self) -> bool:
        """True if the target takes only some dtypes."""
        return set(self.dtypes) != set(DTYPES)

    @property
    def asked(self) -> Sequence[str]:
        """The properties to report."""
        return self.only or tuple(self.meanings)

    def expects(self, expected: Mapping[str, str]) -> None:
        """Raise InputError for an expectation that names no property."""
        if unknown := [prop for prop in expected if prop not in self.meanings]:
            raise InputError(f"xfail: no property {unknown[0]!r}: there are {', '.join(self.meanings)}")

    @property
    def watched(self) -> Sequence[str]:
        """The properties asked for that are about messages, and that the level or the topology looks at."""
        told = {*MESSAGES[self.level], *(["contention"] if self.topology else [])}
        return [prop for prop in self.asked if prop in told]

    @property
    def judged(self) -> Sequence[str]:
        """The properties to judge: those asked for, without those that the level or a stateful target leaves out."""
        out = set(MESSAGES["steps"]) - set(self.watched)
        if self.stateful:
            out.add(BAD)
        return [prop for prop in self.asked if prop not in out]

    @property
    def name(self) -> str:
        """The target's name in a report."""
        if isinstance(self.target, list | tuple):
            return " ".join(self.target)
        return self.target if isinstance(self.target, str) else getattr(self.target, "__qualname__", repr(self.target))

    def examples(self, kind: str) -> st.SearchStrategy[Example]:
        """Return the strategy for examples of one kind; it also draws how many entries are kept, unless given.

        Of several calls hypothesis draws only a seed, and :meth:`fewer` makes examples smaller.
        """
        if not self.stateful:
            return examples.examples(self.ranks, kind, sparse=self.sparse).map(self.fitting)
        return st.integers(0, 2**32 - 1).map(lambda seed: self.series(np.random.default_rng(seed), kind))

    def series(self, rng: np.random.Generator, kind: str) -> Example:
        """Draw an example of several calls."""
        if self.reduces:
            near = self.reduces.bound > 0
            return self.fitting(contract_draws.example(rng, self.ranks, kind, self.drawn, near=near))
        return self.fitting(series.example(rng, self.ranks, kind, self.drawing))

    @property
    def drawing(self) -> Sequence[str]:
        """The page's parameters that are drawn with each example: how many entries are kept, unless it is given."""
        return [KEPT] if self.page and KEPT in self.page.params and KEPT not in self.params else []

    def first(self, kind: str, number: int) -> list[Example] | None:
        """Return the first examples of one kind, spread over all there is; None where hypothesis draws them, too.

        It draws variants of what it has drawn, and may leave out a dtype or a number of ranks altogether.  The smallest
        comes first: one that ends the process is told as it is.
        """
        if kind == BAD:
            return None
        rng = np.random.default_rng(self.seed)
        if self.stateful:
            found = [self.series(rng, kind) for _ in range(number)]
        else:
            found = [*map(self.fitting, examples.spread(rng, self.ranks, kind, number, sparse=self.sparse))]
        return sorted(found, key=lambda example: example.size)

    def none(self, kind: str) -> str:
        """Say why there are no examples of a kind; "" if there are."""
        return contract_draws.none(self.ranks, kind, self.drawn) if self.reduces and kind in series.KINDS else ""

    def fitting(self, example: Example) -> Example:
        """Return the example in a dtype that the target takes."""
        return examples.cast(example, self.dtypes) if self.fewer_dtypes else example

    def hard(self, kind: str, number: int) -> list[Example]:
        """Return the first ``number`` hard examples of a kind."""
        if kind in APART and self.in_series:
            return self.apart(kind, number)
        if kind in (hard.LONG, hard.SPECIAL) and self.in_series:
            return [one for one in islice(self.by_rule(kind), number) if kind == hard.LONG or self.answered(one)]
        found = islice(hard.examples(kind, self.ranks, self.dtypes, sparse=self.sparse), number)
        return [self.drawn.given(one) if self.reduces else one for one in found]

    def by_rule(self, kind: str) -> Iterator[Example]:
        """Yield hard examples of calls that are judged by a page's bits; an eighth of the entries are kept."""
        made = hard.long_series if kind == hard.LONG else hard.special_series
        for one in made(self.ranks, self.dtypes, series.CALLS if self.stateful else 1):
            yield one._replace(params=dict.fromkeys(self.drawing, one.n // 8))

    def answered(self, example: Example) -> bool:
        """Return whether the page has results: one may take no NaN, and then says nothing of a target that does."""
        page = self.page_for(example)
        with suppress(Exception), np.errstate(all="ignore"):
            return page is not None and all(ran.results for ran in page_runs.runs(page, example.xs))
        return False

    def apart(self, kind: str, number: int) -> list[Example]:
        """Return usual examples of the calls that are judged by a page's bits or a contract, on ranks of this kind."""
        if kind == hard.MANY:
            asked = [(replace(self, ranks=(p,), seed=self.seed + i), 1) for i, p in enumerate(hard.RANKS[:number])]
        else:
            asked = [(replace(self, ranks=[p for p in self.ranks if p > 1] or self.ranks), number)]
        usual = [one for some, few in asked if not some.none("result") for one in some.first("result", few) or []]
        return [one._replace(prop=kind, scene=name) for name, one in zip(cycle(scenes.of(kind, series=True)), usual)]

    def fewer(self, example: Example) -> Iterator[Example]:
        """Return slightly smaller examples of the same kind."""
        ranks = hard.RANKS if example.prop == hard.MANY else self.ranks
        made = example.prop in MADE and not (example.scene and SCENES[example.scene].series)
        if self.reduces and not made:
            return map(self.fitting, contract_draws.fewer(example, ranks, self.drawn))
        rule = hard.fewer if made else series.fewer if self.stateful else examples.fewer
        return map(self.fitting, rule(example, ranks))

    def page_for(self, example: Example) -> Page | None:
        """Return the page with the example's parameters; None if there is no page."""
        if self.page is None or not example.params:
            return self.page
        return load(self.page.module, **{**self.page.params, **example.params})


def page_of(name: str, params: Mapping[str, Any]) -> Page | None:
    """Return the page ``name``, with those of the target's parameters that it has too; None for the sum alone.

    Raises InputError if there is no such page, or if ``k`` is no whole number, 0 or more.
    """
    if name == ALLREDUCE:
        return None
    page = pages.find(name)
    own = concerning(params, page.params, selects=page.selecting or page.selector is not None)
    if page.selecting and KEPT in own and not (type(own[KEPT]) is int and own[KEPT] >= 0):
        raise InputError(f"{KEPT} = {own[KEPT]!r}: it must be a whole number, 0 or more")
    return load(page.module, **{**page.params, **own})


def page_alone(name: str, params: Mapping[str, Any]) -> Page | None:
    """Return the page ``name`` with these parameters, where no target takes one.

    Raises InputError as :func:`page_of` does, and for a parameter that the page does not have.
    """
    if name != ALLREDUCE:
        pages.find(name, **params)
    elif params:
        raise InputError(f"{next(iter(params))} is a parameter of no page; right: with --algorithm ALGO")
    return page_of(name, params)
