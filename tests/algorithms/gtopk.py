"""What the tests know of gtopk."""

from tests.algorithms import Fault, Known

KNOWN = Known(
    alike=("a rank's vector is left out", "added([come, (mine.indices, mine.values)], mine)", "added([come], mine)"),
    faults=[
        Fault(
            "the published residual, without what one half of the tree cuts of the other's indices",
            "return shown(self._comm, collected(self._comm, mine, x))",
            (
                "whole = x.copy()\n        whole[mine.indices] = mine.values\n"
                "        y = shown(self._comm, collected(self._comm, mine, x.copy()))\n"
                "        back = np.setdiff1d(mine.indices, y.indices)\n        x[back] = whole[back]\n"
                "        return y"
            ),
            breaks={"conservation", "result"},
            ranks=5,
        ),
        Fault(
            "only what is passed on is cut again",
            "p, r = comm.Get_size(), comm.Get_rank()\n    for i in range(rounds(p)):",
            "p, r, k = comm.Get_size(), comm.Get_rank(), len(mine)\n    for i in range(rounds(p)):",
            also={
                "comm.Send(wire.pack(mine), before(r, i))\n            return mine": (
                    "mine = cut(mine, k, waiting)\n            comm.Send(wire.pack(mine), before(r, i))\n"
                    "            return mine"
                ),
                "box = wire.room(len(mine),": "box = wire.room(k,",
                "mine = cut(added([come, (mine.indices, mine.values)], mine), len(mine), waiting)": (
                    "mine = added([come, (mine.indices, mine.values)], mine)"
                ),
                "    return mine\n\n\ndef cut": "    return cut(mine, k, waiting)\n\n\ndef cut",
            },
            ranks=5,
        ),
    ],
    aimed=[Fault("the sample misleads", "if at.size >= k:", "if at.size >= 0:", module="core.selection")],
    made_with={"k": 2, "allow_nan": False},
    no_pattern="partners do not differ in one bit",
)
