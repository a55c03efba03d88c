"""``conformance``: an implementation's properties as tests in the user's own pytest file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from sparring import pytest_plugin
from sparring.checks.checking import check
from sparring.checks.properties import meanings
from sparring.checks.question import CONTRACT, page_of
from sparring.errors import Refuted
from sparring.job import launched
from sparring.proofs.core.verdicts import Word
from sparring.report import sentence
from sparring.spans import parse

if TYPE_CHECKING:
    from sparring.checks.collective import Job

Test = TypeVar("Test", bound=Callable[..., None])


@dataclass(frozen=True)
class Check:
    """One property of one target, to be called in a test: raises Refuted, or skips with the reason."""

    target: Any
    page: str
    prop: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self) -> None:
        import pytest

        verdict, detail = self.judged()
        if verdict == Word.NOT_COVERED.value:
            pytest.skip(f"not covered: {detail}")
        if verdict in (Word.REFUTED.value, Word.UNDECIDED.value):
            raise Refuted(sentence(verdict, self.prop, detail))

    def judged(self) -> tuple[str, str]:
        """Verdict and detail; in a job of several ranks rank 0 judges, all take part, and all get the same."""
        asked = {**self.settings, **given()}
        if launched() is None:
            return self.told(asked)
        ranks = tuple(p for p in asked["ranks"] if p <= job().size)
        verdict, detail = job().led(
            self.target, lambda led: self.told({**asked, "ranks": ranks, "on": "mpi", "group": led})
        )
        return verdict, detail

    def told(self, asked: Mapping[str, Any]) -> tuple[str, str]:
        (result,) = check(self.target, self.page, only=[self.prop], **asked).results
        return str(result.verdict), result.detail


@cache
def job() -> Job:
    """This process's part in the job that mpiexec started."""
    from sparring.checks.collective import Job, terminal

    config = pytest_plugin.RUNNING.get("config")
    return Job(terminal(config)) if config is not None else Job()


def given() -> dict[str, Any]:
    """What pytest's command line says, in the words of ``check``."""
    options = dict(pytest_plugin.OPTIONS)
    if "ranks" in options:
        options["ranks"] = parse(str(options["ranks"]))
    return options


def conformance(
    target: Any,
    page: str = CONTRACT,
    *,
    ranks: Iterable[int] = range(1, 9),
    on: str = "simulated",
    level: str = "result",
    seed: int = 0,
    max_examples: int = 100,
    xfail: Mapping[str, str] | None = None,
    sparse: bool = False,
    topology: str = "",
    bad_input: bool = False,
    timeout: float | None = None,
    **params: Any,
) -> Callable[[Test], Test]:
    """Decorate a test so that it runs once for each property; arguments as for ``sparring.check``.

    The test gets an argument ``check`` and calls it; it fails with the smallest example.  A
    property in ``xfail`` is expected to fail, for the reason given there; that it holds is then a failure.

    >>> @conformance("mine.py:allreduce", "ring", level="steps")
    ... def test_mine(check):
    ...     check()
    >>> [p.id for p in test_mine.pytestmark[0].args[1]][:3]
    ['result', 'agreement', 'input-untouched']
    """
    import pytest

    settings = {
        "ranks": tuple(ranks), "on": on, "level": level, "seed": seed, "max_examples": max_examples, "sparse": sparse,
        "topology": topology, "bad_input": bad_input, "timeout": timeout, **params,
    }  # fmt: skip
    found, reasons = page_of(page, params), dict(xfail or {})
    cases = [
        pytest.param(
            Check(target, page, prop, settings),
            id=prop.replace(" ", "-"),
            marks=[pytest.mark.xfail(reason=reasons[prop], strict=True)] if prop in reasons else [],
        )
        for prop in meanings(stateful=found is not None and found.stateful, bad_input=bad_input)
    ]
    return pytest.mark.parametrize("check", cases)
