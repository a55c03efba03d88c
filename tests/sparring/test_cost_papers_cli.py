"""``sparring cost --format latex`` as a user types it, and what is kept of it from one call to the next."""

from __future__ import annotations

from pathlib import Path

import pytest

import sparring
from sparring import cost_summaries
from sparring.costs import union_cost
from tests.sparring.calling import command
from tests.sweeps import third

PAGES = Path(sparring.__file__).parent / "spec"
SOURCE = (
    (PAGES / "ring_sparse.py")
    .read_text(encoding="utf-8")
    .replace('data = "sparse"', 'from sparring.proofs.ring_sparse import contributions\n\ndata = "sparse"')
)
call = command("cost")


@pytest.fixture(autouse=True)
def made(monkeypatch, tmp_path):
    """The pages whose sheets are made and not kept; what is kept lies in a folder of the test's own.

    Costs are counted on few ranks, since what is told of them is what is looked at.
    """
    monkeypatch.setattr(union_cost, "RANKS", range(1, 9))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    found, make = [], cost_summaries.make

    def noted(support, page, track):
        found.append(page.name)
        return make(support, page, track)

    monkeypatch.setattr(cost_summaries, "make", noted)
    return found


@pytest.fixture
def mine(tmp_path):
    """A page of one's own, quickly derived."""
    file = tmp_path / "mine.py"
    file.write_text(SOURCE, encoding="utf-8")
    return file


def files(tmp_path):
    return [*(tmp_path / "caches/sparring").iterdir()]


def test_the_second_time_nothing_is_derived(made, tmp_path):
    """The same text and exit code, from a file that only its user can read."""
    first = call("ring_sparse", "--format", "latex")
    assert first[0] == 0 and r"\emph{ring sparse}~\cite{PY09,RA19}" in first[1]
    assert call("ring_sparse", "--format", "latex") == first and made == ["ring_sparse"]
    (file,) = files(tmp_path)
    assert file.stat().st_mode & 0o77 == 0 and file.parent.stat().st_mode & 0o77 == 0
    code, entries, _ = call("ring_sparse", "--format", "bibtex")
    assert code == 0 and entries in first[1] and made == ["ring_sparse"]
    table = call("ring_sparse", "--format", "latex-table")[1]
    assert table in first[1] and r"\documentclass" not in table


@pytest.mark.parametrize("damaged", third([b"", b'{"key": 1, "value": 2}']))
def test_a_damaged_file_is_as_none(made, tmp_path, damaged):
    first = call("ring_sparse", "--format", "latex")
    (file,) = files(tmp_path)
    sound = file.read_bytes()
    file.write_bytes(damaged)
    assert call("ring_sparse", "--format", "latex") == first and len(made) == 2
    assert file.read_bytes() == sound


def test_a_changed_page_is_derived_anew(made, mine, tmp_path):
    """And takes the place of what it was."""
    assert r"2 p - 2" in call(mine, "--format", "latex")[1]
    text = call(mine, "--format", "latex")[1]
    assert made == ["mine"]
    mine.write_text(SOURCE.replace("m * w + (size + 7) // 8", "m * w + (size + 15) // 16"), encoding="utf-8")
    changed = call(mine, "--format", "latex")[1]
    assert made == ["mine", "mine"] and text != changed and len(files(tmp_path)) == 1


@pytest.mark.parametrize("place", third(["not/absolute", "file"]))
def test_where_nothing_can_be_kept_it_works_all_the_same(made, monkeypatch, tmp_path, place):
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    monkeypatch.setenv("HOME", str(tmp_path / "file"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / place) if place == "file" else place)
    assert [call("ring_sparse", "--format", "latex")[0] for _ in range(2)] == [0, 0]
    assert made == ["ring_sparse"] * 2


def test_values_at_a_point(made):
    text = call("ring_sparse", "--format", "latex", "--at", "p=8,n=1000000,k=100000")[1]
    assert r"\caption{What each rank sends and adds, at most; values at p = 8, n = 1000000, k = 100000.}" in text
    assert f"identical {14 * (8 + 12_500 * 4 + 125_000 // 8)}; " in text
    assert call("ring_sparse", "--format", "latex")[1] != text and made == ["ring_sparse"]


def test_what_is_not_derived_is_told_and_undecided(made, tmp_path):
    """Exit code 3, the second time too."""
    file = tmp_path / "mine.py"
    ring = (PAGES / "ring.py").read_text(encoding="utf-8")
    file.write_text(ring.replace("return (r - t) % p", "return (r - 2 * t) % p"), encoding="utf-8")
    for _ in range(2):
        code, text, _ = call(file, "--format", "latex")
        assert code == 3 and "% mine: undecided: chunks do not follow each other" in text
    assert made == ["mine"]


@pytest.mark.slow
def test_two_at_a_time(monkeypatch, tmp_path, made):
    """In processes of their own, in the order that was asked for."""
    monkeypatch.undo()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    found = cost_summaries.sheets(["ring_sparse", "recursive_doubling"])
    assert [one.name for one in found] == ["ring_sparse", "recursive_doubling"]
    assert len(files(tmp_path)) == 2 and cost_summaries.sheets(["recursive_doubling", "ring_sparse"]) == found[::-1]
