"""Plants a fault for each property that runs decide: they are believed only where it is caught.

A check that accepts everything would pass a right target and a wrong one alike; its property is
*undecided* then, whatever it says of the right one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from sparring.proofs.logic.verdicts import REFUTED, UNDECIDED
from sparring.refinement.comparison import Flaw
from sparring.refinement.runtime_faults import FAULTS, Fault
from sparring.report import Result

Roads = Mapping[str, Callable[[Fault], Iterable[Flaw]]]
"""By property, what is found if ranks have a fault; one flaw after the other, so that the first may do."""


def vouched(result: Result, roads: Roads) -> Result:
    """Return the result, confirmed by the fault planted for its property; unchanged where no fault is needed."""
    if result.verdict == REFUTED or result.property not in roads:
        return result
    told, fault = FAULTS[result.property]
    caught = any(flaw.property == result.property for flaw in roads[result.property](fault))
    return confirmed(result, told, caught)


def confirmed(result: Result, fault: str, caught: bool) -> Result:
    """Return the result with the fault that was planted, if it was caught; else *undecided*."""
    if caught:
        return result._replace(planted=fault)
    detail = f"the planted fault was not caught ({fault}): this check may accept anything"
    return result._replace(verdict=UNDECIDED, detail=detail)
