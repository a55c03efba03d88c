"""Figures for papers show the run, have their texts as text, and compile."""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import combinations
from pathlib import Path
from typing import Any

import pypdf
import pytest

from sparring.api import page
from sparring.errors import InputError
from sparring.present.figures import divergence as divergences
from sparring.present.figures import printed
from sparring.present.figures import spacetime as sheets
from sparring.present.figures.files import Drawing, save
from sparring.present.figures.parts import COLUMN, PIXELS, Bars, Part, Sheet, Stroke, Words
from sparring.present.figures.spacetime import covered, sheet
from sparring.present.figures.tikz import tikz
from sparring.present.spacetime.history import hops, moments
from tests.sparring.calling import called, refused

TIKZ = pytest.mark.skipif(
    not shutil.which("kpsewhich")
    or subprocess.run(["kpsewhich", "tikz.sty"], stdout=subprocess.DEVNULL, check=False).returncode != 0,
    reason="there is no TikZ: apt-get install texlive-latex-recommended texlive-pictures",
)
PAPER = r"""\documentclass{article}
\usepackage[paperwidth=8in, paperheight=10in, margin=.3in]{geometry}
\usepackage{tikz}
\pagestyle{empty}
\newsavebox{\figbox}
\begin{document}
\noindent %s
\end{document}
"""
MEASURED = r"\sbox{\figbox}{\input{%s}}\typeout{wide \the\wd\figbox}\usebox{\figbox}\par"


def drawn(name: str = "ring", p: int = 4, width: float = COLUMN) -> Sheet:
    return sheet(page(name), p, width)


def corners(part: Part) -> list[tuple[float, float]]:
    """The points that must lie on the sheet."""
    if isinstance(part, Bars):
        return [(x + a * width, y + a * height) for x, y, width, height in part.boxes for a in (0, 1)]
    return [*part.points] if isinstance(part, Stroke) else [(part.x, part.y)]


def tags(found: Sheet) -> list[Words]:
    return [part for part in found.parts if isinstance(part, Words) and part.style == "tag"]


@pytest.mark.parametrize(("name", "p", "width"), [("ring", 2, 3.33), ("ring", 8, 3.33), ("rabenseifner", 16, 7.0)])
def test_every_message_is_drawn_once(name: str, p: int, width: float) -> None:
    """With its label, and an arrow as what it does is drawn; nothing stands beyond the sheet."""
    found, messages = drawn(name, p, width), [hop for step in hops(page(name), p) for hop in step]

    assert sorted(tag.text for tag in tags(found)) == sorted(hop.label for hop in messages)
    heads = [part for part in found.parts if isinstance(part, Stroke) and part.head]
    legend = len({hop.look for hop in messages})
    assert [head.style for head in heads[: len(heads) - legend]] == [hop.look.value for hop in messages]
    for part in found.parts:
        for x, y in corners(part):
            assert 0 <= x <= found.width
            assert 0 <= y <= found.height


def test_bars_are_as_high_as_the_part_of_the_sum_that_copies_hold() -> None:
    """Of the ring: a quarter at the start, and the whole at the end."""
    parts = [part for part in drawn().parts if isinstance(part, Bars)]
    heights = [box[3] * PIXELS for part in parts[:-1] for box in part.boxes]
    held = [4 * [4 * [[1]]], *(moment.cells for moment in moments(page("ring"), 4))]

    assert heights == pytest.approx([5 * len(state[r][c]) for state in held for c in range(4) for r in range(4)])


@pytest.mark.parametrize(("name", "p", "width"), [("recursive_doubling", 8, 3.33), ("rabenseifner", 16, 7.0)])
def test_no_label_lies_on_another(name: str, p: int, width: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where two arrows cross, their labels stand apart; at one place on each arrow they would not."""

    def clashes() -> int:
        own = [tag._replace(x=tag.x * PIXELS, y=tag.y * PIXELS) for tag in tags(drawn(name, p, width))]
        return sum(covered(a, b) > 0 for a, b in combinations(own, 2))

    assert clashes() == 0
    monkeypatch.setattr(sheets, "ALONG", (0.5,))
    assert clashes() > 0


def test_colour_says_nothing_alone() -> None:
    """What overwrites is dashed, and every label names its chunk: in grey nothing is lost."""
    source = tikz(drawn())
    looks = dict(re.findall(r"^  (adds|overwrites)/\.style=\{(.*)\},$", source, re.MULTILINE))

    assert "dash" in looks["overwrites"]
    assert "dash" not in looks["adds"]
    assert {text[1:] for text in re.findall(r"\\node\[tag.*\{([+=].*)\};", source)} == {"0", "1", "2", "3"}


def test_a_ring_shows_each_step_and_who_is_done() -> None:
    """Every message is an arrow in its step's picture; ranks are filled once they have all chunks of the sum."""
    found = Drawing("ring").sheet(page("ring"), 4)
    ranks = [part.style for part in found.parts if isinstance(part, Words) and part.text.isdecimal()]

    assert [part.text for part in found.parts if isinstance(part, Words) and part.style == "rank"] == [
        f"step {t}" for t in range(6)
    ]
    assert ranks == 20 * ["node"] + 4 * ["full"]
    heads = [part.style for part in found.parts if isinstance(part, Stroke) and part.head]
    assert heads == 12 * ["adds"] + 12 * ["overwrites"] + ["adds", "overwrites"]
    for part in found.parts:
        for x, y in corners(part):
            assert 0 <= x <= found.width
            assert 0 <= y <= found.height


def test_a_step_of_a_ring_has_labels() -> None:
    """Alone it is large; a page's steps without a message have no picture."""
    found = Drawing("ring", step=2).sheet(page("ring"), 4)
    nothing = Drawing("ring").sheet(page("ring"), 1)

    assert [tag.text for tag in tags(found)] == ["+2", "+3", "+0", "+1"]
    assert [part.text for part in nothing.parts if isinstance(part, Words) and part.style == "rank"] == []


def test_squares_of_a_matrix_are_as_large_as_messages_are_many() -> None:
    """Of each pair that talks, at its row and column; halving and doubling sends two to each partner."""
    messages = [(hop.src, hop.dst) for step in hops(page("gtopk"), 4) for hop in step]
    found = Drawing("matrix").sheet(page("gtopk"), 4)
    pairs, *legend = [part for part in found.parts if isinstance(part, Bars)]
    cell = 44 / PIXELS
    left = min(x for part in found.parts if isinstance(part, Stroke) for x, _ in part.points)
    places = {(int((y - cell) / cell), int((x - left) / cell)): w * h for x, y, w, h in pairs.boxes}
    most = max(map(messages.count, messages))

    assert {pair: messages.count(pair) for pair in messages} == {
        pair: round(area / (42 / PIXELS) ** 2 * most) for pair, area in places.items()
    }
    assert len(legend) == len({min(map(messages.count, messages)), most})


@TIKZ
def test_tikz_compiles_and_is_as_wide_as_it_says(tmp_path: Path) -> None:
    """By pdflatex alone, without a warning; its texts are found, and styles stand on top and nowhere else."""
    asked = {
        "ring": Drawing(),
        "rabenseifner": Drawing(width=7.0),
        "recursive_doubling": Drawing("ring"),
        "two_shot": Drawing("matrix", 2.0),
    }
    for name, drawing in asked.items():
        save(page(name), 8, tmp_path / f"{name}.tex", drawing._replace(width=drawing.width or COLUMN))
    source = PAPER % "\n".join(MEASURED % name for name in asked)
    (tmp_path / "paper.tex").write_text(source, encoding="utf-8")
    ran = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip

    assert ran.returncode == 0, ran.stdout[-2000:]
    assert "Overfull" not in ran.stdout
    widths = [float(points) / 72.27 for points in re.findall(r"wide ([\d.]+)pt", ran.stdout)]
    assert widths == pytest.approx([3.33, 7.0, 3.33, 2.0], abs=0.001)
    text = " ".join(sheet_.extract_text() for sheet_ in pypdf.PdfReader(tmp_path / "paper.pdf").pages)
    wanted = {"step 5", "overwrites", "a rank that has all", "2 messages", "a row: what a rank sends"}
    assert {words for words in wanted if words not in text} == set()
    ring = (tmp_path / "ring.tex").read_text(encoding="utf-8")
    assert not re.search(r"line width|font=", ring.partition("]\n")[2])


def test_pdf_has_its_texts_and_fonts(tmp_path: Path) -> None:
    """As text in TrueType, which publishers take, all embedded; as wide as a column."""
    save(page("ring"), 4, tmp_path / "ring.pdf")
    (sheet_,) = pypdf.PdfReader(tmp_path / "ring.pdf").pages
    text = sheet_.extract_text()
    resources: Any = sheet_["/Resources"]
    fonts = [font.get_object() for font in resources["/Font"].values()]

    assert float(sheet_.mediabox.width) / 72 == pytest.approx(3.33, abs=0.01)
    assert all(told in text for told in ("rank 3", "step 0", "overwrites", "+3", "=0", "from 3"))
    assert fonts
    for font in fonts:
        own = font["/DescendantFonts"].get_object()[0].get_object()
        assert own["/Subtype"] == "/CIDFontType2"
        assert "/FontFile2" in own["/FontDescriptor"]


def test_as_it_is_typed(tmp_path: Path) -> None:
    """One option, whose file's name says the format; the old names still work."""
    for option, name in ("--figure", "a.svg"), ("--plot", "b.svg"), ("--svg", "c.svg"), ("--figure", "d.png"):
        code, text, _ = called("show", "ring", option, tmp_path / name)
        assert (code, name in text.replace("\n", "")) == (0, True)

    same = {(tmp_path / name).read_bytes() for name in ("a.svg", "b.svg", "c.svg")}
    assert len(same) == 1
    assert (tmp_path / "d.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--figure", "x.jpg"], "x.jpg: the name of a figure ends in .svg, .pdf, .png or .tex"),
        (["--figure", "x.pdf", "--ranks", 16], "no legible picture of 16 ranks in 3.33 inches; right: --width 5.3"),
        (["--figure", "x.tex", "--ranks", 17], "no legible picture of 17 ranks; right: 1 to 16"),
        (["--figure", "x.tex", "--width", "nan"], "--width nan: right is 1 to 40 inches"),
        (["--figure", "x.svg", "--width", 4], "x.svg is for screens, which scale it; right: a .pdf, .png or .tex"),
        (["--figure", "none/x.tex"], "x.tex cannot be written"),
        (["--figure", "x.pdf", "--ranks", 65, "--view", "ring"], "no legible picture of 65 ranks; right: 1 to 64"),
        (["--figure", "x.pdf", "--ranks", 64, "--view", "ring"], "64 ranks in 3.33 inches; right: --width 4.3 or more"),
        (["--figure", "x.pdf", "--ranks", 64, "--view", "matrix", "--width", 2], "right: --width 3.4 or more"),
        (["--figure", "x.pdf", "--view", "ring", "--step", 9], "--step 9: the run has 6 steps, numbered from 0"),
        (["--figure", "x.pdf", "--step", 1], "--step: the space-time picture shows all steps; right: with --view"),
        (["--view", "ring"], "--view: right: with --figure FILE and without --topology"),
        (["--width", 4], "--width: right: with --figure FILE and without --topology"),
        (["--width", 4, "--figure", "x.pdf", "--topology", "ring"], "--width: right: with --figure FILE and without"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    args: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert told in refused("show", "ring", *args)
    assert not list(tmp_path.iterdir())


def test_what_would_be_too_high_is_refused(vary: Any) -> None:
    """Steps have one height, so that many make a picture that no page holds."""
    ring = page("ring").module
    laps = vary(steps=lambda p: 60 * (p - 1), chunk=lambda r, t, p: (r - t) % p, adds=ring.adds)

    with pytest.raises(InputError, match=r"a picture of 120 steps is 6\d inches high; right: at most 40"):
        sheet(laps, 3)


LOOKS = {"chunk": ("expected", "wrong"), "missing": ("expected", "missing"), "extra": ("wrong",)}


@pytest.mark.parametrize("fault", LOOKS)
@pytest.mark.parametrize("p", [4, 12])
def test_a_divergence_shows_the_page_and_the_run(case: Any, fault: str, p: int) -> None:
    """What differs is marked once, by line and label; all stands on the sheet, and ranks without room are told."""
    where = case(fault, 2 * p - 3 if fault == "missing" else 2, 1, p)  # what is missing earlier is sent later
    found = divergences.sheet(where.page, where.trace, where.divergence)
    strokes = [part for part in found.parts if isinstance(part, Stroke)]
    words = [part for part in found.parts if isinstance(part, Words)]
    assert [one.text for one in words if one.text.startswith(("the page", "observed"))] == ["the page", "observed"]
    for look in ("expected", "wrong", "missing"):
        heads = [one for one in strokes if one.style == look and one.head]
        assert len(heads) == 2 * (look in LOOKS[fault]), look  # and in the legend
    assert len([one for one in words if one.style == "fault"]) == 1
    assert ("Not drawn" in " ".join(one.text for one in words)) == (p == 12)
    for part in found.parts:
        for x, y in corners(part):
            assert 0 <= x <= found.width
            assert 0 <= y <= found.height
    longest = max((one for one in words if one.style == "note"), key=lambda one: one.x + len(one.text) / 22)
    assert longest.x + len(longest.text) / 22 <= found.width + 0.05, longest.text


@TIKZ
def test_a_divergence_compiles(case: Any, tmp_path: Path) -> None:
    """With its sentence in the source, and colours and styles of its own that other figures do without."""
    where = case("chunk", 2, 1)
    source = tikz(divergences.sheet(where.page, where.trace, where.divergence))
    assert "rank 1 sends" in source.splitlines()[0]
    assert "alarm" in source and "alarm" not in tikz(drawn())
    (tmp_path / "paper.tex").write_text(PAPER % source, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=120)
    text = pypdf.PdfReader(tmp_path / "paper.pdf").pages[0].extract_text()
    assert "observed" in text and "[9]!" in text


def test_a_divergence_is_printed(case: Any, tmp_path: Path) -> None:
    """As a PDF with its texts as text."""
    where = case("chunk", 2, 1)
    printed.figure(divergences.sheet(where.page, where.trace, where.divergence)).savefig(tmp_path / "steps.pdf")
    text = pypdf.PdfReader(tmp_path / "steps.pdf").pages[0].extract_text()
    assert "observed" in text and "[9]!" in text
