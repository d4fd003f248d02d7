"""Bootstrap in place: `kubeadm init` in the live system, on the state file system that the install has just written.

It starts the real first control-plane node. The reboot that follows only changes the root file system below it.
"""

from node0.bootstrap.in_place import run

__all__ = ["run"]
