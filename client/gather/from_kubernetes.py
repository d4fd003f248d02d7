"""Collects nodes, workloads and events from the Kubernetes API, as far as it answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import msgspec

from agent.kubernetes.client import ApiRefused, Kubernetes
from client.remote.target import Target

SECONDS = 60.0

DOCUMENTS = {
    "nodes": "/api/v1/nodes",
    "pods": "/api/v1/pods",
    "events": "/api/v1/events",
    "deployments": "/apis/apps/v1/deployments",
    "daemonsets": "/apis/apps/v1/daemonsets",
    "certificate-signing-requests": "/apis/certificates.k8s.io/v1/certificatesigningrequests",
    "version": "/version",
}
"""Neither Secrets nor ConfigMaps, because users put secrets into both."""


async def collect(target: Target) -> AsyncIterator[tuple[str, bytes]]:
    """(path, content), as they arrive. Raises `ApiUnreachable`, TimeoutError."""
    async with asyncio.timeout(SECONDS), Kubernetes.from_kubeconfig(target.kubeconfig) as api:
        for name, path in DOCUMENTS.items():
            try:
                document = await api.get(path, msgspec.Raw)
            except ApiRefused as refusal:
                yield f"{name}.error.txt", f"{refusal.title}\n".encode()
            else:
                yield f"{name}.json", msgspec.json.format(bytes(document), indent=1)
