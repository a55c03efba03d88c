"""What papers call the letters of a page: every letter of ours is one of the page, and the documentation shows them."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import sparring
from sparring.costs.published.notation import Letter
from sparring.literature.notation import notations
from sparring.literature.papers import sources
from sparring.literature.statements import TAGS

EXTENSIONS = Path(__file__).parents[3] / "docs/_ext"
PAGES = {name: sparring.page(name) for name in sparring.pages()}
TOLD = {name: found for name, page in PAGES.items() if (found := notations(page))}
PLANTED = {
    "another name": ("ring", Letter("N", "pp", "M"), ["pp"]),
    "a letter of sparse vectors": ("ring", Letter("k", "k", "M"), ["k"]),
    "a parameter of another page": ("qsgd", Letter("s", "bits / levels", "M"), ["bits"]),
}


@pytest.fixture(scope="module")
def shown() -> Any:
    """The extension of the documentation that writes the tables."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(EXTENSIONS))
        yield importlib.import_module("notation")


def test_notation_is_of_pages_that_exist():
    """Most pages have some, and a paper's module names no page that is not there."""
    assert len(TOLD) > 15
    assert {name for each in sources() for name in each.notation} <= set(PAGES)


@pytest.mark.parametrize("name", TOLD)
def test_every_letter_of_ours_is_one_of_the_page(shown: ModuleType, name: str):
    """Formulas, parameters or costs have it; the paper's letter is told once, with its meaning and how it is known."""
    for letters in TOLD[name].values():
        assert len({letter.theirs for letter in letters}) == len(letters)
        for letter in letters:
            assert shown.strangers(PAGES[name], letter) == []
            assert letter.tag and {*letter.tag} <= {*TAGS}
            assert letter.means or letter.ours in shown.MEANINGS


@pytest.mark.parametrize("fault", PLANTED)
def test_a_wrong_letter_stops_the_build(shown: ModuleType, monkeypatch: pytest.MonkeyPatch, fault: str):
    """The error names what the page lacks."""
    name, letter, missing = PLANTED[fault]
    assert shown.strangers(PAGES[name], letter) == missing
    monkeypatch.setattr(shown, "notations", lambda page: {"Planted": [letter]})
    with pytest.raises(ValueError, match=f"page {name}: Planted .*'{missing[0]}'"):
        shown.notation(PAGES[name])


def test_a_page_in_a_file_of_its_own_tells_its_notation(tmp_path: Path):
    """It holds ``notation`` beside ``claims``."""
    told = "from sparring.costs.published.notation import Letter\n\nnotation = {'Planted': [Letter('N', 'p', 'M')]}\n"
    source = Path(str(PAGES["ring"].module.__file__)).read_text(encoding="utf-8")
    (tmp_path / "mine.py").write_text(f"{source}\n{told}", encoding="utf-8")
    assert notations(sparring.page(str(tmp_path / "mine.py"))) == {"Planted": [Letter("N", "p", "M")]}
    assert notations(PAGES["two_shot"]) == {}


def test_the_table_of_the_ring(shown: ModuleType):
    """Both of its letters are as remembered, and mean nothing else here."""
    said, cited, table = shown.notation(PAGES["ring"]).split("\n\n", 2)
    assert said == shown.SAID and cited == "In Patarasuk and Yuan 2009:"
    assert "   * - ``N``\n     - ``p``\n     - the number of ranks\n     - as remembered\n" in table
    assert "   * - ``X``\n     - ``n``\n     - how many entries a vector has\n     - as remembered" in table


def test_the_table_of_topka2a_tells_what_n_means_here(shown: ModuleType):
    """Its n is our p; what is second hand says so, and an expression is shown as it is."""
    text = shown.notation(PAGES["topka2a"])
    meaning = "how many GPUs there are; *here* ``n`` is how many entries a vector has"
    assert f"``n``\n     - ``p``\n     - {meaning}\n     - second hand\n" in text
    assert "``rho``\n     - ``k / n``\n     - the density\n     - second hand\n" in text
    assert "*here* ``k``" not in text


@pytest.mark.parametrize(
    ("name", "letter", "told"),
    [
        ("power_sgd", "r", "a rank, ``0 … p - 1``"),
        ("dgc", "v", "another letter of the formulas above"),
        ("clt_k", "beta", "a parameter"),
        ("gtopk", "m", "how many entries a message has"),
        ("ef21", "alpha", "seconds a message"),
    ],
)
def test_another_meaning_here_is_told(shown: ModuleType, name: str, letter: str, told: str):
    """A letter of ours, of the formulas, of the parameters, of sparse messages, of the costs."""
    assert f"*here* ``{letter}`` is {told}" in shown.notation(PAGES[name])


def test_a_page_without_notation_has_no_table(shown: ModuleType):
    """The section stays empty."""
    assert shown.notation(PAGES["two_shot"]) == ""


@pytest.mark.parametrize("name", TOLD)
def test_the_tables_are_well_formed(shown: ModuleType, name: str):
    """Docutils reads them without a warning, and finds a table of four columns for each paper."""
    core = pytest.importorskip("docutils.core", reason="the extra 'docs' is not installed: pip install '.[docs]'")
    nodes = importlib.import_module("docutils.nodes")
    tree = core.publish_doctree(shown.notation(PAGES[name]), settings_overrides={"report_level": 1, "halt_level": 2})
    assert [group["cols"] for group in tree.findall(nodes.tgroup)] == [len(shown.HEAD)] * len(TOLD[name])
