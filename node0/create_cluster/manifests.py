"""The user's manifests: added to a new service, and applied to the cluster once its nodes are ready."""

from __future__ import annotations

import base64
import logging

from agent.api import operations
from agent.api.client import Client
from agent.api.requests import ManifestCreate
from agent.kubernetes import KUBECTL_CACHE
from agent.machine.machine import Machine
from agent.machine.process import ProcessFailed
from agent.model import host_paths

log = logging.getLogger(__name__)

DIRECTORY = "/run/cluster0/manifests"

# A manifest may need what another makes: a namespace, or a kind that the API server takes a moment to serve.
ROUNDS = 3
PAUSE_SECONDS = 10.0
APPLY_SECONDS = 120.0


async def add_manifests(machine: Machine, client: Client, *, cluster_id: str) -> None:
    """Add the manifests of the ISO. A repeat replaces them with themselves."""
    for folder in machine.files.names(host_paths.MANIFESTS_DIRECTORY):
        for name in machine.files.names(f"{host_paths.MANIFESTS_DIRECTORY}/{folder}"):
            content = machine.files.at(f"{host_paths.MANIFESTS_DIRECTORY}/{folder}/{name}").read_bytes()
            body = ManifestCreate(folder=folder, file_name=name, content=base64.b64encode(content).decode())
            await client.call(operations.CREATE_MANIFEST, body, cluster_id=cluster_id)


async def apply_manifests(machine: Machine, client: Client, *, cluster_id: str, kubeconfig: str) -> str:
    """Apply every manifest by server-side apply: a repeat changes nothing. Returns the failures in words."""
    names = [
        (item.folder, item.file_name) for item in await client.call(operations.LIST_MANIFESTS, cluster_id=cluster_id)
    ]
    for folder, name in names:
        query = {"folder": folder, "file_name": name}
        content = await client.download(operations.DOWNLOAD_MANIFEST, query=query, cluster_id=cluster_id)
        machine.files.write(f"{DIRECTORY}/{folder}/{name}", _readable_by_kubectl(name, content), mode=0o600)
    failed: dict[str, str] = {}
    for round_ in range(ROUNDS if names else 0):
        if round_:
            await machine.clock.sleep(PAUSE_SECONDS)
        failed = {}
        for folder, name in sorted(names):
            try:
                await _apply(machine, f"{DIRECTORY}/{folder}/{name}", kubeconfig)
            except ProcessFailed as problem:
                log.warning("%s", problem)
                failed[name] = problem.detail or problem.title
        if not failed:
            break
    return "; ".join(f"{name}: {' '.join(why.split())}" for name, why in failed.items())


def _readable_by_kubectl(name: str, content: bytes) -> bytes:
    """kubectl reads a file that begins with a brace as JSON, whatever its name is."""
    is_flow = content.lstrip().startswith(b"{") and not name.endswith(".json")
    return b"---\n" + content if is_flow else content


async def _apply(machine: Machine, path: str, kubeconfig: str) -> None:
    files = machine.files
    access = [f"--kubeconfig={files.at(kubeconfig)}", f"--cache-dir={files.at(KUBECTL_CACHE)}"]
    apply = ["apply", "--server-side", "--force-conflicts", "--field-manager=cluster0", f"--filename={files.at(path)}"]
    await machine.processes.run(["kubectl", *access, *apply], timeout=APPLY_SECONDS)
