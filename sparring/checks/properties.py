"""Lists the properties that ``check`` judges, a closed, ordered set, and the levels of how closely it looks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sparring.spec.core.model import Page

DTYPES = "float32, float64, int32 and int64"
"""The dtypes of vectors, in words."""

BAD = "bad input"
PROPERTIES: Mapping[str, str] = {
    "result": "every rank returns the sum of all",
    "agreement": "all ranks return the same bits",
    "input untouched": "the input is as it was",
    "reproducibility": "the same inputs give the same bits again, in any timing",
    "steps": "message by message what the page sends",
    "volume": "as many messages and words as the page",
    "deadlock": "no deadlock, even with synchronous sends",
    "hygiene": "every message is matched, every request completed, no buffer touched early",
    "contention": "no link serves two senders where the page says so",
    "edge sizes": "the sum also where n < p, n = 0 or p = 1",
    "dtypes": f"the sum for {DTYPES}, in the same dtype",
    "special values": "the sum also of NaN, infinities, subnormals, zeros, the largest numbers, and integers that wrap",
    "long vectors": "the sum also where n is 320 to 1,000,003",
    "many ranks": "the sum also on 9 to 17 and on 33 ranks",
    "communicators": "the sum also over parts of the ranks, in another order, on duplicates, on simulated machines",
    "repeated calls": "the sum again with other values, lengths, the last result, and vectors new on some ranks alone",
    "own memory": "results and inputs stay as they are, whatever comes later, and no result lies in other memory",
    "other arrays": "the sum also of a read-only array; of strided ones or a subclass, unless a rank refuses it",
    BAD: "where a rank's vector has another length or dtype, or ranks are in two groups, one raises",
}

HARD = ("special values", "long vectors", "many ranks", "communicators", "repeated calls", "other arrays")
"""The properties that apply if the sum is exact but for rounding; the last one only to arrays."""
MADE = (*HARD, "expectation")
"""The properties whose examples are made by a rule, and not drawn; the last one is of a contract."""

AMONG = ("agreement", "steps", "volume", "deadlock", "contention", "communicators")
"""What is said of several ranks: one rank alone shows nothing of it."""

APART: Mapping[str, str] = {
    "many ranks": "the same on 9 to 17 and on 33 ranks",
    "communicators": "the same over parts of the ranks, in another order, on simulated machines",
}
"""What hard properties mean where a page's bits or a contract of several calls are judged, and not a sum."""
LONG = {"long vectors": "the same on vectors of 320 to 16,387 entries"}
"""What another one means where a page's bits are."""
OWN = "results and inputs stay as they are, whatever comes later"
SPARSE: Mapping[str, str] = {
    "result": "every rank returns the sum of all, on the right support",
    "agreement": "all ranks return the same support and bits",
    "steps": "list by list what the page sends: who, to whom, which entries",
    "volume": "as many messages and entries as the page, an index and a value each",
    "edge sizes": PROPERTIES["edge sizes"],
    "dtypes": f"the sum for {DTYPES}, indices of int32 and int64, in the same dtypes",
    "own memory": OWN,
}
"""What some properties mean if vectors are sparse."""

STATEFUL: Mapping[str, str] = {
    "result": "every rank returns the page's bits, call after call, and keeps the page's residual where it shows one",
    "agreement": SPARSE["agreement"],
    "selection": "kept are the page's entries: larger ones first, of equal ones the lower index, NaN before all",
    "conservation": "results and residuals add up to all that was put in, after each call",
    "reproducibility": "the same inputs give the same bits again, in any timing, and to a second instance",
    "steps": SPARSE["steps"],
    "volume": SPARSE["volume"],
    "edge sizes": "the page's bits also where n < p, n = 0 or p = 1",
    "dtypes": f"the page's bits for {DTYPES}, in the same dtype",
    **LONG,
    **APART,
    "own memory": OWN,
}
"""Their meanings if entries are selected and the rest is kept for the next call; two apply only then."""

DENSE: Mapping[str, str] = {
    "result": "every rank returns the page's bits, call after call",
    "agreement": PROPERTIES["agreement"],
    "steps": PROPERTIES["steps"],
    "volume": "as many messages and bytes as the page",
    "edge sizes": STATEFUL["edge sizes"],
    "dtypes": STATEFUL["dtypes"],
    "special values": "the same of NaN, infinities, subnormals, zeros and the largest numbers",
    **LONG,
    **APART,
    "own memory": OWN,
}
"""Their meanings if a composition on whole vectors says itself what ranks end with."""

ORDER = (*list(PROPERTIES)[:2], "selection", "conservation", *list(PROPERTIES)[2:])


def meanings(
    *, page: Page | None = None, sparse: bool = False, bad_input: bool = False, many: bool = False
) -> dict[str, str]:
    """Return the properties of such targets, in order, with their meanings; two of them only if asked for."""
    own = {} if page is None else STATEFUL if page.selecting else DENSE if page.dense else {}
    known = {**PROPERTIES, **(own or (SPARSE if sparse else {}))}
    out = {*(() if bad_input else (BAD,)), *(() if page is None or page.agrees else ("agreement",))}
    out |= {*HARD} - {*own} if own else {"other arrays"} if sparse else set()
    out |= set() if many else {"many ranks"}
    return {prop: known[prop] for prop in ORDER if prop in known and prop not in out}


LEVELS = ("result", "volume", "steps")
"""How closely ``check`` looks: at the returned vectors, at what is sent in all, at every message."""

MESSAGES: Mapping[str, tuple[str, ...]] = {
    "result": (),
    "volume": ("volume", "contention"),
    "steps": ("steps", "volume", "contention"),
}
"""The properties that look at messages, by level."""
ON_TOPOLOGY = "no link of the topology {} carries messages of two pairs of ranks"
"""The meaning of contention if a topology is named."""
