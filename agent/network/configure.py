"""Before NetworkManager starts: find out which host this is, and write its network settings and names."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from agent.machine import Machine
from agent.model.host_documents import HostMatch
from agent.model.host_paths import HOST_FILE, INTENT_FILE
from agent.model.intent import ClusterIntent, HostIntent
from agent.network import keyfiles
from agent.network.by_mac import competing_hosts, match_host
from agent.network.connections import connections
from agent.network.names import set_names
from agent.network.nics import read_nics

log = logging.getLogger(__name__)

UDEV_BUSY = "/run/udev/queue"  # is there for as long as udev has events to handle
UDEV_GIVES_UP = 180.0  # seconds, its own event_timeout
LOOK_SECONDS = 0.2


def configure(machine: Machine, *, timeout: float) -> HostMatch | None:
    """Keyfiles, hostname, /etc/hosts and `host.json`. None when there is no intent: then nothing is touched.

    timeout: seconds in which NICs may still appear once udev has nothing to do. Without a match every NIC gets DHCP,
    so that the host can at least be reached.
    """
    intent = machine.files.load(INTENT_FILE, ClusterIntent)
    if intent is None:
        return None
    match = _wait_for_match(machine, intent, timeout)
    if match.index < 0:
        _write_keyfiles(machine, {"cluster0-dhcp.nmconnection": keyfiles.DHCP_EVERYWHERE})
    else:
        _configure_host(machine, intent, intent.hosts[match.index], match.names)
    machine.files.save(HOST_FILE, match)  # last: the agent waits for this file, and then needs the host's name
    return match


def _wait_for_match(machine: Machine, intent: ClusterIntent, timeout: float) -> HostMatch:
    """At boot NICs appear one by one, and udev names them. A match that none of the missing MACs could change is taken
    at once; any other answer only after `timeout` seconds in which udev had nothing to do. A device that udev cannot
    finish with does not delay the boot without limit: udev itself gives up on one after `UDEV_GIVES_UP`."""
    began = idle_since = machine.clock.monotonic()
    while True:
        match = HostMatch(index=-1, why="")
        # Netlink reports new links; whether udev has finished with one can only be polled.
        for _ in machine.netlink.link_changes(LOOK_SECONDS):
            nics = read_nics(machine)
            match = match_host(nics, intent.hosts)
            if not intent.hosts or (match.index >= 0 and not competing_hosts(match.index, nics, intent.hosts)):
                return match
        now = machine.clock.monotonic()
        if machine.files.at(UDEV_BUSY).exists():
            idle_since = now
        if now - idle_since >= timeout or now - began >= UDEV_GIVES_UP:
            return match


def _configure_host(machine: Machine, intent: ClusterIntent, host: HostIntent, names: Mapping[str, str]) -> None:
    made = connections(host.network, cluster_id=intent.cluster_id, hostname=host.hostname, names=names)
    _write_keyfiles(machine, keyfiles.render(made))
    set_names(machine, intent, host)


def _write_keyfiles(machine: Machine, files: dict[str, str]) -> None:
    for name, content in files.items():
        path = f"{keyfiles.DIRECTORY}/{name}"
        machine.files.write(path, content, mode=0o600)  # NetworkManager skips a file that others may read
        log.info("wrote %s", path)
