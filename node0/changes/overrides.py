"""Overrides of configurations that the ISO makes: checked, stored and shown. An event says that this is all."""

from __future__ import annotations

from typing import Any

import msgspec

from agent.api.requests import HostIgnition, InstallerArgs
from agent.model.states import EventSeverity
from node0.reconcile.transaction import Change, Transaction
from node0.refusals import BadRequest
from node0.store.records import HostRecord

# coreos-installer's options that assisted-service lets through; those with True take a value.
INSTALLER_OPTIONS = {
    "--append-karg": True,
    "--delete-karg": True,
    "-n": False,
    "--copy-network": False,
    "--network-dir": True,
    "--save-partlabel": True,
    "--save-partindex": True,
    "--image-url": True,
    "--image-file": True,
}

_KEPT = "kept and shown; hosts are installed as the ISO says"


def override_install_config(cluster_id: str, text: str) -> Change:
    parse_object(text, "The overrides for install-config")

    def change(transaction: Transaction) -> None:
        cluster = transaction.records.get_cluster(cluster_id)
        transaction.put_cluster(
            msgspec.structs.replace(cluster, install_config_overrides=text, updated_at=transaction.now)
        )
        words = f"Cluster {cluster.spec.name}: custom install config was applied ({_KEPT})"
        transaction.add_event("install_config_applied", words, severity=EventSeverity.WARNING)

    return change


def override_ignition(infra_env_id: str, host_id: str, request: HostIgnition) -> Change:
    if request.config:
        parse_object(request.config, "The Ignition config")

    def change(transaction: Transaction) -> None:
        host = _changed(transaction, infra_env_id, host_id, ignition_override=request.config)
        words = f"Host {host.label}: custom discovery ignition config was applied ({_KEPT})"
        transaction.add_event(
            "host_discovery_ignition_config_applied", words, severity=EventSeverity.WARNING, host=host
        )

    return change


def set_installer_args(infra_env_id: str, host_id: str, request: InstallerArgs) -> Change:
    _check_installer_args(request.args)

    def change(transaction: Transaction) -> None:
        host = _changed(transaction, infra_env_id, host_id, installer_args=request.args)
        words = f"Host {host.label}: custom installer arguments were applied ({_KEPT})"
        transaction.add_event("host_installer_args_applied", words, severity=EventSeverity.WARNING, host=host)

    return change


def parse_object(text: str, what: str) -> dict[str, Any]:
    """The JSON object in `text`. Raises `BadRequest`, naming it as `what`."""
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise BadRequest(code="not-an-object", title=f"{what} must be a JSON object: {error}") from error


def _changed(transaction: Transaction, infra_env_id: str, host_id: str, **changes: Any) -> HostRecord:
    host = transaction.records.get_host(infra_env_id, host_id)
    changed = msgspec.structs.replace(host, updated_at=transaction.now, **changes)
    transaction.put_host(changed)
    return changed


def _check_installer_args(args: tuple[str, ...]) -> None:
    rest = iter(args)
    for argument in rest:
        option, has_value, _ = argument.partition("=")
        if option not in INSTALLER_OPTIONS:
            raise BadRequest(
                code="installer-arg-unknown",
                title=f"{argument!r} is not an option of coreos-installer that can be given.",
                remedy=f"These can: {', '.join(INSTALLER_OPTIONS)}.",
            )
        if INSTALLER_OPTIONS[option] and not has_value and next(rest, None) is None:
            raise BadRequest(code="installer-arg-incomplete", title=f"{option} lacks its value.")
