"""Buffers that code makes for itself: while it runs on forms, its arrays of float64 are arrays of forms."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np

from sparring.symbolic_execution.arrays import ARRAY, DTYPE, Forms, as_plain_array, formed


def numbers(x: Any) -> Any:
    """Return ``x`` with ids in the place of single forms, in lists that become arrays."""
    if isinstance(x, (list, tuple)) and any(isinstance(v, (list, tuple, Forms)) for v in x):
        return [as_plain_array(v).tolist() if isinstance(v, Forms) else numbers(v) for v in x]
    return x


MAKERS = ("array", "ascontiguousarray", "asanyarray", "asarray", "empty", "frombuffer", "full", "ones", "zeros")
ASIDE = ("numpy.", "sparring.world.")
"""Modules whose own arrays stay as they are."""


@contextmanager
def everywhere() -> Iterator[None]:
    """Let numpy make arrays of forms where it makes arrays of float64.

    So buffers of the code's own keep the rules of forms.
    """

    def making(maker: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(maker)
        def made(*args: Any, **kwargs: Any) -> Any:
            if sys._getframe(1).f_globals.get("__name__", "").startswith(ASIDE):
                return maker(*args, **kwargs)
            given = [numbers(x) for x in args]
            with np.errstate(invalid="ignore"):
                found = maker(*given, **kwargs)
            if found.dtype != DTYPE and (isinstance(args[0], Forms) or given[0] is not args[0]):
                return formed(ARRAY(given[0], DTYPE)).astype(found.dtype)
            return formed(found)

        return made

    replaced: dict[str, Any] = {name: making(getattr(np, name)) for name in MAKERS}
    with mock.patch.multiple(np, **replaced):
        yield
