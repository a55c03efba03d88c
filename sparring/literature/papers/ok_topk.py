"""Li and Hoefler, "Near-optimal sparse allreduce ...", PPoPP 2022, arXiv:2201.07598.

Equations and factors are as a public summary of the paper quotes them; rows that it does not quote are as remembered.
"""

from sympy import And

from sparring.costs.published.claim import log2
from sparring.costs.published.notation import Letter
from sparring.literature.statements import CONVERGENCE, Row, Theorem, Unjudged

TABLE = "comparison table"
OURS = f"{TABLE}, two rows; the comparison is ours"
GAUSSIAN = "Gaussiank: an allgather of lists"
UNDER = "each rank selects at most k entries, k/p of them in its own region, and at most k sums stay"
DOUBLING = "recursive_doubling_allgather"
NAMED = "allgather by recursive doubling"

statements = [
    Row("dense-bandwidth", f"{TABLE}, Dense", "M", "rabenseifner", "words", lambda n, p, k: 2 * n * (p - 1) / p,
        given="p = 2^m, p | n"),
    Row("dense-latency", f"{TABLE}, Dense", "M", "rabenseifner", "messages", lambda n, p, k: 2 * log2(p),
        given="p = 2^m"),
    Row("topka-bandwidth", f"{TABLE}, TopkA", "S", "ring_allgather", "words", lambda n, p, k: 2 * k * (p - 1),
        of="TopkA: an allgather of lists"),
    Row("topka-latency", f"{TABLE}, TopkA", "M", DOUBLING, "messages", lambda n, p, k: log2(p), given="p = 2^m",
        of=NAMED),
    Row("topkdsa-least", f"{TABLE}, TopkDSA, lower end", "M", "two_shot_sparse", "words",
        lambda n, p, k: 4 * k * (p - 1) / p, given="p | n", support="identical", of="TopkDSA where all stays sparse"),
    Row("topkdsa-most", f"{TABLE}, TopkDSA, upper end", "M", "dsar_split_allgather", "words",
        lambda n, p, k: (2 * k + n) * (p - 1) / p, given="p | n, k p <= n", support="disjoint",
        of="TopkDSA where all goes dense"),
    Row("topkdsa-latency", f"{TABLE}, TopkDSA", "M", "dsar_split_allgather", "messages",
        lambda n, p, k: p + 2 * log2(p), given="p = 2^m", of="TopkDSA",
        xfail="counts first, then log2(p) messages, both from a library; the page's p - 1 leave at once",
        actual=lambda n, p, k: 2 * (p - 1)),
    Theorem("topkdsa-switch", "topkSA in VGG/allreducer.py is dense unless 2 m < 2 n / 3; the comparison is ours", "DV",
            "n <= 2 m: of m entries in all sums, where its rule says dense, that is never more words than pairs",
            hypotheses="3 m >= n", only="2 m >= n",
            xfail="from a third of the entries to a half, pairs are fewer words"),
    Row("gtopk-bandwidth", f"{TABLE}, gTopk", "S", "gtopk", "critical", lambda n, p, k: 4 * k * log2(p),
        given="p = 2^m"),
    Row("gtopk-latency", f"{TABLE}, gTopk", "M", "gtopk", "messages", lambda n, p, k: 2 * log2(p),
        given="p = 2^m"),
    Row("gaussiank-bandwidth", f"{TABLE}, Gaussiank", "M", "ring_allgather", "words", lambda n, p, k: 2 * k * (p - 1),
        of=GAUSSIAN),
    Row("gaussiank-latency", f"{TABLE}, Gaussiank", "M", DOUBLING, "messages", lambda n, p, k: 2 * log2(p),
        given="p = 2^m", of=NAMED, xfail="there indices and values go apart, in twice as many messages",
        actual=lambda n, p, k: log2(p)),
    Row("upper-bandwidth", f"{TABLE}, Ok-Topk, and Eq. 3", "S", "oktopk", "words", lambda n, p, k: 6 * k * (p - 1) / p,
        given="p | k", params={"trigger": 1}, of="Ok-Topk, all sums being dealt out that are uneven"),
    Row("upper-bandwidth-rarely-dealt", f"{TABLE}, Ok-Topk; the trigger is as remembered", "SM",
        "oktopk", "words", lambda n, p, k: 6 * k * (p - 1) / p, given="p | k",
        xfail="a list of four times the mean is not dealt out, and goes round as it is"),
    Theorem("bandwidth", f"{TABLE}, Ok-Topk; the upper end is second hand", "MS",
            "2 k (p - 1) / p <= 2 (split + dealt + gathered) <= 6 k (p - 1) / p",
            lambda p, k: And(*(
                And(2 * k * (p - 1) / p <= 2 * each, 2 * each <= 6 * k * (p - 1) / p)
                for each in ((k - k / p), 3 * (k - k / p))
            )),
            hypotheses=f"{UNDER}; that each phase sends at most k - k/p entries: sparring prove oktopk, volume",
            given=lambda: True),
    Theorem("bandwidth-without-even-regions", f"{TABLE}, Ok-Topk; the witness is ours", "DM",
            "2 k + 4 k (p - 1) / p <= 6 k (p - 1) / p",
            given=lambda k: k >= 1, hypotheses="as above, but a rank's entries lie where they will",
            xfail="a rank whose k entries all lie in another one's region sends all of them"),
    Row("latency", f"{TABLE}, Ok-Topk, and Eq. 3", "SM", "oktopk", "messages", lambda n, p, k: 2 * p + 2 * log2(p),
        given="p = 2^m", bound=True),
    Theorem("split-and-reduce", "Eq. 1", "S", "2 (k - k/p) = 2 k (p - 1) / p: words, in p - 1 turns",
            hypotheses=UNDER, given=lambda: True),
    Theorem("balance-and-allgatherv", "Eq. 2", "S", "2 (k - k/p) + 2 (k - k/p) <= 4 k (p - 1) / p: words",
            hypotheses=f"{UNDER}, and are dealt out always", given=lambda: True),
    Theorem("total", "Eq. 3", "S", "Eq. 1 + Eq. 2 <= (2 p + 2 log2(p)) alpha + 6 k (p - 1) / p beta",
            lambda p, k, alpha, beta: (p - 1) * alpha + 2 * k * (p - 1) / p * beta
            + (p + 2 * log2(p)) * alpha + 4 * k * (p - 1) / p * beta
            <= (2 * p + 2 * log2(p)) * alpha + 6 * k * (p - 1) / p * beta),
    Theorem("less-than-6k", "abstract", "S", "6 k (p - 1) / p < 6 k", hypotheses="k >= 1"),
    Theorem("within-three-times", "Theorem 3.1 and Eq. 3", "S", "6 k (p - 1) / p <= 3 (2 k (p - 1) / p)"),
    Theorem("within-topka", OURS, "DS", "6 k (p - 1) / p <= 2 k (p - 1)", hypotheses="p >= 3"),
    Theorem("within-topka-on-two-ranks", OURS, "DS", "6 k (p - 1) / p <= 2 k (p - 1)", hypotheses="p >= 2",
            xfail="on two ranks the upper end is above an allgather", only="k (p - 3) >= 0"),
    Theorem("within-gtopk", OURS, "DS", "6 k (p - 1) / p <= 4 k log2(p)", hypotheses="p = 2^m >= 2"),
    Theorem("within-dense", OURS, "DM", "6 k (p - 1) / p <= 2 n (p - 1) / p if and only if 3 k <= n",
            hypotheses="p >= 2"),
    Theorem("topkdsa-within-dense", OURS, "DM", "(2 k + n) (p - 1) / p <= 2 n (p - 1) / p if and only if 2 k <= n",
            hypotheses="p >= 2"),
    Unjudged("lower-bound", "Theorem 3.1", "S", "no such algorithm sends fewer than 2 k (p - 1) / p words",
             "a bound on all algorithms of a kind; its proof was not at hand, and no one schedule decides it"),
    Unjudged("assumption", "Assumption 1, Eq. 5", "S",
             "the top k of the averaged local top k are near those of the whole average", CONVERGENCE),
]  # fmt: skip

notation = {
    "oktopk": [
        Letter("P", "p", "S"),
        Letter("n", "n", "S"),
        Letter("k", "k", "S"),
        Letter("tau", "tau", "S", "calls from one cut of the vector into regions to the next"),
        Letter("tau'", "tau_prime", "S", "calls from one exact threshold to the next"),
        Letter("alpha", "alpha", "S", "seconds a message; in the algorithm the same letter is the learning rate"),
        Letter("beta", "beta * width", "S", "seconds a word"),
        Letter("eps_t", "", "S", "what a rank has not sent so far, its residual"),
    ]
}
