"""What ``verify`` does: the verdict on ours, a page and the implementation of its name.

Read ``algorithm`` first; ``plans`` say how much is run.  ``theorems`` are proved, ``simulated_runs`` and ``samples``
run, ``every_input`` decides where entries are selected.  ``fault_injection`` sees that each look can fail,
``reached_lines`` tells what was run.  ``selector`` is the same for selectors.
"""
