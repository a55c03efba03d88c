"""sparring advise, as it is typed."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sparring.calling import command, envelope_of, refused

advise = command("advise")
RINGS = ("--algorithm", "ring", "--algorithm", "ring_sparse")
"""Whose costs are derived in no time."""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("gradients") / "mine.npz"
    rng = np.random.default_rng(0)
    np.savez(path, first=rng.standard_normal((3, 400)), second=rng.standard_normal((3, 50)))
    return path


def test_the_sample():
    """What the README says works: no file is needed."""
    code, out, _ = advise("--sample", "--ranks", "4,64", "--density", "2%", *RINGS)

    assert code == 0
    assert "the shipped digits: 8 workers, 9,610 entries of float32 in 4 layers" in " ".join(out.split())
    assert [line for line in out.splitlines() if line.endswith(" ranks")] == ["4 ranks", "64 ranks"]
    assert all(sum(line.startswith(f"{name} ") for line in out.splitlines()) == 2 for name in ("ring", "ring_sparse"))


def test_as_json_and_as_a_page(file, tmp_path):
    told = envelope_of("advise", file, "--machine", "nvlink", "--html", tmp_path / "a.html", *RINGS)

    assert told["verdict"] == "holds"
    assert [one["ranks"] for one in told["advice"]["answers"]] == [3]
    assert [layer["name"] for layer in told["advice"]["layers"]] == ["first", "second"]
    assert told["advice"]["machine"]["name"] == "nvlink"
    assert (tmp_path / "a.html").read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("place", "cut", "words", "links"),
    [
        ((), "each rank by itself", 14, 8),
        (("--topology", "ring"), "each rank by itself", 14, 16),
        (("--topology", "tree"), "each rank by itself", 14, 8),
        (("--nodes", "4"), "each node by itself", 2, 2),
    ],
    ids=["crossbar", "ring", "tree", "nodes"],
)
def test_what_no_allreduce_goes_below(tmp_path, place, cut, words, links):
    """Of 8 ranks, in each form; a machine without start-up is near it, and none is below."""
    (tmp_path / "m.json").write_text('{"alpha": 0, "beta": "1ns"}', encoding="utf-8")
    html = tmp_path / "a.html"
    within = ("--within", tmp_path / "m.json") if "--nodes" in place else ()
    asked = ("--sample", "--ranks", "8", "--machine", tmp_path / "m.json", *within, *place)
    told = envelope_of("advise", *asked, "--html", html, *RINGS)["advice"]["answers"][0]["least"]
    crossing = f"{words} n words over {links} links"

    assert (told["cut"], told["words"], told["links"]) == (cut, words, links)
    assert told["seconds"] == pytest.approx(9610 * 4e-9 * words / links)
    assert told["ratios"].keys() == {"ring"} and told["ratios"]["ring"] >= 1
    assert crossing in html.read_text(encoding="utf-8")
    assert crossing in " ".join(advise(*asked, *RINGS)[1].split())


def test_nothing_must_leave_one_node():
    """Where all ranks sit in one, there is no bound to tell."""
    code, out, _ = advise("--sample", "--ranks", "4", "--nodes", "4", *RINGS)

    assert (code, "at least" in out) == (0, False)


def test_one_array_alone(file):
    told = envelope_of("advise", file, "--key", "second", *RINGS)

    assert told["advice"]["fused"]["size"] == 50


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ([], "gradients are files, or --sample alone"),
        (["--sample", "x.npz"], "gradients are files, or --sample alone"),
        (["--sample", "--machine", "eth"], "no machine 'eth'"),
        (["--sample", "--density", "2"], "--density 2: it must be from 0 to 1"),
        (["--sample", "--ranks", "1"], "ranks=1: advice is for 2 to 65536 ranks"),
        (["--sample", "--topology", "rng"], "no topology 'rng'"),
        (["nothing.npz"], "nothing.npz: no such file"),
        (["--sample", "--html", "no/such/folder.html"], "no/such/folder.html cannot be written"),
        (["--sample", "--plot", "a.txt"], "the name of a picture ends in"),
        (["--sample", "--within", "nvlink"], "--within goes with --nodes"),
    ],
    ids=["nothing", "both", "machine", "density", "ranks", "topology", "file", "html", "plot", "within"],
)
def test_bad_input(args, sentence):
    assert sentence in refused("advise", *args, *RINGS)
