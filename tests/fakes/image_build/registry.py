"""Debian's own docker-registry on loopback, over TLS and with a password."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.system.tls import LoopbackTls

USER, PASSWORD = "reader", "let-me-in"
BCRYPT = "$2b$05$abcdefghijklmnopqrstuu3Jd./u/rH1RxB6auX5v7gLP6uWhKCgG"
"""Of PASSWORD; the registry takes no other kind of hash."""


@dataclass(frozen=True)
class RegistryServer:
    """`address` is `HOST:PORT`; `credentials` an auth.json with the password; `certificates` a directory with a CA."""

    address: str
    credentials: Path
    certificates: Path

    def push(self, archive: Path, name: str) -> None:
        """Put an OCI archive there as `name`, for example `kubernetes/pause:3.2`."""
        subprocess.run(
            [
                "skopeo", "copy", f"--dest-authfile={self.credentials}", f"--dest-cert-dir={self.certificates}",
                f"oci-archive:{archive}", f"docker://{self.address}/{name}",
            ],
            check=True, capture_output=True,
        )  # fmt: skip


@contextmanager
def serving_registry(tls: LoopbackTls, directory: Path) -> Iterator[RegistryServer]:
    certificates = directory / "certificates"
    certificates.mkdir()
    (certificates / "ca.crt").write_bytes(tls.ca.read_bytes())
    (directory / "htpasswd").write_text(f"{USER}:{BCRYPT}\n")
    configuration = directory / "registry.json"
    configuration.write_text(json.dumps(_configuration(tls, directory)))
    with subprocess.Popen(
        ["docker-registry", "serve", configuration], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr
        for line in process.stderr:
            if listening := re.search(r"listening on ([0-9.:]+)", line):
                address = listening[1]
                break
        else:
            raise AssertionError("docker-registry ended before it listened")
        drain = threading.Thread(target=process.stderr.read)
        drain.start()
        try:
            yield RegistryServer(address, write_credentials(directory / "auth.json", address, PASSWORD), certificates)
        finally:
            process.terminate()
            drain.join()


def write_credentials(file: Path, address: str, password: str) -> Path:
    """As `skopeo login` writes them."""
    secret = base64.b64encode(f"{USER}:{password}".encode()).decode()
    file.write_text(json.dumps({"auths": {address: {"auth": secret}}}))
    return file


def _configuration(tls: LoopbackTls, directory: Path) -> dict[str, object]:
    return {
        "version": 0.1,
        "log": {"level": "info", "accesslog": {"disabled": True}},
        "storage": {"filesystem": {"rootdirectory": str(directory / "blobs")}},
        "auth": {"htpasswd": {"realm": "test", "path": str(directory / "htpasswd")}},
        "http": {
            "addr": "127.0.0.1:0",
            "secret": "only one registry",
            "tls": {"certificate": str(tls.certificate), "key": str(tls.key)},
        },
    }
