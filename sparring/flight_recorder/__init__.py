"""Why a job on ``torch.distributed`` hangs: the dumps of its flight recorders, read and judged.

``dumps`` reads the files, pickles by ``plain_pickle``.  ``meetings`` puts the calls of all ranks together: collectives
and messages.  ``agreement`` says whether the calls of one of these fit together, ``waiting`` who waits for whom.
``diagnosis`` finds the first divergence, ``checking`` reports it; ``telling`` has their words.
``timeline`` says when each rank called what.
"""
