"""Files, directories and mount points on a host that more than one of our programs uses.

`agent.model.host_documents` has what the JSON files hold; docs/design/boot.md, which program writes each.
"""

from __future__ import annotations

HOST_FILE = "/run/cluster0/host.json"
NETWORK_FILE = "/run/cluster0/network.json"
STATUS_FILE = "/run/cluster0/status.json"
CLUSTER_STATUS_FILE = "/run/cluster0/cluster-status.json"
BOOTSTRAP_FILE = "/run/cluster0/bootstrap.json"
LIVE_TOKEN_FILE = "/run/cluster0/host.token"
INTENT_FILE = "/etc/cluster0/cluster.json"
CA_FILE = "/etc/cluster0/ca.crt"
AGENT_TOKEN_FILE = "/etc/cluster0/agent.token"
INSTALLED_FILE = "/etc/cluster0/installed.json"
INSTALLED_TOKEN_FILE = "/etc/cluster0/host.token"
IGNITION_OVERRIDE_FILE = "/etc/cluster0/ignition/cluster.ign"
HOST_IGNITION_DIRECTORY = "/etc/cluster0/ignition/hosts"
NODE0_DIRECTORY = "/etc/cluster0/node0"
NODE0_KUBECONFIG = f"{NODE0_DIRECTORY}/admin.conf"
NODE0_DONE_FILE = "/var/lib/cluster0/node0.done"
NODE0_DATABASE = "/var/lib/cluster0/node0.db"
USER_CHECKS_DIRECTORY = "/etc/cluster0/checks.d"
MANIFESTS_DIRECTORY = f"{NODE0_DIRECTORY}/manifests"
RELEASE_FILE = "/usr/share/cluster0/release.json"
MEDIUM_MOUNT = "/run/cluster0/medium"
IMAGE_MOUNT = "/run/cluster0/image"
STATE_MOUNT = "/run/cluster0/state"
IMAGE_STORE = "usr/share/cluster0/images"
"""The container images, unpacked; below the root image, wherever that is mounted."""
