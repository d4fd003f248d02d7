"""The initramfs fetches its medium: our script, the real Ignition, systemd-networkd and HTTP, on a host of namespaces.

`systemctl` is the one program that is missing there: a few lines start and stop systemd-networkd in its place.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from agent.model.network import Bridge, IpConfig, IpMethod, NetworkModel, Port
from image_build.cluster_iso.initramfs_network import network_files
from image_build.cluster_iso.network_medium import SERVED, medium_config
from image_build.iso_format.reader import read_base_iso
from image_build.iso_format.release import IsoRelease
from tests.fakes.image_build.base_iso import make_base_iso
from tests.fakes.inputs.intents import NETWORK, host, mac, nic
from tests.fakes.network.network_host import NetworkHost, network_host
from tests.paths import REPOSITORY

pytestmark = pytest.mark.integration

SCRIPT = REPOSITORY / "image-build/iso/dracut/91cluster0-network/cluster0-fetch-medium"
IGNITION = "/usr/lib/dracut/modules.d/30ignition/ignition"
SERVER = f"{NETWORK}.1"
URL = f"http://{SERVER}:8080"
ROOT_IMAGE = "agent.x86_64-rootfs.img"
SYSTEMCTL = """#!/bin/bash
networkd=/usr/lib/systemd/systemd-networkd
case $1 in
    start) $networkd >/run/networkd.log 2>&1 & echo $! >/run/networkd.pid
        until [ -e /run/systemd/netif/state ]; do read -rt 0.1 <> <(:) || true; done ;;
    stop) kill "$(</run/networkd.pid)" ;;
esac
"""


@dataclass(frozen=True)
class Site:
    """`booting` fetches from `server`, where the files of `served` are."""

    booting: NetworkHost
    server: NetworkHost
    served: Path
    release: IsoRelease

    def start(self) -> subprocess.Popen[str]:
        """The script, as the initramfs runs it."""
        environment = ("CLUSTER0_MEDIUM_CONFIG=/run/medium-config", "PATH=/run/programs:/usr/sbin:/usr/bin:/sbin:/bin")
        argv = ["nsenter", f"--target={self.booting.pid}", "--all", "--root", "--", "env", *environment, str(SCRIPT)]
        return subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def fetch(self) -> tuple[int, str]:
        """Exit status, and what is on the console."""
        with self.start() as script:
            said, _ = script.communicate(timeout=60)
        return script.returncode, said

    @contextmanager
    def serving(self) -> Iterator[None]:
        with self.server.daemon(
            "python3", "-m", "http.server", "8080", "--directory", str(self.served), log="/run/log"
        ):
            yield

    def on_the_medium(self) -> dict[str, str]:
        """Checksums by path."""
        medium = self.booting.at("/run/cluster0/medium")
        files = (path for path in medium.rglob("*") if path.is_file())
        return {str(path.relative_to(medium)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    # Below the repository, which the namespaces share.
    make_base_iso(tmp_path / "base.iso")
    base = read_base_iso(tmp_path / "base.iso")
    with network_host() as booting, network_host() as server:
        served = server.at("/run/served")
        served.mkdir()
        for path, name in SERVED.items():
            (served / name).write_bytes((tmp_path / "base.tree" / path).read_bytes())
        put_programs(booting)
        put_config(booting, base.release, network_files([host(1), host(2, BRIDGED)]))
        server.run("sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1")
        yield Site(booting, server, Path("/run/served"), base.release)


BRIDGED = NetworkModel(
    interfaces=(
        nic("eth0", 2),
        Bridge(
            name="br0",
            ports=(Port(name="eth0"),),
            ipv4=IpConfig(method=IpMethod.MANUAL, addresses=(f"{NETWORK}.11/24",)),
        ),
    )
)


def put_programs(booting: NetworkHost) -> None:
    programs = booting.at("/run/programs")
    programs.mkdir()
    (programs / "systemctl").write_text(SYSTEMCTL)
    (programs / "systemctl").chmod(0o755)
    for name, target in {"setfiles": "/bin/true", "udevadm": "/bin/true", "ignition": IGNITION}.items():
        (programs / name).symlink_to(target)


def put_config(booting: NetworkHost, release: IsoRelease, networks: dict[str, str]) -> None:
    booting.at("/run/cluster0/medium").mkdir(parents=True)
    assert booting.run("mount", "-t", "tmpfs", "tmpfs", "/run/cluster0/medium").returncode == 0
    contents = {"ignition/user.ign": medium_config(release, URL).decode()}
    contents |= {f"network/{name}": text for name, text in networks.items()}
    for name, text in contents.items():
        path = booting.at(f"/run/medium-config/{name}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o600)


def plug_in(site: Site, number: int) -> None:
    """NIC `number` and a cable to the server."""
    site.booting.plug_cable_to(site.server, "eth0")
    assert site.booting.run("ip", "link", "set", "eth0", "down", "address", mac(number)).returncode == 0
    assert site.server.run("ip", "address", "add", f"{SERVER}/24", "dev", "eth0").returncode == 0


def expected(site: Site) -> dict[str, str]:
    document = hashlib.sha256(msgspec.json.encode(site.release)).hexdigest()
    return {"cluster0.json": document, **{path: site.release.files[path].sha256 for path in SERVED}}


def test_a_host_fetches_its_medium_and_leaves_no_network(site: Site) -> None:
    plug_in(site, 1)
    with site.serving():
        status, said = site.fetch()
    assert status == 0, said
    assert "address eth0" in said
    assert f"{NETWORK}.10/24" in said
    assert site.on_the_medium() == expected(site)
    assert "nameserver 192.168.122.1" in site.booting.at("/etc/resolv.conf").read_text()
    mounted = site.booting.run("findmnt", "--noheadings", "--output", "OPTIONS", "/run/cluster0/medium").stdout
    assert mounted.startswith("ro"), "what was verified stays as it is"
    addresses = json.loads(site.booting.run("ip", "-json", "address", "show", "scope", "global").stdout)
    assert not any(link.get("addr_info") for link in addresses), "NetworkManager finds NICs as after any other start"


def test_a_bridge_is_made_and_removed_again(site: Site) -> None:
    plug_in(site, 2)
    with site.serving():
        status, said = site.fetch()
    assert status == 0, said
    assert f"{NETWORK}.11/24" in said
    assert site.booting.run("ip", "link", "show", "br0").returncode != 0


def test_a_damaged_root_image_is_refused(site: Site) -> None:
    plug_in(site, 1)
    with site.server.at(f"{site.served}/{ROOT_IMAGE}").open("r+b") as image:
        image.seek(1000)
        image.write(b"X")
    with site.serving():
        status, said = site.fetch()
    assert status != 0
    assert "hash verification failed" in said
    assert "live/rootfs.img" in said
    assert "do not match the initramfs of this host" in said
    assert site.on_the_medium() == {}, "nothing of it is left to be booted"


def test_a_root_image_that_ends_early_is_refused(site: Site) -> None:
    plug_in(site, 1)
    with site.server.at(f"{site.served}/{ROOT_IMAGE}").open("r+b") as image:
        image.truncate(1000)
    with site.serving():
        status, said = site.fetch()
    assert status != 0
    assert "hash verification failed" in said
    assert site.on_the_medium() == {}


def test_a_missing_file_is_named(site: Site) -> None:
    plug_in(site, 1)
    site.server.at(f"{site.served}/{ROOT_IMAGE}").unlink()
    with site.serving():
        status, said = site.fetch()
    assert status != 0
    assert f"GET {URL}/{ROOT_IMAGE}" in said
    assert "resource not found" in said


def test_a_host_waits_for_a_server_that_is_away(site: Site) -> None:
    plug_in(site, 1)
    with site.start() as script:
        assert script.stdout is not None
        for line in script.stdout:
            if "connection refused" in line:
                break
        with site.serving():
            script.communicate(timeout=60)
    assert script.returncode == 0
    assert site.on_the_medium() == expected(site)
