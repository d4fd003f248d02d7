"""Hosts as containers: systemd-nspawn runs the ISO's own root image, and this package does what firmware, boot loader
and initramfs do for a machine."""
