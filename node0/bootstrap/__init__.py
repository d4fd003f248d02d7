"""Bootstrap in place: `kubeadm init` in the live system, on the state of the disk that the install has just written.

What comes up is the real first control-plane node; the reboot that follows only changes the root file system under it.
"""

from node0.bootstrap.in_place import run

__all__ = ["run"]
