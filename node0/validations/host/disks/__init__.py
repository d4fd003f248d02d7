"""The installation disk, and disks that must stay untouched."""
