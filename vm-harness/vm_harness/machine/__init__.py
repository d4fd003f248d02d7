"""Virtual machines: QEMU, libvirt, KVM or emulation, power, disks and media."""
