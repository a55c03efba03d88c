"""Code that selects by value, for every input: run on exact linear forms, once for each case that it can tell.

Read ``forms`` and ``cells`` first, then ``arrays``, which such code sees instead of numbers, and ``judging``.
"""
