"""Chakra's execution traces (mlcommons/chakra, ``schema/protobuf/et_def.proto``): one file a rank.

A file is a GlobalMetadata and then Nodes, each with its length before it.  The attributes of sends and
receives are those that ASTRA-sim reads: ``comm_size`` in ``int64_val``, ``comm_src``, ``comm_dst`` and
``comm_tag`` in ``int32_val``; a trace that has them in another integer field is read too.  Protobuf itself
decodes; only the fields that matter here are declared, and it passes over the others.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from functools import cache, partial
from types import SimpleNamespace
from typing import Any

import msgspec

from sparring.errors import InputError, MissingExtra
from sparring.schedules.messages import ANY, LINKS, Act, Messages, Sized, check_messages
from sparring.schedules.program import STEPS
from sparring.schedules.rotational_symmetry import turned

VERSION = "0.0.4"
COMP, SEND, RECV = 4, 5, 6
KINDS = {SEND: "send", RECV: "recv", COMP: "calc", 1: "calc", 2: "calc", 3: "calc"}  # 1 to 3: metadata, loads, stores
NAMES = {"send": "COMM_SEND_NODE", "recv": "COMM_RECV_NODE", "calc": "COMP_NODE"}
TYPES = {"send": SEND, "recv": RECV, "calc": COMP}
INTEGERS = {  # fields of an attribute: number and protobuf's type
    "int32_val": (7, 5), "int64_val": (9, 3), "uint32_val": (11, 13), "uint64_val": (13, 4), "sint32_val": (15, 17),
    "sint64_val": (17, 18), "fixed32_val": (19, 7), "fixed64_val": (21, 6), "sfixed32_val": (23, 15),
    "sfixed64_val": (25, 16),
}  # fmt: skip
STRING, BOOL, UINT64, INT32, MESSAGE = 9, 8, 4, 5, 11


@cache
def schema() -> SimpleNamespace:
    """Return protobuf's classes for the messages, and its functions for lengths; raise MissingExtra without it."""
    try:
        from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, proto  # an extra
        from google.protobuf.message import DecodeError  # likewise
    except ImportError:
        raise MissingExtra("Chakra's traces need protobuf: pip install 'sparring[chakra]'") from None
    package = "ChakraProtoMsg"
    file = descriptor_pb2.FileDescriptorProto(name="sparring_et_def.proto", package=package, syntax="proto3")
    attr = file.message_type.add(name="AttributeProto")
    attr.oneof_decl.add(name="value")
    field(attr, "name", 1, STRING)
    for name, (number, kind) in {**INTEGERS, "bool_val": (27, BOOL)}.items():
        field(attr, name, number, kind).oneof_index = 0
    head = file.message_type.add(name="GlobalMetadata")
    field(head, "version", 1, STRING)
    node = file.message_type.add(name="Node")
    for name, number, kind in (
        ("id", 1, UINT64),
        ("name", 2, STRING),
        ("type", 3, INT32),
        ("duration_micros", 7, UINT64),
    ):
        field(node, name, number, kind)
    for name, number in (("ctrl_deps", 4), ("data_deps", 5)):
        field(node, name, number, UINT64).label = 3
    attrs = field(node, "attr", 10, MESSAGE)
    attrs.label, attrs.type_name = 3, f".{package}.AttributeProto"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    made = {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{package}.{name}"))
        for name in ("GlobalMetadata", "Node")
    }
    return SimpleNamespace(**made, proto=proto, DecodeError=DecodeError)


def field(message: Any, name: str, number: int, kind: int) -> Any:
    """Declare a field of a message."""
    return message.field.add(name=name, number=number, type=kind, label=1)


def read(files: Sequence[bytes]) -> Messages:
    """Read the files of ranks 0, 1, ...; raise InputError, which says what is wrong, and where."""
    ranks: list[tuple[Act, ...]] = []
    for r, data in enumerate(files):
        ranks.append(rank(r, data, STEPS - sum(map(len, ranks))))
    return check_messages(Messages(tuple(ranks)))


def rank(r: int, data: bytes, most: int) -> tuple[Act, ...]:
    """Read one rank's operations, at most ``most`` of them."""
    known, stream, nodes = schema(), io.BytesIO(data), []
    try:
        if known.proto.parse_length_prefixed(known.GlobalMetadata, stream) is None:
            raise InputError(f"the file of rank {r} is empty; right: a Chakra trace")
        while (node := known.proto.parse_length_prefixed(known.Node, stream)) is not None:
            nodes.append(node)
            if len(nodes) > most or len(node.data_deps) + len(node.ctrl_deps) > LINKS:
                raise InputError(f"more than {STEPS} nodes, or {LINKS} dependencies; at most so many are read")
    except (known.DecodeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"the file of rank {r} is damaged after node {len(nodes)}; right: a Chakra trace") from None
    places = {node.id: i for i, node in enumerate(nodes)}
    if len(places) < len(nodes):
        raise InputError(f"the file of rank {r} has two nodes of one id; right: an id of its own for each")
    return tuple(act(r, node, places) for node in nodes)


def act(r: int, node: Any, places: dict[int, int]) -> Act:
    """Return a node as an operation."""
    here = f"rank {r} node {node.id}"
    if node.type not in KINDS:
        raise InputError(f"{here}: type {node.type}; right: sends (5), receives (6) and computation (4)")
    deps = list(dict.fromkeys([*node.data_deps, *node.ctrl_deps]))
    if missing := [other for other in deps if other not in places]:
        raise InputError(f"{here} depends on node {missing[0]}, which there is not")
    kind = KINDS[node.type]
    values: dict[str, Any] = {"kind": kind, "size": node.duration_micros, "after": tuple(places[o] for o in deps)}
    if kind != "calc":
        found = {a.name: getattr(a, a.WhichOneof("value")) for a in node.attr if a.WhichOneof("value") in INTEGERS}
        own, other = ("comm_src", "comm_dst") if kind == "send" else ("comm_dst", "comm_src")
        if lacking := [name for name in ("comm_size", other) if name not in found]:
            raise InputError(f"{here} ({NAMES[kind]}) lacks the attribute {lacking[0]}, an integer")
        if found.get(own, r) != r:
            raise InputError(f"{here} ({NAMES[kind]}): {own} = {found[own]} in the file of rank {r}")
        values |= {"size": found["comm_size"], "peer": found[other], "tag": found.get("comm_tag", 0)}
    try:
        return msgspec.convert(values, Act)
    except msgspec.ValidationError as error:
        raise InputError(f"{here}: {error}") from None


def trace(r: int, acts: Sequence[Act]) -> bytes:
    """Return the trace of rank ``r``.

    Raises InputError for what a trace cannot say: processors, begins that others wait for, wildcards, tags
    from 2^31 on.
    """
    parts = [head()]
    for i, one in enumerate(acts):
        if one.cpu or one.nic or one.beside or one.tag >= 2**31 or (one.kind != "calc" and ANY in (one.peer, one.tag)):
            raise InputError(f"rank {r} operation {i} ({one.kind}) says what no Chakra trace can; right: goal or json")
        parts.append(prefixed(begun(i, one) + ended(r, one.kind, one.size, one.peer, one.tag)))
    return b"".join(parts)


def filled(acts: Sequence[Act], p: int, sized: Sized) -> Iterator[bytes]:
    """Yield the trace of each of ``p`` ranks, which all do these operations but for a rotation; they have holes."""
    places: dict[Any, int] = {}
    nodes = [
        (begun(i, act), places.setdefault((act.kind, act.size, act.peer, act.tag), len(places)))
        for i, act in enumerate(acts)
    ]
    for r in range(p):
        made = cache(partial(ended, r))
        ends = [
            made(kind, turned(size, r, p, sized), turned(peer, r, p, sized), tag) for kind, size, peer, tag in places
        ]
        yield head() + b"".join([prefixed(begin + ends[place]) for begin, place in nodes])


def head() -> bytes:
    """Return the beginning of a trace."""
    return prefixed(schema().GlobalMetadata(version=VERSION).SerializeToString())


def begun(i: int, one: Act) -> bytes:
    """Return a node's first fields: all but its attributes; those of calculations include their time."""
    node = schema().Node(id=i, name=NAMES[one.kind], type=TYPES[one.kind], data_deps=one.after)
    if one.kind == "calc":
        node.duration_micros = one.size
    return bytes(node.SerializeToString())


def ended(r: int, kind: str, size: int, peer: int, tag: int) -> bytes:
    """Return a node's last field, its attributes."""
    node = schema().Node()
    node.attr.add(name="is_cpu_op", bool_val=False)
    if kind != "calc":
        ends = (r, peer) if kind == "send" else (peer, r)
        node.attr.add(name="comm_size", int64_val=size)
        for name, value in zip(("comm_src", "comm_dst", "comm_tag"), (*ends, tag)):
            node.attr.add(name=name, int32_val=value)
    return bytes(node.SerializeToString())


def prefixed(message: bytes) -> bytes:
    """Return a message after its length."""
    return varint(len(message)) + message


@cache
def varint(x: int) -> bytes:
    """Return a number as protobuf writes lengths.

    A byte holds seven bits, the lowest first; its highest bit is set where more follow.
    """
    return bytes([x]) if x < 128 else bytes([x % 128 + 128]) + varint(x // 128)
