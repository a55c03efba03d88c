"""A message's bytes with letters for an index and a header: the page's own where these have its numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

import sparring
from sparring import api, page
from sparring.proofs.cost import encodings
from sparring.proofs.cost.symbols import exact, symbol

LISTED = [name for name in api.regular() if page(name).listed]
LENGTHS = (0, 1, 9, 2**16, 2**16 + 1, 2**31, 2**31 + 1, 2**32, 2**32 + 1)


def at(formula, size, m, **values):
    """The value, conditions on the size and the entries being settled first."""
    return exact(formula.subs({symbol("size"): size, symbol("m"): m}), values)


@pytest.mark.parametrize("name", LISTED)
def test_with_its_numbers_it_is_the_page_s(name):
    """Whatever the chunk's length, for few entries, many, and all."""
    one = page(name)
    formula, before = encodings.lettered(one), one.octets(0, 0, 1)
    for size in LENGTHS:
        for m in {0, 1, size // 64, size // 9, size - 1, size} - {-1}:
            for width in (4, 8):
                wanted = one.octets(m, size, width)
                found = [at(formula, m=m, size=size, width=width, index=index, header=before) for index in (4, 8)]
                assert wanted in found
                assert size > 2**31 or found[0] == wanted


@pytest.mark.parametrize("name", sorted({*api.regular()} - {*LISTED}))
def test_whole_vectors_have_no_index(name):
    assert sparring.cost(name).encoded is None


def test_what_is_told_of_the_letters():
    """What a page's index and header take."""
    assert encodings.worth(page("ring_sparse")) == "index: 4 bytes, 8 in long chunks; header: 8 bytes"
    assert encodings.worth(page("ring_topk")) == "index: 4 bytes"
    assert encodings.worth(page("topka2a")) == "index: 4 bytes, none where all of a chunk is sent"
    assert str(sparring.cost("ring_allgather").encoded) == "m*(index + width)"


def test_another_header_is_seen():
    """A page whose header is planted to be longer says so."""
    own = page("ring_sparse")
    longer = replace(own, octets=lambda m, size, w: own.octets(m, size, w) + 4)
    assert encodings.worth(longer).endswith("header: 12 bytes")
    assert encodings.lettered(longer) == encodings.lettered(own)
