"""Temporary Debian roots by mmdebstrap: the same result on every build host, on which nothing is installed.

mmdebstrap works as root and, with user namespaces, without. Its own default mirror is used unless one is given.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from cli.command import Argument, Commands, own_mounts
from cli.progress import Step
from image_build.announced_steps import announced_steps
from image_build.cache import Cache, Workplace

SOURCE_SUITE = "bookworm"
"""Debian 12: the last release whose source package `kubernetes` is complete."""

HOST_SUITE = "trixie"
"""Debian 13, the release of the live image: iptables in a container and on the host must be of one version."""

BUILD_PACKAGES = (
    "busybox-static", "dpkg-dev", "etcd-server", "gcc", "golang-github-modern-go-reflect2-dev", "golang-go", "jq",
    "libc6-dev", "make", "rsync",
)  # fmt: skip
PROXY_PACKAGES = ("conntrack", "ipset", "iptables", "kmod")

LIST_DOWNLOADED = """
for deb in "$1"/var/cache/apt/archives/*.deb; do
    dpkg-deb --show --showformat '${Package} ${Version}\n' "$deb"
done > "$1"/packages
"""

BUILD_ROOT = "Build root"
TYPICAL_SECONDS = {
    BUILD_ROOT: 50, "Source package": 20, "Kubernetes": 400, "Images from packages": 5, "Licences and versions": 15,
}  # fmt: skip
"""What the script announces, by the beginning of the title; on two cores."""

COMPILE_SECONDS = 3 * 3600.0
INSTALL_SECONDS = 1800.0


def compile_kubernetes(place: Workplace, cache: Cache, script: Path, mirror: str | None) -> None:
    """Run `script` in a build root; its `/out` becomes the result."""
    hooks = [
        f'--customize-hook=cp {shlex.quote(str(script))} "$1/build.sh"',
        '--customize-hook=chroot "$1" sh /build.sh',
        f"--customize-hook=sync-out /out {shlex.quote(str(place.result))}",
    ]
    argv = mmdebstrap(SOURCE_SUITE, Path("/dev/null"), "apt", BUILD_PACKAGES, mirror, hooks)

    def open_step(title: str) -> AbstractContextManager[Step]:
        typical = (seconds for beginning, seconds in TYPICAL_SECONDS.items() if title.startswith(beginning))
        return cache.step(title, next(typical, None))

    with announced_steps(place.log, BUILD_ROOT, open_step) as look:
        _commands(place).run(argv, timeout=COMPILE_SECONDS, while_waiting=look)


def unpack_proxy_tools(place: Workplace, mirror: str | None) -> None:
    """Make `tools.tar`, kube-proxy's external programs with their libraries, and `packages`, names and versions.

    No maintainer script runs and dpkg's database stays empty, so names and versions come from the downloaded files.
    """
    hooks = [
        f"--extract-hook={LIST_DOWNLOADED}",
        f"--extract-hook=download /packages {shlex.quote(str(place.result / 'packages'))}",
    ]
    argv = mmdebstrap(HOST_SUITE, place.result / "tools.tar", "extract", PROXY_PACKAGES, mirror, hooks)
    _commands(place).run(argv, timeout=INSTALL_SECONDS)


def mmdebstrap(
    suite: str, target: Path, variant: str, packages: Sequence[str], mirror: str | None, hooks: Sequence[str]
) -> list[Argument]:
    """The command line for a root that is written to `target` (`/dev/null`: only the hooks matter)."""
    return [
        "mmdebstrap", f"--variant={variant}", f"--include={','.join(packages)}",
        '--aptopt=Apt::Install-Recommends "false"', *hooks, suite, target, *([mirror] if mirror else []),
    ]  # fmt: skip


def _commands(place: Workplace) -> Commands:
    # The root needs 4 GB: scratch is on the cache's disk, /tmp may be memory. The date fixes the times in the tar.
    return Commands(place.log, {"TMPDIR": str(place.scratch), "SOURCE_DATE_EPOCH": "0"}, own_mounts())
