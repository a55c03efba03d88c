"""What a run really sent: recorded, written, read, and compared with a page.

Read ``events`` first; ``recorder`` and ``log`` note them on real ranks, ``files`` and ``rules`` are the format,
``compare`` and ``divergence`` hold them against a page, ``links`` and ``recorded`` against a claim of contention.
"""
