"""Published costs: gTop-k: a tree of pairwise top-k sums."""

from sparring.costs.published.claim import Claim, log2

# The cost in a table of the Ok-Topk paper, second hand, and in the plotting script of gTop-k's authors.  Between two
# steps all ranks wait for the slowest, as in the published code, where a barrier stands; so words are those of V_crit.
claims = [
    Claim("latency", "messages", lambda n, p, k: 2 * log2(p), "p = 2^m", "Ok-Topk's table (Li and Hoefler 2022)"),
    Claim("bandwidth", "critical", lambda n, p, k: 4 * k * log2(p), "p = 2^m", "gTop-k's script (Shi et al. 2019)"),
]
