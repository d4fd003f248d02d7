"""The user's manifests: added, changed and removed before the install starts."""

from __future__ import annotations

import base64
import binascii
import re

import msgspec

from agent.api.requests import ManifestCreate, ManifestUpdate
from node0.reconcile.transaction import Change, Transaction
from node0.refusals import BadRequest, Conflict
from node0.state_machine.cluster import BEFORE
from node0.store.records import ManifestRecord

FOLDERS = ("manifests", "openshift")
MAX_BYTES = 1024 * 1024
MAX_FILES = 100

_NAME = re.compile(r"[A-Za-z0-9._-]+\.(yaml|yml|json)(\.patch[A-Za-z0-9_-]*)?")


def create_manifest(cluster_id: str, request: ManifestCreate) -> Change:
    """A repeat with other content replaces the manifest."""
    manifest = _checked(request.folder, request.file_name, _decoded(request.file_name, request.content))

    def change(transaction: Transaction) -> None:
        _check_changeable(transaction, cluster_id)
        _put(transaction, manifest)

    return change


def update_manifest(cluster_id: str, request: ManifestUpdate) -> Change:
    content = None if request.updated_content is msgspec.UNSET else _decoded(request.file_name, request.updated_content)
    folder = request.folder if request.updated_folder is msgspec.UNSET else request.updated_folder
    name = request.file_name if request.updated_file_name is msgspec.UNSET else request.updated_file_name

    def change(transaction: Transaction) -> None:
        _check_changeable(transaction, cluster_id)
        known = transaction.records.get_manifest(request.folder, request.file_name)
        updated = _checked(folder, name, known.content if content is None else content)
        _drop(transaction, known)
        _put(transaction, updated)

    return change


def delete_manifest(cluster_id: str, folder: str, file_name: str) -> Change:
    def change(transaction: Transaction) -> None:
        _check_changeable(transaction, cluster_id)
        _drop(transaction, transaction.records.get_manifest(folder, file_name))

    return change


def _check_changeable(transaction: Transaction, cluster_id: str) -> None:
    cluster = transaction.records.get_cluster(cluster_id)
    if cluster.status not in BEFORE:
        raise BadRequest(
            code="manifests-not-changeable",
            title=f"Cluster {cluster.spec.name} is {cluster.status}: manifests can only change before the install.",
        )


def _put(transaction: Transaction, manifest: ManifestRecord) -> None:
    twins = [item for item in transaction.records.manifests.values() if item.file_name == manifest.file_name]
    if any(twin.folder != manifest.folder for twin in twins):
        raise Conflict(
            code="manifest-twice", title=f"Manifest {manifest.file_name} is in folder {twins[0].folder} already."
        )
    others = [item for item in transaction.records.manifests.values() if item.id != manifest.id]
    if len(others) >= MAX_FILES:
        raise Conflict(code="too-many-manifests", title=f"There are {MAX_FILES} manifests already; no more are taken.")
    transaction.put_manifests(*others, manifest)


def _drop(transaction: Transaction, manifest: ManifestRecord) -> None:
    transaction.put_manifests(*(item for item in transaction.records.manifests.values() if item.id != manifest.id))


def _checked(folder: str, file_name: str, content: bytes) -> ManifestRecord:
    if folder not in FOLDERS:
        raise BadRequest(code="folder-unknown", title=f"Folder {folder!r} is none of {', '.join(FOLDERS)}.")
    if _NAME.fullmatch(file_name) is None:
        raise BadRequest(
            code="manifest-name-invalid",
            title=f"{file_name!r} is not the name of a manifest.",
            remedy="Letters, digits, '.', '_' and '-', ending in .yaml, .yml, .json or, for a patch, .yaml.patch.",
        )
    return ManifestRecord(folder=folder, file_name=file_name, content=content)


def _decoded(file_name: str, text: str) -> bytes:
    """The content, proven to be YAML (or JSON, which is YAML)."""
    try:
        content = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadRequest(code="manifest-not-base64", title=f"Manifest {file_name}: {error}") from error
    if not content.strip():
        raise BadRequest(code="manifest-empty", title=f"Manifest {file_name} is empty.")
    if len(content) > MAX_BYTES:
        raise BadRequest(code="manifest-too-large", title=f"Manifest {file_name} is larger than {MAX_BYTES} bytes.")
    _require_yaml(file_name, content)
    return content


def _require_yaml(file_name: str, content: bytes) -> None:
    import yaml  # with the first manifest, to spare the start of the service

    try:
        for _ in yaml.parse(content, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            pass
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise BadRequest(code="manifest-not-yaml", title=f"Manifest {file_name} is not YAML: {error}") from error
