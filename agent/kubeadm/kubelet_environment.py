"""Environment variables of the kubelet, in a file next to those that kubeadm writes for it.

It is on the state file system: the bootstrap or the join writes it, and every later boot of the host has it.
"""

from __future__ import annotations

from agent.machine import Machine

# units/state/kubelet.service.d/05-environment.conf reads it.
FILE = "/var/lib/kubelet/cluster0.env"
_CONTENT = """\
# Before 1.27 each start of the kubelet asks the metadata service of Amazon's cloud for credentials of a registry. Where
# a router drops packets to 169.254.169.254, that takes six seconds.
AWS_EC2_METADATA_DISABLED=true
"""


def write(machine: Machine) -> None:
    """Write the file; call it before kubeadm starts the kubelet, and after a cleanup, which removes it."""
    machine.files.write(FILE, _CONTENT)
