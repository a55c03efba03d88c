"""``sparring cost --versus`` and ``--machine``, as a user types them."""

import json

import pytest

import sparring
from tests.sparring.calling import command, refused

pytestmark = pytest.mark.usefixtures("counted_on_few")
call = command("cost")


def test_ranges_are_told_line_by_line(snapshot):
    """Where they meet as a formula, and who costs less on each side."""
    code, text, _ = call("ring_allgather", "--versus", "ring", "--over", "rho", "--at", "p=8,n=1000000")
    assert (code, text) == (0, snapshot)


@pytest.mark.slow
def test_sparse_pages_say_under_which_supports():
    code, text, _ = call("ring_sparse", "--versus", "ring", "--over", "rho", "--at", "p=4,n=4000", "--from", "0.2")
    assert code == 0 and "(p=4, n=4000, independent supports; where p | n)" in text
    assert text.splitlines()[1].startswith("  rho from 0.2 to ")


def test_a_machine_gives_its_letters_and_those_beside_it_win():
    """Whole numbers of ranks, and one object for programs."""
    args = ("ring", "--versus", "recursive_doubling", "--over", "p", "--machine", "eth-25g", "--to", 9)
    code, text, _ = call(*args, "--at", "n=100000,alpha=10us", "--format", "json")
    told = json.loads(text)
    expected = sparring.crossover(
        "ring", "recursive_doubling", "p", n=100_000, alpha="10us", beta="25Gbit/s", gamma=0, end=9
    )
    assert code == 0 and told["results"][0]["verdict"] == "proved for p <= 9"
    assert told["comparison"]["cheaper"] == [*expected.cheaper]
    assert told["comparison"]["crossings"] == [{"low": c.low, "high": c.high} for c in expected.crossings]
    assert told["comparison"]["quantity"] == "time"


def test_a_point_may_be_on_a_machine(tmp_path):
    file = tmp_path / "lab.json"
    sparring.Machine("5us", "0.1ns").save(file)
    point = ("ring", "--format", "json", "--at")
    _, given, _ = call(*point, "p=8,n=1000,alpha=5us,beta=0.1ns")
    _, loaded, _ = call(*point, "p=8,n=1000", "--machine", file)
    assert json.loads(loaded)["at"] == json.loads(given)["at"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("ring", "recursive_doubling", "--versus", "ring"), "--versus compares one algorithm with another; 2 stand"),
        (("ring", "--versus", "rign"), "did you mean 'ring'?"),
        (("ring", "--versus", "ring_allgather", "--machine", "eth"), "no machine 'eth'"),
        (("ring", "--versus", "recursive_doubling"), "needs a value for p: p=VALUE"),
    ],
)
def test_bad_input_is_one_sentence(args, said):
    assert said in refused("cost", *args)


def test_a_picture_is_drawn(tmp_path):
    file = tmp_path / "both.svg"
    code, text, _ = call("ring_allgather", "--versus", "ring", "--over", "rho", "--at", "p=8,n=1000000", "--plot", file)
    assert code == 0 and "ring costs less" in text
    assert file.read_text(encoding="utf-8").startswith("<?xml")


OWN = '''"""A ring that says itself how long its messages are."""

from sparring.spec.core.model import chunk_words
from sparring.spec.core.numbers import Int
from sparring.spec.ring import adds, chunk, dst, holds, src, steps

__all__ = ["adds", "chunk", "dst", "holds", "src", "steps"]


def words(c: Int, p: Int, n: Int) -> Int:
    return chunk_words(c, p, n)
'''
RANKED = {
    "versus": ("cost", "OWN", "--versus", "ring", "--at", "p=8"),
    "phase": ("cost", "OWN", "ring", "--phase", "n,p"),
    "nodes": ("cost", "OWN", "ring", "--phase", "nodes,node", "--at", "n=1000", "--machine", "eth-25g"),
    "shared": ("cost", "OWN", "--nodes", 4),
    "advise": ("advise", "--sample", "--ranks", 4, "--algorithm", "ring", "--algorithm", "OWN"),
}


@pytest.mark.parametrize("asked", RANKED.values(), ids=RANKED)
def test_no_cost_is_compared_that_runs_do_not_bear_out(tmp_path, asked):
    """A page's own words are held against runs wherever its cost is used, and not only where it is told alone."""
    said = {}
    for name, text in {"right": OWN, "wrong": OWN.replace("chunk_words(c, p, n)", "0")}.items():
        file = tmp_path / f"{name}.py"
        file.write_text(text, encoding="utf-8")
        said[name] = command(asked[0])(*(file if word == "OWN" else word for word in asked[1:]))
    code, out, error = said["wrong"]
    assert code == (0 if asked[0] == "advise" else 1)  # which leaves it out
    fault = "words sent in a run by rank 0 at p=2, n=3, k=2: derived 0, counted 3"
    assert fault in " ".join((out + error).split())
    code, out, error = said["right"]
    assert code == 0 and " in a run " not in out + error


def test_the_cost_of_a_page_of_ones_own_is_held_against_runs(tmp_path):
    """In Python, too."""
    for words in ("chunk_words(c, p, n)", "0"):
        file = tmp_path / f"own{words[0]}.py"
        file.write_text(OWN.replace("chunk_words(c, p, n)", words), encoding="utf-8")
        if words != "0":
            assert sparring.cost(str(file)).words == sparring.cost("ring").words
            continue
        with pytest.raises(sparring.Refuted, match="the cost of own0 is not what runs send: words sent in a run by"):
            sparring.cost(str(file))
