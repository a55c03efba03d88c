"""Error feedback's page: its selectors are those of their pages, call after call, and what it does not take."""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any, get_args, get_type_hints

import pytest

import sparring
from sparring.errors import InputError, UnknownPage
from sparring.impl.error_feedback import LOSSLESS
from sparring.spec.core.loading import load
from sparring.spec.core.runner import run
from sparring.spec.core.selectors import Series, find

XS = [[3, -5, 0, 5, -3, 7, 1], [1, 6, 7, 0, 8, 2, -4], [4, 4, 4, -9, 1, 0, 2]]
WAYS: dict[str, dict[str, Any]] = {
    "topk": {},
    "threshold": {"period": 2},
    "sampled": {"stride": 2, "seed": 1},
    "gaussian": {"steps": 3},
}


@pytest.mark.parametrize("selector", WAYS)
def test_a_rank_alone_has_what_its_selector_takes(selector):
    """Of the vector and what is left, each call on with what the selector remembers."""
    page = sparring.page("error_feedback", k=2, selector=selector, **WAYS[selector])
    series, left, state = Series(find(selector, k=2, **WAYS[selector])), [0] * 7, None
    for x in (*XS, *XS):
        ran = run(page, [x], state)
        waits = [a + b for a, b in zip(x, left)]
        taken = series(waits).indices
        left, state = [0 if i in taken else v for i, v in enumerate(waits)], ran.state
        assert ran.results == [[v if i in taken else 0 for i, v in enumerate(waits)]]
        assert [*ran.state.residual[0]] == left


def test_all_lossless_allreduces_are_there():
    """Those of the implementation, in the same order."""
    module: Any = sparring.page("error_feedback").module
    assert get_args(get_type_hints(module.Params)["allreduce"]) == LOSSLESS


WRONG = [
    ({"selector": "largest"}, UnknownPage, "no selector 'largest'"),
    ({"selector": 3}, InputError, "selector = 3: it must be a word"),
    ({"period": 2}, InputError, "page topk has no parameter 'period'; it has k"),
]


@pytest.mark.parametrize(("params", "kind", "told"), WRONG, ids=str)
def test_what_it_does_not_take(params, kind, told):
    with pytest.raises(kind, match=told):
        sparring.page("error_feedback", **params)


def test_a_text_without_one_takes_no_selector():
    module: Any = ModuleType("mine")
    module.program, module.data = (lambda x: x), "dense"
    with pytest.raises(InputError, match=re.escape("page mine takes no selector")):
        load(module, selector="topk")
