"""Debian packages from one apt repository, without root and without changes to the host's package lists.

apt does the work, so signatures, checksums, proxies and mirrors work as in Debian.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.model.payload import Package
from agent.model.problems import Problem
from cli.command import Commands

SECONDS = 900.0


@dataclass(frozen=True)
class AptRepository:
    """`line`: `URL SUITE [COMPONENT…]` as in sources.list; None means the repositories of this host.

    key: the repository's public key (`.asc` or `.gpg`); otherwise it must be in apt's key ring.
    ca_file: PEM of the CA that signed an https server's certificate.
    credentials: a file in netrc form; its content is never logged.
    """

    line: str | None = None
    key: Path | None = None
    ca_file: Path | None = None
    credentials: Path | None = None

    def sources_list(self) -> str | None:
        if self.line is None:
            return None
        options = f"[arch=amd64 signed-by={self.key.resolve()}]" if self.key else "[arch=amd64]"
        return f"deb {options} {self.line}\n"

    def configuration(self, directory: Path) -> str:
        """An apt.conf that keeps everything apt writes inside `directory`."""
        settings = {
            "Dir::State": directory,
            "Dir::State::status": directory / "status",
            "Dir::Cache": directory,
            "Acquire::Languages": "none",
            # An unprivileged build has no user _apt, and only we can read the directory.
            "APT::Sandbox::User": "root",
        }
        if self.line is not None:
            settings |= {"Dir::Etc::sourcelist": directory / "sources.list", "Dir::Etc::sourceparts": "/dev/null"}
        if self.ca_file:
            settings["Acquire::https::CAInfo"] = self.ca_file.resolve()
        if self.credentials:
            settings["Dir::Etc::netrc"] = self.credentials.resolve()
        return "".join(f'{name} "{value}";\n' for name, value in settings.items())


def download(repository: AptRepository, packages: Sequence[str], directory: Path, log: Path) -> list[Path]:
    """Download `packages` (`NAME` or `NAME=VERSION`; a version may end in `*`) into the new `directory`."""
    for folder in ("lists/partial", "archives/partial"):
        (directory / folder).mkdir(parents=True)
    (directory / "status").touch()
    (directory / "sources.list").write_text(repository.sources_list() or "")
    (directory / "apt.conf").write_text(repository.configuration(directory))
    commands = Commands(log, {"APT_CONFIG": str(directory / "apt.conf")})
    try:
        # By default apt-get update only warns when a repository cannot be reached or trusted.
        commands.run(["apt-get", "update", "--error-on=any"], timeout=SECONDS)
        commands.run(["apt-get", "download", *packages], cwd=directory, timeout=SECONDS)
    except Problem as problem:
        raise Problem(
            code="packages-unavailable",
            title=f"cannot get {', '.join(packages)} from {repository.line or 'the apt repositories of this host'}",
            detail=problem.detail,
            remedy="Check --apt-repository, --apt-key, --ca-file, --apt-auth and --kubernetes-version.",
        ) from problem
    return sorted(directory.glob("*.deb"))


def unpack(deb: Path, directory: Path, commands: Commands) -> Package:
    """Extract the files of `deb` below `directory`; no maintainer script runs."""
    commands.run(["dpkg-deb", "--extract", deb, directory], timeout=SECONDS)
    words = commands.output(["dpkg-deb", "--show", "--showformat", "${Package} ${Version}", deb], timeout=SECONDS)
    name, version = words.split()
    return Package(name=name, version=version, use="hosts")
