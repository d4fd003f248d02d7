"""Fields of OpenShift's formats that cluster0 does not use.

A field without effect here is ignored with a warning, so that existing files can be used. A field that requests
something that cluster0 does not do, or not yet, is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from types import EllipsisType

from inputs.document.findings import FindingSeverity
from inputs.document.source import Pattern


class Handling(StrEnum):
    """What happens to an unsupported field: also the codes of the findings."""

    IGNORED = "field-ignored"
    OPENSHIFT_ONLY = "openshift-only"
    REFUSED = "field-refused"
    NOT_YET = "not-supported-yet"


@dataclass(frozen=True)
class UnsupportedField:
    """`harmless_values`: values that request nothing, so they give no finding.

    `is_checked`: the field is in the model, so its value is checked.
    """

    pattern: Pattern
    handling: Handling
    rule: str
    remedy: str
    harmless_values: tuple[object, ...] = ()
    is_checked: bool = False

    @property
    def severity(self) -> FindingSeverity:
        return FindingSeverity.WARNING if self.handling is Handling.IGNORED else FindingSeverity.ERROR


_OPENSHIFT = "it applies to OpenShift only"
_ONE_PLATFORM = "the whole cluster has one platform"
_CLUSTER_OPERATORS = (
    "capabilities", "credentialsMode", "featureGates", "featureSet", "operatorPublishingStrategy", "osImageStream",
    "publish",
)  # fmt: skip
_PROVISIONING = (
    "bootstrapExternalStaticDNS", "bootstrapExternalStaticGateway", "bootstrapExternalStaticIP", "bootstrapOSImage",
    "bootstrapProvisioningIP", "clusterOSImage", "clusterProvisioningIP", "defaultMachinePlatform", "externalBridge",
    "externalMACAddress", "libvirtURI", "provisioningBridge", "provisioningDHCPExternal", "provisioningDHCPRange",
    "provisioningHostIP", "provisioningMACAddress", "provisioningNetwork", "provisioningNetworkCIDR",
    "provisioningNetworkInterface",
)  # fmt: skip
_OLD_NETWORKING = {
    "clusterNetworks": "clusterNetwork", "machineCIDR": "machineNetwork", "serviceCIDR": "serviceNetwork",
    "type": "networkType",
}  # fmt: skip
"""Old names that the agent-based installer still reads → current names."""
_BMC = ("automatedCleaningMode", "bmc", "bootMode", "customDeploy", "hardwareProfile", "preprovisioningNetworkData")
_CLOUDS = (
    "alibabacloud", "aws", "azure", "external", "gcp", "ibmcloud", "libvirt", "nutanix", "openstack", "ovirt",
    "powervs", "vsphere",
)  # fmt: skip


def _ignored(*pattern: str | EllipsisType, why: str, unless: tuple[object, ...] = ()) -> UnsupportedField:
    rule = f"This field is ignored: {why}."
    return UnsupportedField(pattern, Handling.IGNORED, rule, "Remove it to silence this warning.", unless)


def _openshift_only(
    *pattern: str | EllipsisType, what: str, instead: str, unless: tuple[object, ...] = ()
) -> UnsupportedField:
    return UnsupportedField(pattern, Handling.OPENSHIFT_ONLY, f"Only OpenShift has {what}.", instead, unless)


def _not_yet(
    *pattern: str | EllipsisType, what: str, instead: str, unless: tuple[object, ...] = ()
) -> UnsupportedField:
    return UnsupportedField(pattern, Handling.NOT_YET, f"Not supported yet: {what}.", instead, unless, is_checked=True)


def _machine_pool(*pool: str | EllipsisType) -> Iterator[UnsupportedField]:
    yield _ignored(*pool, "hyperthreading", why=_OPENSHIFT, unless=("Enabled",))
    yield _ignored(*pool, "platform", why=_ONE_PLATFORM, unless=({},))
    disks = "MachineConfigs that set up further disks"
    yield _openshift_only(*pool, "diskSetup", what=disks, instead="Remove it.", unless=([],))
    yield _not_yet(*pool, "architecture", what="other machines than amd64", instead="Write amd64.", unless=("amd64",))


def _hosts(*pattern: str | EllipsisType) -> Iterator[UnsupportedField]:
    """Unsupported fields of a host in either file."""
    for hint in ("wwnWithExtension", "wwnVendorExtension"):
        rule = "There is no hint by the extension of a WWN; the agent-based installer has none either."
        remedy = "Write the whole WWN, extension and all, as `wwn`."
        yield UnsupportedField((*pattern, "rootDeviceHints", hint), Handling.REFUSED, rule, remedy)


def _install_config() -> Iterable[UnsupportedField]:
    yield _ignored("metadata", "namespace", why=_OPENSHIFT)
    yield _ignored("metadata", "creationTimestamp", why="nothing reads it")
    yield replace(
        _ignored("pullSecret", why="every image is on the ISO, so nothing is pulled with it"), is_checked=True
    )
    for field in _CLUSTER_OPERATORS:
        yield _ignored(field, why=_OPENSHIFT, unless=("", [], {}))
    yield _ignored("bootstrapInPlace", why="the disk is chosen by rootDeviceHints")
    yield from _machine_pool("controlPlane")
    yield from _machine_pool("compute", ...)
    yield from _openshift_install_config()
    why = "additionalTrustBundle is trusted by every program on a host, whatever the policy"
    yield _ignored("additionalTrustBundlePolicy", why=why, unless=("Always", ""))
    yield _not_yet(
        "networking", "clusterNetworkMTU", what="an MTU of the pod network", instead="Remove it.", unless=(0,)
    )
    for old, new in _OLD_NETWORKING.items():
        rule = f"networking.{old} is an obsolete name."
        yield UnsupportedField(("networking", old), Handling.REFUSED, rule, f"Write networking.{new} instead.")
    rule = "Time servers are a setting of the hosts, not of the platform."
    where = ("platform", "baremetal", "additionalNTPServers")
    yield UnsupportedField(
        where, Handling.REFUSED, rule, "Write additionalNTPSources in agent-config.yaml.", harmless_values=([],)
    )
    yield _ignored("platform", "baremetal", "bmcVerifyCA", why="cluster0 does not control BMCs")
    for field in _PROVISIONING:
        yield _ignored("platform", "baremetal", field, why="hosts boot the ISO; nothing provisions them")
    for field in _BMC:
        yield _ignored("platform", "baremetal", "hosts", ..., field, why="cluster0 does not control BMCs")
    yield from _hosts("platform", "baremetal", "hosts", ...)


def _openshift_install_config() -> Iterable[UnsupportedField]:
    yield _openshift_only("arbiter", what="arbiter hosts", instead="Use one or three control-plane hosts.")
    yield _openshift_only("controlPlane", "fencing", what="two-host clusters with fencing", instead="Remove it.")
    remedy = "Remove it, or use a kubeadm setting below `kubernetes`."
    yield _openshift_only("cpuPartitioningMode", what="CPU partitioning", instead=remedy, unless=("None", ""))
    yield _openshift_only("fips", what="this FIPS mode", instead="Remove it.", unless=(False,))
    yield _openshift_only(
        "networking", "ovnKubernetesConfig", what="this network plugin", instead="Remove it.", unless=({},)
    )
    for cloud in _CLOUDS:
        instead = "Write `platform: {none: {}}`, or baremetal with apiVIPs."
        yield _openshift_only("platform", cloud, what=f"an installer for platform {cloud}", instead=instead)


def _agent_config() -> Iterable[UnsupportedField]:
    yield _ignored("metadata", "namespace", why=_OPENSHIFT)
    yield from _hosts("hosts", ...)


INSTALL_CONFIG = tuple(_install_config())
AGENT_CONFIG = tuple(_agent_config())
