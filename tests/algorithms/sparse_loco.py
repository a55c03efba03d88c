"""What the tests know of sparse_loco."""

from tests.algorithms import TEXTS, Fault, Known

PARAMS = {"chunk": 4, "top": 2}
KNOWN = Known(
    alike=Fault(
        "a rank's vector is left out", {"total += code.decode(coming[q])": "total += code.decode(coming[q]) * (q < 2)"}
    ),
    faults=[
        Fault("the sum is taken for the mean", {"/ self._comm.Get_size()": "/ 1"}, params=PARAMS),
        Fault("nothing fades", {"waiting * self._decay": "waiting * WHOLE"}, params=PARAMS),
        Fault("all waits", {"np.subtract(waiting, code.decode(mine), out=waiting)": "pass"}, params=PARAMS),
        Fault(
            "places are counted from 1",
            {"out[:cut] = places.astype": "out[:cut] = (places + 1).astype"},
            module="codecs.chunked_top_k",
            params=PARAMS,
        ),
        Fault(
            "of equal entries the last",
            {
                'order = np.argsort(np.iinfo(size.dtype).max - size, axis=1, kind="stable")': (
                    'order = np.argsort(size, axis=1, kind="stable")[:, ::-1]'
                )
            },
            module="codecs.chunked_top_k",
            params=PARAMS,
        ),
    ],
    refused_by_all=[({"bits": 9}, "bits = 9: it must be 8"), ({"decay": 1001}, "decay = 1001: it must be 1000")],
    theorems=[*TEXTS, "claim: conservation", "claim: messages", "claim: outer step"],
    wrong_texts=[
        ("sums / p,", "sums,", "result", "the result is what the page ensures"),
        ("sums = yield allreduce(e,", "sums = e; yield allreduce(e,", "agreement", "the result is partial"),
        ("allreduce(e, code,", "allreduce(state.point - x, code,", "result", "the result is what the page ensures"),
        ("left(e, read(code, e)))\n\n\ndef ensures", "e)\n\n\ndef ensures", "result", "residual is what"),
        ("return e - y", "return e", "claim: conservation", "nothing is lost"),
    ],
)
