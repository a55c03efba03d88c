"""The pages of broadcasts and reductions: who sends to whom in Open MPI's, for every number of ranks.

Rank 0 is the root.  What Open MPI cuts into segments is sent as one message: segments multiply the messages between two
ranks, and change nothing else.  Read ``linear_bcast`` and ``linear_reduce`` first: they say what the two kinds promise.
"""
