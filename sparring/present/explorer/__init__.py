"""The explorer: a page of its own in which people step through a run, message by message.

Read ``document`` first: all that the page shows, as plain data.  ``pages`` makes documents of algorithms, ``html``
puts one into a file with ``explorer.js`` and ``explorer.css``, which need neither network nor library.  ``observed``
holds what was seen against a page, ``worlds`` shows runs of the simulated MPI, ``layout`` places messages in steps.
"""
