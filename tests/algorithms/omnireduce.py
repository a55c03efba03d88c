"""What the tests know of omnireduce."""

from tests.algorithms import NAN, Fault, Known

KNOWN = Known(
    alike=("a rank's vector is left out", "[x[parts[r]]] * p, block))", "[x[parts[r]]] * p, block)[:2])"),
    faults=[
        Fault(
            "blocks whose entries are 0 or less are left out",
            "np.logical_or.reduceat(x != 0, begins)",
            "np.maximum.reduceat(x, begins) > 0",
            module="codecs.nonzero_blocks",
            params={"block": 3},
        ),
        Fault(
            "the first block is the highest bit of its byte, on both sides",
            'np.packbits(sent, bitorder="little")',
            "np.packbits(sent)",
            also={'count=begins.size, bitorder="little"': "count=begins.size"},
            module="codecs.nonzero_blocks",
            breaks={"steps"},
            params={"block": 3},
        ),
    ],
    refused=[({"block": 1.5}, "block = 1.5: it must be a whole number, 1 or more")],
    different=[({"block": 2}, "rank 2 has block=2, rank 0 block=256")],
    refused_by_all=[({"block": (1 << 32) + 1}, "block = 4294967297: it must be at most 4294967296")],
    spoilt=[({"block": 3}, NAN, [5], True)],
    octets=[({"block": 3}, "float32", 81, 3, [2 * 2] * 2)],
)
