"""Tables for papers: what they say, and that the real TeX compiles them as they stand."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import sympy

import sparring
from sparring import api
from sparring.costs.formulas.symbols import n, p
from sparring.present.costs import citations, papers, summary
from sparring.present.costs.typeset import formula

TEX = pytest.mark.skipif(
    shutil.which("pdflatex") is None, reason="there is no pdflatex: apt-get install texlive-latex-recommended"
)
ROUNDS = ("pdflatex", "bibtex", "pdflatex", "pdflatex")
FAULTS = re.compile(r"^.*(?:undefined|Overfull|too large|multiply defined|Rerun|^!).*$", re.MULTILINE)
"""What TeX says of a reference without its aim, and of a box that is too wide, however little."""


@pytest.fixture(scope="module")
def told():
    """The sheets of all pages, unchecked."""
    return [papers.Told(sparring.page(name), summary.sheet(sparring.cost(name))) for name in api.regular()]


def faults(folder: Path, text: str) -> list[str]:
    """Compile ``text`` with TeX and BibTeX; what they complain of."""
    (folder / "paper.tex").write_text(text, encoding="utf-8")
    for tool in ROUNDS:
        options = ["-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape"] if tool == "pdflatex" else []
        done = subprocess.run([tool, *options, "paper"], cwd=folder, capture_output=True, timeout=60, check=False)
        if done.returncode:
            return [done.stdout.decode(errors="replace")[-2000:]]
    assert (folder / "paper.pdf").stat().st_size > 10_000
    log = (folder / "paper.log").read_text(encoding="utf-8", errors="replace")
    return FAULTS.findall(log) + re.findall("Warning.*", (folder / "paper.blg").read_text(encoding="utf-8"))


@TEX
def test_the_document_of_all_pages_compiles_as_it_stands(told, tmp_path):
    assert faults(tmp_path, papers.document(told)) == []
    assert "patarasuk" in (tmp_path / "paper.bbl").read_text(encoding="utf-8").lower()


@TEX
@pytest.mark.parametrize(
    ("written", "paper_class"),
    [(papers.table, "[11pt,a4paper]{report}"), (papers.wide, "[a4paper,twocolumn]{article}")],
)
def test_a_table_is_put_into_a_paper(told, tmp_path, written, paper_class):
    """Of another class, with its own packages first; values at a point stand in a column of their own."""
    values = [one._replace(here={"messages": "14", "bytes": "identical 910112; independent 3364562.6"}) for one in told]
    (tmp_path / "costs.tex").write_text(written(values, "p = 8, n = 1000000"), encoding="utf-8")
    (tmp_path / "costs.bib").write_text(citations.bibtex(papers.citations(told)), encoding="utf-8")
    needs = next(line for line in written(told).splitlines() if line.startswith(r"% \usepackage"))[2:]
    paper = [
        rf"\documentclass{paper_class}", r"\usepackage{graphicx}", needs, r"\begin{document}",
        r"Table~\ref{tab:costs} and Table~\ref{tab:costs-exact}.", r"\input{costs}", r"\bibliographystyle{plain}",
        r"\bibliography{costs}", r"\end{document}",
    ]  # fmt: skip
    assert faults(tmp_path, "\n".join(paper)) == []


@TEX
@pytest.mark.parametrize(
    ("part", "planted", "said"),
    [
        (r"\cite{PY09}", r"\cite{nobody}", "undefined"),
        (r"\label{tab:costs}", r"\label{tab:other}", "undefined"),
        ("2 n {(p - 1)} / p", r"\hbox to 2\linewidth{}", "Overfull"),
        (r"\lceil", r"\lceiling", "Undefined control sequence"),
    ],
)
def test_what_tex_complains_of_is_seen(told, tmp_path, part, planted, said):
    """A planted fault in the ring's table is told."""
    text = papers.document([one for one in told if one.page.name == "ring"])
    assert part in text
    assert any(said in fault for fault in faults(tmp_path, text.replace(part, planted)))


def test_each_formula_has_its_conditions():
    """The fewest that it needs, and none where it needs none."""
    lines = {line.quantity: line for line in summary.sheet(sparring.cost("ring")).lines}
    assert lines["messages"].conditions == () and lines["words"].conditions == ("p | n",)
    assert lines["words"].exact == r"2 n - \lfloor 2 n / p \rfloor" and lines["words"].simple == "2 n {(p - 1)} / p"
    lines = {line.quantity: line for line in summary.sheet(sparring.cost("rabenseifner")).lines}
    assert lines["messages"].conditions == ("p = 2^m",) and lines["messages"].given == ()
    assert lines["words"].conditions == ("p | n", "p = 2^m") and lines["words"].given == ("2^floor(log2 p) | n",)


def test_a_table_says_what_its_letters_are(told, snapshot):
    one = [one for one in told if one.page.name == "ring_sparse"]
    assert papers.table(one) == snapshot


def test_a_wide_table_says_the_same_across_two_columns(told):
    """But for its environment, which LaTeX has at the top of a page alone."""
    narrow, wide = (written(told).splitlines() for written in (papers.table, papers.wide))
    changed = {pair for pair in zip(narrow, wide, strict=True) if pair[0] != pair[1]}
    assert changed == {(r"\begin{table}[tbp]", r"\begin{table*}[tp]"), (r"\end{table}", r"\end{table*}")}


def test_what_was_found_is_told_as_comments(told):
    judged = summary.checked_sheet(sparring.cost("recursive_doubling"))
    text = papers.table([papers.Told(sparring.page("recursive_doubling"), judged)])
    assert "% recursive_doubling: counted: tested (" in text and "% recursive_doubling: derivation: proved for" in text
    assert "% ring: undecided: why" in papers.table(
        [papers.Told(sparring.page("ring"), summary.Sheet("ring", undecided="why"))]
    )


@pytest.mark.parametrize("name", sparring.pages())
def test_whatever_a_page_cites_has_an_entry(name):
    """All of the docstring's footnotes, and nothing else."""
    page = sparring.page(name)
    keys = re.findall(r"\[(\w+)\]_", page.doc)
    assert {one.key for one in citations.cited(page)} == {*keys} and keys
    entries = citations.bibtex(citations.cited(page))
    assert [*re.findall(r"^@misc\{(\w+),", entries, re.MULTILINE)] == sorted({*keys})


def test_every_source_of_a_bound_is_known():
    bounds = [bound for name in api.regular() for bound in sparring.cost(name).bounds.values()]
    assert {bound.source for bound in bounds if bound.source} <= citations.SOURCES.keys() and bounds
    assert all(bound.scope for bound in bounds if not bound.source)


@pytest.mark.parametrize(
    ("x", "latex"),
    [
        (1 - n / p, "1 - n / p"),
        (sympy.Integer(2) ** 16 * n, "2^{16} n"),
        (n / (p * (p - 1)), "n / (p {(p - 1)})"),
        (sympy.Piecewise((4, n <= 7), (8, True)), r"{(4 \text{ if } n \leq 7, \text{ else } 8)}"),
        (sympy.floor(n / 8 + sympy.Rational(7, 8)), r"\lfloor {(n + 7)} / 8 \rfloor"),
        ((n + 1) ** 2 * sympy.Min(n, p), r"{(n + 1)}^{2} \min\{n, p\}"),
    ],
)
def test_formulas_lie_flat(x, latex):
    assert formula(x) == latex
