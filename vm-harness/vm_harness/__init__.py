"""The lab: cluster0's hosts as virtual machines on real libvirt and QEMU, in a network namespace of their own.

For developers, demonstrations and VM tests. A lab belongs to one directory and is described by `DIR/.lab/state.json`,
so any process can find it again, also after the one that started it crashed. The lab refuses to touch what it did not
start: the system's libvirtd, its networks and its machines are never looked at.
"""
