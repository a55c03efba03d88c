"""Names the contracts of an allreduce: what it promises where no page says which bits it returns.

``sum``, ``mean`` and ``sparse-sum`` speak of one call, and are judged as any sum.  The others speak of reducers that
select or round: what each promises, call by call, is judged in :mod:`sparring.checks.judges.contract_calls`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sparring.checks.examples.contract_draws import Bounds, bounds
from sparring.checks.examples.series import KEPT
from sparring.checks.properties import APART, PROPERTIES
from sparring.errors import InputError, did_you_mean

ALLREDUCE = "allreduce"
"""The page's name that means no page: the sum, and whatever messages."""
SPARSE_SUM = "sparse-sum"
SUMS = ("sum", "mean", SPARSE_SUM)
SETTINGS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(SUMS, ()),
    "error-feedback": ("entries", "mean"),
    "unbiased": ("mean",),
    "contraction": ("delta",),
    "bounded-error": ("bound", "relative", "mean"),
}
"""The contracts, and what may be set of each: ``error-feedback:entries=k,mean=1``."""
ENTRIES = ("k", "p*k")
"""The values of ``entries`` that are no numbers."""

VECTOR = "every rank returns a vector of the input's length and dtype, an array or a Sparse"
OWN: Mapping[str, Mapping[str, str]] = {
    "error-feedback": {
        "result": VECTOR,
        "conservation": "results and residuals add up to all that was put in, after each call",
        "entries": "no result has more entries that are no zeros than {entries}",
    },
    "unbiased": {
        "result": VECTOR,
        "expectation": "on average the {sum}: a right one is refuted with a probability below 1e-9, where the mean of "
        "1,000 results is about normal",
    },
    "contraction": {
        "result": VECTOR,
        "contraction": "the square of what is kept is at most 1 - {delta} of that of what was to be sent",
    },
    "bounded-error": {"result": "every rank returns the {sum}, off by at most {bound}"},
}
"""The properties that only a contract has, and what they mean."""
COMMON = ("agreement", "input untouched", "reproducibility", "deadlock", "hygiene", "own memory")
EDGES = {
    "edge sizes": "the same where n < p or n = 0, or where none or more than all entries are kept",
    "dtypes": "the same for {dtypes}, in the same dtype",
    **APART,
}


class Contract(NamedTuple):
    """A contract that is asked for; ``text``: as it was written.

    ``mean``: whether results are averages.  ``entries``: how many a result may have, "k", "p*k" or a number, or empty.
    ``delta``: of a contraction; k/n if it is None.  ``bound`` and ``relative``: how far entries may be off, at most,
    as a number and as a part of the largest magnitude of any rank's entries.
    """

    text: str
    name: str
    mean: bool = False
    entries: str = ""
    delta: float | None = None
    bound: float = 0.0
    relative: float = 0.0

    @property
    def iterated(self) -> bool:
        """True if the contract is one of several calls of one instance."""
        return self.name not in SUMS

    def meanings(self, dtypes: Sequence[str]) -> dict[str, str]:
        """Return the properties that apply to a target of vectors of these dtypes, and what they mean."""
        told = {
            "entries": self.entries,
            "delta": "k/n" if self.delta is None else f"{self.delta:g}",
            "sum": "mean" if self.mean else "sum",
            "bound": self.off,
            "dtypes": " and ".join(dtypes),
        }
        own = {
            prop: words.format(**told) for prop, words in OWN[self.name].items() if prop != "entries" or self.entries
        }
        common = {prop: PROPERTIES[prop] for prop in COMMON if prop != "reproducibility" or self.name != "unbiased"}
        return {**own, **common, **{prop: words.format(**told) for prop, words in EDGES.items()}}

    @property
    def off(self) -> str:
        """The most that a result may be off, in words."""
        parts = [f"{self.bound:g}"] * (self.bound > 0)
        return " and ".join([*parts, *[f"{self.relative:g} of the largest entry"] * (self.relative > 0)])

    @property
    def needs_k(self) -> bool:
        """True if the contract depends on how many entries are kept."""
        return self.entries in ENTRIES or (self.name == "contraction" and self.delta is None)

    def most(self, p: int, k: Any) -> int:
        """Return the most nonzero entries that a result may have on ``p`` ranks with ``k`` kept entries."""
        return {"k": k, "p*k": p * k}[self.entries] if self.entries in ENTRIES else int(self.entries)


def parsed(text: str) -> Contract:
    """Read a contract from the text ``NAME`` or ``NAME:setting=value,...``.

    Raises InputError for an unknown contract or setting, a value that is not allowed, or one that is missing.

    >>> parsed("error-feedback:entries=p*k").entries
    'p*k'
    """
    name, _, rest = text.partition(":")
    if name not in SETTINGS:
        raise InputError(f"contract {name!r}: {did_you_mean(name, SETTINGS)}there are {', '.join(SETTINGS)}")
    pairs = [pair.partition("=") for pair in rest.split(",")] if rest else []
    given = {one: value for one, _, value in pairs}
    if unknown := [one for one in given if one not in SETTINGS[name]]:
        there = ", ".join(SETTINGS[name]) or "none"
        raise InputError(f"contract {text}: {name} has no setting {unknown[0]!r}; it has {there}")
    found = Contract(text, name, **{one: setting(text, one, value) for one, value in given.items()})
    if name == "bounded-error" and not found.off:
        raise InputError(f"contract {text}: say how far off, {name}:bound=1e-3 or {name}:relative=1e-3")
    return found._replace(mean=found.mean or name == "mean")


def setting(text: str, name: str, value: str) -> Any:
    """Read the value of one setting of a contract; raises InputError if it is not allowed."""
    if name == "mean":
        if value not in ("0", "1"):
            raise InputError(f"contract {text}: mean={value}: it must be 0 or 1")
        return value == "1"
    if name == "entries":
        if value not in ENTRIES and not value.isdecimal():
            raise InputError(f"contract {text}: entries={value}: it must be {', '.join(ENTRIES)} or a whole number")
        return value
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number < (1 if name == "delta" else float("inf")):
        what = "a number from 0 to below 1" if name == "delta" else "a number, 0 or more"
        raise InputError(f"contract {text}: {name}={value}: it must be {what}")
    return number


def promise(text: str, draw: Mapping[str, Any], page: str, params: Mapping[str, Any]) -> tuple[Contract | None, Bounds]:
    """Return the contract that is promised, or None for the sum, and the bounds of its examples.

    Raises InputError if there is no such contract, a page is named beside it, or it is not said how many entries are
    kept.
    """
    limits, found = bounds(draw), parsed(text) if text else None
    if draw and not (found and found.iterated):
        raise InputError("draw: bounds are for a contract of several calls: --contract error-feedback, for instance")
    if found is None:
        return None, limits
    if page != ALLREDUCE:
        raise InputError(f"contract {text}: it stands where an algorithm would; leave out {page}, or the contract")
    k = params.get(KEPT, 0)
    if found.needs_k and not (type(k) is int and k >= 0):
        raise InputError(f"{KEPT} = {k!r}: it must be a whole number, 0 or more")
    if KEPT in params and limits.k is not None:
        raise InputError(f"contract {text}: k is given twice, by -P k={k} and --draw k")
    if found.iterated and KEPT in params and type(k) is int:
        limits = limits._replace(k=(k, k))  # so that it is known which vectors have fewer entries
    if found.needs_k and limits.k is None:
        raise InputError(f"contract {text}: say how many entries are kept, -P k=8 or --draw k=1-8")
    return (None if found.name in ("sum", SPARSE_SUM) else found), limits
