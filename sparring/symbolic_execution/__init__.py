"""Code that selects by value, judged for every input: it runs on exact linear forms, once for each case it can tell.

Read ``forms`` and ``cells`` first, then ``arrays``, which such code sees instead of numbers, and ``judging``.
"""
