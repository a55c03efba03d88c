"""Schedule files: programs written down step by step.  Files of others are read and judged; pages are written as files.

Read ``program`` first, which says what a file holds.  Then read ``graph``, which says what waits for what, and the
judges: ``collectives``, ``agreement``, ``races``, ``deadlock``, ``link_contention``.  ``judgement`` puts them together,
and ``checking`` reports them.  ``formats`` reads files; ``from_page`` and ``writing`` make them.
"""
