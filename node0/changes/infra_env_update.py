"""Update of the infra-env: only of what the ISO has not fixed."""

from __future__ import annotations

import msgspec

from agent.api.requests import InfraEnvUpdate
from node0.reconcile.transaction import Change, Transaction
from node0.refusals import Conflict

# Only an ISO can bring these to a host.
FIXED_BY_ISO = frozenset(
    {
        "image_type",
        "static_network_config",
        "ignition_config_override",
        "kernel_arguments",
        "additional_trust_bundle",
        "ssh_authorized_key",
        "proxy",
        "rendezvous_ip",
    }
)


def update_infra_env(infra_env_id: str, request: InfraEnvUpdate) -> Change:
    given = {name: value for name, value in msgspec.structs.asdict(request).items() if value is not msgspec.UNSET}

    def change(transaction: Transaction) -> None:
        infra_env = transaction.records.get_infra_env(infra_env_id)
        changed = [name for name in sorted(FIXED_BY_ISO & given.keys()) if getattr(infra_env.spec, name) != given[name]]
        if changed:
            raise Conflict(
                code="fixed-by-the-iso",
                title=f"{', '.join(changed)} of infra-env {infra_env.spec.name}: only another ISO can change that.",
                remedy="Run `create image` again and boot the hosts from the new ISO.",
            )
        updated = msgspec.structs.replace(infra_env.spec, **given)
        transaction.put_infra_env(msgspec.structs.replace(infra_env, spec=updated, updated_at=transaction.now))

    return change
