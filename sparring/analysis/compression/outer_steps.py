"""What outer steps are, between which ranks train apart: Nesterov's, a mean, and rarely sent [DFR23]_ [S25]_.

Entries are real numbers; the functions are the pages' own.

.. [DFR23] A. Douillard et al., "DiLoCo: distributed low-communication training of language models", arXiv:2311.08105.
.. [S25] A. Sarfi et al., "Communication efficient LLM pre-training with SparseLoCo", arXiv:2508.15706.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import z3

from sparring.analysis.compression.reals import Lemma, proved
from sparring.proofs.logic.verdicts import Settled, tested
from sparring.spec import diloco, ring, sparse_loco, streaming_diloco
from sparring.spec.core.loading import load
from sparring.spec.core.runner import run

point, momentum, gradient, mean, ways, p = z3.Reals("point momentum gradient mean ways p")
at, waits, sent = z3.Reals("at waits sent")

RATES = (0, 1, 700, 1000)
PARTS = (0, 1, 900, 1000)
"""Thousandths."""


def steps(module: Any = diloco) -> Iterator[Lemma]:
    """Yield the lemmas on a step: of the momentum, and of the point."""
    for rate in RATES:
        for part in PARTS:
            new = module.moved(module.State(point, momentum), gradient, module.Params(rate, part))
            wanted = momentum * part / 1000 + gradient
            yield Lemma("momentum", (), new.momentum == wanted)
            way = gradient + wanted * part / 1000
            yield Lemma("point", (), new.point == point - way * rate / 1000)


def nesterov() -> Settled:
    """Decide whether an outer step is that of gradient descent with Nesterov's momentum."""
    return proved(steps())


def averages(rate: int = 1000, module: Any = diloco) -> Iterator[Lemma]:
    """Yield the lemma on a step without momentum; ``ways``: the sum of all ways back, from the point to each rank."""
    new = module.moved(module.State(point, momentum), ways / p, module.Params(rate, 0))
    yield Lemma("mean", (p >= 1, p * mean == p * point - ways), new.point == mean)


def averaged() -> Settled:
    """Decide whether a step with rate 1 and without momentum leads to the mean of where ranks are."""
    return proved(averages())


def averaged_slower() -> Settled:
    """Decide the same of another rate."""
    return proved(averages(700))


def volume() -> Settled:
    """Decide by counting whether ``H`` steps a call send an ``H``-th of a sum in each step."""
    for many in range(1, 9):
        called, summed = words(load(diloco), many), words(load(ring), many)
        if called != summed:
            return Settled(False, f"{many} ranks send {called} words in a call, and {summed} in a sum")
    return Settled(True, "a call sends what one sum sends: counted for p = 1..8", tested(8))


def words(page: Any, many: int, long: int = 7) -> int:
    """Count the words that are sent, of vectors of so many numbers."""
    trace = run(page, [[1.0] * long] * many).trace
    return sum(len(m.entries) for wire in trace for m in wire)


def feedback(module: Any = sparse_loco, parts: tuple[int, ...] = PARTS) -> Iterator[Lemma]:
    """Yield the lemmas on what a rank sends of, and on what waits then."""
    for part in parts:
        given = module.entered(at, module.State(point, waits), module.Params(decay=part))
        yield Lemma("entered", (), given == waits * part / 1000 + (point - at))
        yield Lemma("left", (), module.left(given, sent) == waits * part / 1000 + (point - at) - sent)


def fed_back() -> Settled:
    """Decide whether ways back enter, and wait, as in error feedback with a decay."""
    return proved(feedback())


def mean_steps(module: Any = sparse_loco) -> Iterator[Lemma]:
    """Yield the lemmas on the point; ``ways``: the sum of what is read of all ranks."""
    for rate in RATES:
        yield Lemma("point", (p >= 1,), module.moved(point, ways / p, rate) == point - (ways / p) * rate / 1000)


def mean_step() -> Settled:
    """Decide whether the point goes against the mean of what is read."""
    return proved(mean_steps())


def kept_whole(part: int, module: Any = sparse_loco) -> Iterator[Lemma]:
    """Yield the lemma on a call in which nothing is lost: what is sent and waits then is what waited, and the way."""
    given = module.entered(at, module.State(point, waits), module.Params(decay=part))
    yield Lemma("nothing is lost", (), sent + module.left(given, sent) == waits + (point - at))


def conserved() -> Settled:
    """Decide whether nothing is lost where nothing fades."""
    return proved(kept_whole(1000))


def conserved_with_decay() -> Settled:
    """Decide whether nothing is lost with the page's own decay."""
    return proved(kept_whole(sparse_loco.Params().decay))


def mixtures(module: Any = streaming_diloco) -> Iterator[Lemma]:
    """Yield the lemmas on where a rank goes on."""
    for mix in PARTS:
        yield Lemma("mixture", (), module.mixed(at, point, mix) == at * mix / 1000 + point * (1000 - mix) / 1000)


def mixture() -> Settled:
    """Decide whether a rank goes on from ``alpha`` of its own place and the rest of the new point."""
    return proved(mixtures())


def peak(streaming: Any = streaming_diloco) -> Settled:
    """Decide by counting whether a call sends an ``F``-th of what DiLoCo's sends, where ``F p`` divides ``n``."""
    for many in range(1, 6):
        for parts in range(1, 5):
            long = 3 * many * parts
            sent = words(load(streaming, fragments=parts), many, long)
            whole = words(load(diloco), many, long)
            if parts * sent != whole:
                return Settled(False, f"{many} ranks send {sent} words of {parts} parts, and {whole} of all")
    return Settled(True, "an F-th, in each call: counted for p = 1..5, F = 1..4", tested(20))
