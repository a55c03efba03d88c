"""The engine of three commands, verify, check and run: it plays a target on an example, and compares it with the page.

Read in this order: ``example`` is what ranks get, ``playing`` one rank's part, ``observing`` a run in the simulated
world, ``bits`` compares its results with the page's, ``running`` its messages, too.  ``vectors`` and ``rounding`` are
what comparisons stand on.  The rest is for verify: ``looks`` lists its runs, with ``differential``, ``refusals``,
``sums`` and ``stateful``; ``runtime_faults`` sees that each can fail.
"""
