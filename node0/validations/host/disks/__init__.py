"""The installation disk, and disks that must not be touched."""
