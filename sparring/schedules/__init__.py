"""Schedule files: programs that others wrote down step by step are read and judged, and pages are written as such.

Read ``program`` first: what a file says.  Then ``graph``, what waits for what, and the judges: ``collectives``,
``agreement``, ``races``, ``deadlock``, ``link_contention``, put together in ``judgement`` and told by ``checking``.
``formats`` reads files; ``from_page`` and ``writing`` make them.
"""
