"""The demo web: a small invented web on this machine, with planted truths and traps."""
