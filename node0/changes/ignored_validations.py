"""The change that sets which validations the user ignores: these do not block the install when they fail."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from agent.api.requests import IgnoredValidations
from agent.model.states import EventSeverity
from node0 import validations
from node0.reconcile.transaction import Change, Transaction
from node0.refusals import BadRequest
from node0.validations.engine.ignored import ALL
from node0.validations.host.user_checks import USER_PREFIX

_HOST_IDS = frozenset(validation.id for validation in validations.HOST_VALIDATIONS)
_CLUSTER_IDS = frozenset(validation.id for validation in validations.CLUSTER_VALIDATIONS)


def ignore_validations(cluster_id: str, request: IgnoredValidations) -> Change:
    """Replace both lists of ignored validations, of hosts and of the cluster.

    Raises `BadRequest`: `validation-unknown` for an id that does not exist, `not-a-list` for a string that is no JSON
    list of strings.
    """
    host_ids = _ids("host-validation-ids", request.host_validation_ids, _HOST_IDS)
    cluster_ids = _ids("cluster-validation-ids", request.cluster_validation_ids, _CLUSTER_IDS)

    def change(transaction: Transaction) -> None:
        cluster = transaction.records.get_cluster(cluster_id)
        transaction.put_cluster(
            msgspec.structs.replace(
                cluster,
                ignored_host_validations=host_ids,
                ignored_cluster_validations=cluster_ids,
                updated_at=transaction.now,
            )
        )
        message = (
            f"Cluster {cluster.spec.name}: ignored validations: host: {_list(host_ids)}; cluster: {_list(cluster_ids)}"
        )
        transaction.add_event("validations_ignored", message, severity=EventSeverity.WARNING)

    return change


def as_json(ids: Iterable[str]) -> str:
    """The ids as the API returns them: a JSON list inside a string, or an empty string without ids."""
    listed = tuple(ids)
    return msgspec.json.encode(listed).decode() if listed else ""


def _ids(field: str, given: str | tuple[str, ...], known: frozenset[str]) -> tuple[str, ...]:
    ids = _decoded(field, given) if isinstance(given, str) else given
    unknown = [item for item in ids if item != ALL and item not in known and not item.startswith(USER_PREFIX)]
    if unknown:
        raise BadRequest(
            code="validation-unknown",
            title=f"{field}: there is no validation {', '.join(map(repr, unknown))}.",
            remedy=f"Validations of this list: {', '.join(sorted(known))}.",
        )
    return ids


def _decoded(field: str, text: str) -> tuple[str, ...]:
    if not text:
        return ()
    try:
        return msgspec.json.decode(text, type=tuple[str, ...])
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise BadRequest(code="not-a-list", title=f"{field} must be a JSON list of ids: {error}") from error


def _list(ids: tuple[str, ...]) -> str:
    return ", ".join(ids) or "none"
