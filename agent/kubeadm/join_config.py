"""The two files that `kubeadm join` reads: its configuration, and the CA to trust. Pure."""

from __future__ import annotations

import base64

import yaml

from agent.api.join import JoinCredential
from agent.kubeadm import static_pod_patches
from agent.kubeadm.kinds import Document, registration
from agent.model.endpoints import API_PORT
from agent.model.payload import KubeadmApi

DISCOVERY_TIMEOUT = "5m0s"
# kubeadm 1.20 first waits for the five seconds between two of its requests, later releases do not. Where the timeout is
# shorter, it waits for that one, and requests once.
ONE_REQUEST = "100ms"


def render(
    credential: JoinCredential, api: KubeadmApi, *, pause: str, token: str, discovery_file: str, is_patient: bool = True
) -> str:
    """The configuration for `kubeadm join --config`.

    `discovery_file`: where `discovery_kubeconfig` lies, for a `token`; without one, a kubeconfig with a user. `pause`:
    the image of every pod's sandbox. `is_patient`: an API server that does not answer is asked again for minutes.
    Otherwise kubeadm before 1.31 fails at once, and saves five seconds where it does not.
    """
    discovery: Document = {"file": {"kubeConfigPath": discovery_file}}
    if token:
        discovery["tlsBootstrapToken"] = token
    document: Document = {
        "apiVersion": str(api),
        "kind": "JoinConfiguration",
        "discovery": discovery,
        "nodeRegistration": registration(
            credential.node_name,
            credential.address,
            api,
            pause=pause,
            schedulable=credential.schedulable and credential.is_control_plane,
        ),
    }
    if api is KubeadmApi.V1BETA4:
        document["timeouts"] = {"discovery": DISCOVERY_TIMEOUT, "tlsBootstrap": DISCOVERY_TIMEOUT}
    else:
        discovery["timeout"] = DISCOVERY_TIMEOUT if is_patient else ONE_REQUEST
    if credential.is_control_plane:
        document["controlPlane"] = {
            "localAPIEndpoint": {"advertiseAddress": credential.address, "bindPort": API_PORT},
        }
        document |= static_pod_patches.in_configuration(api)
    return yaml.safe_dump(document, sort_keys=False)


def discovery_kubeconfig(credential: JoinCredential) -> str:
    """The CA comes from a file, not from an anonymous ConfigMap: node0 sent it over the TLS that the ISO pins."""
    authority = base64.b64encode(credential.ca_certificate.encode()).decode()
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {
                "name": "cluster",
                "cluster": {
                    "server": f"https://{credential.api_endpoint}",
                    "certificate-authority-data": authority,
                },
            }
        ],
        "users": [{"name": "join", "user": {"token": credential.token}}],
        "contexts": [{"name": "join", "context": {"cluster": "cluster", "user": "join"}}],
        "current-context": "join",
    }
    return yaml.safe_dump(document, sort_keys=False)
