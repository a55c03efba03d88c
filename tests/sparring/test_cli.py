"""The commands as a user calls them: what they print, their envelopes and their exit codes."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import z3

import sparring
from sparring.cli import exit_code
from sparring.errors import InputError, MissingExtra, RankFailed, Refuted, Undecided
from sparring.report import PROPERTIES
from tests.sparring.calling import called, envelope_of, refused

RING = (Path(sparring.__file__).parent / "spec" / "ring.py").read_text(encoding="utf-8")


@pytest.fixture
def wrong_page(tmp_path):
    """A page file with a wrong destination."""
    file = tmp_path / "mine.py"
    file.write_text(RING.replace("return (r + 1) % p", "return (r + 2) % p"), encoding="utf-8")
    return file


def test_list_names_all_algorithms():
    """And selectors, each in a table of their own, and in the envelope."""
    code, text, _ = called("list")
    assert (code, "Dense ring allreduce" in text, "Exact top-k" in text) == (0, True, True)

    envelope = envelope_of("list")
    assert envelope["schema"] == 1
    assert {"name": "ring", "kind": "allreduce", "title": "Dense ring allreduce"} in envelope["algorithms"]
    assert {"name": "topk", "parameters": ["k"], "title": "Exact top-k"} in envelope["selectors"]


def test_show_draws_and_writes(tmp_path):
    """Prose, formulas, the picture in the terminal, the SVG, and the page for browsers, whose data the envelope has."""
    file, page = tmp_path / "ring.svg", tmp_path / "new" / "ring.html"
    code, text, _ = called("show", "ring", "--ranks", 3, "--svg", file, "--html", page)

    assert code == 0
    assert "takes up one" in text
    assert "def dst(r: Int, t: Int, p: Int)" in text
    assert ">>>" not in text
    assert file.read_text(encoding="utf-8").startswith("<")
    assert f"written: {page}" in text
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    told = envelope_of("show", "ring", "--ranks", 3)
    [stage] = told["explorer"]["document"]["runs"][0]["stages"]
    assert stage["steps"][0]["messages"] == [[0, 1, [0], True], [1, 2, [1], True], [2, 0, [2], True]]
    assert len(stage["steps"]) == 4 and "steps" not in told


def test_show_on_a_topology(tmp_path):
    """The level, the load, the pairs that can meet, and a timing as a picture, in the terminal and in a file."""
    file = tmp_path / "timing.svg"
    code, text, _ = called("show", "recursive_doubling", "--ranks", 8, "--topology", "crossbar", "--svg", file)

    assert code == 0
    assert "rendezvous on crossbar at p=8" in text
    assert "16 links are used, by at most 1 message a step" in text
    assert "pairs of messages that can meet: 24 eager, 0 rendezvous" in text
    assert "time 0" in text
    assert file.read_text(encoding="utf-8").startswith("<")
    envelope = envelope_of("show", "ring", "--topology", "torus:k=2")
    told, network = envelope["contention"], envelope["explorer"]["document"]["topology"]
    assert (told["level"], told["load"], told["overlap"], told["timing"]) == ("exclusive", 1, None, None)
    assert network["name"] == "torus:k=2" and len(network["routes"]) == 4


def test_show_draws_no_timing_where_there_is_none(tmp_path):
    """One sentence, and no file."""
    sentence = refused("show", "ring", "--topology", "ring", "--svg", tmp_path / "none.svg")

    assert sentence.startswith("no timing to draw: exclusive on ring at p=4")
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("proved_once")
def test_prove_gives_theorems_with_solvers_and_mutants():
    """Fourteen theorems about the ring, each by two solvers with a refuted mutant, and what is decided for small p."""
    envelope = envelope_of("prove", "ring")

    *theorems, timing = envelope["theorems"]
    assert (envelope["verdict"], len(theorems)) == ("holds", 14)
    assert (timing["name"], timing["verdict"], timing["solvers"]) == ("timing", "proved for p <= 32", [])
    for theorem in theorems:
        assert theorem["algorithm"] == "ring"
        assert theorem["verdict"] == "proved for every p"
        assert theorem["solvers"] == ["cvc5", "z3"]
        assert theorem["mutant"] == "refuted"


@pytest.mark.slow
def test_exported_obligations_are_unsat_for_whoever_asks(tmp_path):
    """Each file is complete SMT-LIB 2 that z3 and cvc5, started afresh, answer with unsat."""
    code, _, _ = called("prove", "ring", "--export", tmp_path / "smt")
    files = sorted((tmp_path / "smt").rglob("*.smt2"))

    assert code == 0
    assert len(files) == 66
    cvc5: Any = import_module("cvc5")
    for file in files:
        solver = z3.Solver()
        solver.from_file(str(file))
        assert solver.check() == z3.unsat, file
        terms = cvc5.TermManager()
        parser = cvc5.InputParser(cvc5.Solver(terms))
        parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, str(file))
        answers, symbols = [], parser.getSymbolManager()
        while not (command := parser.nextCommand()).isNull():
            answers.append(str(command.invoke(parser.getSolver(), symbols)).strip())
        assert "unsat" in answers, file


def test_a_refuted_page_ends_in_exit_code_1(wrong_page):
    """The witness has the fewest ranks."""
    first = envelope_of("prove", wrong_page, code=1)["results"][0]

    assert (first["verdict"], first["detail"]) == ("refuted", "p=2 step 0: rank 0 sends to itself")
    assert first["witness"] == {"p": 2, "t": 0}


VOID = {"conservation", "sizes", "volume", "selection", "claims", "parameters"}
"""Properties that say nothing of a dense algorithm."""


@pytest.mark.usefixtures("proved_once")
@pytest.mark.usefixtures("proved_once")
def test_verify_of_one_algorithm_tells_all_of_it():
    """All properties in their order, each with a verdict, what that does not say, and what was left out."""
    code, text, _ = called("verify", "ring", "--ranks", "1-3")
    assert code == 0
    rows = [line.split("  ")[0] for line in text.splitlines()]
    assert [r for r in rows if r in PROPERTIES] == [p for p in PROPERTIES if p not in VOID]
    assert text.splitlines()[-2].startswith("holds: 1 algorithm; 9 proved, ")
    assert text.splitlines()[-1] == "1 x not covered: mpi: not asked for: --on mpi"
    assert "p = 1-3 (p = 1-3 on terms), up to 70000 entries and 9 calls" in " ".join(text.split())

    envelope = envelope_of("verify", "ring", "--ranks", "1-3")
    assert set(envelope["algorithms"]["ring"]) == {*PROPERTIES} - VOID
    assert envelope["algorithms"]["ring"]["result"] == "proved for every p"
    assert envelope["algorithms"]["ring"]["terms"] == "proved for p <= 3"
    assert envelope["verdict"] == "holds"


@pytest.mark.slow
def test_verify_of_several_has_a_row_of_each_and_with_v_all(proved_once):
    """Each as soon as it is judged; -v tells what each verdict rests on."""
    asked = ("verify", "ring", "topk", "--ranks", "1-2", "--jobs", "1")
    text, closely = called(*asked)[1], called(*asked, "-v")[1]

    head, *rows = (line.split()[0] for line in text.splitlines()[:3])
    assert (head, {*rows}) == ("algorithm", {"ring", "topk"})
    assert "holds: 1 algorithm, 1 selector; " in text and "caught: " not in text
    assert closely.count("caught: ") > 20


def test_verify_judges_a_page_file_without_implementation(wrong_page):
    """What there is nothing to run for reads not covered; what is refuted decides."""
    verdicts = envelope_of("verify", wrong_page, code=1)["algorithms"]["mine"]

    assert (verdicts["result"], verdicts["terms"], verdicts["contention"]) == ("refuted", "not covered", "not covered")


@pytest.mark.usefixtures("proved_once")
def test_verify_does_not_claim_ranks_that_it_left_out():
    """Without p = 1 a run on terms is no proof up to anything."""
    envelope = envelope_of("verify", "ring", "--ranks", "3")

    assert re.fullmatch(r"tested \(\d+ examples\)", envelope["algorithms"]["ring"]["terms"])


def test_run_says_what_was_sent():
    """Messages and words as counted in the world; the ring's busiest rank sends 2n - floor(2n/p) words."""
    run = envelope_of("run", "ring", "--ranks", 5, "--size", 12)["run"]

    assert (run["steps"], run["messages"], max(run["words"])) == (8, [8] * 5, 2 * 12 - 2 * 12 // 5)


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (
            ["run", "rinng"],
            "no algorithm 'rinng'; did you mean 'ring'? 'sparring list' shows all; ./file.py works too.",
        ),
        (["prove", "./nothing.py"], "no file nothing.py"),
        (["run", "ring", "--input", "nothing.npz"], "nothing.npz"),
        (["run", "ring", "--ranks", "9", "--input", "short.npz"], "short.npz"),
        (["run", "ring", "--size", "3", "--input", "short.npz"], "--size and --input exclude each other"),
        (["run", "ring", "--input", "mixed.npz"], "float32"),
        (["run", "ring", "--input", "uneven.npz"], "rank1"),
        (["run", "ring", "-P", "k=3"], "page ring has no parameter 'k'; it has none"),
        (["run", "flash", "-P", "b1=x"], "page flash: b1 = 'x': it must be a whole number"),
        (["cost", "recursive_multiplying", "-P", "radix=2.5"], "radix = 2.5: it must be a whole number"),
        (["run", "lossy_two_shot", "-P", "aggregator=3"], "aggregator = 3: it must be ht, ratio, ratio0 or zero"),
        (["run", "moshpit", "-P", "weights=1,2"], "weights = '1,2': it must be a list of whole numbers, as in [1"),
        (["show", "moshpit", "-P", "dead=[1,2]"], "dead = [1, 2]: it must be a list of lists of whole numbers"),
        (["verify", "--ranks", "0-3"], "ranks go from 1 to 1024"),
        (["verify", "--ranks", "three"], "'three' names no numbers of ranks; write 8, 1-8 or 1-4,7"),
        (["show", "ring", "-P", "k"], "'k': write a parameter as name=value"),
    ],
    ids=lambda x: " ".join(x) if isinstance(x, list) else "",
)
def test_bad_input_is_one_sentence_and_exit_code_2(tmp_path, monkeypatch, args, sentence):
    """What is wrong, where, and what would be right."""
    monkeypatch.chdir(tmp_path)
    np.savez("short.npz", np.zeros((2, 4)))
    np.savez("mixed.npz", rank0=np.zeros(4), rank1=np.zeros(4, np.float32))
    np.savez("uneven.npz", rank0=np.zeros(4), rank1=np.zeros(3))

    assert sentence in refused(*args)


@pytest.mark.parametrize("start", [("-m", "sparring"), ("-c", "from sparring.cli import main; main()")])
def test_the_process_prints_one_sentence_and_no_traceback(start, tmp_path):
    """Standard output stays empty; ``python -m sparring`` is the command, too."""
    path = os.environ | {"PYTHONPATH": str(Path(sparring.__file__).parents[1])}
    asked = [sys.executable, *start, "run", "nope"]
    done = subprocess.run(asked, cwd=tmp_path, env=path, capture_output=True, text=True, timeout=60, check=False)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "sparring: no algorithm 'nope'; 'sparring list' shows all; ./file.py works too.\n"


@pytest.mark.parametrize(
    ("error", "code"),
    [(InputError("x"), 2), (MissingExtra("x"), 2), (Refuted("x"), 1), (Undecided("x"), 3), (RankFailed(1, "x"), 1)],
    ids=lambda x: str(x) if isinstance(x, int) else type(x).__name__,
)
def test_errors_have_their_exit_codes(error, code):
    """0 holds, 1 refuted, 2 bad input, 3 undecided."""
    assert exit_code(error) == code


RAISING = '''"""A page whose text cannot be played."""

from sparring.spec.core.exchanges import allreduce

data = "dense"


def program(x, p):
    y = yield allreduce(x)
    return BODY
'''


@pytest.mark.parametrize(
    "asked", [("run", "./mine.py"), ("check", "sparring.impl.ring:allreduce", "--algorithm", "./mine.py")]
)
def test_what_a_page_raises_is_bad_input_and_refutes_nothing(tmp_path, asked):
    """One sentence with the line; Python's own exit code would say that something is refuted."""
    path = os.environ | {"PYTHONPATH": str(Path(sparring.__file__).parents[1])}

    def ended(body):
        (tmp_path / "mine.py").write_text(RAISING.replace("BODY", body), encoding="utf-8")
        command = [sys.executable, "-m", "sparring", *asked]
        return subprocess.run(command, cwd=tmp_path, env=path, capture_output=True, text=True, timeout=60, check=False)

    wrong = ended("y.nothing")
    assert wrong.returncode == 2
    assert wrong.stderr.splitlines()[-1] == (
        "sparring: mine.py:10: program raises AttributeError: 'Vector' object has no attribute 'nothing'"
    )
    assert ended("y").returncode == 0


def test_an_error_of_its_own_is_no_refutation(tmp_path):
    """It has a traceback and an exit code of its own."""
    code = (
        "import sparring.cli.list as listed\nfrom sparring.cli import main\n"
        "listed.command.callback = lambda **_: [].pop()\nmain()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "list"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (70, "")
    assert "IndexError" in done.stderr
    assert done.stderr.endswith("sparring: an error of its own, and no verdict\n")


@pytest.mark.parametrize("asked", [["list"], ["list", "--json"], ["show", "ring"]])
def test_output_that_cannot_be_written_is_no_refutation(tmp_path, asked):
    """A reader that went away ends the command silently, as shells have it; a full disk is one sentence."""
    reader, unread = os.pipe()
    os.close(reader)
    files = {"unread": (unread, 141, ""), "fine": (os.open(tmp_path / "f", os.O_WRONLY | os.O_CREAT), 0, "")}
    if Path("/dev/full").exists():
        said = f"sparring: the output cannot be written: {os.strerror(errno.ENOSPC)}\n"
        files["full"] = os.open("/dev/full", os.O_WRONLY), 2, said
    for name, (file, code, told) in files.items():
        done = subprocess.run(
            [sys.executable, "-m", "sparring", *asked], stdout=file, stderr=subprocess.PIPE, text=True, timeout=60,
            check=False,
        )  # fmt: skip
        os.close(file)
        assert (name, done.returncode, done.stderr) == (name, code, told)


def test_help_loads_nothing_heavy(tmp_path):
    """``--help`` answers at once: neither numpy, sympy, z3 nor matplotlib is imported."""
    code = "import sys\nfrom sparring.cli import main\ntry: main()\nfinally: print(sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code, "--help"], capture_output=True, text=True, timeout=60, check=True
    )

    assert "verify" in done.stdout
    for heavy in ("numpy", "sympy", "z3", "cvc5", "matplotlib", "mpi4py", "greenlet"):
        assert f"'{heavy}'" not in done.stdout
