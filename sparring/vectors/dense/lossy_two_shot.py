"""Test vectors of the two-shot allreduce over links that lose packets."""

from __future__ import annotations

from collections.abc import Mapping

from sparring.vectors.dense.flags import lengths, parameter
from sparring.vectors.dense.recording import Case
from sparring.vectors.flag import Flag

OTHERS = ({"aggregator": "ratio", "lost": 500, "packet": 1, "seed": 11}, {"lost": 250, "packet": 2, "seed": 1})


def stale(case: Case) -> bool:
    """Return whether at the end some packet is of an earlier call than the last, or never came."""
    last = case.calls[-1].state
    return any(version < last.call for rank in last.versions for shard in rank for version in shard)


def older(case: Case) -> bool:
    """Return whether at the end some packet is of an earlier call than the last, and came."""
    last = case.calls[-1].state
    return any(0 < version < last.call for rank in last.versions for shard in rank for version in shard)


FLAGS: Mapping[str, Flag] = {
    "Stale": Flag(
        "faults",
        "After the last call some rank has a packet that is not of this call.",
        "What is lost is not sent again: there the rank keeps what it had.",
        stale,
    ),
    "OlderPacket": Flag(
        "faults",
        "After the last call some rank has a packet of an earlier call.",
        "It is neither the newest nor zero.",
        older,
    ),
    "NothingArrives": Flag(
        "faults",
        "All packets are lost.",
        "Ranks are left with their own shards.",
        parameter(lambda params: params["lost"] == 1000),
    ),
    "NothingLost": Flag(
        "faults",
        "No packet is ever lost.",
        "All ranks have the mean, added in the order of ranks.",
        parameter(lambda params: params["lost"] == 0),
    ),
    "HorvitzThompson": Flag(
        "arithmetic",
        "The aggregator is ht.",
        "What arrives is multiplied by 1 / (1 - loss), a rounded number, before it is added.",
        parameter(lambda params: params["aggregator"] == "ht"),
    ),
    "Ratio": Flag(
        "arithmetic",
        "The aggregator is ratio.",
        "The sum is divided by how many copies there are, packet by packet.",
        parameter(lambda params: params["aggregator"] == "ratio"),
    ),
    "OwnCopyLost": Flag(
        "faults",
        "The aggregator is ratio0.",
        "Losses are drawn for the owner's own copy as well; where none is left the mean is 0.",
        parameter(lambda params: params["aggregator"] == "ratio0"),
    ),
    "ZeroFilled": Flag(
        "arithmetic",
        "The aggregator is zero.",
        "The sum is divided by the number of ranks, however many copies there are.",
        parameter(lambda params: params["aggregator"] == "zero"),
    ),
    "SeveralPackets": Flag(
        "edge",
        "Some shard has more than one packet.",
        "Each is lost by itself.",
        lambda case: any(length > case.page.params["packet"] for length in lengths(case)),
    ),
    "ShortPacket": Flag(
        "edge",
        "The last packet of some shard is shorter than others.",
        "It ends with the shard.",
        lambda case: any(length % case.page.params["packet"] for length in lengths(case)),
    ),
    "Running": Flag(
        "memory",
        "Shards add up the means of all calls.",
        "The parameter running is 1.",
        parameter(lambda params: bool(params["running"])),
    ),
}
