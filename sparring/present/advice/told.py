"""The sentences of an advice, which terminal and page share."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from sparring.advising.advice import RESULTS, Advice, Answer, Option
from sparring.advising.amounts import amount, lasting, percent
from sparring.advising.measuring import Measured, Profile
from sparring.advising.spending import FREE
from sparring.costs.links.machines import Machine


def heading(advice: Advice) -> list[tuple[str, str]]:
    """Return sentences on what was measured and assumed, each with its subject."""
    profile, (machine, topology, nodes) = advice.profile, advice.place
    return [
        ("gradients", describe_profile(profile)),
        ("kept", f"{percent(profile.density)} of the entries of each worker, with {span(profile.fused)}"),
        ("union", grown(profile.fused)),
        ("machine", spoken(machine)),
        *([("links", f"those of a {topology}, shared by the messages of a step")] if topology != FREE else []),
        *([("nodes", f"of {nodes.size} ranks, each {spoken(nodes.inside)}")] if nodes else []),
    ]


def spoken(machine: Machine) -> str:
    """Return a machine's numbers in words, and where they are from."""
    told = f"{machine.name or 'given'}: {lasting(machine.alpha)} a message, {rate(machine.beta)}"
    told += f", {lasting(machine.gamma)} an addition" if machine.gamma else ""
    return f"{told} ({machine.source})" if machine.source else told


def describe_profile(profile: Profile) -> str:
    """Return a sentence on the source, the workers, and the entries of the vectors."""
    fused, layers = profile.fused, len(profile.layers)
    zeros = 1 - sum(fused.nonzero) / (fused.size * len(fused.nonzero)) if fused.size else 0
    told = f"{profile.source}: {len(fused.nonzero)} workers, {fused.size:,} entries of {' and '.join(profile.dtypes)}"
    told += f" in {layers} layer{'s' * (layers > 1)}"
    return f"{told}; {percent(zeros)} of them zero"


def span(measured: Measured) -> str:
    """Return the part of the squared norm that is kept, in words."""
    low, high = percent(min(measured.kept)), percent(max(measured.kept))
    return f"{low if low == high else f'{low} to {high}'} of the squared norm"


def grown(measured: Measured) -> str:
    """Return the size of the union of all workers' entries in words, and the sizes by the models."""
    growth = measured.growth
    if growth.ranks == 1:
        return "one worker alone says nothing of what several have in common; supports are taken as independent"
    models = f"{float(growth.identical()[-1]):,.0f} if identical, {float(growth.independent()[-1]):,.0f} if independent"
    return f"of {growth.ranks} workers: {float(growth.mean[-1]):,.0f} entries ({models})"


def planned(answer: Answer) -> str:
    """Return a sentence on how to fuse layers into buckets."""
    plan, many = answer.plan, len(answer.plan.buckets)
    if sum(map(len, plan.buckets)) == 1:
        return f"there is one layer; from {plan.least:,} entries on start-up is a tenth of the time"
    told = f"{many} bucket{'s' * (many > 1)} of at least {plan.least:,} entries" if many > 1 else "all in one bucket"
    return f"{told}: {lasting(plan.time)}; layer by layer {lasting(plan.by_layer)}, all at once {lasting(plan.fused)}"


def bounded(answer: Answer) -> str:
    """Return the lower bound of an allreduce of all entries, and each one's ratio to it; empty if it is not known."""
    if answer.least is None:
        return ""
    time, cut = answer.least
    words = f"{cut.words} n words" if cut.words > 1 else "n words each way"
    told = f"{lasting(time)} for all entries, by bytes alone: {cut.name}, {words} over {counted(cut.links, 'link')}"
    far = [f"{one.algorithm} {float(one.time.expected / time):.4g}" for one in dense(answer)] if time else []
    return f"{told}; times that: {', '.join(far)}" if far else told


def dense(answer: Answer) -> list[Option]:
    """Return the algorithms that sum all entries, fastest first."""
    return [one for one in answer.options if one.result == RESULTS["vector"]]


def counted(many: int, what: str) -> str:
    """Return a number of things in words."""
    return f"{many} {what}{'s' * (many > 1)}"


def cells(layer: Measured) -> list[str]:
    """Return a layer's line: name, entries, part that is not zero, norm kept, union and part that neighbours share."""
    workers, growth = len(layer.nonzero), layer.growth
    union = f"{float(growth.mean[-1]):,.0f}"
    shared = "-" if layer.overlap is None else percent(layer.overlap)
    present = sum(layer.nonzero) / (layer.size * workers) if layer.size else 0
    return [layer.name, f"{layer.size:,}", percent(present), percent(min(layer.kept)), union, shared]


COLUMNS = ("layer", "entries", "not zero", "norm kept", "union", "in common")


OPTIONS = ("algorithm", "time", "at most", "a rank", "messages", "start-up", "sums")


def option_cells(option: Option) -> list[str]:
    """Return an algorithm's line: time as expected and at most, bytes a rank, messages, start-up, entries summed."""
    expected, most = lasting(option.time.expected), lasting(option.time.high)
    sent, startup = amount(option.nbytes.expected), percent(option.startup)
    return [option.algorithm, expected, most, sent, str(option.messages), startup, option.result]


def shared(options: Sequence[Option]) -> list[tuple[str, str]]:
    """Return each risk once, with the algorithms that have it."""
    whose: dict[str, list[str]] = {}
    for option in options:
        for risk in option.risks:
            whose.setdefault(risk, []).append(option.algorithm)
    return [(", ".join(names), risk) for risk, names in whose.items()]


def rate(beta: Fraction) -> str:
    """Return the bytes a second, in words, for ``beta`` seconds a byte."""
    return f"{amount(1 / beta)}/s" if beta else "bytes take no time"
