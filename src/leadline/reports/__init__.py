"""From findings to a cited report: outline, checked sections, numbered citations, safe HTML.

Pure: nothing here reads a file, a clock or a network. Callers pass findings, snapshots and times.
"""
