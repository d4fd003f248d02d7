"""The one table of operations: server, typed client and OpenAPI document all come from it.

Paths, methods, status codes and authentication are assisted-service's v2 REST API. Rows marked "our addition" have no
counterpart there; `UNSUPPORTED` are its operations without a meaning here, and why.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from agent.api import requests, responses
from agent.api.clusters import Cluster, ClusterCreate, Completion
from agent.api.events import Event
from agent.api.hosts import Host, HostRegister, HostRegistration, HostUpdate
from agent.api.infra_envs import InfraEnv, InfraEnvCreate
from agent.api.join import JoinCredential
from agent.api.steps import Progress, StepReply, Steps

BASE = "/api/assisted-install"
PORT = 8090

Body = TypeVar("Body")
Reply = TypeVar("Reply")


class TokenRole(StrEnum):
    """The role of a token. Registering makes a `HOST` token, which is bound to one host."""

    AGENT = "agent"
    HOST = "host"
    USER = "user"
    WATCHER = "watcher"


@dataclass(frozen=True)
class Operation(Generic[Body, Reply]):
    """One operation. `path` is below `BASE`, parameters in braces; `roles` may call it.

    `body` and `reply` are JSON documents of these types; `Nothing`: no content; `File`, `Upload`, `EventStream`: see there.
    `answer_headers`: headers of the answer that carry data.
    """

    operation_id: str
    method: str
    path: str
    status: int
    roles: frozenset[TokenRole]
    body: type[Body]
    reply: type[Reply]
    summary: str
    query: tuple[str, ...] = ()
    answer_headers: tuple[str, ...] = ()


@dataclass(frozen=True)
class UnsupportedOperation:
    """An operation of assisted-service that is answered 501 with `reason`, whichever valid token comes with it."""

    operation_id: str
    method: str
    path: str
    reason: str


Nothing = type(None)


class File:
    """A reply that is a file, `application/octet-stream`."""


class Upload:
    """A body that is `multipart/form-data` with one file in the field `upfile`."""


class EventStream:
    """A reply without an end: server-sent events, each an `Event` as JSON with its id as the id of the event."""


EVENT_COUNTS = (
    "Event-Count",
    "Severity-Count-Info",
    "Severity-Count-Warning",
    "Severity-Count-Error",
    "Severity-Count-Critical",
)

_AGENT = frozenset({TokenRole.AGENT})
_HOST = frozenset({TokenRole.HOST})
_USER = frozenset({TokenRole.USER})
_READ = frozenset({TokenRole.USER, TokenRole.WATCHER})
_USER_HOST = frozenset({TokenRole.USER, TokenRole.HOST})
_ANY = frozenset({TokenRole.USER, TokenRole.WATCHER, TokenRole.HOST})

# fmt: off
REGISTER_CLUSTER = Operation("v2RegisterCluster", "POST", "/v2/clusters", 201, _USER, ClusterCreate, Cluster, "Register a cluster")
LIST_CLUSTERS = Operation("v2ListClusters", "GET", "/v2/clusters", 200, _READ, Nothing, list[Cluster], "List clusters", ("with_hosts",))
GET_DEFAULT_CONFIG = Operation("V2GetClusterDefaultConfig", "GET", "/v2/clusters/default-config", 200, _USER, Nothing, responses.DefaultConfig, "What a cluster gets by default")
GET_CLUSTER = Operation("v2GetCluster", "GET", "/v2/clusters/{cluster_id}", 200, _ANY, Nothing, Cluster, "One cluster with its hosts", ("exclude-hosts",))
UPDATE_CLUSTER = Operation("V2UpdateCluster", "PATCH", "/v2/clusters/{cluster_id}", 201, _USER, requests.ClusterUpdate, Cluster, "Change the configuration, except what the ISO has fixed")
DEREGISTER_CLUSTER = Operation("v2DeregisterCluster", "DELETE", "/v2/clusters/{cluster_id}", 204, _USER, Nothing, Nothing, "Forget a cluster that is not being installed")
LIST_CLUSTER_HOSTS = Operation("ListClusterHosts", "GET", "/v2/clusters/{cluster_id}/hosts", 200, _USER_HOST, Nothing, list[Host], "Hosts of the cluster", ("role", "status", "with-inventory", "with-connectivity"))
INSTALL_CLUSTER = Operation("v2InstallCluster", "POST", "/v2/clusters/{cluster_id}/actions/install", 202, _USER, Nothing, Cluster, "Start the install; without=NAMES lists the hosts that it does not wait for (our addition)", ("without",))
CANCEL_INSTALLATION = Operation("V2CancelInstallation", "POST", "/v2/clusters/{cluster_id}/actions/cancel", 202, _USER, Nothing, Cluster, "Stop the install, up to node0's final reboot")
RESET_CLUSTER = Operation("v2ResetCluster", "POST", "/v2/clusters/{cluster_id}/actions/reset", 202, _USER, Nothing, Cluster, "Take the install back to its beginning, until node0's control plane runs from its disk")
COMPLETE_INSTALLATION = Operation("v2CompleteInstallation", "POST", "/v2/clusters/{cluster_id}/actions/complete-installation", 202, _USER, Completion, Cluster, "Say how the install ended")
MOVE_STORE = Operation("c0MoveStore", "POST", "/v2/clusters/{cluster_id}/actions/move-store", 204, _USER, Nothing, Nothing, "Move the database to the state file system (our addition)")
GET_INSTALL_CONFIG = Operation("v2GetClusterInstallConfig", "GET", "/v2/clusters/{cluster_id}/install-config", 200, _USER, Nothing, str, "install-config.yaml as this cluster would be written, overrides merged in")
UPDATE_INSTALL_CONFIG = Operation("v2UpdateClusterInstallConfig", "PATCH", "/v2/clusters/{cluster_id}/install-config", 201, _USER, str, Nothing, "Overrides for install-config: a JSON object inside a string")
GET_PREFLIGHT = Operation("v2GetPreflightRequirements", "GET", "/v2/clusters/{cluster_id}/preflight-requirements", 200, _USER, Nothing, responses.Preflight, "What a host needs, by role")
DOWNLOAD_CREDENTIALS = Operation("V2DownloadClusterCredentials", "GET", "/v2/clusters/{cluster_id}/downloads/credentials", 200, _USER, Nothing, File, "kubeconfig or kubeconfig-noingress", ("file_name",))
DOWNLOAD_FILES = Operation("V2DownloadClusterFiles", "GET", "/v2/clusters/{cluster_id}/downloads/files", 200, _USER, Nothing, File, "install-config.yaml, metadata.json, custom_manifests.json or custom_manifests.yaml", ("file_name",))
LIST_MANIFESTS = Operation("V2ListClusterManifests", "GET", "/v2/clusters/{cluster_id}/manifests", 200, _USER, Nothing, list[responses.Manifest], "List manifests", ("include_system_generated",))
CREATE_MANIFEST = Operation("V2CreateClusterManifest", "POST", "/v2/clusters/{cluster_id}/manifests", 201, _USER, requests.ManifestCreate, responses.Manifest, "Add a manifest, at most 1 MiB; applied when the nodes are ready")
UPDATE_MANIFEST = Operation("V2UpdateClusterManifest", "PATCH", "/v2/clusters/{cluster_id}/manifests", 200, _USER, requests.ManifestUpdate, responses.Manifest, "Rename, move or replace a manifest")
DELETE_MANIFEST = Operation("V2DeleteClusterManifest", "DELETE", "/v2/clusters/{cluster_id}/manifests", 200, _USER, Nothing, Nothing, "Remove a manifest", ("folder", "file_name"))
DOWNLOAD_MANIFEST = Operation("v2DownloadClusterManifest", "GET", "/v2/clusters/{cluster_id}/manifests/files", 200, _USER, Nothing, File, "A manifest as it was added", ("folder", "file_name"))
DOWNLOAD_LOGS = Operation("V2DownloadClusterLogs", "GET", "/v2/clusters/{cluster_id}/logs", 200, _USER, Nothing, File, "Logs as tar: logs_type host (with host_id), controller, all or empty", ("logs_type", "host_id"))
UPLOAD_LOGS = Operation("V2UploadLogs", "POST", "/v2/clusters/{cluster_id}/logs", 204, _USER_HOST, Upload, Nothing, "Logs of a host or of the controller as tar.gz; secrets are taken out", ("logs_type", "infra_env_id", "host_id"))
GET_IGNORED_VALIDATIONS = Operation("v2GetIgnoredValidations", "GET", "/v2/clusters/{cluster_id}/ignored-validations", 200, _USER, Nothing, requests.IgnoredValidations, "Validations that keep nothing from happening")
SET_IGNORED_VALIDATIONS = Operation("v2SetIgnoredValidations", "PUT", "/v2/clusters/{cluster_id}/ignored-validations", 201, _USER, requests.IgnoredValidations, requests.IgnoredValidations, "Say which validations keep nothing from happening")
REGISTER_INFRA_ENV = Operation("RegisterInfraEnv", "POST", "/v2/infra-envs", 201, _USER, InfraEnvCreate, InfraEnv, "Register an infra-env")
LIST_INFRA_ENVS = Operation("ListInfraEnvs", "GET", "/v2/infra-envs", 200, _READ, Nothing, list[InfraEnv], "List infra-envs", ("cluster_id",))
GET_INFRA_ENV = Operation("GetInfraEnv", "GET", "/v2/infra-envs/{infra_env_id}", 200, _ANY, Nothing, InfraEnv, "One infra-env")
UPDATE_INFRA_ENV = Operation("UpdateInfraEnv", "PATCH", "/v2/infra-envs/{infra_env_id}", 201, _USER, requests.InfraEnvUpdate, InfraEnv, "Change what the ISO has not fixed")
DEREGISTER_INFRA_ENV = Operation("DeregisterInfraEnv", "DELETE", "/v2/infra-envs/{infra_env_id}", 204, _USER, Nothing, Nothing, "Forget an infra-env without hosts")
REGISTER_HOST = Operation("v2RegisterHost", "POST", "/v2/infra-envs/{infra_env_id}/hosts", 201, _AGENT, HostRegister, HostRegistration, "Register a host; the reply carries its token")
LIST_HOSTS = Operation("v2ListHosts", "GET", "/v2/infra-envs/{infra_env_id}/hosts", 200, _READ, Nothing, list[Host], "List hosts; since=ID leaves out those that are as they were when that event was the last, with-connectivity=false what they see of each other (our additions)", ("since", "with-connectivity"))
GET_HOST = Operation("v2GetHost", "GET", "/v2/infra-envs/{infra_env_id}/hosts/{host_id}", 200, _ANY, Nothing, Host, "One host")
UPDATE_HOST = Operation("v2UpdateHost", "PATCH", "/v2/infra-envs/{infra_env_id}/hosts/{host_id}", 201, _USER, HostUpdate, Host, "Set role, name, disk, approval")
DEREGISTER_HOST = Operation("v2DeregisterHost", "DELETE", "/v2/infra-envs/{infra_env_id}/hosts/{host_id}", 204, _USER, Nothing, Nothing, "Forget a host that is not being installed")
BIND_HOST = Operation("BindHost", "POST", "/v2/infra-envs/{infra_env_id}/hosts/{host_id}/actions/bind", 200, _USER, requests.BindHost, Host, "Let an unbound host take part again")
UNBIND_HOST = Operation("UnbindHost", "POST", "/v2/infra-envs/{infra_env_id}/hosts/{host_id}/actions/unbind", 200, _USER, Nothing, Host, "Keep a host out of the cluster")
RESET_HOST = Operation("v2ResetHost", "POST", "/v2/infra-envs/{infra_env_id}/hosts/{host_id}/actions/reset", 200, _USER, Nothing, Host, "Start the install of a host over while the cluster installs")
UPDATE_INSTALLER_ARGS = Operation("v2UpdateHostInstallerArgs", "PATCH", "/v2/infra-envs/{infra_env_id}/hosts/{host_id}/installer-args", 201, _USER, requests.InstallerArgs, Host, "coreos-installer's arguments: checked and kept; there is no coreos-installer here")
GET_IGNITION = Operation("v2GetHostIgnition", "GET", "/v2/infra-envs/{infra_env_id}/hosts/{host_id}/ignition", 200, _USER, Nothing, requests.HostIgnition, "The host's Ignition override")
UPDATE_IGNITION = Operation("v2UpdateHostIgnition", "PATCH", "/v2/infra-envs/{infra_env_id}/hosts/{host_id}/ignition", 201, _USER, requests.HostIgnition, Host, "The host's Ignition override: checked and kept")
GET_INSTRUCTIONS = Operation("v2GetNextSteps", "GET", "/v2/infra-envs/{infra_env_id}/hosts/{host_id}/instructions", 200, _HOST, Nothing, Steps, "What to do next; wait=SECONDS polls long, lost=true: the answer before did not arrive (our additions)", ("timestamp", "wait", "lost"))
POST_STEP_REPLY = Operation("v2PostStepReply", "POST", "/v2/infra-envs/{infra_env_id}/hosts/{host_id}/instructions", 204, _HOST, StepReply, Nothing, "The result of a step")
UPDATE_PROGRESS = Operation("v2UpdateHostInstallProgress", "PUT", "/v2/infra-envs/{infra_env_id}/hosts/{host_id}/progress", 200, _HOST, Progress, Nothing, "The stage an installing host has reached")
MINT_JOIN_CREDENTIAL = Operation("c0MintJoinCredential", "POST", "/v2/infra-envs/{infra_env_id}/hosts/{host_id}/actions/join", 200, _HOST, Nothing, JoinCredential, "What an installed host needs to become a node, once (our addition)")
ENTER_ETCD = Operation("c0EnterEtcd", "POST", "/v2/infra-envs/{infra_env_id}/hosts/{host_id}/actions/enter-etcd", 204, _HOST, Nothing, Nothing, "The turn of a control plane that joins to enter etcd, one at a time (our addition)")
REPORT_ETCD_VOTE = Operation("c0ReportEtcdVote", "POST", "/v2/infra-envs/{infra_env_id}/hosts/{host_id}/actions/report-etcd-vote", 204, _HOST, Nothing, Nothing, "This control plane votes in etcd, so the next one may enter (our addition)")
UPDATE_LOGS_PROGRESS = Operation("v2UpdateHostLogsProgress", "PUT", "/v2/infra-envs/{infra_env_id}/hosts/{host_id}/logs-progress", 204, _HOST, requests.LogsProgress, Nothing, "How far the collection of the host's logs is")
LIST_EVENTS = Operation("v2ListEvents", "GET", "/v2/events", 200, _READ, Nothing, list[Event], "Events in order; after=ID and wait=SECONDS are our additions", ("cluster_id", "infra_env_id", "host_id", "host_ids", "cluster_level", "severities", "message", "categories", "order", "limit", "offset", "after", "wait"), EVENT_COUNTS)
STREAM_EVENTS = Operation("c0StreamEvents", "GET", "/v2/events/stream", 200, _READ, Nothing, EventStream, "Events as they happen, as server-sent events (our addition); continues after the header Last-Event-ID or after=ID", ("after",))
REVOKE_TOKEN = Operation("c0RevokeToken", "POST", "/v2/tokens/actions/revoke", 204, _USER, requests.Revocation, Nothing, "Accept a token no more (our addition)")
LIST_COMPONENT_VERSIONS = Operation("v2ListComponentVersions", "GET", "/v2/component-versions", 200, _READ, Nothing, responses.ComponentVersions, "Versions of what is in the ISO")
LIST_SUPPORTED_VERSIONS = Operation("v2ListSupportedOpenshiftVersions", "GET", "/v2/openshift-versions", 200, _READ, Nothing, dict[str, responses.SupportedVersion], "The Kubernetes version in the ISO", ("version", "only_latest"))
LIST_OPERATORS = Operation("V2ListSupportedOperators", "GET", "/v2/supported-operators", 200, _READ, Nothing, list[str], "OpenShift's operators: none")
# fmt: on

_OPENSHIFT = "It is about OpenShift's operators or services, and this installs Kubernetes by kubeadm."
_DAY_2 = "Adding hosts to an installed cluster is not this service's: it ends an hour after the install."
_URLS = "Nothing is stored elsewhere, so there are no signed addresses: download with the token."
_ISO = "The ISO is made by `cluster0 create image`, before this service runs; it has none to give away."
_CONTROLLER = "Nothing in the cluster reports here: node0 watches the nodes itself."
_CLUSTER, _HOST_PATH = "/v2/clusters/{cluster_id}", "/v2/infra-envs/{infra_env_id}/hosts/{host_id}"

# fmt: off
UNSUPPORTED: tuple[UnsupportedOperation, ...] = (
    UnsupportedOperation("v2ImportCluster", "POST", "/v2/clusters/import", _DAY_2),
    UnsupportedOperation("v2RegisterDisconnectedCluster", "POST", "/v2/clusters/disconnected", _ISO),
    UnsupportedOperation("v2UpdateClusterFinalizingProgress", "PUT", _CLUSTER + "/progress", _CONTROLLER),
    UnsupportedOperation("GetClusterSupportedPlatforms", "GET", _CLUSTER + "/supported-platforms", "The ISO fixes the platform."),
    UnsupportedOperation("TransformClusterToDay2", "POST", _CLUSTER + "/actions/allow-add-workers", _DAY_2),
    UnsupportedOperation("TransformClusterToAddingHosts", "POST", _CLUSTER + "/actions/allow-add-hosts", _DAY_2),
    UnsupportedOperation("V2GetCredentials", "GET", _CLUSTER + "/credentials", "There is no console and no password: download the kubeconfig."),
    UnsupportedOperation("V2GetPresignedForClusterCredentials", "GET", _CLUSTER + "/downloads/credentials-presigned", _URLS),
    UnsupportedOperation("V2GetPresignedForClusterFiles", "GET", _CLUSTER + "/downloads/files-presigned", _URLS),
    UnsupportedOperation("v2UpdateClusterLogsProgress", "PUT", _CLUSTER + "/logs-progress", _CONTROLLER),
    UnsupportedOperation("V2ListOfClusterOperators", "GET", _CLUSTER + "/monitored-operators", _OPENSHIFT),
    UnsupportedOperation("v2ReportMonitoredOperatorStatus", "PUT", _CLUSTER + "/monitored-operators", _OPENSHIFT),
    UnsupportedOperation("v2UploadClusterIngressCert", "POST", _CLUSTER + "/uploads/ingress-cert", _OPENSHIFT),
    UnsupportedOperation("V2GetClusterUISettings", "GET", _CLUSTER + "/ui-settings", "There is no user interface."),
    UnsupportedOperation("V2UpdateClusterUISettings", "PUT", _CLUSTER + "/ui-settings", "There is no user interface."),
    UnsupportedOperation("GetInfraEnvDownloadURL", "GET", "/v2/infra-envs/{infra_env_id}/downloads/image-url", _ISO),
    UnsupportedOperation("v2DownloadInfraEnvFiles", "GET", "/v2/infra-envs/{infra_env_id}/downloads/files", _ISO),
    UnsupportedOperation("GetInfraEnvPresignedFileURL", "GET", "/v2/infra-envs/{infra_env_id}/downloads/files-presigned", _URLS),
    UnsupportedOperation("DownloadMinimalInitrd", "GET", "/v2/infra-envs/{infra_env_id}/downloads/minimal-initrd", _ISO),
    UnsupportedOperation("RegenerateInfraEnvSigningKey", "POST", "/v2/infra-envs/{infra_env_id}/regenerate-signing-key", _URLS),
    UnsupportedOperation("v2InstallHost", "POST", _HOST_PATH + "/actions/install", _DAY_2),
    UnsupportedOperation("v2ResetHostValidation", "PATCH", _HOST_PATH + "/actions/reset-validation/{validation_id}", "Every result of a host evaluates the validations again; none has to be reset."),
    UnsupportedOperation("v2DownloadHostIgnition", "GET", "/v2/infra-env/{infra_env_id}/hosts/{host_id}/downloads/ignition", "A host composes its Ignition itself, from the ISO and its verified network."),
    UnsupportedOperation("v2TriggerEvent", "POST", "/v2/events", _CONTROLLER),
    UnsupportedOperation("v2ListReleaseSources", "GET", "/v2/release-sources", _OPENSHIFT),
    UnsupportedOperation("V2ListOperatorProperties", "GET", "/v2/supported-operators/{operator_name}", _OPENSHIFT),
    UnsupportedOperation("V2ListBundles", "GET", "/v2/operators/bundles", _OPENSHIFT),
    UnsupportedOperation("V2GetBundle", "GET", "/v2/operators/bundles/{id}", _OPENSHIFT),
    UnsupportedOperation("V2ListManagedDomains", "GET", "/v2/domains", "No DNS zone is managed here."),
    UnsupportedOperation("GetSupportedFeatures", "GET", "/v2/support-levels/features", _OPENSHIFT),
    UnsupportedOperation("GetDetailedSupportedFeatures", "GET", "/v2/support-levels/features/detailed", _OPENSHIFT),
    UnsupportedOperation("GetSupportedArchitectures", "GET", "/v2/support-levels/architectures", _OPENSHIFT),
)
# fmt: on

OPERATIONS: tuple[Operation[object, object], ...] = tuple(
    value for value in list(globals().values()) if isinstance(value, Operation)
)
