"""Does an implementation compute what its page says?  Runs of its real code in the simulated world, beside the page's.

Read ``comparison`` first, one call; ``stateful`` has several.  ``running``, ``differential``, ``refusals`` and
``sums`` are the ways of looking, ``looks`` lists them for ``verify``, ``runtime_faults`` sees that each can fail.
"""
