"""The stages of an install at which a fault begins: each is a line on a console."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Stage:
    """`line`: a regular expression; `{host}` is the host's name. `on_node0`: the line is on node0's console.

    `is_installed`: the host runs from its disk by then.
    """

    name: str
    line: str
    on_node0: bool = False
    is_installed: bool = False

    def pattern(self, host: str) -> str:
        return self.line.replace("{host}", host)


def _of_host(name: str, words: str, *, is_installed: bool = False) -> Stage:
    """What node0's service says of a host that is being installed."""
    return Stage(name, f"host {{host}}: installing-in-progress: {words}", True, is_installed)


STAGES = {
    stage.name: stage
    for stage in (
        Stage("discovery", "cluster0: {host}: registered"),
        Stage("preparing", "host {host}: preparing-for-installation", True),
        Stage("disk 10 %", r"cluster0: {host}: installing: Writing image to disk [1-9]"),
        Stage("disk 50 %", r"cluster0: {host}: installing: Writing image to disk ([5-9]0|100)%"),
        Stage("disk 90 %", r"cluster0: {host}: installing: Writing image to disk (90|100)%"),
        Stage("copy and sync", r"cluster0: {host}: installing: Copying registry data to disk"),
        _of_host("start of Kubernetes", r"Waiting for control plane \(\d+%, state"),
        _of_host("init", r"Waiting for bootkube \(\d+%, (etcd|wait-control-plane)"),
        _of_host("init, API up", r"Waiting for bootkube \(\d+%, (apiclient|kubelet\)|upload-certs|addons)"),
        _of_host("waiting for Ready", r"Waiting for controller \(\d+%, (node Ready|pod network)"),
        _of_host("waiting for hosts", r"Waiting for controller \(\d+%, waiting for"),
        Stage("last reboot", "cluster0: {host}: rebooting: Rebooting"),
        Stage("first boot", "booting from disk", is_installed=True),
        Stage("started from disk", "cluster0: {host}: waiting for node0: started from disk", is_installed=True),
        _of_host("waiting to join", r"Configuring \(\d+%, waiting for", is_installed=True),
        _of_host("join", r"Configuring \(\d+%, kubeadm join", is_installed=True),
        _of_host("etcd sync", r"Configuring \(\d+%, waiting for etcd", is_installed=True),
        _of_host("joined", r"Joined", is_installed=True),
    )
}
"""In the order in which one host comes to them. node0 waits for hosts that have started from their disks by then."""
ORDER = list(STAGES)
FAILED = r"cluster0: cluster \S+: (?:error|cancelled): .*|cluster0: cluster \S+: host \S+: error: .*"
"""A line that says that no stage follows."""


class Place:
    """How far the install of `host` has come, by the lines of the console on which `stage` shows.

    `is_node0`: all stages of node0 show on the same console. `line`: the last one that began a stage.
    """

    def __init__(self, stage: Stage, host: str, *, is_node0: bool) -> None:
        self._stage = stage
        self._host = host
        self._known = [each for each in STAGES.values() if is_node0 or each.on_node0 == stage.on_node0]
        self._at: list[Stage] = []
        self.line = ""
        self.failure = ""

    def read(self, text: str) -> None:
        for line in text.splitlines():
            if re.search(FAILED, line):
                self.failure = line.strip()
            elif at := [stage for stage in self._known if re.search(stage.pattern(self._host), line)]:
                self._at, self.line, self.failure = at, line.strip(), ""

    @property
    def is_there(self) -> bool:
        return self._stage in self._at

    @property
    def is_over(self) -> bool:
        """A later stage has begun."""
        return any(ORDER.index(stage.name) > ORDER.index(self._stage.name) for stage in self._at) and not self.is_there
