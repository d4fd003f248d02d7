"""Maps fields of manifests to fields of the input files. One table for reading and writing."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from inputs.document.source import Path
from inputs.manifests.kinds import (
    AGENT_CLUSTER_INSTALL,
    CLUSTER_DEPLOYMENT,
    CLUSTER_IMAGE_SET,
    INFRA_ENV,
    PULL_SECRET,
    PULL_SECRET_KIND,
    Kind,
)


class InputFile(StrEnum):
    """Also the names of the two parts of cluster0.yaml."""

    INSTALL = "installConfig"
    AGENT = "agentConfig"


def _same(value: Any) -> Any:
    return value


def _equal(given: object, other: object) -> bool:
    return given == other


def _begins_with(given: object, other: object) -> bool:
    return isinstance(given, list) and isinstance(other, list) and given[: len(other)] == other


@dataclass(frozen=True)
class FieldMapping:
    """The manifest's field at `manifest_path` is the input file's field at `input_path`.

    Values are plain: dict, list, str, int, bool.
    read: converts from the manifest's form; None if it is not set. write: converts to it; None if there is no value.
    agrees: whether the value of this mapping is compatible with the value of another one for the same field.
    """

    kind: Kind
    manifest_path: Path
    input_path: Path
    file: InputFile = InputFile.INSTALL
    read: Callable[[Any], Any] = _same
    write: Callable[[Any], Any] = _same
    agrees: Callable[[object, object], bool] = _equal

    @property
    def is_converted(self) -> bool:
        """Whether the value has another shape in the input file, so that values below it have no own position."""
        return self.read is not _same


def _reworded(kind: Kind, there: Path, here: Path, words: Mapping[str, str]) -> FieldMapping:
    back = {ours: theirs for theirs, ours in words.items()}
    return FieldMapping(
        kind, there, here, read=lambda value: _translated(value, words), write=lambda value: _translated(value, back)
    )


def _translated(value: object, words: Mapping[str, str]) -> object:
    return words.get(value, value) if isinstance(value, str) else value


_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
_BALANCERS = {"ClusterManaged": "OpenShiftManagedDefault"}
_PLATFORMS = {"None": "none", "BareMetal": "baremetal"}

_RELEASE = "kubernetes"
NO_PULL_SECRET: dict[str, object] = {"auths": {}}


def _platform(value: object) -> object:
    return {_PLATFORMS.get(value, value.lower()): {}} if isinstance(value, str) else value


def _platform_type(platform: Mapping[str, object]) -> str:
    names = {ours: theirs for theirs, ours in _PLATFORMS.items()}
    return next(names[name] for name, settings in platform.items() if settings is not None)


def _pools(workers: object) -> object:
    return [{"replicas": workers}]


def _workers(pools: list[dict[str, int]]) -> int:
    return sum(pool["replicas"] for pool in pools)


def _version(image: object) -> object:
    """`kubernetes:v1.33.2`; release images of OpenShift are ignored with a warning."""
    name, _, version = image.partition(":") if isinstance(image, str) else ("", "", "")
    return version if name == _RELEASE and version else None


def _release_image(version: str) -> str:
    return f"{_RELEASE}:{version}" if version else _RELEASE


def is_ours(release_image: str) -> bool:
    return release_image.partition(":")[0] == _RELEASE


def _pull_secret(text: object) -> object:
    try:
        return None if isinstance(text, str) and json.loads(text) == NO_PULL_SECRET else text
    except (ValueError, RecursionError):
        return text  # the model reports the error


def _indented(secret: str) -> str:
    return json.dumps(json.loads(secret) if secret else NO_PULL_SECRET, indent=2)


FIELD_MAPPINGS = (
    FieldMapping(CLUSTER_DEPLOYMENT, ("spec", "clusterName"), ("metadata", "name")),
    FieldMapping(CLUSTER_DEPLOYMENT, ("spec", "baseDomain"), ("baseDomain",)),
    *(
        FieldMapping(AGENT_CLUSTER_INSTALL, ("spec", "networking", field), ("networking", field))
        for field in ("clusterNetwork", "machineNetwork", "networkType", "serviceNetwork")
    ),
    FieldMapping(AGENT_CLUSTER_INSTALL, ("spec", "provisionRequirements", "controlPlaneAgents"),
                 ("controlPlane", "replicas")),
    FieldMapping(AGENT_CLUSTER_INSTALL, ("spec", "provisionRequirements", "workerAgents"), ("compute",),
        read=_pools, write=_workers),
    FieldMapping(AGENT_CLUSTER_INSTALL, ("spec", "platformType"), ("platform",), read=_platform, write=_platform_type),
    *(
        FieldMapping(AGENT_CLUSTER_INSTALL, ("spec", field), ("platform", "baremetal", field))
        for field in ("apiVIPs", "ingressVIPs")
    ),
    *(
        FieldMapping(AGENT_CLUSTER_INSTALL, ("spec", field), ("platform", "baremetal", f"{field}s"),
            read=lambda address: [address], write=lambda addresses: addresses[0] if addresses else None,
            agrees=_begins_with)
        for field in ("apiVIP", "ingressVIP")
    ),
    _reworded(AGENT_CLUSTER_INSTALL, ("spec", "loadBalancer", "type"),
              ("platform", "baremetal", "loadBalancer", "type"), _BALANCERS),
    FieldMapping(AGENT_CLUSTER_INSTALL, ("spec", "proxy"), ("proxy",)),
    FieldMapping(INFRA_ENV, ("spec", "proxy"), ("proxy",)),
    FieldMapping(AGENT_CLUSTER_INSTALL, ("spec", "sshPublicKey"), ("sshKey",)),
    FieldMapping(INFRA_ENV, ("spec", "sshAuthorizedKey"), ("sshKey",)),
    _reworded(INFRA_ENV, ("spec", "cpuArchitecture"), ("controlPlane", "architecture"), _ARCHITECTURES),
    FieldMapping(INFRA_ENV, ("spec", "additionalTrustBundle"), ("additionalTrustBundle",)),
    FieldMapping(INFRA_ENV, ("spec", "additionalNTPSources"), ("additionalNTPSources",), InputFile.AGENT),
    FieldMapping(PULL_SECRET_KIND, PULL_SECRET, ("pullSecret",), read=_pull_secret, write=_indented),
    FieldMapping(CLUSTER_IMAGE_SET, ("spec", "releaseImage"), ("kubernetes", "version"),
                 read=_version, write=_release_image),
)  # fmt: skip
"""Where two manifests have the same field, the first mapping is used and the others must agree."""
