"""The user's own files in the live system: proxy, mirrors, CAs, manifests, Ignition configs, checks.

They may contain secrets, so none of them is in `cluster.json`. The install copies those that the installed system
needs: `agent.install.host_config`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agent.model.host_paths import (
    HOST_IGNITION_DIRECTORY,
    IGNITION_OVERRIDE_FILE,
    MANIFESTS_DIRECTORY,
    USER_CHECKS_DIRECTORY,
)
from agent.model.intent import ClusterIntent
from ignition import compose, spec
from image_build.cluster_iso.mirrors import hosts_files, mirrored_sources
from image_build.cluster_iso.proxy import DROP_INS, dropin
from inputs.extra_files.certificates import blocks
from inputs.extra_files.checks import Check
from inputs.load import Inputs

CA_DIRECTORY = "/usr/local/share/ca-certificates"


def site_files(inputs: Inputs, intent: ClusterIntent) -> tuple[spec.File, ...]:
    """`intent`: of the same inputs, with the same hosts in the same order."""
    return (
        *_proxy(inputs, intent),
        *_mirrors(inputs),
        *_certificates(inputs),
        *_manifests(inputs),
        *_ignition(inputs, intent),
        *check_files(inputs.extra_files.checks),
    )


def _proxy(inputs: Inputs, intent: ClusterIntent) -> Iterator[spec.File]:
    baremetal = inputs.install.platform.baremetal
    if content := dropin(inputs.install.proxy, intent, baremetal.ingress_vips if baremetal else ()):
        yield from (compose.file(path, content, mode=0o600) for path in DROP_INS)


def _mirrors(inputs: Inputs) -> Iterator[spec.File]:
    sources = (*mirrored_sources(inputs.install), *inputs.extra_files.mirrors)
    yield from (compose.file(path, content) for path, content in hosts_files(sources).items())


def _certificates(inputs: Inputs) -> Iterator[spec.File]:
    """One certificate a file: update-ca-certificates(8) makes no hash link for more."""
    certificates = dict.fromkeys((*blocks(inputs.install.additional_trust_bundle), *inputs.extra_files.certificates))
    for number, certificate in enumerate(certificates, start=1):
        yield compose.file(f"{CA_DIRECTORY}/cluster0-{number}.crt", certificate)


def _manifests(inputs: Inputs) -> Iterator[spec.File]:
    for manifest in inputs.extra_files.manifests:
        yield compose.file(f"{MANIFESTS_DIRECTORY}/{manifest.folder}/{manifest.name}", manifest.content, mode=0o600)


def _ignition(inputs: Inputs, intent: ClusterIntent) -> Iterator[spec.File]:
    if for_all := inputs.agent.ignition_config_override:
        yield compose.file(IGNITION_OVERRIDE_FILE, for_all, mode=0o600)
    for host, host_intent in zip(inputs.agent.hosts, intent.hosts, strict=True):
        if host.ignition_config_override:
            path = f"{HOST_IGNITION_DIRECTORY}/{host_intent.hostname}.ign"
            yield compose.file(path, host.ignition_config_override, mode=0o600)


def check_files(checks: Iterable[Check]) -> Iterator[spec.File]:
    """The user's own checks, as programs."""
    for check in checks:
        yield compose.file(f"{USER_CHECKS_DIRECTORY}/{check.name}", check.content, mode=0o755)
