"""A signed apt repository over https with a password, as a Kubernetes mirror inside a company would be."""

from __future__ import annotations

import base64
import datetime
import hashlib
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.fakes.system.tls import LoopbackTls

USER, PASSWORD = "reader", "let-me-in"


@dataclass(frozen=True)
class AptServer:
    """`line` is for `--apt-repository`; `key` signs it; `credentials` is a netrc with the password."""

    line: str
    key: Path
    credentials: Path


def add_package(repository: Path, name: str, version: str, files: Mapping[str, Path]) -> None:
    """Build a package of programs, by their paths relative to the root."""
    with TemporaryDirectory() as tree:
        _lay_out(Path(tree), name, version, files)
        deb = repository / f"{name}_{version}_amd64.deb"
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", tree, deb], check=True, capture_output=True
        )


def _lay_out(tree: Path, name: str, version: str, files: Mapping[str, Path]) -> None:
    tree.chmod(0o755)
    (tree / "DEBIAN").mkdir()
    (tree / "DEBIAN/control").write_text(
        f"Package: {name}\nVersion: {version}\nArchitecture: amd64\n"
        "Maintainer: Test <test@example.org>\nDescription: test\n"
    )
    licence = tree / "usr/share/doc" / name / "LICENSE"
    licence.parent.mkdir(parents=True)
    licence.write_text(f"licence of {name}\n")
    for path, source in files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, tree / path)


def sign(repository: Path, keys: Path) -> Path:
    """Write Packages, Release and InRelease with a key made for the purpose; return the public key."""
    packages = subprocess.run(
        ["dpkg-scanpackages", "--multiversion", "."], cwd=repository, check=True, capture_output=True
    ).stdout
    (repository / "Packages").write_bytes(packages)
    date = datetime.datetime.now(datetime.UTC).strftime("%a, %d %b %Y %H:%M:%S UTC")
    entry = f" {hashlib.sha256(packages).hexdigest()} {len(packages)} Packages"
    (repository / "Release").write_text(f"Date: {date}\nSHA256:\n{entry}\n")
    keys.mkdir(mode=0o700)
    gpg: list[str | Path] = ["gpg", "--homedir", keys, "--batch", "--yes", "--quiet", "--passphrase", ""]
    try:
        for command in (
            [*gpg, "--quick-generate-key", "apt test", "ed25519", "sign", "never"],
            [*gpg, "--clearsign", "--output", repository / "InRelease", repository / "Release"],
            [*gpg, "--armor", "--output", keys / "public.asc", "--export"],
        ):
            subprocess.run(command, check=True, capture_output=True)
    finally:
        subprocess.run(["gpgconf", "--homedir", keys, "--kill", "all"], check=True)
    return keys / "public.asc"


@contextmanager
def serving_apt(repository: Path, key: Path, tls: LoopbackTls, directory: Path) -> Iterator[AptServer]:
    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *args: object) -> None:
            super().__init__(*args, directory=str(repository))  # type: ignore[arg-type]

        def do_GET(self) -> None:
            expected = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
            if self.headers.get("Authorization") == f"Basic {expected}":
                super().do_GET()
            else:
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="apt"')
                self.send_header("Content-Length", "0")
                self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.socket = tls.server_context().wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        credentials = directory / "netrc"
        credentials.write_text(f"machine https://127.0.0.1:{server.server_port} login {USER} password {PASSWORD}\n")
        try:
            yield AptServer(f"https://127.0.0.1:{server.server_port} /", key, credentials)
        finally:
            server.shutdown()
            thread.join()
