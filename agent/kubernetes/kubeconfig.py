"""Reads a kubeconfig: the API server, the CA to trust, and our client certificate.

Only client certificates, which is what kubeadm writes; inline (`…-data`) or in files, as in a kubelet's.
Format: https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/
"""

from __future__ import annotations

import base64
import ssl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from agent.model.problems import Problem


class _Cluster(msgspec.Struct, frozen=True, rename="kebab"):
    server: str
    certificate_authority_data: str = ""
    certificate_authority: str = ""


class _User(msgspec.Struct, frozen=True, rename="kebab"):
    client_certificate_data: str = ""
    client_certificate: str = ""
    client_key_data: str = ""
    client_key: str = ""


class _Context(msgspec.Struct, frozen=True):
    cluster: str
    user: str


class _NamedCluster(msgspec.Struct, frozen=True):
    name: str
    cluster: _Cluster


class _NamedUser(msgspec.Struct, frozen=True):
    name: str
    user: _User


class _NamedContext(msgspec.Struct, frozen=True):
    name: str
    context: _Context


class _Document(msgspec.Struct, frozen=True, rename="kebab"):
    current_context: str
    clusters: tuple[_NamedCluster, ...]
    users: tuple[_NamedUser, ...]
    contexts: tuple[_NamedContext, ...]


def read_kubeconfig(path: Path) -> tuple[str, ssl.SSLContext]:
    """URL of the API server, and the TLS context to call it with. Raises Problem `kubeconfig-invalid`."""
    import yaml

    try:
        document = msgspec.convert(yaml.safe_load(path.read_text()), _Document)
        context = next(item.context for item in document.contexts if item.name == document.current_context)
        cluster = next(item.cluster for item in document.clusters if item.name == context.cluster)
        user = next(item.user for item in document.users if item.name == context.user)
        return cluster.server, _tls(cluster, user, path.parent)
    except (OSError, ValueError, msgspec.DecodeError, StopIteration, yaml.YAMLError) as error:
        raise Problem(
            code="kubeconfig-invalid", title=f"{path} cannot be used: {type(error).__name__}: {error}"
        ) from error


def _tls(cluster: _Cluster, user: _User, directory: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    with _file(cluster.certificate_authority_data, cluster.certificate_authority, directory) as ca:
        context.load_verify_locations(cafile=ca)
    with (
        _file(user.client_certificate_data, user.client_certificate, directory) as certificate,
        _file(user.client_key_data, user.client_key, directory) as key,
    ):
        context.load_cert_chain(certificate, key)
    return context


@contextmanager
def _file(data: str, path: str, directory: Path) -> Iterator[Path]:
    """A file with the PEM text: the one that is named or, as Python's ssl reads keys from files only, a private one."""
    if not data:
        yield directory / path
        return
    with tempfile.NamedTemporaryFile(prefix="cluster0-", suffix=".pem") as file:
        file.write(base64.b64decode(data))
        file.flush()
        yield Path(file.name)
