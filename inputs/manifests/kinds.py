"""The files of the directory: upstream's names and kinds, and the fields that cluster0 does not use.

Source: `pkg/asset/agent/manifests` of openshift/installer, `api` of openshift/assisted-service, `apis/hive/v1` of
openshift/hive.
"""

from __future__ import annotations

from dataclasses import dataclass

from inputs.document.source import SECRETS, Path, Pattern
from inputs.schema.unsupported import Handling, UnsupportedField

OVERRIDES: Path = ("metadata", "annotations", "agent-install.openshift.io/install-config-overrides")
"""JSON in install-config.yaml's form, in which upstream passes fields that its API does not have."""

LABEL = "infraenvs.agent-install.openshift.io"
PULL_SECRET: Path = ("stringData", ".dockerconfigjson")


@dataclass(frozen=True, eq=False)
class Kind:
    """One file. `is_list`: a document for each host. `no_effect`: known fields that change nothing here."""

    file: str
    kind: str
    api_version: str
    is_required: bool = False
    is_list: bool = False
    secrets: tuple[Pattern, ...] = ()
    no_effect: tuple[Path, ...] = ()
    unsupported: tuple[UnsupportedField, ...] = ()


def _refused(*path: str, what: str, instead: str, unless: tuple[object, ...] = ()) -> UnsupportedField:
    return UnsupportedField(path, Handling.OPENSHIFT_ONLY, f"Only OpenShift has {what}.", instead, (None, "", *unless))


def _elsewhere(*path: str, field: str) -> UnsupportedField:
    rule = "This field is for the live system only; cluster0 configures the live and the installed system together."
    remedy = f"Write {field} in {SETTINGS_FILE}."
    return UnsupportedField(path, Handling.OPENSHIFT_ONLY, rule, remedy, (None, "", ()))


def _ignored(*path: str, why: str, unless: tuple[object, ...] = ()) -> UnsupportedField:
    rule = f"This field is ignored: {why}."
    return UnsupportedField(path, Handling.IGNORED, rule, "Remove it to silence this warning.", (None, "", *unless))


SETTINGS_FILE = "cluster0.yaml"

AGENT_CLUSTER_INSTALL = Kind(
    "agent-cluster-install.yaml",
    "AgentClusterInstall",
    "extensions.hive.openshift.io/v1beta1",
    is_required=True,
    secrets=(("spec", "proxy"), OVERRIDES),
    no_effect=(("spec", "networking", "userManagedNetworking"), OVERRIDES),
    unsupported=(
        _refused("spec", "provisionRequirements", "arbiterAgents", what="arbiters", instead="Write 0.", unless=(0,)),
        _refused("spec", "diskEncryption", what="this disk encryption", instead="Remove it.", unless=({},)),
        _refused("spec", "ignitionEndpoint", what="an endpoint for Ignition configs", instead="Remove it."),
        _refused("spec", "external", what="an installer for platform external", instead="Remove it."),
        _refused("spec", "manifestsConfigMapRef", what="ConfigMaps for manifests", instead="Use manifests/."),
        _refused("spec", "manifestsConfigMapRefs", what="ConfigMaps for manifests", instead="Use manifests/."),
        _refused("spec", "mirrorRegistryRef", what="mirrors in ConfigMaps", instead=f"Use {SETTINGS_FILE}."),
        _refused("spec", "holdInstallation", what="a held installation", instead="Remove it.", unless=(False,)),
        _ignored("spec", "mastersSchedulable", why="they run pods if there are no workers", unless=(False,)),
        _ignored("spec", "controlPlane", why="hosts are described by their own manifests", unless=({},)),
        _ignored("spec", "compute", why="hosts are described by their own manifests"),
        _ignored("spec", "clusterMetadata", why="it is output of an installed cluster"),
    ),
)
CLUSTER_DEPLOYMENT = Kind(
    "cluster-deployment.yaml",
    "ClusterDeployment",
    "hive.openshift.io/v1",
    is_required=True,
    no_effect=(("spec", "controlPlaneConfig"), ("spec", "installed"), ("spec", "platform")),
)
CLUSTER_IMAGE_SET = Kind("cluster-image-set.yaml", "ClusterImageSet", "hive.openshift.io/v1")
INFRA_ENV = Kind(
    "infraenv.yaml",
    "InfraEnv",
    "agent-install.openshift.io/v1beta1",
    secrets=(("spec", "proxy"), ("spec", "ignitionConfigOverride")),
    unsupported=(
        _elsewhere("spec", "kernelArguments", field="agentConfig.kernelArguments"),
        _elsewhere("spec", "ignitionConfigOverride", field="agentConfig.ignitionConfigOverride"),
        _refused("spec", "mirrorRegistryRef", what="mirrors in ConfigMaps", instead=f"Use {SETTINGS_FILE}."),
        _ignored("spec", "agentLabels", why="labels of nodes are in " + SETTINGS_FILE, unless=({},)),
        _ignored("spec", "ipxeScriptType", why="there is one iPXE script"),
        _ignored("spec", "imageType", why="the command selects the image"),
        _ignored("spec", "osImageVersion", why="there is one live image, the base ISO's"),
    ),
)
NMSTATE_CONFIG = Kind(
    "nmstateconfig.yaml", "NMStateConfig", "agent-install.openshift.io/v1beta1", is_list=True
)  # fmt: skip
PULL_SECRET_KIND = Kind(
    "pull-secret.yaml",
    "Secret",
    "v1",
    secrets=(("stringData",), ("data",)),
    no_effect=(("type",),),
    unsupported=(_refused("data", what="this form of the pull secret", instead="Write stringData."),),
)
SETTINGS = Kind(
    SETTINGS_FILE,
    "Cluster0Settings",
    "v1alpha1",
    secrets=tuple((part, *pattern) for part in ("installConfig", "agentConfig") for pattern in SECRETS),
)
KINDS = (
    AGENT_CLUSTER_INSTALL, CLUSTER_DEPLOYMENT, CLUSTER_IMAGE_SET, INFRA_ENV, NMSTATE_CONFIG, PULL_SECRET_KIND, SETTINGS,
)  # fmt: skip
