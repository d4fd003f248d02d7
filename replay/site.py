"""A machine whose `/etc/cluster0` is filled as `create image` fills it: real keys, real certificates, real tokens."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import msgspec
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from agent.api.operations import TokenRole
from agent.api.timestamps import rfc3339
from agent.machine.files import Files
from agent.model import host_paths
from agent.model.intent import (
    ClusterIntent,
    ClusterNetwork,
    HostIntent,
    InterfaceIntent,
    Platform,
    Role,
    RootDeviceHints,
)
from agent.model.network import NetworkModel
from node0.trust import tokens

RENDEZVOUS = "127.0.0.1"
MAC = "52:54:00:00:00:01"


@dataclass(frozen=True)
class Site:
    """`root` is the machine's root directory; tokens are good for an hour."""

    root: Path
    intent: ClusterIntent
    key: str

    @property
    def files(self) -> Files:
        return Files(self.root)

    @property
    def ca(self) -> Path:
        return self.files.at(host_paths.CA_FILE)

    def token(self, role: TokenRole, *, host_id: str = "", hours: float = 1) -> str:
        expires = datetime.now(UTC) + timedelta(hours=hours)
        return tokens.mint(self.key, role=role, cluster_id=self.intent.cluster_id, expires=expires, host_id=host_id)


def make_site(root: Path, *, hosts: tuple[HostIntent, ...] | None = None, masters: int = 1) -> Site:
    """Write a site's files below `root`; by default one control-plane host at the loopback address."""
    intent = make_intent(hosts=(host_intent(),) if hosts is None else hosts, masters=masters)
    site = Site(root=root, intent=intent, key=tokens.new_key())
    certificate, key = _server_certificate()
    site.files.write(host_paths.INTENT_FILE, msgspec.json.encode(intent))
    site.files.write(host_paths.CA_FILE, certificate)
    secrets: dict[str, str | bytes] = {
        "tls.crt": certificate,
        "tls.key": key,
        "token.key": site.key,
        "user.token": site.token(TokenRole.USER),
        "watcher.token": site.token(TokenRole.WATCHER),
    }
    for name, content in secrets.items():
        site.files.write(f"{host_paths.NODE0_DIRECTORY}/{name}", content, mode=0o600)
    site.files.write(host_paths.AGENT_TOKEN_FILE, site.token(TokenRole.AGENT), mode=0o600)
    return site


def make_intent(*, hosts: tuple[HostIntent, ...], masters: int = 1) -> ClusterIntent:
    return ClusterIntent(
        cluster_id=str(uuid.uuid4()),
        infra_env_id=str(uuid.uuid4()),
        name="demo",
        base_domain="example.test",
        created_at=rfc3339(datetime.now(UTC)),
        rendezvous_ip=RENDEZVOUS,
        api_address=RENDEZVOUS,
        platform=Platform.NONE,
        control_plane_replicas=masters,
        worker_replicas=0,
        cluster_networks=(ClusterNetwork(cidr="10.244.0.0/16", host_prefix=24),),
        service_networks=("10.96.0.0/12",),
        machine_networks=("127.0.0.0/8",),
        ssh_keys=("ssh-ed25519 AAAA core@demo",),
        ntp_sources=("192.0.2.123",),
        hosts=hosts,
    )


def host_intent(*, name: str = "node0", mac: str = MAC, disk: str = "/dev/vda") -> HostIntent:
    return HostIntent(
        hostname=name,
        role=Role.MASTER,
        interfaces=(InterfaceIntent(name="eth0", mac=mac),),
        network=NetworkModel(),
        root_device_hints=RootDeviceHints(device_name=disk),
    )


def _server_certificate() -> tuple[bytes, bytes]:
    """Certificate (its own CA) for the rendezvous address and its key, PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "node0")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(RENDEZVOUS))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    return certificate.public_bytes(serialization.Encoding.PEM), key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
