"""Code on ``torch.distributed``: gloo's own allreduce, torch's hooks of DDP, and planted bugs."""

from __future__ import annotations

import importlib.util
import os
import time
from pathlib import Path

import numpy as np
import pytest

import sparring
from sparring.adapters.gloo import Functions, Hooks
from sparring.checks.checking import check
from sparring.checks.question import Question
from sparring.checks.ranks.group import Ended
from sparring.checks.ranks.launch import descendants, processes
from sparring.errors import InputError, MissingExtra
from tests.sparring.checks.refuting import failed
from tests.sparring.checks.suites import CATALOGUE, allowed

SUITE = CATALOGUE["torch"]
EXAMPLES = Path(__file__).parents[3] / "examples/torch/ddp_hooks.py"
TARGETS = Path(__file__).with_name("torch_targets.py")
HERE = importlib.util.find_spec("torch") is not None
pytestmark = pytest.mark.torch
TORCH = pytest.mark.skipif(not HERE, reason='no torch here: pip install "sparring[torch]"')
JUDGED = ["result", "agreement", "reproducibility"]


@pytest.fixture
def quick(monkeypatch, tmp_path):
    """Reproducers go to an empty folder, and little time goes into smaller examples."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sparring.checks.engine.SHRINKING", 2.0)


@pytest.fixture(scope="module")
def groups():
    """Three ranks for functions and as many for hooks: torch takes long to import."""
    question = Question("", ranks=[3])
    made = {"torch": Functions(question), "ddp": Hooks(question)}
    yield made
    for group in made.values():
        group.stop()


def judged(groups, on, target, **how):
    return check(target, on=on, group=groups[on], **how)


def verdicts(report):
    return {r.property: str(r.verdict).split(" ")[0] for r in report.results}


@TORCH
@pytest.mark.parametrize("name", ["allreduce", "default_group"])
def test_gloo_is_an_allreduce(quick, groups, name):
    """gloo's all_reduce gives the sum of all four dtypes, the same bits everywhere and again; its input is untouched.

    Each example's ranks are the default group too.
    """
    report = judged(groups, "torch", f"{TARGETS}:{name}", ranks=[1, 2, 3], max_examples=20)
    assert report.verdict == "holds"
    found = verdicts(report)
    wanted = [*JUDGED, "input untouched", "deadlock", "edge sizes", "dtypes"]
    assert {prop: found[prop] for prop in wanted} == dict.fromkeys(wanted, "tested")


@TORCH
@pytest.mark.parametrize("name", [name for name in SUITE.defects if name != "rank 0 takes no part"])
def test_a_defect_falsifies_its_properties_and_no_other(quick, groups, monkeypatch, name):
    """Of the catalogue, all but the one that waits for ever."""
    monkeypatch.setattr("sparring.checks.engine.SHRINKING", 0.0)
    defect = SUITE.defects[name]
    report = SUITE.looked(SUITE.wrong(defect), defect, group=groups[(defect.options or {})["on"]], ranks=[2, 3])
    assert {*defect.refuted} <= {*failed(report)} <= allowed(defect)


ONE = {"examples": [([np.ones((3, 9), np.float32)] * 2, "result")], "max_examples": 1}
"""Where ranks are started anew after each example."""


@TORCH
@pytest.mark.parametrize(
    ("name", "why", "how"), [("lossy", ": rank 0 has", {"max_examples": 30}), ("dies", "rank 1 failed", ONE)]
)
def test_what_is_told(quick, groups, name, why, how):
    """With the rank."""
    (result,) = judged(groups, "torch", f"{TARGETS}:{name}", ranks=[2], only=["result"], **how).results
    assert str(result.verdict) == "refuted"
    assert why in result.detail


@TORCH
def test_what_raises_everywhere_is_tested_for_nothing(quick, groups):
    """*Result* is refuted whatever is asked for, and what no example came to is undecided."""
    report = judged(groups, "torch", f"{TARGETS}:raises", ranks=[2], max_examples=6, only=["agreement"])
    assert verdicts(report) == {"agreement": "undecided", "result": "refuted"}
    assert report.exit_code == 1


@TORCH
@pytest.mark.parametrize(
    ("name", "said"), [("is_killed", "without an answer: it was killed by SIGKILL"), ("is_stopped", "(SIGSTOP)")]
)
def test_a_rank_ends(groups, name, said):
    """It is named, not those that raise because it has gone; nothing of it is left, and the next example runs."""
    group, xs = groups["torch"], [np.arange(4.0)] * 3
    pids, start = set(group.start().pids()), time.monotonic()
    with pytest.raises(Ended) as caught:
        group.run(f"{TARGETS}:{name}", xs, timeout=30)
    assert time.monotonic() - start < 20  # of which torch's start takes most
    assert caught.value.rank == 1 and said in str(caught.value)
    assert not pids & {*processes()}
    assert all(np.array_equal(y, 3 * xs[0]) for y in group.run(f"{TARGETS}:allreduce", xs))


@TORCH
def test_a_hang(quick, monkeypatch):
    """A rank that waits for one that does not come is named with its line, and nothing lives on."""
    monkeypatch.setattr(Functions, "patience", 1.0)
    before = set(descendants(os.getpid()))
    (result,) = check(f"{TARGETS}:hangs", on="torch", ranks=[2], max_examples=5, only=["deadlock"]).results
    assert "rank 1 of 2 did not answer within 2 s" in result.detail
    assert "torch_targets.py" in result.detail
    assert not set(descendants(os.getpid())) - before


@TORCH
def test_the_default_hook(quick, groups):
    """DDP with its default hook gives the sum, up to the roundings of a mean, and the same bits on every rank."""
    assert judged(groups, "ddp", f"{EXAMPLES}:mean", ranks=[2, 3], max_examples=15).verdict == "holds"


@TORCH
@pytest.mark.parametrize(
    ("name", "dtypes", "lost"),
    [
        ("fp16", None, {"result"}),
        ("quantised", ["float32"], {"result"}),
        ("PowerSGD", None, {"result", "reproducibility"}),
    ],
)
def test_lossy_hooks(quick, groups, name, dtypes, lost):
    """torch's lossy hooks lose what they must, and what they leave is the same on all ranks.

    PowerSGD keeps what it lost and begins anew at random, so called again it differs; the others do not.
    """
    report = judged(
        groups, "ddp", f"{EXAMPLES}:{name}", ranks=[2, 3], max_examples=20, only=JUDGED, dtypes=dtypes,
        xfail=dict.fromkeys(lost, "compressed"),
    )  # fmt: skip
    assert report.verdict == "holds"
    assert {p for p, word in verdicts(report).items() if word == "refuted"} == lost
    assert verdicts(report)["agreement"] == "tested"


@TORCH
@pytest.mark.parametrize("name", ["ring_sparse", "ring"])
def test_our_hooks(quick, groups, name):
    """An implementation of ours, as a hook, gives the sum up to roundings, and the same bits on every rank."""
    report = judged(groups, "ddp", f"{EXAMPLES}:{name}", ranks=[1, 2, 3], max_examples=20)
    assert report.verdict == "holds"
    assert verdicts(report)["dtypes"] == verdicts(report)["agreement"] == "tested"


@TORCH
def test_our_hook_keeps_a_residual(quick, groups):
    """The re-sparsifying ring loses entries in one iteration and has others in the next; all ranks agree."""
    lost = {"result", "reproducibility"}
    report = judged(
        groups, "ddp", f"{EXAMPLES}:TopK", ranks=[2, 3], max_examples=20, only=JUDGED,
        xfail=dict.fromkeys(lost, "sends one entry"),
    )  # fmt: skip
    assert report.verdict == "holds"


@TORCH
def test_all_of_ours_run_over_torch(quick, groups):
    """Each implementation of a plain allreduce runs on a process group by the names of mpi4py."""
    for name in ("ring", "rabenseifner", "recursive_doubling", "recursive_multiplying"):
        report = judged(groups, "torch", f"{TARGETS}:{name}", ranks=[1, 2, 3], max_examples=10)
        assert report.verdict == "holds", name


@TORCH
def test_a_hook_that_fails(quick, groups):
    """torch's quantisation was written for NCCL's futures; on gloo it raises, and that is the verdict."""
    name = "quantised_as_it_is"
    (result,) = judged(groups, "ddp", f"{EXAMPLES}:{name}", ranks=[2], only=["result"], **ONE).results
    assert str(result.verdict) == "refuted"
    assert "IndexError: invalid index of a 0-dim tensor" in result.detail


@TORCH
def test_a_right_hook(quick, groups):
    """The twin of the planted ones."""
    assert judged(groups, "ddp", f"{TARGETS}:mean", ranks=[2, 3], max_examples=20).verdict == "holds"


@TORCH
@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"page": "ring", "level": "steps"}, "what torch sends is not seen"),
        ({"sparse": True}, "dense tensors"),
        ({"on": "ddp", "dtypes": ["int64"]}, "at least one that the target takes"),
    ],
)
def test_bad_questions(how, why):
    """What cannot be asked on torch is refused in a sentence."""
    with pytest.raises(InputError, match=why):
        check(f"{TARGETS}:allreduce", **{"on": "torch", **how})


@TORCH
def test_a_class_is_judged_by_what_it_promises(quick, groups):
    """With the tensor that it keeps; the planted one is in the catalogue."""
    draw = {"k": "1-3"}
    report = judged(groups, "torch", f"{TARGETS}:TopK", ranks=[1, 2], contract="error-feedback", draw=draw)
    assert {prop: word for prop, word in verdicts(report).items() if word != "tested"} == dict.fromkeys(
        ("hygiene", "communicators"), "not"
    )


@TORCH
def test_no_such_hook():
    """An algorithm that is none is refused with those that are."""
    with pytest.raises(InputError, match="no algorithm 'rung'"):
        sparring.torch.hook("rung")


@pytest.mark.skipif(HERE, reason="torch is installed: pip uninstall torch")
def test_without_torch():
    """Where torch is absent nothing is judged, and the sentence says how to install it."""
    with pytest.raises(MissingExtra, match=r'pip install "sparring\[torch\]"'):
        sparring.torch.hook("ring")
    report = check(f"{TARGETS}:allreduce", on="torch")
    verdicts = {r.property: str(r.verdict) for r in report.results}
    assert {*verdicts.values()} == {"undecided", "not covered"}  # the level leaves out the rest
    assert (report.verdict, verdicts["result"], verdicts["agreement"]) == ("undecided", "undecided", "undecided")
    assert 'pip install "sparring[torch]"' in report.results[0].detail
