"""The user's manifests."""

from __future__ import annotations

import asyncio

import msgspec

from agent.api import operations
from agent.api.requests import ManifestCreate, ManifestUpdate
from agent.api.responses import Manifest
from node0.changes.manifests import create_manifest, delete_manifest, update_manifest
from node0.reconcile.state_manager import StateManager
from node0.rest.server.answers import Download
from node0.rest.server.bind import Handlers


class Manifests:
    """YAML is parsed in a thread: a megabyte takes a while."""

    def __init__(self, *, state_manager: StateManager) -> None:
        self._state_manager = state_manager

    def handlers(self) -> Handlers:
        return {
            operations.LIST_MANIFESTS: self.list,
            operations.CREATE_MANIFEST: self.create,
            operations.UPDATE_MANIFEST: self.update,
            operations.DELETE_MANIFEST: self.delete,
            operations.DOWNLOAD_MANIFEST: self.download,
        }

    async def list(self, *, cluster_id: str, include_system_generated: bool = False) -> list[Manifest]:
        """`include_system_generated` changes nothing: the system generates no manifests."""
        records = self._state_manager.records
        records.get_cluster(cluster_id)
        return [Manifest(folder=item.folder, file_name=item.file_name) for item in records.manifests.values()]

    async def create(self, *, cluster_id: str, body: ManifestCreate) -> Manifest:
        await self._state_manager.apply(await asyncio.to_thread(create_manifest, cluster_id, body))
        return Manifest(folder=body.folder, file_name=body.file_name)

    async def update(self, *, cluster_id: str, body: ManifestUpdate) -> Manifest:
        await self._state_manager.apply(await asyncio.to_thread(update_manifest, cluster_id, body))
        return Manifest(
            folder=body.folder if body.updated_folder is msgspec.UNSET else body.updated_folder,
            file_name=body.file_name if body.updated_file_name is msgspec.UNSET else body.updated_file_name,
        )

    async def delete(self, *, cluster_id: str, file_name: str, folder: str = "manifests") -> None:
        await self._state_manager.apply(delete_manifest(cluster_id, folder, file_name))

    async def download(self, *, cluster_id: str, file_name: str, folder: str = "manifests") -> Download:
        records = self._state_manager.records
        records.get_cluster(cluster_id)
        return Download(file_name, records.get_manifest(folder, file_name).content)
