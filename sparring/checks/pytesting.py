"""``conformance``: an implementation's properties as tests in the user's own pytest file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from sparring import pytest_plugin
from sparring.checks import configuration, records
from sparring.checks.checking import RANKS, asking, check
from sparring.checks.contracts import ALLREDUCE
from sparring.errors import Refuted
from sparring.job import launched
from sparring.proofs.logic.verdicts import Word
from sparring.ranges import parse
from sparring.report import sentence

if TYPE_CHECKING:
    from sparring.checks.ranks.collective import Job

Test = TypeVar("Test", bound=Callable[..., None])
OF_PYTEST = ("junit", "html")
"""The keys of pyproject.toml that are of the command alone: pytest writes reports of its own."""


class Falsified(Refuted):
    """The property of a test is refuted: the only failure that ``xfail`` expects."""


@dataclass
class Subject:
    """A target and what is asked of it.

    ``own``: the properties that are tests; ``wanted``: those that this run of pytest tests, judged together, since they
    share their examples; ``found``: property -> verdict, detail, and whether the verdict is weaker than ``floor``;
    ``called``: those that the test under way has asked for.
    """

    target: Any
    page: str
    settings: Mapping[str, Any]
    floor: str | None = None
    own: Sequence[str] = ()
    wanted: list[str] = field(default_factory=list)
    found: dict[str, tuple[str, str, bool]] = field(default_factory=dict)
    called: set[str] = field(default_factory=set)

    def judged(self, prop: str) -> tuple[str, str, bool]:
        """Judge a property.  In a job of several ranks rank 0 judges, all take part, and all return the same."""
        if prop not in self.found:
            props = self.wanted if prop in self.wanted else [prop]
            how = {**self.settings, **command_line(self.target), "only": props}
            self.found |= self.told(how) if launched() is None else self.led(how)
        return self.found[prop]

    def failure(self) -> str:
        """Return the sentence on a refuted property that has no test of its own; "" if there is none."""
        beside = ((verdict, prop, detail) for prop, (verdict, detail, _) in self.found.items() if prop not in self.own)
        return next((sentence(*told) for told in beside if told[0] == Word.REFUTED.value), "")

    def led(self, how: Mapping[str, Any]) -> dict[str, tuple[str, str, bool]]:
        """Judge as :meth:`told` does, on the ranks of the job."""
        ranks = tuple(p for p in how.get("ranks", RANKS) if p <= job().size)
        found: dict[str, tuple[str, str, bool]] = job().led(
            self.target, lambda led: self.told({**how, "ranks": ranks, "on": "mpi", "group": led})
        )
        return found

    def told(self, how: Mapping[str, Any]) -> dict[str, tuple[str, str, bool]]:
        """Run ``check``; return property -> verdict, detail, and whether it is weaker than ``floor``."""
        report = check(self.target, self.page, **how)
        weak = report.weaker(self.floor)
        return {r.property: (str(r.verdict), r.detail, r in weak) for r in report.results}


@dataclass(frozen=True, repr=False)
class Check:
    """One property of one target, to be called in a test: raises Refuted, or skips with the reason."""

    subject: Subject
    prop: str

    def __call__(self) -> None:
        import pytest

        __tracebackhide__ = True  # so that pytest shows the user's test
        self.subject.called.add(self.prop)
        verdict, detail, weak = self.subject.judged(self.prop)
        if why := self.subject.failure():
            raise Refuted(why)
        if weak and verdict != Word.REFUTED.value:
            raise Refuted(f"{sentence(verdict, self.prop, detail)}; fail-under asks for {self.subject.floor!r}")
        if verdict == Word.NOT_COVERED.value:
            pytest.skip(f"not covered: {detail}")
        if verdict in (Word.REFUTED.value, Word.UNDECIDED.value):
            raise (Falsified if verdict == Word.REFUTED.value else Refuted)(sentence(verdict, self.prop, detail))

    def __repr__(self) -> str:
        return f"<{self.prop} of {self.subject.target}>"

    def selected(self) -> None:
        """Note that this run of pytest has the test; the plugin calls this."""
        self.subject.wanted.append(self.prop)

    def begins(self) -> None:
        """Note that the test begins; the plugin calls this."""
        self.subject.called.discard(self.prop)

    def ends(self) -> None:
        """Raise Refuted where the test has ended well without asking; the plugin calls this."""
        if self.prop not in self.subject.called:
            raise Refuted(f"{self.prop}: the test ends without calling check(), so nothing was judged")


@cache
def job() -> Job:
    """Return the job that mpiexec started, and that this process is a rank of."""
    from sparring.checks.ranks.collective import Job, terminal

    config = pytest_plugin.RUNNING.get("config")
    return Job(terminal(config)) if config is not None else Job()


def command_line(target: Any) -> dict[str, Any]:
    """Return the options of pytest's command line that say something of the target, as arguments of ``check``."""
    options = dict(pytest_plugin.OPTIONS)
    for name in records.needless(target, [*options]):
        del options[name]
    if "ranks" in options:
        options["ranks"] = parse(str(options["ranks"]))
    return options


def configured() -> dict[str, Any]:
    """Return the options of the pyproject.toml nearest to pytest's root directory, as arguments of ``conformance``."""
    config = pytest_plugin.RUNNING.get("config")
    options = configuration.load(config.rootpath) if config is not None else {}
    options = {name: value for name, value in options.items() if name not in OF_PYTEST}
    if "algorithm" in options:
        options["page"] = options.pop("algorithm")
    return options


def conformance(
    target: Any,
    page: str | None = None,
    *,
    ranks: Iterable[int] | None = None,
    on: str | None = None,
    level: str | None = None,
    seed: int | None = None,
    max_examples: int | None = None,
    dtypes: Sequence[str] | None = None,
    xfail: Mapping[str, str] | None = None,
    only: Sequence[str] | None = None,
    sparse: bool | None = None,
    topology: str | None = None,
    bad_input: bool | None = None,
    timeout: float | None = None,
    budget: float | None = None,
    against: Any = None,
    contract: str | None = None,
    draw: Mapping[str, Any] | None = None,
    fail_under: str | None = None,
    **params: Any,
) -> Callable[[Test], Test]:
    """Decorate a test so that it runs once for each property; arguments as for ``sparring.check``.

    What is not given here is as ``[tool.sparring]`` says in the pyproject.toml of pytest's root directory, else as in
    ``sparring.check``; pytest's options ``--sparring-…`` outweigh both.  The test gets an argument ``check`` and calls
    it; it fails with the smallest example, and where it ends without the call.  A property in ``xfail`` is expected to
    be refuted, for the reason given there; whatever else comes of it is a failure.  ``fail_under``: "tested" or
    "proved", fail where a property that is judged has a weaker verdict.  Raises InputError for an argument or a key
    that is not as it must be.

    >>> @conformance("mine.py:allreduce", "ring", level="steps")
    ... def test_mine(check):
    ...     check()
    >>> [p.id for p in test_mine.pytestmark[0].args[1]][:3]
    ['result', 'agreement', 'input-untouched']
    """
    own = {
        "page": page, "ranks": None if ranks is None else tuple(ranks), "on": on, "level": level, "seed": seed,
        "max_examples": max_examples, "dtypes": dtypes, "xfail": xfail, "only": only, "sparse": sparse,
        "topology": topology, "bad_input": bad_input, "timeout": timeout, "budget": budget, "against": against,
        "contract": contract, "draw": draw, "fail_under": fail_under, "params": params or None,
    }  # fmt: skip
    usual = configured()
    for name in records.needless(target, [name for name in usual if name != "fail_under"]):
        del usual[name]  # of the project's other targets
    return tests(target, {**usual, **{name: value for name, value in own.items() if value is not None}})


def tests(target: Any, settings: dict[str, Any]) -> Callable[[Test], Test]:
    """Return the mark that parametrizes a test by property, each with what was asked for."""
    import pytest

    page, reasons = settings.pop("page", ALLREDUCE), dict(settings.pop("xfail", {}))
    floor = configuration.floor(settings.pop("fail_under", None))
    local = {name: settings.pop(name) for name in ("selector",) if name in settings}
    only, params = tuple(settings.pop("only", ())), {**local, **dict(settings.pop("params", {}))}
    if "draw" in settings:
        settings["draw"] = dict(settings["draw"])
    place = {} if launched() is None else {"on": "mpi"}
    how = {name: value for name, value in {**settings, **command_line(target), **place}.items() if name != "timeout"}
    question = asking(target, page, only=only, params=params, **how)
    question.expects(reasons)
    subject = Subject(target, page, {**settings, **params}, floor, question.asked)
    cases = [
        pytest.param(
            Check(subject, prop),
            id=prop.replace(" ", "-"),
            marks=[pytest.mark.xfail(reason=reasons[prop], strict=True, raises=Falsified)] if prop in reasons else [],
        )
        for prop in question.asked
    ]
    return pytest.mark.parametrize("check", cases)
