"""Container images from a registry or from a mirror of it, by skopeo."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from agent.model.problems import Problem
from cli.command import Commands

SECONDS = 1800.0


@dataclass(frozen=True)
class Registry:
    """How to reach images. Their references in the cluster stay those of kubeadm and the manifests.

    mirror: `HOST[:PORT][/PATH]` that replaces every registry's host name; None fetches from the registry itself.
    ca_file: PEM of the CA that signed the server's certificate.
    credentials: an `auth.json` as `skopeo login` writes it; its content is never logged.
    """

    mirror: str | None = None
    ca_file: Path | None = None
    credentials: Path | None = None

    def address(self, reference: str) -> str:
        """The address that `reference` is fetched from."""
        host, slash, path = reference.partition("/")
        if self.mirror is None:
            return reference
        has_host = slash and ("." in host or ":" in host or host == "localhost")
        return f"{self.mirror}/{path if has_host else reference}"

    def fetch(self, reference: str, layout: Path, commands: Commands) -> Path:
        """Copy the image for amd64 into the new OCI layout directory `layout`, and return that."""
        address = self.address(reference)
        options: list[str | Path] = ["--src-tls-verify=true", "--retry-times=2", "--remove-signatures"]
        if self.credentials:
            options.append(f"--src-authfile={self.credentials}")
        if self.ca_file:
            options.append(f"--src-cert-dir={self._certificates(layout.with_name(f'{layout.name}.certs'))}")
        argv = ["skopeo", "--override-os=linux", "--override-arch=amd64", "copy", *options, f"docker://{address}"]
        try:
            commands.run([*argv, f"oci:{layout}:image"], timeout=SECONDS)
        except Problem as problem:
            raise Problem(
                code="image-unavailable",
                title=f"cannot get the image {reference} from {address}",
                detail=problem.detail,
                remedy="Check --registry, --registry-mirror, --ca-file, --registry-auth and --kubernetes-version.",
            ) from problem
        return layout

    def _certificates(self, directory: Path) -> Path:
        """skopeo requires a directory, in which only `*.crt` are CAs."""
        directory.mkdir()
        if self.ca_file:
            shutil.copyfile(self.ca_file, directory / "ca.crt")
        return directory
