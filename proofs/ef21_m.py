"""What is claimed of EF21-SGDM beyond its text: that its means are running means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sparring.impl import ef21_m
from sparring.proofs.arc_top_k import e, w, x
from sparring.proofs.ef21 import kept, off, shown
from sparring.proofs.error_feedback import peers as through
from sparring.proofs.error_feedback import refused as of_selectors
from sparring.proofs.functions.matrices import ANY
from sparring.proofs.functions.ratios import Ratio
from sparring.proofs.logic.obligations import Obligation
from sparring.proofs.reading.annotations import Served, Stated
from sparring.spec.core.model import Page

__all__ = ["kept", "off", "shown"]  # as of EF21

others: Sequence[Mapping[str, Any]] = (
    {"k": 2, "selector": "threshold", "period": 2, "allreduce": "bruck_allgather", "momentum": 1000},
    {"k": 3, "selector": "sampled", "stride": 2, "allreduce": "two_shot_sparse", "momentum": 250},
    {"k": 1, "momentum": 0},
)
refused = (*of_selectors, {"momentum": -1}, {"momentum": 1001})


def theorems(page: Page) -> Iterator[Stated]:
    """State what a mean is, of all parts that a new vector may count."""
    yield Stated("result", "In a running mean a new vector counts so many thousandths, and the mean before the others; "
                 "the first mean is the first vector.", (*means(page.module),))  # fmt: skip


def means(m: Any) -> Iterator[Obligation]:
    """State it of letters, over a thousand."""
    now = m.running(Ratio(x), 1, Ratio(e), w)
    yield Obligation("mean", ANY, now.is_((1000 - w) * e + w * x, 1000))
    yield Obligation("the first mean", ANY, m.running(Ratio(x), 0, Ratio(e), 1).is_(x, 1))


def peers(page: Page, served: Served) -> Iterator[Obligation]:
    """State that an implementation adds by the page's allreduce, and has means of its own that are the page's."""
    impl: Any = ef21_m
    yield from through(page, served)
    yield Obligation("means", ANY, impl.mixed(e, x, w) == page.module.mixed(e, x, w))
