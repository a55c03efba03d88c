"""The hooks of DDP that torch ships, by their names, each judged by its contract."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from sparring.adapters.gloo import Hooks
from sparring.checks.checking import check
from sparring.checks.contracts import parsed
from sparring.checks.question import Question
from sparring.errors import InputError

EXAMPLES = Path(__file__).parents[3] / "examples/torch/ddp_hooks.py"
TARGETS = Path(__file__).with_name("torch_targets.py")
HERE = importlib.util.find_spec("torch") is not None
pytestmark = [pytest.mark.torch, pytest.mark.skipif(not HERE, reason='no torch here: pip install "sparring[torch]"')]
FEEDBACK = "error-feedback"
FP16, BF16, BYTES = (f"bounded-error:relative={part}" for part in ("6e-3,bound=1e-6", "0.048", "0.012,bound=1e-6"))
"""What three ranks may be off: p gamma_{p+1} with the unit of the format, and p / 255."""


@pytest.fixture(scope="module")
def groups():
    """Three ranks whose models have run before the call that is judged, and three that have not."""
    contract = parsed(FEEDBACK)
    made = {
        "sum": Hooks(Question("", ranks=[3])),
        "contract": Hooks(Question("", ranks=[3], contract=contract, dtypes=Hooks.dtypes)),
    }
    yield made
    for group in made.values():
        group.stop()


@pytest.fixture
def judged(groups, monkeypatch, tmp_path):
    """The report on a hook; reproducers go to an empty folder, and no time goes into smaller examples."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sparring.checks.engine.SHRINKING", 0.0)

    def report(target, contract="", **how):
        asked = {"ranks": [1, 2, 3], "max_examples": 10, **how}
        return check(target, on="ddp", group=groups["contract" if contract else "sum"], contract=contract, **asked)

    return report


def refuted(report):
    return {r.property: r.detail for r in report.results if str(r.verdict).startswith("refuted")}


@pytest.mark.parametrize(("name", "buckets"), [("ddp", 1), ("ddp", 3), ("allreduce_hook", 2)])
def test_exact_ones(judged, name, buckets):
    """DDP without a hook, and its hook that does the same, leave the mean, in one bucket and in several."""
    assert judged(f"torch:{name}", buckets=buckets).verdict == "holds"


@pytest.mark.parametrize(
    ("target", "contract", "how"),
    [
        ("torch:fp16_compress_hook", FP16, {}),
        ("torch:fp16_compress_hook", FP16, {"buckets": 3}),
        ("torch:bf16_compress_hook", BF16, {}),
        (f"{EXAMPLES}:quantised", BYTES, {"dtypes": ["float32"]}),
        (f"{EXAMPLES}:quantised_by_channel", BYTES, {"dtypes": ["float32"]}),
        ("torch:powerSGD_hook", FEEDBACK, {"draw": {"calls": "3-5"}, "orthogonalization_epsilon": 1e-8}),
        (f"{TARGETS}:FirstEntry", f"{FEEDBACK}:entries=1", {}),
    ],
)
def test_lossy_ones_keep_their_contract(judged, target, contract, how):
    """What rounds is off by what its format allows, and what keeps an error loses nothing."""
    assert judged(target, contract, **how).verdict == "holds"


@pytest.mark.parametrize(
    ("target", "contract", "how", "prop", "why"),
    [
        ("torch:bf16_compress_hook", FP16, {}, "result", "off by"),
        ("torch:noop_hook", BF16, {}, "agreement", "on rank"),
        (
            "torch:powerSGD_hook",
            FEEDBACK,
            {"draw": {"calls": "3-5"}, "use_error_feedback": False, "orthogonalization_epsilon": 1e-8},
            "conservation",
            "was put in, the results have",
        ),
        (f"{TARGETS}:LosesLast", f"{FEEDBACK}:entries=1", {}, "conservation", "was put in, the results have"),
        (f"{TARGETS}:mean", f"{FEEDBACK}:entries=1", {}, "entries", "at most 1"),
    ],
)
def test_others_break_it(judged, target, contract, how, prop, why):
    """A coarser format than promised, a hook that reduces nothing, and errors that are forgotten are refuted."""
    assert why in refuted(judged(target, contract, **how))[prop]


def test_a_hook_that_forgets_buckets(judged):
    """A fault that one bucket does not show is refuted with two."""
    target, how = f"{TARGETS}:first_bucket_only", {"only": ["result", "agreement"]}
    assert judged(target, **how).verdict == "holds"
    assert {*refuted(judged(target, **how, buckets=2))} == {"result", "agreement"}


def test_hooks_that_begin_exactly(judged):
    """post_localSGD reduces in its first iterations alone; the third and the fourth are judged."""
    how = {"only": ["result", "agreement"]}
    assert judged("torch:post_localSGD_hook", start_localSGD_iter=4, **how).verdict == "holds"
    assert {*refuted(judged("torch:post_localSGD_hook", **how))} == {"result", "agreement"}


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("batched_powerSGD_hook", "line 26, in _orthogonalize"),
        ("quantization_pertensor_hook", "IndexError: invalid index of a 0-dim tensor"),
        ("quantization_perchannel_hook", "IndexError: too many indices for tensor of dimension 2"),
    ],
)
def test_those_that_raise(judged, name, why):
    """Some of torch's hooks raise on gloo, whatever the gradient."""
    ones = [([np.ones((3, 9), np.float32)] * 2, "result")]
    assert why in refuted(judged(f"torch:{name}", FEEDBACK, examples=ones, only=["result"]))["result"]


def test_powersgd_of_zeros(judged):
    """With the epsilon that is its default, a gradient of zeros becomes NaN; with another it stays."""
    zeros = {"examples": [([np.zeros((3, 12))] * 2, "conservation")], "only": ["conservation"]}
    assert "the results have nan" in refuted(judged("torch:powerSGD_hook", FEEDBACK, **zeros))["conservation"]
    assert not refuted(judged("torch:powerSGD_hook", FEEDBACK, **zeros, orthogonalization_epsilon=1e-8))


@pytest.mark.parametrize(
    ("target", "how", "why"),
    [
        ("torch:fp16_compress", {}, "did you mean 'fp16_compress_hook'"),
        ("torch:all_reduce", {}, "the hooks are ddp, allreduce_hook"),
        ("torch:fp16_compress_hook", {"rank": 2}, "takes buckets, not 'rank'"),
        ("torch:ddp", {"buckets": 0}, "buckets=0: it must be a whole number, 1 or more"),
        ("torch:ddp", {"contract": "mean"}, "leave mean out of the contract"),
        ("torch:ddp", {"contract": "bounded-error:bound=1,mean=1"}, "leave mean out of the contract"),
    ],
)
def test_bad_questions(target, how, why):
    """What cannot be asked of a hook is refused in a sentence."""
    with pytest.raises(InputError, match=why):
        check(target, on="ddp", **how)
