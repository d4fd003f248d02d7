"""A real etcd and a real kube-apiserver as two processes, with what a real `kubeadm` made of our own authorities.

They come from the images of the payload in the cache; without one, the test is skipped.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import tarfile
from asyncio.subprocess import PIPE, STDOUT
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import aiohttp
import pytest

from agent.kubernetes.kubeconfig import read_kubeconfig
from agent.model.payload import PayloadManifest
from image_build.cache import Cache
from image_build.credentials.fresh import make
from image_build.credentials.one_time import Identity, KubernetesKeys
from image_build.payload.assemble import read_manifest
from image_build.payload.build import payload_key
from image_build.payload.debian import DebianSource
from node0.bootstrap.kubeadm import render
from replay.programs import free_port
from tests.fakes.kubernetes.first_node import FIRST_NODE

START_SECONDS = 60.0
NODE = replace(FIRST_NODE, api_address="127.0.0.1")


@dataclass(frozen=True)
class NativePayload:
    directory: Path
    manifest: PayloadManifest

    def program(self, name: str) -> Path:
        return self.directory / "bin" / name


def cached_payload() -> NativePayload:
    directory = Cache.of_user().root / "payload" / payload_key(DebianSource())
    if not (directory / "manifest.json").exists():
        pytest.skip("no payload in the cache: run `make image`")
    return NativePayload(directory, read_manifest(directory))


def write_authorities(pki: Path) -> None:
    """The files that `create image` puts into the ISO for kubeadm."""
    identity = Identity(name="demo", base_domain="example.com", rendezvous_ip="192.0.2.10", api_address="127.0.0.1")
    keys = make(identity, datetime.now(UTC)).kubernetes
    for name, content in _files(keys).items():
        path = pki / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


def _files(keys: KubernetesKeys) -> dict[str, str]:
    pairs = {"ca": keys.ca, "front-proxy-ca": keys.front_proxy_ca, "etcd/ca": keys.etcd_ca}
    return {
        **{f"{name}.crt": pair.certificate for name, pair in pairs.items()},
        **{f"{name}.key": pair.key for name, pair in pairs.items()},
        "sa.key": keys.sa_key,
        "sa.pub": keys.sa_pub,
    }


@dataclass(frozen=True)
class ControlPlane:
    """`admin` and `kubelet` are kubeconfigs; kubelet's is of node `node0`."""

    directory: Path
    admin: Path
    kubelet: Path


async def certificates(directory: Path, payload: NativePayload) -> ControlPlane:
    """Let kubeadm make all certificates and kubeconfigs below `directory`."""
    pki, config = directory / "pki", directory / "kubeadm.yaml"
    write_authorities(pki)
    text = render(NODE, payload.manifest.kubeadm_api)
    config.write_text(text.replace("apiServer:\n", f"certificatesDir: {pki}\napiServer:\n", 1))
    kubeadm = str(payload.program("kubeadm"))
    await run_to_end(kubeadm, "init", "phase", "certs", "all", "--config", str(config))
    await run_to_end(
        kubeadm, "init", "phase", "kubeconfig", "all", "--config", str(config), "--kubeconfig-dir", str(directory)
    )
    return ControlPlane(directory, directory / "admin.conf", directory / "kubelet.conf")


@contextlib.asynccontextmanager
async def running(directory: Path, payload: NativePayload) -> AsyncIterator[ControlPlane]:
    """etcd and API server on loopback, ready to be called; ended with the block."""
    made = await certificates(directory, payload)
    api_port, client_port, peer_port = free_port(), free_port(), free_port()
    for kubeconfig in (made.admin, made.kubelet):
        kubeconfig.write_text(kubeconfig.read_text().replace("127.0.0.1:6443", f"127.0.0.1:{api_port}"))
    etcd, program = (_extract(payload, name, directory) for name in ("etcd", "kube-apiserver"))
    async with (
        _process(directory / "etcd.log", str(etcd), *_etcd(directory, client_port, peer_port)),
        _process(
            directory / "kube-apiserver.log", str(program), *_api_server(directory / "pki", api_port, client_port)
        ),
    ):
        await _ready(made.admin)
        yield made


@dataclass(frozen=True)
class EtcdMember:
    """One of several, as kubeadm sets them up: TLS everywhere, clients by certificate. Ports are of 127.0.0.1."""

    name: str
    client_port: int
    peer_port: int

    @classmethod
    def make(cls, name: str) -> EtcdMember:
        return cls(name, free_port(), free_port())

    @property
    def endpoint(self) -> str:
        return f"127.0.0.1:{self.client_port}"

    @property
    def peer_url(self) -> str:
        return f"https://127.0.0.1:{self.peer_port}"

    def data(self, cluster: ControlPlane) -> Path:
        return cluster.directory / f"{self.name}.data"

    @contextlib.asynccontextmanager
    async def running(self, cluster: ControlPlane, payload: NativePayload, *others: EtcdMember) -> AsyncIterator[None]:
        """A cluster of its own, or with `others` a member that they know already."""
        pki, client = cluster.directory / "pki/etcd", f"https://127.0.0.1:{self.client_port}"
        arguments = [
            f"--name={self.name}", f"--data-dir={self.data(cluster)}",
            f"--listen-client-urls={client}", f"--advertise-client-urls={client}",
            f"--listen-peer-urls={self.peer_url}", f"--initial-advertise-peer-urls={self.peer_url}",
            f"--initial-cluster={','.join(f'{each.name}={each.peer_url}' for each in (self, *others))}",
            f"--initial-cluster-state={'existing' if others else 'new'}",
            f"--cert-file={pki}/server.crt", f"--key-file={pki}/server.key", "--client-cert-auth",
            f"--trusted-ca-file={pki}/ca.crt", f"--peer-cert-file={pki}/peer.crt", f"--peer-key-file={pki}/peer.key",
            "--peer-client-cert-auth", f"--peer-trusted-ca-file={pki}/ca.crt",
        ]  # fmt: skip
        (place := cluster.directory / self.name).mkdir(exist_ok=True)
        program = _extract(payload, "etcd", place)
        async with _process(cluster.directory / f"{self.name}.log", str(program), *arguments):
            yield


@contextlib.asynccontextmanager
async def signing(cluster: ControlPlane, payload: NativePayload, *more: str) -> AsyncIterator[None]:
    """The controller manager, signing what is approved. `more`: arguments, as for other controllers."""
    program = _extract(payload, "kube-controller-manager", cluster.directory)
    arguments = [
        f"--kubeconfig={cluster.admin}", "--leader-elect=false", "--controllers=csrsigning", "--secure-port=0",
        "--port=0", f"--cluster-signing-cert-file={cluster.directory}/pki/ca.crt",
        f"--cluster-signing-key-file={cluster.directory}/pki/ca.key", *more,
    ]  # fmt: skip
    async with _process(cluster.directory / "kube-controller-manager.log", str(program), *arguments):
        yield


def _etcd(directory: Path, client_port: int, peer_port: int) -> list[str]:
    client, peer = f"http://127.0.0.1:{client_port}", f"http://127.0.0.1:{peer_port}"
    return [
        f"--data-dir={directory}/etcd.data", "--unsafe-no-fsync",
        f"--listen-client-urls={client}", f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}", f"--initial-cluster=default={peer}",
    ]  # fmt: skip


def _api_server(pki: Path, port: int, etcd_port: int) -> list[str]:
    return [
        "--bind-address=127.0.0.1", f"--secure-port={port}", f"--etcd-servers=http://127.0.0.1:{etcd_port}",
        f"--tls-cert-file={pki}/apiserver.crt", f"--tls-private-key-file={pki}/apiserver.key", "--allow-privileged",
        f"--client-ca-file={pki}/ca.crt", "--authorization-mode=Node,RBAC", "--service-cluster-ip-range=172.30.0.0/16",
        f"--service-account-key-file={pki}/sa.pub", f"--service-account-signing-key-file={pki}/sa.key",
        "--service-account-issuer=https://kubernetes.default.svc", "--enable-bootstrap-token-auth",
    ]  # fmt: skip


def _extract(payload: NativePayload, name: str, directory: Path) -> Path:
    """The program called `name` out of the image called `name`."""
    image = next(image for image in payload.manifest.images if f"/{name}:" in image.reference)
    with tarfile.open(payload.directory / image.archive) as archive:
        manifest = json.loads(_blob(archive, image.digest))
        layer = f"blobs/{manifest['layers'][-1]['digest'].replace(':', '/')}"
        with tarfile.open(fileobj=archive.extractfile(layer)) as files:
            member = next(member for member in files if Path(member.name).name == name and member.isfile())
            content = files.extractfile(member)
            assert content is not None
            (directory / name).write_bytes(content.read())
    (directory / name).chmod(0o755)
    return directory / name


def _blob(archive: tarfile.TarFile, digest: str) -> bytes:
    file = archive.extractfile(f"blobs/{digest.replace(':', '/')}")
    assert file is not None
    return file.read()


@contextlib.asynccontextmanager
async def _process(log: Path, *argv: str) -> AsyncIterator[None]:
    with _opened(log) as output:
        process = await asyncio.create_subprocess_exec(*argv, stdout=output, stderr=output)
        try:
            yield
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


async def run_to_end(*argv: str) -> None:
    """Raises AssertionError with the program's output when it fails."""
    process = await asyncio.create_subprocess_exec(*argv, stdout=PIPE, stderr=STDOUT)
    output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()


async def _ready(kubeconfig: Path) -> None:
    server, tls = read_kubeconfig(kubeconfig)
    async with (
        asyncio.timeout(START_SECONDS),
        aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=tls)) as session,
    ):
        while True:
            with contextlib.suppress(aiohttp.ClientError):
                async with session.get(f"{server}/readyz") as response:
                    if response.status == 200:
                        return
            await asyncio.sleep(0.2)
