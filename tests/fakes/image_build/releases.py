"""A release of Kubernetes to fill mirrors with: the debian payload of the cache, or small stand-ins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cli.command import Commands
from image_build.payload import kubeadm
from image_build.payload.debian_images import ImageRecipe, write_image
from image_build.payload.oci import write_archive
from tests.fakes.kubernetes.native_control_plane import cached_payload

REPOSITORY = "registry.test/kubernetes"
VERSION = "1.20.2"

KUBEADM = f"""#!/bin/sh
if [ "$1" = version ]; then
    echo v{VERSION}
else
    printf '{REPOSITORY}/%s\\n' kube-apiserver:v{VERSION} pause:3.2 etcd:3.4.13-0 coredns:1.7.0
fi
"""


@dataclass(frozen=True)
class KubernetesRelease:
    """Programs by name, and OCI archives by the name kubeadm asks for, without the repository (`pause:3.2`)."""

    programs: Mapping[str, Path]
    archives: Mapping[str, Path]


def small_release(directory: Path) -> KubernetesRelease:
    """A kubeadm that answers, other programs that only exist, and one tiny image under every name."""
    programs = {}
    for name in ("kubeadm", "kubelet", "kubectl"):
        programs[name] = directory / name
        programs[name].write_text(KUBEADM if name == "kubeadm" else "#!/bin/sh\n")
        programs[name].chmod(0o755)
    image = directory / "image.tar"
    recipe = ImageRecipe(("kubelet",), programs["kubelet"], "kubelet")
    write_archive(write_image(recipe, directory / "image"), "registry.test/any:1", image)
    return KubernetesRelease(programs, {name: image for name in _asked_for(programs["kubeadm"], directory)})


def cached_release(directory: Path) -> KubernetesRelease:
    """The debian payload; what it lacks (CoreDNS) is stood in for by busybox. Without a payload the test is skipped."""
    payload = cached_payload()
    archives = {
        kubeadm.name_of(image.reference): payload.directory / image.archive for image in payload.manifest.images
    }
    programs = {binary.name: payload.directory / binary.path for binary in payload.manifest.binaries}
    asked = _asked_for(programs["kubeadm"], directory)
    return KubernetesRelease(
        programs, {name: archives.get(name.partition(":")[0], archives["busybox"]) for name in asked}
    )


def _asked_for(program: Path, directory: Path) -> list[str]:
    commands = Commands(directory / "log")
    references = kubeadm.required_images(program, directory, commands, image_repository=REPOSITORY, etcd_tag=None)
    return [reference.removeprefix(f"{REPOSITORY}/") for reference in references]
