"""Makes the vectors of ``run``: random ones, a user's file or the shipped gradients, whole or their largest entries."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from sparring import inputs
from sparring.errors import InputError
from sparring.impl.core import selecting
from sparring.sparse import Sparse
from sparring.spec.core import pages, selectors
from sparring.spec.core.model import Page

SIZE = 10_000  # entries, where neither a size nor a file is given
DENSITY = "1%"  # of them taken for an algorithm that takes sparse vectors
NUMBER = re.compile(r"(-?[0-9]{1,20}\.?[0-9]{0,20}|-?\.[0-9]{1,20})(e-[0-9]{1,2})?( ?%)?")

Taking: TypeAlias = tuple[str, Mapping[str, Any]]
"""The name of a selector, and its parameters besides ``k``."""
EXACT: Taking = ("topk", {})


class Options(NamedTuple):
    """The options of ``run``; see ``sparring run --help``."""

    size: int | None = None
    file: str | Path | None = None
    """A file; a text may also be ``digits`` or ``transformer``, with ``:KEY`` or without."""
    key: str | None = None
    density: str | float | Fraction | None = None
    keep: int | None = None
    allow_nan: bool = True
    selector: Taking = EXACT
    """The selector that takes the entries, where vectors are sparse."""


def find_page(algo: str, selector: str | None, params: Mapping[str, Any]) -> tuple[Page, Taking]:
    """Return the page, and the selector of its vectors; a page that selects by itself gets the selector ``selector``.

    Raises InputError for a selector where the page sends whole vectors, UnknownPage for no such page or selector.
    """
    bare = pages.find(algo)
    if bare.sparse and selector is not None:
        own = {name: value for name, value in params.items() if name in bare.params}
        return pages.find(algo, **own), (selector, {name: value for name, value in params.items() if name not in own})
    given = params if selector is None else {**params, "selector": selector}
    if "selector" in bare.params and "selector" in given:
        refuse_page_alone(algo, str(given["selector"]))
    return pages.find(algo, **given), EXACT


def refuse_page_alone(algo: str, selector: str) -> None:
    """Raise InputError for a selector of the user's own: a run compares implementations, and it has none."""
    known = ", ".join(selectors.names())
    if selector not in selectors.names():
        selectors.find(selector)  # raises where there is none
        raise InputError(
            f"selector {selector} has no implementation that can run; right: one of {known}, "
            f"or sparring prove {algo} -P selector={selector}"
        )


def vectors(page: Page, ranks: int, options: Options) -> list[Any]:
    """Return one vector a rank, as the page takes them: whole, or the largest entries of each.

    Raises InputError where the options contradict each other, the page, or the file.
    """
    part = wanted(page, options)
    xs = load_vectors(ranks, options, inputs.load if page.sparse else inputs.load_vectors)
    if not options.allow_nan:
        refuse_nan(xs)
    if not page.sparse:
        return xs
    if not isinstance(xs[0], Sparse):
        name, params = options.selector
        counts = [math.floor(part * x.size) if options.keep is None else options.keep for x in xs]
        return [selecting.made(name, k, params)(x) for x, k in zip(xs, counts)]
    if options.density is not None or options.keep is not None:
        raise InputError(f"{options.file}: its vectors are sparse already; right: without --density and --keep")
    return xs


def wanted(page: Page, options: Options) -> Fraction:
    """Return the part of the entries that is to be taken, where no number of them is given.

    Raises InputError where density and number contradict each other or the page.
    """
    density, keep = options.density, options.keep
    if not page.sparse and (density, keep) != (None, None):
        name = "--keep" if density is None else "--density"
        raise InputError(f"{page.name} takes whole vectors: {name} is for algorithms that take sparse ones")
    if density is not None and keep is not None:
        raise InputError("--density and --keep exclude each other: both say how many entries to take")
    if keep is not None and keep < 0:
        raise InputError(f"--keep {keep}: it must be 0 or more")
    return fraction(DENSITY if density is None else density)


def load_vectors(ranks: int, options: Options, load: Callable[..., Any]) -> list[Any]:
    """Return one vector a rank: from the named file, or normal float32 of the size asked for, seeded by rank."""
    size, file, key = options.size, options.file, options.key
    if file is None:
        if key is not None:
            raise InputError(f"--key {key}: no file to look into; right: together with --input")
        return [normal(r, SIZE if size is None else size) for r in range(ranks)]
    if size is not None:
        raise InputError("--size and --input exclude each other: a file's vectors have their own size")
    name, colon, moment = str(file).partition(":")
    if isinstance(file, Path) or name not in inputs.SHIPPED:
        return list(load(file, ranks, key))
    if colon and key is not None:
        raise InputError(f"--input {file} and --key {key} exclude each other: name one moment of training")
    return inputs.shipped(name, ranks, moment if colon else key)


def normal(r: int, size: int) -> Any:
    """Return rank ``r``'s random vector, normal float32; raises InputError where it does not fit into memory."""
    try:
        return np.random.default_rng(r).standard_normal(size, dtype=np.float32)
    except (MemoryError, ValueError) as error:
        raise InputError(f"--size {size}: so many entries do not fit into memory") from error


def fraction(density: str | float | Fraction) -> Fraction:
    """Return the density that is meant, exactly.

    Raises InputError for what is no number from 0 to 1, or 0% to 100%.

    >>> fraction("0.1%"), fraction(0.01), fraction("1")
    (Fraction(1, 1000), Fraction(1, 100), Fraction(1, 1))
    """
    text = str(density).strip()
    if isinstance(density, Fraction):
        part = density
    elif found := NUMBER.fullmatch(text):
        part = Fraction(found[1] + (found[2] or "")) / (100 if found[3] else 1)
    else:
        raise InputError(f"--density {text[:60]}: no number; write a part such as 0.01 or 1%")
    if not 0 <= part <= 1:
        raise InputError(f"--density {text}: it must be from 0 to 1, or 0% to 100%")
    return part


def refuse_nan(xs: Sequence[Any]) -> None:
    """Raise InputError where a vector has a NaN."""
    for r, x in enumerate(xs):
        at, values = (x.indices, x.values) if isinstance(x, Sparse) else (range(x.size), x)
        if values.dtype.kind == "f" and (bad := np.isnan(values)).any():
            raise InputError(f"rank {r}: entry {at[int(bad.argmax())]} is NaN, which --no-nan refuses")


def described(file: str | Path | None) -> str:
    """Return, in words, where the vectors come from."""
    return "normal, seeded by rank" if file is None else str(file)
