"""What a run really sent: recorded, written, read, and compared with a page.

Read ``events`` first.  ``recorder`` and ``log`` record them on real ranks, ``files`` and ``rules`` define the format,
``compare`` and ``divergence`` compare them with a page, ``links`` and ``recorded`` with a claim about contention.
"""
