"""Renggli et al., SparCML, SC 2019.

Its MPI code was at hand; costs and threshold of the paper are as remembered.  K is the number of entries of the
result, beta_s the time of an entry, beta_d that of a dense word, c and v the sizes of an index and of a value.
"""

from sparring.costs.published.claim import log2
from sparring.costs.published.notation import Letter
from sparring.literature.statements import Row, Theorem

RECURSIVE, SPLIT, DENSE = "SSAR_Recursive_double", "SSAR_Split_allgather", "DSAR_Split_allgather"
ENDS = "both ends of its cost"
GATHERED = "its library may gather in log2(p) messages; the page's p - 1 leave at once"
LOWER, UPPER = (f"the {end} end of its cost, an entry being two words" for end in ("lower", "upper"))

statements = [
    Row("ring-latency", "c_allreduce_ring in its code", "V", "ring_sparse", "messages", lambda n, p, k: 2 * (p - 1)),
    Row("recursive-double-latency", f"{ENDS}, {RECURSIVE}", "M", "ssar_recursive_doubling", "messages",
        lambda n, p, k: log2(p), given="p = 2^m"),
    Row("recursive-double-least", f"{LOWER}, {RECURSIVE}", "M", "ssar_recursive_doubling", "words",
        lambda n, p, k: 2 * k * log2(p), given="p = 2^m", support="identical"),
    Row("recursive-double-most", f"{UPPER}, {RECURSIVE}", "M", "ssar_recursive_doubling", "words",
        lambda n, p, k: 2 * k * (p - 1), given="p = 2^m, k p <= n", support="disjoint"),
    Theorem("recursive-double-ends", f"{ENDS}, {RECURSIVE}", "DM", "log2(p) k beta_s <= (p - 1) k beta_s",
            hypotheses="p = 2^m"),
    Row("split-latency", f"{ENDS}, {SPLIT}", "M", "two_shot_sparse", "messages",
        lambda n, p, k: log2(p) + p - 1, given="p = 2^m",
        xfail=GATHERED, actual=lambda n, p, k: 2 * (p - 1)),
    Row("split-least", f"{LOWER}, {SPLIT}", "M", "two_shot_sparse", "words",
        lambda n, p, k: 2 * (2 * k) * (p - 1) / p, given="p | n", support="identical"),
    Row("split-most", f"{UPPER}, {SPLIT}", "M", "two_shot_sparse", "words",
        lambda n, p, k: 2 * p * k, given="p | n, k p <= n", support="disjoint", bound=True),
    Theorem("split-ends", f"{ENDS}, {SPLIT}", "DM", "2 (p - 1) / p k beta_s <= p k beta_s"),
    Row("dense-split-latency", f"{ENDS}, {DENSE}", "M", "dsar_split_allgather", "messages",
        lambda n, p, k: log2(p) + p - 1, given="p = 2^m",
        xfail=GATHERED, actual=lambda n, p, k: 2 * (p - 1)),
    Row("dense-split-most", f"{UPPER}, {DENSE}", "M", "dsar_split_allgather", "words",
        lambda n, p, k: 2 * k + n * (p - 1) / p, given="p | n, k p <= n", support="disjoint", bound=True),
    Theorem("dense-split-ends", f"{ENDS}, {DENSE}; between them is what the page sends where p | n", "DM",
            "(p - 1) / p n beta_d <= (p - 1) / p (k beta_s + n beta_d) <= k beta_s + (p - 1) / p n beta_d"),
    Theorem("threshold", "delta = n v / (c + v) of the paper, and its code's rule", "DM",
            "k (c + v) >= n v if and only if k >= n v / (c + v)", hypotheses="c >= 1, v >= 1"),
]  # fmt: skip

LETTERS = [
    Letter("P", "p", "M"),
    Letter("N", "n", "M", "how many entries a vector has"),
    Letter("k", "k", "M", "entries that each rank has"),
    Letter("K", "", "M", "entries of the result"),
    Letter("alpha", "alpha", "M", "seconds a message"),
    Letter("beta_s", "", "M", "seconds an entry that is sent with its index"),
    Letter("beta_d", "beta * width", "M", "seconds an entry of a dense vector"),
    Letter("delta", "", "M", "entries from which on a vector is sent dense"),
]
notation = dict.fromkeys(("ssar_recursive_doubling", "two_shot_sparse", "dsar_split_allgather"), LETTERS)
