"""Decides what the papers on Flash Communication say of schedules, sizes and codes."""

from __future__ import annotations

from fractions import Fraction

from sparring.analysis.compression import errors, sizes
from sparring.analysis.compression.reals import shown
from sparring.proofs.statements import formulas
from sparring.spec import flash
from sparring.spec.codecs import bit_planes
from sparring.spec.codecs.group_quantiser import Grouped
from sparring.spec.core.exchanges import served
from sparring.spec.core.loading import load
from sparring.spec.core.runner import run

RANKS = range(2, 17)
BITS = range(1, 9)
Shown = tuple[bool, str]


def volume() -> Shown:
    """Decide whether an entry takes as many bits as its code; the step and zero of each group are not counted."""
    for bits in BITS:
        for width in sizes.WIDTHS:
            code = Grouped(bits, 128, 0)
            of_codes = sizes.per_entry(code, width) - Fraction(8 * 2 * width, 128)
            *_, full = sizes.of_groups(code, width)
            if not (found := shown([full])).holds:
                return False, found.detail
            if of_codes != bits:
                return False, f"a code of {bits} bits takes {of_codes}"
    return True, "of codes, of 1 to 8 bits, for every p; a step and a zero for each group come on top"


def steps() -> Shown:
    """Decide whether there are two steps: on the page's runs; for every p each rank hears from all others in each."""
    page = load(flash)
    for p in RANKS:
        trace = run(page, [[0.0] * p] * p).trace
        if [len(wire) for wire in trace] != [p * (p - 1)] * 2:
            return False, f"p={p}: {len(trace)} steps"
    exchanges = [served("direct_reduce_scatter"), served("direct_allgather")]
    found = shown(claim for one in exchanges for claim in formulas.result(one))
    told = f"2 steps on runs of p = {RANKS[0]}..{RANKS[-1]}; in each all hear from all, for every p"
    return found.holds, told if found.holds else found.detail


def bit_splitting() -> Shown:
    """Decide whether codes of all widths come back from bit planes, in rows of any length up to that of all codes."""
    for bits in BITS:
        every = [*range(1 << bits)]
        for c in range(len(every) + 1):
            if bit_planes.unpacked(bit_planes.packed(every[:c], bits), c, bits) != every[:c]:
                return False, f"{c} codes of {bits} bits do not come back"
    units = {width for bits in BITS for width in bit_planes.widths(bits)}
    return units == {1, 2, 4, 8}, "all codes of 1 to 8 bits come back from planes of 8, 4, 2 and 1 bits"


def spike_reserving() -> Shown:
    """Decide the theorem on spikes."""
    one = next(one for one in errors.statements() if one.name == "spikes")
    found = errors.answered(one)
    return found.holds, f"{one.says} (z3, cvc5; mutant refuted: {one.fault})"
