"""Makes this machine's disk the installed host: plan, wipe, write, verify, configure, and make bootable last.

DESIGN.md, sections 1, 2 and 6, says what a disk looks like and in which order it comes about.
"""
