"""Pages are found by name, module and file; what is no page is told in one sentence."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import sparring
from sparring import InputError, UnknownPage, page, pages
from sparring.proofs.reading.held_values import function_codes
from sparring.spec.core.numbers import Sym
from sparring.spec.core.runner import run
from sparring.spec.core.vocabulary import LETTERS

RING = Path(sparring.__file__).parent / "spec" / "ring.py"


@pytest.fixture
def write(tmp_path):
    """Writes a page file that is the ring with some text replaced; returns its path."""

    def written(old: str = "", new: str = "") -> str:
        text = RING.read_text(encoding="utf-8")
        assert old in text
        file = tmp_path / "mine.py"
        file.write_text(text.replace(old, new) if old else text, encoding="utf-8")
        return str(file)

    return written


def test_a_name_a_module_and_a_file_find_the_same_formulas(write):
    """Wherever ALGO stands it may be any of the three."""
    r, t, p = map(Sym.var, "rtp")
    chunks = {repr(page(algo).chunk(r, t, p)) for algo in ("ring", "sparring.spec.ring", write())}

    assert chunks == {"((r - t) % p)"}
    assert "ring" in pages()


def test_a_file_leaves_no_traces(write):
    """Loading a user's file writes nothing beside it."""
    file = Path(write())

    page(str(file))

    assert [f.name for f in file.parent.iterdir()] == ["mine.py"]


def test_a_misspelt_name_gets_a_suggestion():
    """The sentence says what to do next."""
    with pytest.raises(UnknownPage) as error:
        page("rinng")

    assert str(error.value) == (
        "no algorithm 'rinng'; did you mean 'ring'? 'sparring list' shows all; ./file.py works too."
    )


@pytest.mark.parametrize(
    ("algo", "why"),
    [
        ("nothing.like.it", "no module 'nothing'"),
        ("./nothing.py", "no file nothing.py"),
        ("json", "no algorithm 'json'"),
        (".", "no algorithm '.': it is no dotted name"),
        ("..ring", "no algorithm '..ring': it is no dotted name"),
    ],
)
def test_what_is_not_there_is_named(algo, why):
    """Neither a module nor a file is guessed."""
    with pytest.raises(UnknownPage, match=why):
        page(algo)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("def chunk", "def chunked", r"page mine lacks the formula chunk\(r, t, p\)"),
        ("def dst(r: Int, t", "def dst(r: Int, k", "page mine: dst asks for 'k'; it may ask for r, t, p"),
        ("from sparring.spec", "kind = 'gossip'\nfrom sparring.spec", "no kind 'gossip'; there are allreduce"),
        ("def steps", "1 / 0\ndef steps", "does not load: ZeroDivisionError: division by zero"),
        ("def steps", "def def steps", "does not load: SyntaxError"),
    ],
)
def test_what_is_no_page_is_told_in_one_sentence(write, old, new, why):
    """The sentence names the formula, the letter or the line."""
    with pytest.raises(InputError, match=why):
        page(write(old, new))


@pytest.mark.parametrize("name", ["enum.py", "math.v2.py", "sparring.spec.library.mine.py"])
def test_a_file_is_not_taken_for_a_module_that_proofs_trust(write, name):
    """By its name its functions would count as that one's, whose claims on themselves are believed."""
    right = Path(write("", ""))
    assert page(str(right)).name == "mine"
    with pytest.raises(InputError, match="has the name of a module that proofs trust: call it"):
        page(str(right.rename(right.with_name(name))))


def test_a_module_that_does_not_load_is_told_in_one_sentence(tmp_path, monkeypatch):
    """As a file is."""
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "page.py").write_text("1 / 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InputError, match=r"broken\.page does not load: ZeroDivisionError: division by zero"):
        page("broken.page")


def test_parameters_are_bound_by_name(write):
    """A formula asks for a parameter by naming it; the caller gives it or the default holds."""
    file = write(
        "def dst(r: Int, t: Int, p: Int) -> Int:    return (r + 1) % p",
        "from typing import NamedTuple\nclass Params(NamedTuple):\n    far: int = 1\n\n"
        "def dst(far, p, r): return (r + far) % p",
    )

    assert page(file).dst(1, 0, 5) == 2
    assert page(file, far=3).dst(1, 0, 5) == 4
    with pytest.raises(InputError, match="no parameter 'near'; it has far"):
        page(file, near=1)


def test_a_parameter_without_default_is_asked_for(write):
    """The sentence says how to give it on the command line."""
    file = write("def steps", "from typing import NamedTuple\nclass Params(NamedTuple):\n    far: int\n\ndef steps")

    with pytest.raises(InputError, match="needs a value for 'far': -P far=VALUE"):
        page(file)


@pytest.mark.parametrize(
    ("name", "most"),
    [("arc_top_k columns", 2**18), ("arc_top_k sketch", 2**10), ("deft layers", 2**14), ("moshpit rounds", 2**10),
     ("moshpit m", 2**16)],
)  # fmt: skip
def test_what_is_worked_through_one_by_one_has_a_bound(name, most):
    """A number beyond it would take hours, and is refused at once."""
    algorithm, letter = name.split()

    assert page(algorithm, **{letter: most}).params[letter] == most
    with pytest.raises(InputError, match=f"{letter} = {2**40}: it must be [0-2] to {most}"):
        page(algorithm, **{letter: 2**40})


def test_what_is_no_number_is_shown_by_its_beginning():
    """However long it is, the sentence can be read."""
    with pytest.raises(InputError, match=r"page deft: layers = '\[{79}: it must be a whole number"):
        page("deft", layers="[" * 100_000)


def test_a_step_has_no_endless_messages():
    """Each is looked at: a radix may be larger than the number of ranks, but not by far."""
    assert run(page("recursive_multiplying", radix=50), [[1.0], [2.0]]).results == [[3.0], [3.0]]
    with pytest.raises(InputError, match=r"page recursive_multiplying: messages\(0, 2\) = \d+; right: at most 4096"):
        run(page("recursive_multiplying", radix=2**40), [[1.0], [2.0]]).results  # is computed when asked for


def test_a_page_of_sparring_s_own_is_loaded_once():
    """With its default parameters; with others, and from a file, it is loaded for who asks."""
    assert page("recursive_multiplying") is page("recursive_multiplying")
    assert page("recursive_multiplying", radix=3).params == {"radix": 3} != page("recursive_multiplying").params
    assert page(str(RING)) is not page(str(RING))


def test_packages_are_asked_again_where_others_can_be_imported(tmp_path, monkeypatch):
    """A page is found that a package brings which was not there before, and is gone with it."""
    notes = tmp_path / "guest-1.0.dist-info"
    notes.mkdir()
    (notes / "METADATA").write_text("Metadata-Version: 2.1\nName: guest\nVersion: 1.0\n")
    (notes / "entry_points.txt").write_text("[sparring.pages]\nguest = sparring.spec.ring\n")
    assert "guest" not in pages()
    with monkeypatch.context() as patch:
        patch.syspath_prepend(tmp_path)
        assert "guest" in pages() and page("guest").name == "ring"
    assert "guest" not in pages()


READ = {*LETTERS, "program", "ensures", "requires", "waiting", "told", "leaves", "everyone", "mate", "place"}
"""What the runner, costs and the prover read of a page by its name."""


def dead(module):
    """The functions of a page that are not read by their names, nor called by one that is."""
    functions = {key: f for key, f in vars(module).items() if inspect.isfunction(f) and f.__module__ == module.__name__}
    read, waiting = set[str](), functions.keys() & READ
    while waiting:
        read |= waiting
        called = {name for key in waiting for code in function_codes(functions[key].__code__) for name in code.co_names}
        waiting = called & functions.keys() - read
    return functions.keys() - read


@pytest.mark.parametrize("name", pages())
def test_no_function_of_a_page_is_dead(name):
    assert dead(page(name).module) == set()


def test_a_function_that_nobody_reads_is_dead(write):
    """Though it calls others, which are read."""
    assert dead(page(write("def dst(", "def unread(p): return steps(p)\ndef dst(")).module) == {"unread"}
