"""To send cuts a rank's own copy: copies that are sent again later stay equal only if no more is cut then."""

from __future__ import annotations

import pytest

import sparring
from sparring.proofs.logic.verdicts import PROVED, REFUTED
from sparring.proofs.proving import proving

TEXT = '''"""The ring, which sends ``MANY`` entries of a chunk."""

from typing import NamedTuple

from sparring.proofs.ring_topk import same, spent
from sparring.spec.core.numbers import where
from sparring.spec.ring import adds, chunk, dst, holds, src, steps

data = "selected"


class Params(NamedTuple):
    k: int = 100


def sends(x, c, t, p, n, k):
    return x.largest(MANY)
'''


@pytest.mark.parametrize(
    ("many", "verdict"),
    [("k", PROVED), ("where(t == 2 * p - 3, 0, k)", REFUTED), ("where(t < p, k, k - 1)", REFUTED)],
)
def test_what_was_sent_is_sent_whole(tmp_path, many, verdict):
    """Else the last ranks end with fewer entries than the others, and some are lost."""
    (tmp_path / "mine.py").write_text(TEXT.replace("MANY", many))
    found = {one.name: one.verdict for one in proving.prove(sparring.page(str(tmp_path / "mine.py")))}
    assert {found[name] for name in ("agreement", "conservation")} == {verdict}
