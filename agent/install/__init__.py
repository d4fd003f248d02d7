"""Makes this machine's disk the installed host: plan, wipe, write, verify, configure, and make bootable last.

docs/design/disk.md says what a disk looks like and in which order it comes about.
"""
