"""What is wrong on one rank is one sentence on all, nobody waits, and what is remembered stays as it was."""

from __future__ import annotations

import functools
import subprocess
import sys

import numpy as np
import pytest

from sparring import world
from sparring.errors import InputError
from sparring.impl.core import sparse_lists
from tests.impl.algorithms import ALLGATHERS, DENSE, PAGES, RANKS, SELECTING, SPARSE, called, heard
from tests.sweeps import third

ELSEWHERE = "rank {}'s arguments are refused, as its own error says; nothing was computed"
WHOLE, POSITIVE = "it must be a whole number, 0 or more", "it must be a whole number, 1 or more"
LISTS = {
    "unsorted": "indices not strictly ascending: indices[1]=1 follows 2",
    "duplicate": "indices not strictly ascending: indices[1]=1 follows 1",
    "out of range": "index out of range: indices[1]=5, but n=5",
    "below zero": "index out of range: indices[0]=-1, but n=5",
    "more values than indices": "1 indices and 2 values: there must be one value for each index",
    "no array": "indices make no array",
    "n beyond all": "n = 1180591620717411303424: it must be a whole number, 0 or more, below 2**63",
    "k a word": f"k = 'all': {WHOLE}",
    "k a fraction": f"k = 2.5: {WHOLE}",
    "not even an array": "x is a NoneType: it must be a numpy array",
    "negative k": "k = -1: it must be 0 or more",
    "NaN": "x[1] is NaN, which has no magnitude",
    "dense": "x is a ndarray: it must be a sparring.Sparse, or a vector together with k",
}
DIFFERENT_LISTS = {
    "another n": "rank {} has float64 and 6 entries, rank 0 float64 and 5",
    "another dtype": "rank {} has float32 and 5 entries, rank 0 float64 and 5",
}
GROUPS = "comm is an inter-communicator: one between the ranks of one group is needed"
MOSHPIT = "below 2^63"
MADE = {
    "ring_topk": [({"k": 1.5}, f"k = 1.5: {WHOLE}"), ({"n": -1}, f"n = -1: {WHOLE}")],
    "oktopk": [({"tau": 1.5}, f"tau = 1.5: {POSITIVE}"), ({"trigger": -1}, f"trigger = -1: {WHOLE}")],
    "recursive_multiplying": [({"radix": 2.5}, "radix is 2.5: it must be an integer of at least 2")],
    "flash": [({"b1": 4.5}, f"b1 = 4.5: {POSITIVE}")],
    "hierarchical": [({"m": 0}, f"m = 0: {POSITIVE}"),
                     ({"inside": "tree"}, "inside = 'tree': it must be one of direct, ring"),
                     ({"across": "direct"}, "across = 'direct': it must be one of ring, two_shot")],
    "omnireduce": [({"block": 1.5}, f"block = 1.5: {POSITIVE}")],
    "qgz": [({"bits": 4.5}, "bits = 4.5: it must be a whole number, 4 or more"), ({"g": 0}, f"g = 0: {POSITIVE}")],
    "one_bit": [({"norm": 0}, f"norm = 0: {POSITIVE}")],
    "thc": [({"bits": 0}, f"bits = 0: {POSITIVE}"), ({"seed": -1}, f"seed = -1: {WHOLE}")],
    "qsgd": [({"levels": 0}, f"levels = 0: {POSITIVE}"), ({"by_max": -1}, f"by_max = -1: {WHOLE}")],
    "power_sgd": [({"rank": 1.5}, f"rank = 1.5: {POSITIVE}"), ({"epsilon": -1}, f"epsilon = -1: {WHOLE}"),
                  ({"through": "tree"}, "through = 'tree': it must be one of ring, two_shot")],
    "arc_top_k": [
        ({"columns": 1.5}, f"columns = 1.5: {WHOLE}"),
        ({"momentum": 1001}, "momentum = 1001: it must be 1000 or less, thousandths"),
        ({"feedback": "ef15"}, "feedback = 'ef15': it must be one of none, ef14, ef21, ef21m"),
    ],
    "dgc": [({"k": 1.5}, f"k = 1.5: {WHOLE}"),
            ({"allreduce": "tree"}, "allreduce = 'tree': it must be one of ring_sparse, two_shot_sparse")],
    "clt_k": [({"k": 1.5}, f"k = 1.5: {WHOLE}"), ({"beta": 0}, f"beta = 0: {POSITIVE}"),
              ({"beta": 1001}, "beta = 1001: it must be 1000 or less, thousandths"),
              ({"through": "tree"}, "through = 'tree': it must be one of ring, two_shot")],
    "lossy_two_shot": [
        ({"aggregator": "mean"}, "aggregator = 'mean': it must be one of ht, ratio, ratio0, zero"),
        ({"packet": 0}, f"packet = 0: {POSITIVE}"), ({"running": 2}, "running = 2: it must be 0 to 1"),
        ({"lost": 1001, "aggregator": "zero"}, "lost = 1001: it must be 0 to 1000"),
    ],
    "moshpit": [
        ({"m": 1}, f"m = 1: it must be a whole number, 2 or more, {MOSHPIT}"),
        ({"chance": -1}, f"chance = -1: {WHOLE}, {MOSHPIT}"),
        ({"weights": (1, -1)}, f"weights: -1 must be a whole number, 0 or more, {MOSHPIT}"),
        ({"dead": ((0, 0),)}, "dead: [0, 0] must be a rank, a round from 0, and a number of messages, or -1"),
        ({"dead": ((0, 0, 1), (0, 1, 1))}, "dead: a rank dies once at most"),
        ({"failing": ((0, 0, -1),)}, "failing: [0, 0, -1] must be a rank, a round from 0, and a number of messages"),
        ({"failing": ((0, 1, 2), (1, 0, 0), (0, 1, 1))}, "failing: a rank fails once a round at most"),
    ],
    "error_feedback": [
        ({"selector": "top"}, "no selector 'top': right is the name of a module of sparring.impl.selectors"),
        ({"allreduce": "rinng"}, "no allreduce 'rinng': right is the name of a module of sparring.impl"),
    ],
    "ef21_m": [({"momentum": 1001}, "momentum = 1001: it must be 1000 or less, thousandths"),
               ({"momentum": 0.5}, f"momentum = 0.5: {WHOLE}")],
    "streaming_diloco": [({"mix": 1001}, "mix = 1001: it must be 1000 or less"),
                         ({"delay": 2}, "delay = 2: it must be 1 or less")],
    "dsar_split_allgather": [({"thirds": "1"}, f"thirds is '1': {WHOLE}")],
}  # fmt: skip
"""By algorithm, parameters of one rank and its own sentence; that each wrong one is refused is ``verify``'s."""
DIFFERENT = {
    "error_feedback": [({"n": 6}, "rank 2 has n=6"), ({"allreduce": "ring_allgather"}, "allreduce=4, rank 0 n=5")],
    "ef21_m": [({"momentum": 3}, "rank 2 has momentum=3, rank 0 momentum=100")],
    "ring_topk": [({"n": 6}, "rank 2 has n=6 and k=2, rank 0 n=5 and k=2: all ranks need one n and k")],
    "oktopk": [({"k": 3}, "rank 2 has n=5, k=3, tau=64, tau_prime=32, trigger=4, bucket=4, gain=12, rank 0 n=5, k=2")],
    "recursive_multiplying": [({"radix": 3}, "rank 2 has float64, 5 entries and radix 3, rank 0 float64, 5")],
    "flash": [({"b1": 5}, "b1=5, b2=8, g=128, spikes=0"), ({"g": (1 << 32) + 1}, "g=4294967297")],
    "hierarchical": [({"m": 3}, "rank 2 has m=3, inside=0, across=0, rank 0 m=2"), ({"inside": "ring"}, "inside=1")],
    "omnireduce": [({"block": 2}, "rank 2 has block=2, rank 0 block=256")],
    "qgz": [({"bits": 8}, "rank 2 has bits=8, g=128, rank 0 bits=4, g=128")],
    "one_bit": [({"norm": 1}, "norm=1")],
    "thc": [({"bits": 9}, "bits=9")],
    "qsgd": [({"seed": 2}, "seed=2")],
    "power_sgd": [({"seed": 1}, "rank 2 has n=5, rank=1, columns=0, rate=2, epsilon=10, seed=1"),
                  ({"through": "two_shot"}, "through=1")],
    "arc_top_k": [({"seed": 3}, "rank 2 has n=5, k=2"), ({"feedback": "ef14"}, "one value of each")],
    "dgc": [({"momentum": 5}, "rank 2 has n=5, k=100, momentum=5, masking=1"), ({"allreduce": "ring_allgather"}, "=2")],
    "clt_k": [({"beta": 999}, "rank 2 has n=5, k=100, beta=999, through=0, rank 0 n=5, k=100, beta=1000")],
    "lossy_two_shot": [({"lost": 200}, "rank 2 has n=5, lost=200"), ({"aggregator": "zero"}, "one value of each")],
    "moshpit": [({"m": 3}, "rank 2 has float64, 5 entries, m=3"),
                ({"failing": ((1, 0, 0),)}, "all ranks need one dtype, length and parameters")],
    "dsar_split_allgather": [({"thirds": 1}, "thirds=1, rank 0 thirds=0")],
}  # fmt: skip
"""By algorithm, good parameters of rank 2 that the others have not, and what all are told."""
BEYOND = {
    "recursive_multiplying": [({"radix": 2**31}, "radix is 2147483648: it must be below 2^31")],
    "flash": [({"b1": 9}, "b1 = 9"), ({"spikes": 2}, "spikes = 2"), ({"g": (1 << 32) + 1}, "g = 4294967297")],
    "omnireduce": [({"block": (1 << 32) + 1}, "block = 4294967297: it must be at most 4294967296")],
    "sparse_loco": [({"bits": 9}, "bits = 9: it must be 8"), ({"decay": 1001}, "decay = 1001: it must be 1000")],
    "dgc": [({"momentum": 1000}, "momentum = 1000: it must be less than 1000"), ({"masking": 2}, "masking = 2")],
    "qgz": [({"bits": 5}, "bits = 5: it must be 4 or 8"), ({"g": 65537}, "g = 65537: it must be at most 65536")],
    "one_bit": [({"norm": 3}, "norm = 3: it must be 1 or 2")],
    "thc": [({"bits": 9}, "bits = 9: a code must have 1 to 8 bits")],
    "qsgd": [({"levels": 65537}, "levels = 65537: there must be 1 to 65536"), ({"by_max": 2}, "by_max = 2: it must")],
    "lossy_two_shot": [({"lost": 1000}, "lost = 1000 with aggregator ht: what never arrives has no weight; right is")],
}
"""What is wrong in the same way on all ranks."""
KEEPING: dict[str, dict[str, object]] = {
    **{name: {"k": 2, "allow_nan": False} for name in (*SELECTING, "oktopk")},
    **{name: {"k": 2} for name in ("error_feedback", "ef21", "ef21_m")},
    "one_bit": {}, "thc": {}, "qsgd": {}, "power_sgd": {"rate": 0, "allow_nan": False},
    "arc_top_k": {"k": 1, "columns": 2, "feedback": "ef14", "allow_nan": False},
    "lossy_two_shot": {"lost": 300, "packet": 1}, "clt_k": {"k": 2, "allow_nan": False},
    "dgc": {"k": 2, "allow_nan": False},
}  # fmt: skip
"""What is made for vectors of one length, and of what."""
KINDS = {"ef21": "Estimates", "ef21_m": "Estimates"}
"""By algorithm of estimates, its class."""
FLOATING = (
    "flash", "qgz", "moshpit", "one_bit", "thc", "qsgd", "power_sgd", "arc_top_k", "lossy_two_shot", "clt_k", "dgc",
    *KINDS,
)  # fmt: skip


@pytest.mark.parametrize("name", third([*ALLGATHERS, *SPARSE]))
@pytest.mark.parametrize(("p", "bad"), [(1, 0), (4, 2)])
def test_lists(name, p, bad):
    """A list that is none is refused in its rank's own words; ranks that differ hear the same."""
    for what, sentence in LISTS.items():
        texts = heard("refused_list", p, name=name, what=what, bad=[bad])
        assert texts.pop(bad).startswith(f"rank {bad}: {sentence}")
        assert texts == [ELSEWHERE.format(bad)] * (p - 1)
    for what, sentence in DIFFERENT_LISTS.items() if p > 1 else ():
        (text,) = {*heard("refused_list", p, name=name, what=what, bad=[bad])}
        assert text.startswith(sentence.format(bad))


def test_what_is_no_triple_is_refused():
    """A tuple of two, for instance."""
    with pytest.raises(InputError, match="x is a tuple"):
        sparse_lists.taken(([1], [2]), None, allow_nan=True)


@pytest.mark.parametrize("name", DIFFERENT)
def test_parameters(name):
    """Wrong ones of one rank, and good ones that the others have not."""
    for wrong, sentence in MADE.get(name, []):
        texts = heard("refused_when_made", name=name, wrong=wrong, bad=[2])
        assert texts.pop(2).removeprefix("rank 2: ").startswith(sentence)
        assert texts == [ELSEWHERE.format(2)] * 3
    for other, sentence in DIFFERENT[name]:
        (text,) = {*heard("refused_when_made", name=name, wrong=other, bad=[2])}
        assert text.startswith("rank 2 has ") and sentence in text and "all ranks need one" in text


@pytest.mark.parametrize("name", BEYOND)
def test_parameters_that_are_wrong_on_all_ranks(name):
    """Each says so itself."""
    for wrong, sentence in BEYOND[name]:
        texts = heard("refused_when_made", 2, name=name, wrong=wrong, bad=[0, 1])
        assert len(texts) == 2 and all(text.startswith(sentence) for text in texts)


def vectors_refused(name):
    """By vector, how many good calls come before it, and what its rank is told; nothing where all hear the same."""
    kind = {"error_feedback": "ErrorFeedback", **KINDS}.get(name, "Allreduce")
    params = KEEPING.get(name, {})
    told = {
        "list": "x is a list: it must be a numpy array",
        "matrix": "x has 2 dimensions: it must have 1",
        "gaps": "x has gaps between its entries: it must be contiguous; x.copy() is",
        "half precision": "x has dtype float16: it must be float32",
    }
    if name in KEEPING:
        told |= {what: f"x has {n} entries: this {kind} was made for 5" for what, n in (("shorter", 4), ("longer", 6))}
    if params.get("allow_nan") is False:
        told["NaN"] = "x[1] is NaN"
    found = [(what, before, text) for what, text in told.items() for before in ((0, 2) if name in KEEPING else (0,))]
    if name in FLOATING:
        found += [("whole numbers", 0, "x has dtype int64: ")]
    if name not in KEEPING:
        found += [("shorter", 0, "")]
    elif name == "lossy_two_shot":
        found += [("another dtype", 1, "x has dtype float32, the calls before float64: all need one dtype")]
    else:
        found += [("another dtype", 1, "x has dtype float32, the residual float64: all calls need one dtype")]
    return [*found, ("another dtype", 0, "")]


@pytest.mark.parametrize("name", third([*DENSE, "flash", "hierarchical", "omnireduce", "qgz", "moshpit", *KEEPING]))
def test_vectors(name):
    """In the first call and in later ones; the next one goes on as if nothing had been."""
    for what, before, sentence in vectors_refused(name):
        texts = heard("refused_vector", 3, name=name, what=what, bad=2, before=before, **KEEPING.get(name, {}))
        if sentence:
            assert texts.pop(2).startswith(sentence), (what, before)
            assert texts == [ELSEWHERE.format(2)] * 2
        else:
            assert len({*texts}) == 1 and texts[0].startswith(("rank 2 has float32", "rank 2 has float64"))


@pytest.mark.parametrize("name", SELECTING)
def test_without_validation_each_rank_checks_its_own(name):
    """No exchange takes place, and what is wrong on all ranks is refused on all."""
    call = functools.partial(called, name=name, wrong={"k": -1})
    outcome = world.run(f"{RANKS}:unvalidated", 2, [None] * 2, call=call).raise_if_found()
    told = [f"k = -1: {WHOLE}", "x has 5 entries: this Allreduce was made for 4"]
    assert [bytes(y).decode().splitlines() for y in outcome.results] == [told] * 2
    assert "Allgather" not in {one.name for one in outcome.collectives}


@pytest.mark.mpi
def test_on_real_ranks(group):
    """Every rank has its sentence, also under MPI, each within seconds; a right call follows on the same ranks."""

    def real(function, p, **params):
        return [bytes(y).decode() for y in group.run(f"{RANKS}:{function}", [np.zeros(1)] * p, timeout=9.0, **params)]

    for name, p in (("ring_allgather", 1), ("ring_allgather", 4), ("ring_sparse", 3), ("bruck_allgather", 2)):
        for what, sentence in LISTS.items():
            texts = real("refused_list", p, name=name, what=what, bad=[p // 2])
            assert texts.pop(p // 2).startswith(f"rank {p // 2}: {sentence}")
            assert texts == [ELSEWHERE.format(p // 2)] * (p - 1)
    texts = real("refused_list", 3, name="ring_allgather", what="unsorted", bad=[1, 2])
    assert [text.split(":")[0].split("'")[0] for text in texts] == ["rank 1", "rank 1", "rank 2"]
    for what, before, sentence in vectors_refused("ring_topk"):
        texts = real("refused_vector", 3, name="ring_topk", what=what, bad=2, before=before, **KEEPING["ring_topk"])
        assert texts[2].startswith(sentence or "rank 2 has") and texts[0].startswith("rank 2")


@pytest.mark.parametrize("name", PAGES)
def test_two_groups_of_ranks(name):
    """A communicator between them is refused by all ranks, before any message."""
    params = {**({"k": 2} if name in (*ALLGATHERS, *SPARSE) else {}), **KEEPING.get(name, {})}
    assert {*heard("refused_groups", name=name, **params)} == {GROUPS}


def test_importing_starts_no_mpi():
    """The arithmetic of all implementations can be read without an MPI library."""
    names = ", ".join(f"sparring.impl.{name}" for name in PAGES)
    code = f"import sys, {names}; sys.exit('mpi4py' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0
