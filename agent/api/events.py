"""Events on the wire, as assisted-service has them."""

from __future__ import annotations

import msgspec

from agent.model.states import EventSeverity


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """`id` is our addition: increasing without gaps, so that a reader knows where it stopped. `props` is JSON.

    request_id: the header X-Request-ID of the request that caused it, and of its answer; empty where none did.
    """

    id: int
    name: str
    severity: EventSeverity
    message: str
    event_time: str
    category: str = "user"
    cluster_id: str = ""
    infra_env_id: str = ""
    host_id: str = ""
    request_id: str = ""
    props: str = ""
