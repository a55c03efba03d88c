"""Loads a page: checks that a module's formulas are there, and binds their arguments by name.

What a page may leave out is filled in here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import ModuleType
from typing import Any, NoReturn

from sparring.errors import InputError, Undecided
from sparring.spec.core.calling import taking
from sparring.spec.core.local_selection import asked, takes
from sparring.spec.core.model import Page, chunk_words, list_words, many
from sparring.spec.core.numbers import Bool, Int, where
from sparring.spec.core.selectors import Selector
from sparring.spec.core.vocabulary import DATA, ENCODINGS, KINDS, LETTERS, Kind, kind_of, one_of

Formula = Callable[..., Int]


def load(module: ModuleType, **params: Any) -> Page:
    """Return the page that ``module`` is, with parameters ``params`` (defaults from its ``Params``).

    ``selector`` is a parameter of every page that selects: the name of one, or None; its own stand beside it.

    Raises InputError when a formula is missing, asks for a letter that it cannot have, or a
    parameter is unknown.  A module with a ``program`` needs no formulas, and takes no selector.
    """
    name = module.__name__.rpartition(".")[2]
    kind = kind_of(module, name)
    data = one_of(DATA, module, name, "data", "vector")
    encoding = one_of(ENCODINGS, module, name, "encoding", "wrap")
    values, selector = asked(module, name, params, selects=takes(module, data))
    if hasattr(module, "program"):
        return composition(module, name, one_of(KINDS, module, name, "kind", "allreduce"), data, values, selector)
    messages = bind(name, "messages", getattr(module, "messages", lambda t, p: 1), values)
    several = many(messages)
    known = {f: values if several or "j" not in letters else {**values, "j": 0} for f, letters in LETTERS.items()}
    chunks = bind(name, "chunks", getattr(module, "chunks", lambda p: p), values)
    carries, below = picks(module, name, data, values, several=several)
    chunk, count = scattered(name, below, chunks) if carries else sent(
        module, name, data, known["chunk"], several=several
    )
    words = listed_words(module, count) if data == "lists" else picked_words(name, carries, chunks) if carries else (
        lambda r, t, c, p, n: chunk_words(c, chunks(p), n, count(r, t, p))
    )
    left_out = defaults(module, data, words) | {"messages": messages, "chunks": chunks}
    apart = ("chunk", "block", "carries", "below", *Kind._fields)
    asked_for = {f: letters for f, letters in known.items() if f not in apart}
    formulas = {f: bind(name, f, getattr(module, f, left_out.get(f)), letters) for f, letters in asked_for.items()}
    own = None if kind in KINDS else Kind(
        **{f: bind(name, f, getattr(module, f, Kind._field_defaults.get(f)), values) for f in Kind._fields}
    )
    doc = inspect.getdoc(module) or name
    return Page(
        name=name, kind=kind, data=data, encoding=encoding, doc=doc, module=module, params=values,
        chunk=chunk, count=count, carries=carries, below=below, selector=selector, own=own, **formulas,
    )


def defaults(module: ModuleType, data: str, words: Formula) -> dict[str, Callable[..., Any]]:
    """Return what stands for the formulas that a page leaves out."""
    return {
        "who": lambda q, r, c, t, p: 0, "active": lambda r, t, p: True, "live": lambda r, c, t, p: True,
        "words": words, "added": getattr(module, "words", words),
        "octets": values_alone if data == "vector" else pairs, "selects": lambda x: x, "keeps": lambda x: x,
        "sends": lambda x: x, "left": lambda cut: cut,
        "encoded": lambda: "values" if data == "vector" else "pairs",
    }


def lacks(name: str, why: str, formula: str) -> Callable[..., NoReturn]:
    """Return what stands for a formula that a page does not have: asked, it raises Undecided and says why."""

    def asked(*_: Any) -> NoReturn:
        raise Undecided(f"{name} {why} and has no formula {formula}")

    return asked


def composition(module: ModuleType, name: str, kind: str, data: str, params: Any, selector: Selector | None) -> Page:
    """Return the page of a composition, which has no formulas: what it sends depends on the data."""
    apart = ("block", "carries", "below", *Kind._fields)
    formulas: dict[str, Any] = {f: lacks(name, "is a composition", f) for f in (*LETTERS, "count") if f not in apart}
    listed = data != "dense"
    formulas |= {"chunks": lambda p: p, "octets": pairs if listed else lambda m, size, w: values_alone(m, w)}
    formulas |= {"encoded": lambda m, size, w: "pairs" if listed else "values"}
    formulas |= {f: bind(name, f, getattr(module, f), params) for f in ("octets", "encoded") if hasattr(module, f)}
    return Page(
        name=name, kind=kind, data=data, encoding="wrap", doc=inspect.getdoc(module) or name, module=module,
        params=params, selector=selector, program=module.program, **formulas,
    )


def sent(
    module: ModuleType, name: str, data: str, params: Mapping[str, Any], *, several: bool
) -> tuple[Formula, Formula]:
    """Return the first chunk of a message, and how many it has, as formulas."""
    if not hasattr(module, "block"):
        return bind(name, "chunk", getattr(module, "chunk", None), params), lambda r, t, p: 1
    if hasattr(module, "chunk"):
        raise InputError(f"page {name} has both chunk and block: a message has one chunk or a block of them")
    if data == "sparse" or several:
        why = "several messages a step" if several else f"data {data!r}"
        raise InputError(
            f"page {name} has {why} and a block: only of vectors, lists and selected entries, in the one message "
            "of a step, go several chunks"
        )
    block = bind(name, "block", module.block, params)
    return lambda r, t, p, j=0: block(r, t, p)[0], lambda r, t, p: block(r, t, p)[1]


def picks(
    module: ModuleType, name: str, data: str, params: Mapping[str, Any], *, several: bool
) -> tuple[Callable[..., Bool] | None, Formula | None]:
    """Return the formulas ``carries`` and ``below`` of a page whose chunks lie in no row; None where they do."""
    if not hasattr(module, "carries"):
        return None, None
    if other := next((f for f in ("chunk", "block") if hasattr(module, f)), ""):
        raise InputError(f"page {name} has both {other} and carries: each says which chunks a message has")
    if data != "vector" or several:
        why = "several messages a step" if several else f"data {data!r}"
        raise InputError(f"page {name} has {why} and carries: that is for vectors, in the one message of a step")
    carries = bind(name, "carries", module.carries, params)
    return carries, bind(name, "below", module.below, params) if hasattr(module, "below") else None


SCATTERED = "sends chunks that lie in no row"


def scattered(name: str, below: Formula | None, chunks: Formula) -> tuple[Formula, Formula]:
    """Return the first chunk of a message and how many it has, where they lie in no row.

    No formula gives the first; ``below`` counts them, if the page has it.
    """
    chunk, uncounted = (lacks(name, SCATTERED, formula) for formula in ("chunk", "below, which counts them"))
    return chunk, (lambda r, t, p: below(r, chunks(p), t, p)) if below else uncounted


def listed_words(module: ModuleType, count: Formula) -> Formula:
    """Return the words of a message of lists of ``k`` entries each, as a formula."""
    return (lambda r, t, p, k: count(r, t, p) * list_words(k)) if hasattr(module, "block") else list_words


def picked_words(name: str, carries: Callable[..., Bool], chunks: Callable[[Int], Int]) -> Formula:
    """Return the words of the chunks that a message carries, as a formula that takes numbers alone."""
    def words(r: Int, t: Int, c: Int, p: Int, n: Int) -> Int:  # whatever the first chunk
        of = chunks(p)
        if not (isinstance(r, int) and isinstance(t, int) and isinstance(p, int) and isinstance(of, int)):
            lacks(name, SCATTERED, "words")()  # of symbols
        return sum((chunk_words(x, of, n) for x, one in enumerate(each_chunk(carries, r, t, p, of)) if one is True), 0)

    return words


@lru_cache(maxsize=1024)
def each_chunk(carries: Callable[..., Bool], r: int, t: int, p: int, of: int) -> tuple[Bool, ...]:
    """Return whether a message carries each of ``of`` chunks; it is kept, since words are counted for many lengths."""
    return tuple(carries(r, c, t, p) for c in range(of))


def values_alone(m: Int, w: Int) -> Int:
    """Return the bytes of ``m`` values."""
    return m * w


def pairs(m: Int, size: Int, w: Int) -> Int:
    """Return the bytes of ``m`` entries of a vector of ``size``, an index and a value each.

    An index has 4 bytes where they suffice.
    """
    return m * (where(size <= 2**31, 4, 8) + w)


def bind(name: str, formula: str, function: Any, params: Mapping[str, Any]) -> Any:
    """Return ``function`` as a function of all letters of ``formula``, in their order."""
    letters = LETTERS[formula]
    if not callable(function):
        raise InputError(f"page {name} lacks the formula {formula}({', '.join(x for x in letters if x != 'j')})")
    wanted = tuple(inspect.signature(function).parameters)
    if strange := [w for w in wanted if w not in letters and w not in params]:
        may = ", ".join(dict.fromkeys([*letters, *params]))
        raise InputError(f"page {name}: {formula} asks for {strange[0]!r}; it may ask for {may}")
    if wanted == letters or ("j" in params and (*wanted, "j") == letters):  # of one message nobody asks by its number
        return function
    if (*wanted, "j") == letters:
        return lambda r, t, p, j: function(r, t, p)
    fixed = {w: params[w] for w in wanted if w in params and (w == "j" or w not in letters)}
    order = [*fixed, *letters]  # of two of one name the first: of a page's only message nobody asks by its number
    return taking(function, [order.index(w) for w in wanted], tuple(fixed.values()))
