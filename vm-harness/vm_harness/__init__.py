"""The lab: cluster0's hosts as virtual machines on real libvirt and QEMU, in a network namespace of their own.

For developers, demonstrations and VM tests. A lab belongs to one directory and is described by `DIR/.lab/state.json`,
so any process can find it again, also after a crash of the process that started it. The lab touches only what it
started: never the system's libvirtd, its networks or its machines.
"""
