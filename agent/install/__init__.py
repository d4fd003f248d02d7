"""Makes this machine's disk the installed host: plan, wipe, write, verify, configure, and make bootable last.

docs/design/disk.md has the partitions, and the order in which they are written.
"""
