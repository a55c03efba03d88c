"""What commands say of a page that is a composition: all that they can, and why not the rest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sparring
from sparring import api
from tests.sparring.calling import called, envelope_of, refused


def test_its_program_is_shown():
    code, text, _ = called("show", "oktopk")
    assert code == 0
    assert "def program(" in text and "def followed(" in text and "Ok-Topk: allreduce" in text


def test_its_run_is_shown_on_an_example_in_a_page_for_browsers_and_nowhere_else(tmp_path):
    """The page takes parameters and a network; pictures without an example point to it."""
    page = tmp_path / "moshpit.html"
    code, text, _ = called("show", "moshpit", "-P", "dead=[[0,0,1]]", "--topology", "ring", "--html", page)
    assert code == 0 and f"written: {page}" in text and page.exists()
    document = envelope_of("show", "oktopk", "-P", "k=3")["explorer"]["document"]
    assert document["values"]["k"] == 3 and len(document["runs"][0]["stages"]) > 3
    assert "--html FILE shows a run on an example" in called("show", "oktopk")[1]
    for option in ("--topology", "--svg", "--plot"):
        code, _, error = called("show", "oktopk", option, "ring")
        assert code == 3 and "so it has no such picture; right: --html FILE, which shows them on an example" in error


def test_its_cost_is_a_bound():
    code, text, _ = called("cost", "oktopk", "-P", "trigger=1", "--at", "p=8,n=1000000,k=1000")
    assert code == 0
    assert "bound under H1-H4: no rank sends more" in text and "H3: at most k sums stay" in text
    assert "words     <= 4*(k - floor(k/p)) + 2*(p - 1)*ceiling(k/p)" in text
    assert "words 5250" in text and "counted: tested" in text and "derivation: proved for every p" in text


@pytest.mark.slow
def test_that_it_is_a_bound_is_told_wherever_it_stands_beside_others():
    code, text, _ = called("cost", "oktopk", "--versus", "ring", "--over", "rho", "--at", "p=8,n=1000000")
    assert code == 0 and "oktopk: bound under H1-H4" in text
    for form in ("markdown", "csv"):
        assert "oktopk (bound)" in called("cost", "oktopk", "--format", form)[1]
    assert "upper bounds under H1-H4" in called("cost", "oktopk", "--format", "latex")[1]
    told = json.loads(called("cost", "oktopk", "--format", "json")[1])
    assert told["costs"][0]["bound"][0].startswith("bound under H1-H4") and "bound" not in told["costs"][0]["forms"]


def test_advice_names_the_bound():
    code, text, _ = called(
        "advise", "--sample", "--ranks", "4", "--algorithm", "oktopk", "--algorithm", "ring", "--json"
    )
    assert code == 0 and "bound under H1-H4" in text


def test_how_links_are_shared_is_not_derived():
    code, text, _ = called("cost", "oktopk", "--topology", "ring")
    assert code == 3 and "oktopk: undecided: oktopk is a composition" in text


@pytest.mark.slow
def test_a_text_in_a_file_of_its_own_has_a_cost_and_one_without_lengths_is_not_covered(tmp_path):
    """A text that asks for a length cannot be read on lengths."""
    ours = (Path(sparring.__file__).parent / "spec" / "oktopk.py").read_text(encoding="utf-8")
    mine = tmp_path / "mine.py"
    mine.write_text(ours, encoding="utf-8")
    code, text, _ = called("cost", str(mine), "-P", "trigger=1")
    assert code == 0 and "bound under H1-H4" in text
    halved = ours.replace("    kept = sums.only(reaching(sums, least))\n", "    kept = sums[: len(sums)]\n")
    assert halved != ours
    mine.write_text(halved, encoding="utf-8")
    code, text, _ = called("cost", str(mine), "ring")
    assert code == 0 and "mine.py: not covered: the length of" in text


def test_its_run_is_counted():
    told = envelope_of("run", "oktopk", "--ranks", "3")
    run = told["run"]
    assert told["verdict"] == "holds"
    assert run["steps"] >= 5 and sum(run["words"]) > 0 and sum(run["bytes"]) == 4 * sum(run["words"])


def test_programs_are_listed_and_not_among_those_with_formulas():
    programs = {name for name in sparring.pages() if hasattr(sparring.page(name).module, "program")}
    assert {*sparring.pages()} - {*api.regular()} == programs >= {"oktopk", "flash"}


def test_a_schedule_file_cannot_hold_it():
    why = "page oktopk sends the entries that their values select, which no schedule file can say"
    assert why in refused("export", "oktopk", "--format", "msccl", "--ranks", "3")
