"""A site's files as `create image` puts them on every host, with node0's programs started by a stand-in for systemd."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec

from agent.machine import Files
from agent.machine.inotify import replacements
from agent.model.host_paths import CA_FILE, INTENT_FILE, NODE0_DIRECTORY
from agent.model.intent import HostIntent
from replay.site import make_site
from tests.fakes.inputs.intents import NETWORK
from tests.fakes.network.network_host import NetworkHost
from tests.fakes.system.tls import make_loopback_tls

Document = TypeVar("Document")

RENDEZVOUS = f"{NETWORK}.10"
PROGRAMS = "/run/programs"
NODE0_PIDS = ("/run/node0-serve", "/run/node0-create-cluster")

# Stands for systemd: node0's target is its service and its driver. While one runs, its pid is in /run/node0-PROGRAM,
# which is renamed when it ends.
SYSTEMCTL = """#!/bin/sh
for program in serve create-cluster; do
    pid=/run/node0-$program
    case "$*" in
        "start --no-block cluster0-node0.target")
            [ -e $pid ] && continue
            (
                setsid {python} -m node0 $program & echo $! >$pid
                wait
                mv $pid $pid.ended
            ) </dev/null >>/run/node0-$program.log 2>&1 & ;;
        "stop --no-block cluster0-node0.target")
            [ -e $pid ] && kill $(cat $pid) ;;
        *) exit 1 ;;
    esac
done
exit 0
"""


def make_live_site(
    directory: Path, hosts: tuple[HostIntent, ...], *, rendezvous: str = RENDEZVOUS, network: str = f"{NETWORK}.0/24"
) -> Path:
    """A root with /etc/cluster0 in it, for `boot_into`; without a word the rendezvous address is host 1's."""
    root = directory / "site"
    files = Files(root)
    site = make_site(root, hosts=hosts)
    networks = {"machine_networks": (network,), "worker_replicas": len(hosts) - 1}
    addresses = {"rendezvous_ip": rendezvous, "api_address": rendezvous}
    files.write(INTENT_FILE, msgspec.json.encode(msgspec.structs.replace(site.intent, **addresses, **networks)))
    tls = make_loopback_tls(directory, rendezvous)
    files.write(CA_FILE, tls.ca.read_text())
    files.write(f"{NODE0_DIRECTORY}/tls.crt", tls.certificate.read_text())
    files.write(f"{NODE0_DIRECTORY}/tls.key", tls.key.read_text(), mode=0o600)
    return root


def boot_into(host: NetworkHost, root: Path) -> Files:
    """What Ignition does on a live host; gives the host's files."""
    shutil.copytree(root / "etc/cluster0", host.at("/etc/cluster0"))
    files = Files(host.at("/"))
    files.write(f"{PROGRAMS}/systemctl", SYSTEMCTL.format(python=host.python), mode=0o755)
    return files


def wait_for(files: Files, kind: type[Document], path: str, is_right: Callable[[Document], bool]) -> Document:
    """The document `path` of a host as soon as it `is_right`."""
    for _ in replacements(files.at(path).parent):
        document = files.load(path, kind)
        if document is not None and is_right(document):
            return document
    raise AssertionError("replacements() never ends")
