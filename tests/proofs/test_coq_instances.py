"""Coq agrees, page by page, where formulas are read as integers; and it refuses wrong pages."""

import re
import shutil
from dataclasses import replace

import pytest

from sparring import page, pages
from sparring.errors import Undecided
from sparring.proofs.coq import check
from sparring.proofs.coq.check import HERE, check_file, in_order
from sparring.proofs.core.coq import agreement, instance
from sparring.proofs.core.supplement import subject

COQC = shutil.which("coqc")
needs_coq = pytest.mark.skipif(COQC is None, reason="coqc is not installed (apt-get install coq)")

WRAP = [name for name in pages() if page(name).encoding == "wrap"]
RING = page("ring")
ALLGATHER = page("ring_allgather")

# What the tactics say of an obligation that does not hold.
NOT_PROVED = re.compile("Cannot find witness|No applicable tactic")

# A wrong page, and the theorem about it that Coq refuses.
MUTANTS = {
    "fewer steps than none": (replace(ALLGATHER, steps=lambda p: p - 2), "page_is_matched"),
    "one lap is missing": (replace(RING, steps=lambda p: p - 1), "page_is_inductive"),
    "adds once too often": (replace(RING, adds=lambda t, p: t < p), "page_is_inductive"),
    "listens to the other side": (replace(ALLGATHER, src=lambda r, t, p: (r + 1) % p), "page_is_matched"),
    "sends to rank p": (replace(ALLGATHER, dst=lambda r, t, p: r + 1), "page_is_matched"),
    "sends the chunk before": (replace(ALLGATHER, chunk=lambda r, t, p: (r - t - 1) % p), "page_is_inductive"),
    "holds a chunk too early": (
        replace(ALLGATHER, holds=lambda q, r, c, t, p: ALLGATHER.holds(q, r, c, t + 1, p)),
        "page_is_inductive",
    ),
}


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """What check.py says of an instance; equal instances are looked at once."""
    folder, known = tmp_path_factory.mktemp("coq"), {}
    for file in in_order(HERE / f"{name}.v" for name in ("sums", "machine", "schedule", "terms", "wrap")):
        assert check_file(str(COQC), folder, file).fault is None

    def judge(text: str):
        if text not in known:
            file = folder / "instance" / "page.v"
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
            known[text] = check_file(str(COQC), folder, file)
        return known[text]

    return judge


@needs_coq
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name == "ring_allgather" else pytest.mark.slow) for name in WRAP]
)
def test_a_page_meets_the_obligations(name, judged):
    """For every p, without an assumption."""
    row = judged(instance(page(name)))
    assert (row.fault, len(row.theorems)) == (None, 3)


@needs_coq
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name == "ring_allgather" else pytest.mark.slow) for name in WRAP]
)
def test_the_ranks_of_a_page_agree(name, judged, monkeypatch):
    """On identical terms, for every p, without an assumption; a ``same`` that claims more is refused."""
    monkeypatch.setattr(check, "TIMEOUT", 500)
    same = subject(page(name)).same
    assert same is not None
    assert judged(agreement(page(name), same)).fault is None
    early = agreement(page(name), lambda r, s, c, t, p: same(r, s, c, t + 1, p))
    assert NOT_PROVED.search(judged(early).fault or "it holds")


@needs_coq
@pytest.mark.timeout(600)
@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_wrong_page_is_refused(mutant, judged):
    """In the proof of the obligation that it breaks."""
    wrong, theorem = MUTANTS[mutant]
    text = instance(wrong)
    fault = judged(text).fault
    assert fault is not None and NOT_PROVED.search(fault), fault
    line = int(fault.partition("line ")[2].partition(",")[0])
    assert text.splitlines()[: line - 1][-1].startswith((f"Theorem {theorem}", "  forall"))


def test_formulas_of_bits_have_no_instance_yet():
    """It is said, not left out."""
    with pytest.raises(Undecided, match="recursive_doubling: only pages whose formulas are read as integers"):
        instance(page("recursive_doubling"))
