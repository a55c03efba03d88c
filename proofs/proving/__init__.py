"""Proves a page: hands the kernel what plants faults, and judges by runs what holds under any timing.

Read ``proving`` first.
"""
