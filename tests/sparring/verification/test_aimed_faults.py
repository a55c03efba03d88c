"""Faults where code has another path than usual: ``verify`` as a user runs it finds each of them."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from sparring.verification.simulated_runs import flaws
from tests.impl.algorithms import PAGES, TARGETS, planted
from tests.sweeps import sweep


class Aimed(NamedTuple):
    """``page``: where it shows; ``module``, ``old``, ``new``: what is changed; ``path``: where code has to go."""

    page: str
    module: str
    old: str
    new: str
    path: str


AIMED = [
    Aimed("oktopk", "oktopk", "some = x[i : i + BLOCK]", "some = x[:BLOCK][: x[i : i + BLOCK].size]", "a second block"),
    Aimed(
        "thc",
        "thc",
        "for i in range(0, x.size, BLOCK):",
        "for i in range(0, min(x.size, BLOCK), BLOCK):",
        "a second block",
    ),
    Aimed("qsgd", "qsgd", "np.arange(some.start, some.stop)", "np.arange(some.stop - some.start)", "a second block"),
    Aimed(
        "arc_top_k",
        "arc_top_k",
        "y[i : i + size, s] = halved(products)",
        "y[:size, s] = halved(products)",
        "a second block",
    ),
    Aimed("power_sgd", "power_sgd", "m[i : i + size] -= some", "m[:size] -= some", "a second block"),
    Aimed(
        "flash",
        "codecs.bit_planes",
        "at = begin + first * width // EIGHT\n            out[at",
        "at = begin\n            out[at",
        "a second block",
    ),
    Aimed(
        "ring_sparse",
        "core.messages",
        "starts = np.arange(0, max(length, 1), BLOCK)",
        "starts = np.arange(0, max(length, 1), BLOCK) * 0",
        "a chunk of several tables",
    ),
    Aimed("ring_sparse", "core.messages", "counts[1:] -= counts[:-1]", "pass", "a chunk of several tables"),
    Aimed("gtopk", "core.selection", "if at.size >= k:", "if at.size >= 0:", "the sample misleads"),
    Aimed(
        "ring_topk",
        "core.selection",
        "return np.arange(size.size)\n\n\ndef reaching",
        "return np.arange(size.size - 1)\n\n\ndef reaching",
        "the sample misleads",
    ),
    Aimed("ring", "ring", "if same_memory(x, y) else None", "if False else None", "in place"),
    Aimed(
        "recursive_doubling",
        "core.arguments",
        "if not same_memory(x, out) and abs",
        "if False and abs",
        "an out that overlaps",
    ),
    Aimed("two_shot", "core.arguments", "if not out.flags.writeable:", "if False:", "an out that is read-only"),
    Aimed(
        "rabenseifner",
        "core.transport",
        'return cast("Intracomm", comm.Get_attr(key))',
        "return comm",
        "a receive of the caller's own",
    ),
    Aimed(
        "spardl",
        "core.transport",
        'return cast("Intracomm", comm.Get_attr(key))',
        "return comm",
        "a receive of the caller's own",
    ),
    Aimed("recursive_multiplying", "recursive_multiplying", "radix < 2:", "radix < 0:", "a bad argument"),
    Aimed("moshpit", "core.averaging_groups", "alive[[*ends]] = False", "pass", "a rank that dies"),
    Aimed("lossy_two_shot", "lossy_two_shot", 'if self._aggregator != "ratio0":', "if True:", "another aggregator"),
    Aimed("lossy_two_shot", "lossy_two_shot", "mine if self._running else 0", "0", "running sums"),
    Aimed(
        "one_bit",
        "codecs.sign_codec",
        "found = total if norm == 1 else np.sqrt(total)",
        "found = np.sqrt(total)",
        "another norm",
    ),
    Aimed("qsgd", "qsgd", "norm = sizes.max() if by_max else", "norm =", "by the greatest magnitude"),
    Aimed("power_sgd", "power_sgd", "rest = columns[s + 1 :]", "rest = columns[s + 2 :]", "a second column"),
    Aimed("arc_top_k", "arc_top_k", '(x.copy() if self._feedback == "ef21m" else None)', "None", "another feedback"),
    Aimed(
        "thc", "thc", "return bits + (p - 1).bit_length()", "return bits + min((p - 1).bit_length(), 4)", "many ranks"
    ),
    Aimed("thc", "thc", "self._calls += 1", "self._calls = 1", "a third call"),
    Aimed("oktopk", "oktopk", "self._calls += 1", "self._calls = min(self._calls + 1, 4)", "past every period"),
    Aimed("ring_allgather", "core.wire", "n <= 1 << 31", "True", "indices of 8 bytes"),
    Aimed("error_feedback", "error_feedback", "validate=False)", "validate=True)", "no second exchange of arguments"),
    Aimed("flash", "codecs.group_quantiser", "for w in (1, 2, 4)", "for w in (1, 2, 3)", "groups longer than 65,536"),
    Aimed("flash", "flash", "for b in (b1, b2))", "for b in (b1, b1))", "another width in the second step"),
    Aimed("ring_sparse", "core.merge", "or len(chunk) < threshold(", "or len(chunk) <= threshold(", "turns dense"),
    Aimed("two_shot_sparse", "core.encodings", "return length - ceil(", "return 1 + length - ceil(", "turns dense"),
    Aimed("arc_top_k", "arc_top_k", 'if self._feedback == "ef14" and', "if False and", "another feedback"),
    Aimed("oktopk", "oktopk", "WHOLE + gain, WHOLE)", "WHOLE + 12, WHOLE)", "another gain"),
    Aimed("moshpit", "moshpit", "total /= sum(weights)", "total /= len(weights)", "weights"),
    Aimed("lossy_two_shot", "lossy_two_shot", "~happens(self._seed,", "~happens(0,", "another seed"),
    Aimed("thc", "thc", "drawn(self._seed,", "drawn(0,", "another seed"),
    Aimed("power_sgd", "power_sgd", "columns.dtype.type(epsilon) /", "columns.dtype.type(10) /", "another epsilon"),
    Aimed(
        "dsar_split_allgather",
        "dsar_split_allgather",
        "thirds * length <= 3 * m",
        "thirds * length < 3 * m",
        "turns dense by another rule",
    ),
    Aimed("error_feedback", "error_feedback", "made(selector, k, params)", 'made("topk", k, {})', "another selector"),
    Aimed("spardl", "spardl", "begun(rounds(p) - 1 - i)", "begun(min(rounds(p), 3) - 1 - i)", "many ranks"),
]


def found(name):
    """What is wrong, from the cheapest look on."""
    return flaws(PAGES[name], TARGETS[name])


@pytest.mark.parametrize(
    "i", sweep(range(len(AIMED)), few=range(0, len(AIMED), 6)), ids=lambda i: f"{AIMED[i].page}: {AIMED[i].path}, {i}"
)
def test_an_aimed_fault_is_found(i):
    """In the first run that goes there."""
    fault = AIMED[i]
    with planted(fault.module, (fault.old, fault.new)):
        assert next(found(fault.page), None) is not None


def test_messages_that_nobody_can_read_are_found():
    """Both sides agree on another form: results and lengths are right, and no entry of a message is seen."""
    changes = (
        ("view(width(x.n))[:] = x.indices", "view(width(x.n))[:] = x.indices ^ 1"),
        ("return buffer[cut:].view(width(n)),", "return buffer[cut:].view(width(n)) ^ 1,"),
    )
    with planted("core.wire", *changes):
        wrong = [*found("ring_allgather")]
    assert {flaw.property for flaw in wrong} == {"steps"}
    assert any("in any form that is known" in flaw.detail for flaw in wrong)
