"""One IP family of one connection, and the keys of [ipv4] and [ipv6] that a file and D-Bus share. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from agent.model.network import Dns, IpConfig, IpMethod, Route, RouteRule

Value = str | int | bool
Section = dict[str, Value]

INFINITE = 2147483647  # a lease may come late, and no user is there to try again


@dataclass(frozen=True)
class IpPart:
    """Settings of the interface itself, and what it carries for the whole host."""

    config: IpConfig
    routes: tuple[Route, ...] = ()
    rules: tuple[RouteRule, ...] = ()
    dns: Dns = field(default_factory=Dns)

    def settings(self, family: int) -> Section:
        """Everything but the method and the lists (addresses, routes, rules, DNS)."""
        config = self.config
        is_automatic = config.method in {IpMethod.AUTO, IpMethod.DHCP}
        needs_lease = is_automatic and (
            family == 4 or config.method is IpMethod.DHCP
        )  # router advertisements are no lease
        settings: dict[str, Value | None] = {
            "ignore-auto-dns": (is_automatic and bool(self.dns.servers)) or not config.use_dns or None,
            "never-default": not config.use_gateway or None,
            "ignore-auto-routes": not config.use_routes or None,
            "may-fail": False if config.required else None,
            "route-metric": config.metric if config.metric >= 0 else None,
            "route-table": config.table or None,
            "dhcp-timeout": INFINITE if needs_lease else None,
            "dhcp-client-id": config.client_id or None,
            "addr-gen-mode": config.addr_gen_mode or None,
        }
        return {key: value for key, value in settings.items() if value is not None}
